// A library with the interface of an old version of nvJitLink: all function names end in a version, and there is no
// nvJitLinkVersion. It supports one architecture, rejects PTX with the word "refuse", and writes logs like those of
// ptxas. What it says of a kernel's registers can be in the PTX: `// registers 138`, or for a limit of 128 registers
// `// at 128: fail`, `// at 128: spill` and `// at 128: serialize`.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

struct nvJitLink {
  std::string error, info;
};

#define EXPORTED extern "C" __attribute__((visibility("default")))

/// If there are two versions of a function, the newer one must be used.
EXPORTED int __nvJitLinkCreate_12_0(nvJitLink **, uint32_t, const char *const *) { return 6; }

EXPORTED int __nvJitLinkCreate_12_1(nvJitLink **handle, uint32_t count, const char *const *options) {
  std::string all;
  for (uint32_t i = 0; i < count; ++i) {
    all += std::string(options[i]) + "\n";
  }
  if (all.find("-no-cache\n") != std::string::npos) {
    return 1; // this version does not have the option
  }
  if (all.find("-arch=sm_80\n") == std::string::npos) {
    return 16;
  }
  *handle = new nvJitLink{"", "options: " + all};
  return 0;
}

EXPORTED int __nvJitLinkDestroy_12_0(nvJitLink **handle) {
  delete *handle;
  *handle = nullptr;
  return 0;
}

/// The number after the words; empty if there is none.
static std::string numberAfter(const std::string &text, const std::string &words) {
  size_t at = text.find(words);
  size_t start = at == std::string::npos ? text.size() : at + words.size();
  return text.substr(start, text.find_first_not_of("0123456789", start) - start);
}

/// The log of PTX that says how many registers it needs.
static int describe(const std::string &text, const std::string &registers, std::string &log) {
  std::string limit = numberAfter(text, ".maxnreg ");
  auto happens = [&](const std::string &what) {
    return text.find("// at " + limit + ": " + what) != std::string::npos;
  };
  log += "    0 bytes stack frame, " + std::string(happens("spill") ? "8" : "0") +
         " bytes spill stores, 0 bytes spill loads\n"
         "ptxas info    : Used " +
         (limit.empty() ? registers : limit) + " registers\n";
  if (happens("serialize")) {
    log += "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized\n";
  }
  return happens("fail") ? 4 : 0;
}

EXPORTED int __nvJitLinkAddData_12_0(nvJitLink *handle, int kind, const void *data, size_t size, const char *) {
  std::string text(static_cast<const char *>(data), size);
  if (kind != 2 || text.find("silent") != std::string::npos) {
    return 3;
  }
  if (text.find("refuse") != std::string::npos) {
    handle->error = "ptxas application ptx input, line 2; error   : Refused\n";
    return 4;
  }
  if (std::string registers = numberAfter(text, "// registers "); !registers.empty()) {
    return describe(text, registers, handle->info);
  }
  handle->info += "ptxas info    : Function properties for helper\n"
                  "    16 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads\n"
                  "ptxas info    : Compiling entry function 'kernel' for 'sm_80'\n"
                  "ptxas info    : Function properties for kernel\n"
                  "    40 bytes stack frame, 20 bytes spill stores, 24 bytes spill loads\n"
                  "ptxas info    : Used 42 registers, used 1 barriers, 128 bytes smem, 368 bytes cmem[0]\n";
  return 0;
}

EXPORTED int __nvJitLinkComplete_12_0(nvJitLink *) { return 0; }

EXPORTED int __nvJitLinkGetLinkedCubinSize_12_0(nvJitLink *, size_t *size) {
  *size = 3;
  return 0;
}

EXPORTED int __nvJitLinkGetLinkedCubin_12_0(nvJitLink *, void *image) {
  std::memcpy(image, "ELF", 3);
  return 0;
}

static int sizeOf(const std::string &text, size_t *size) {
  *size = text.empty() ? 0 : text.size() + 1;
  return 0;
}

static int copy(const std::string &text, char *to) {
  std::memcpy(to, text.c_str(), text.size() + 1);
  return 0;
}

EXPORTED int __nvJitLinkGetErrorLogSize_12_0(nvJitLink *handle, size_t *size) { return sizeOf(handle->error, size); }
EXPORTED int __nvJitLinkGetErrorLog_12_0(nvJitLink *handle, char *log) { return copy(handle->error, log); }
EXPORTED int __nvJitLinkGetInfoLogSize_12_0(nvJitLink *handle, size_t *size) { return sizeOf(handle->info, size); }
EXPORTED int __nvJitLinkGetInfoLog_12_0(nvJitLink *handle, char *log) { return copy(handle->info, log); }
