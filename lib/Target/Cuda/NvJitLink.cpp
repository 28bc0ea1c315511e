// The functions of nvJitLink's C interface that are used. They are the same in all versions from 12.0 on.

#include "Assemblers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <dlfcn.h>
#include <mutex>

using namespace llvm;

namespace tilewright::cuda {

static constexpr int kSuccess = 0, kUnknownOption = 1, kInputPtx = 2;

/// Finds a function by its plain name, or by the newest name with a version, such as __nvJitLinkCreate_12_4.
static void *findFunction(void *library, const std::string &name) {
  if (void *found = dlsym(library, ("nvJitLink" + name).c_str())) {
    return found;
  }
  for (int major = 19; major >= 12; --major) {
    for (int minor = 9; minor >= 0; --minor) {
      std::string versioned = "__nvJitLink" + name + "_" + std::to_string(major) + "_" + std::to_string(minor);
      if (void *found = dlsym(library, versioned.c_str())) {
        return found;
      }
    }
  }
  return nullptr;
}

Expected<NvJitLink> NvJitLink::load(StringRef path) {
  void *library = dlopen(path.str().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    return createStringError("nvJitLink cannot be opened: " + Twine(dlerror()) +
                             "\nhint: pip install nvidia-nvjitlink, or correct TILEWRIGHT_NVJITLINK if it is set");
  }
  NvJitLink found;
  std::string missing;
  auto find = [&](auto &function, const char *name, bool optional = false) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(findFunction(library, name));
    if (!function && !optional && missing.empty()) {
      missing = name;
    }
  };
  find(found.create, "Create");
  find(found.destroy, "Destroy");
  find(found.addData, "AddData");
  find(found.complete, "Complete");
  find(found.getImageSize, "GetLinkedCubinSize");
  find(found.getImage, "GetLinkedCubin");
  find(found.getErrorSize, "GetErrorLogSize");
  find(found.getError, "GetErrorLog");
  find(found.getInfoSize, "GetInfoLogSize");
  find(found.getInfo, "GetInfoLog");
  find(found.getVersion, "Version", /*optional=*/true); // since 12.3
  if (!missing.empty()) {
    dlclose(library);
    return createStringError("'" + path + "' is not nvJitLink: it has no function nvJitLink" + missing);
  }
  return found;
}

Expected<const NvJitLink *> NvJitLink::open(StringRef path) {
  static std::mutex mutex;
  static auto *const libraries = new StringMap<NvJitLink>();
  std::lock_guard<std::mutex> lock(mutex);
  auto known = libraries->find(path);
  if (known == libraries->end()) {
    Expected<NvJitLink> loaded = load(path);
    if (!loaded) {
      return loaded.takeError();
    }
    known = libraries->try_emplace(path, *loaded).first;
  }
  return &known->second; // StringMap entries do not move
}

template <typename Handle>
static std::string readLog(Handle handle, int (*getSize)(Handle, size_t *), int (*get)(Handle, char *)) {
  size_t size = 0;
  if (getSize(handle, &size) != kSuccess || size == 0) {
    return "";
  }
  std::string text(size, '\0');
  get(handle, text.data());
  return text.substr(0, text.find('\0'));
}

Expected<Assembled> NvJitLink::assemble(StringRef ptx, StringRef arch, ArrayRef<std::string> options) const {
  std::vector<std::string> texts = {("-arch=" + arch).str()};
  for (const std::string &option : options) {
    texts.push_back("-Xptxas=" + option);
  }
  // What comes from the library's own cache has no log, so that registers and spills would be unknown. Versions before
  // 12.3 have neither the cache nor the option.
  texts.emplace_back("-no-cache");
  std::vector<const char *> arguments;
  arguments.reserve(texts.size());
  for (const std::string &text : texts) {
    arguments.push_back(text.c_str());
  }
  Handle handle = nullptr;
  int code = create(&handle, arguments.size(), arguments.data());
  if (code == kUnknownOption) {
    code = create(&handle, arguments.size() - 1, arguments.data());
  }
  if (code != kSuccess || !handle) {
    return createStringError(describe() + " does not support " + arch + " (code " + Twine(code) + ")");
  }
  Assembled result;
  code = addData(handle, kInputPtx, ptx.data(), ptx.size(), "kernel");
  code = code == kSuccess ? complete(handle) : code;
  size_t size = 0;
  code = code == kSuccess ? getImageSize(handle, &size) : code;
  result.image.resize(size);
  code = code == kSuccess ? getImage(handle, result.image.data()) : code;
  result.ok = code == kSuccess;
  result.log = readLog(handle, getErrorSize, getError);
  if (result.ok) {
    result.log += readLog(handle, getInfoSize, getInfo);
  } else if (result.log.empty()) {
    result.log = "no reason given (code " + std::to_string(code) + ")";
  }
  destroy(&handle);
  return result;
}

std::string NvJitLink::describe() const {
  unsigned major = 0, minor = 0;
  if (!getVersion || getVersion(&major, &minor) != kSuccess) {
    return "nvJitLink 12";
  }
  return "nvJitLink " + std::to_string(major) + "." + std::to_string(minor);
}

} // namespace tilewright::cuda
