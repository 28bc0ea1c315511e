// A stand-in for NVIDIA's driver: the functions that Tilewright calls, without a
// device. It is told what to do by words (fake_gpu/Script.h), in the environment variable FAKE_CUDA or by
// fake_configure(). Further words:
//
//   capability=90  version=12080
//
// Code is one line per kernel: "NAME registers=40 local=0 static=0 threads=1024 parameters=8,8,4".

#include "State.h"

#include <cstdlib>
#include <cstring>

using namespace fake_cuda;

#define EXPORT extern "C" __attribute__((visibility("default")))

//===----------------------------------------------------------------------===//
// What tests call
//===----------------------------------------------------------------------===//

EXPORT void fake_configure(const char *words) {
  std::lock_guard<std::mutex> lock(State::mutex());
  State::get().configure(words);
}

/// JSON; valid until the next call.
EXPORT const char *fake_report() {
  std::lock_guard<std::mutex> lock(State::mutex());
  static std::string text;
  text = State::get().report();
  return text.c_str();
}

/// The ordinal of the device whose context is current on this thread, -1 where none is.
EXPORT int fake_current() { return contexts().empty() ? -1 : contexts().back(); }

EXPORT void fake_make_current(int device) {
  contexts().clear();
  if (device >= 0) {
    contexts().push_back(device);
  }
}

//===----------------------------------------------------------------------===//
// The driver's functions
//===----------------------------------------------------------------------===//

namespace {
/// The device whose context a call needs; -1 if it needs none, or there is none.
int deviceOf(const std::string &function) {
  bool inContext = function.rfind("cuLaunchKernel", 0) == 0 || function.rfind("cuModule", 0) == 0;
  return inContext && !contexts().empty() ? contexts().back() : -1;
}

void *contextHandle(int device) { return reinterpret_cast<void *>(0xc000 + device); }
} // namespace

#define ENTER(function)                                                                                                \
  fake_gpu::Entered<State> entered(function, deviceOf(function));                                                      \
  State &state = entered.state;                                                                                        \
  static_cast<void>(state);                                                                                            \
  if (entered.status) {                                                                                                \
    return entered.status;                                                                                             \
  }

EXPORT int cuInit(unsigned) {
  ENTER("cuInit")
  return state.devices > 0 ? kSuccess : kNoDevice;
}

EXPORT int cuDriverGetVersion(int *version) {
  ENTER("cuDriverGetVersion")
  *version = state.version;
  return kSuccess;
}

EXPORT int cuGetErrorName(int status, const char **name) { return State::errorText(status, name, true); }
EXPORT int cuGetErrorString(int status, const char **text) { return State::errorText(status, text, false); }

EXPORT int cuDeviceGetCount(int *count) {
  ENTER("cuDeviceGetCount")
  *count = state.devices;
  return kSuccess;
}

EXPORT int cuDeviceGet(int *device, int ordinal) {
  ENTER("cuDeviceGet")
  *device = ordinal;
  return kSuccess;
}

EXPORT int cuDeviceGetName(char *name, int length, int) {
  ENTER("cuDeviceGetName")
  std::strncpy(name, "Imaginary GPU", length);
  return kSuccess;
}

EXPORT int cuDeviceGetAttribute(int *value, int attribute, int) {
  ENTER("cuDeviceGetAttribute")
  return state.deviceAttribute(attribute, *value);
}

EXPORT int cuDeviceTotalMem_v2(size_t *bytes, int) {
  ENTER("cuDeviceTotalMem_v2")
  *bytes = size_t(80) << 30;
  return kSuccess;
}

EXPORT int cuDevicePrimaryCtxRetain(void **context, int device) {
  ENTER("cuDevicePrimaryCtxRetain")
  *context = contextHandle(device);
  return kSuccess;
}

EXPORT int cuCtxGetCurrent(void **context) {
  if (quiet()) {
    *context = contexts().empty() ? nullptr : contextHandle(contexts().back());
    return kSuccess;
  }
  ENTER("cuCtxGetCurrent")
  *context = contexts().empty() ? nullptr : contextHandle(contexts().back());
  return kSuccess;
}

EXPORT int cuCtxGetDevice(int *device) {
  ENTER("cuCtxGetDevice")
  *device = contexts().back();
  return kSuccess;
}

EXPORT int cuCtxPushCurrent_v2(void *context) {
  ENTER("cuCtxPushCurrent_v2")
  contexts().push_back(static_cast<int>(reinterpret_cast<uintptr_t>(context) - 0xc000));
  return kSuccess;
}

EXPORT int cuCtxPopCurrent_v2(void **context) {
  ENTER("cuCtxPopCurrent_v2")
  *context = contextHandle(contexts().back());
  contexts().pop_back();
  return kSuccess;
}

EXPORT int cuThreadExchangeStreamCaptureMode(int *mode) {
  ENTER("cuThreadExchangeStreamCaptureMode")
  std::swap(*mode, captureMode());
  return kSuccess;
}

EXPORT int cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *options, void **values) {
  ENTER("cuModuleLoadDataEx")
  if (state.forbidsMemory()) {
    return kCaptureUnsupported;
  }
  auto *loaded = new Image(static_cast<const char *>(image));
  if (loaded->kernels.empty()) {
    delete loaded;
    if (count && options[0] == 5) {
      std::strcpy(static_cast<char *>(values[0]), "line 1: no kernel in it\nsecond line");
    }
    return kInvalidImage;
  }
  ++state.loaded;
  *module = loaded;
  return kSuccess;
}

EXPORT int cuModuleUnload(void *module) {
  ENTER("cuModuleUnload")
  --state.loaded;
  delete static_cast<Image *>(module);
  return kSuccess;
}

EXPORT int cuModuleGetFunction(void **function, void *module, const char *name) {
  ENTER("cuModuleGetFunction")
  for (KernelText &kernel : static_cast<Image *>(module)->kernels) {
    if (kernel.name == name) {
      *function = &kernel;
      return kSuccess;
    }
  }
  return kNotFound;
}

EXPORT int cuFuncGetAttribute(int *value, int attribute, void *function) {
  ENTER("cuFuncGetAttribute")
  return static_cast<KernelText *>(function)->attribute(attribute, *value);
}

EXPORT int cuFuncSetAttribute(void *function, int attribute, int value) {
  ENTER("cuFuncSetAttribute")
  static_cast<KernelText *>(function)->dynamicShared = attribute == 8 ? value : 0;
  return kSuccess;
}

/// Two programs fit, whatever the kernel needs.
EXPORT int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *, int, size_t) {
  ENTER("cuOccupancyMaxActiveBlocksPerMultiprocessor")
  *blocks = 2;
  return kSuccess;
}

/// Never freed: reports are read when the device is lost.
EXPORT int cuMemHostAlloc(void **memory, size_t bytes, unsigned) {
  ENTER("cuMemHostAlloc")
  if (state.forbidsMemory()) {
    return kCaptureUnsupported;
  }
  *memory = std::malloc(bytes);
  return kSuccess;
}

EXPORT int cuMemHostGetDevicePointer_v2(uint64_t *pointer, void *memory, unsigned) {
  ENTER("cuMemHostGetDevicePointer_v2")
  *pointer = reinterpret_cast<uintptr_t>(memory);
  return kSuccess;
}

namespace {
/// What both functions that launch have in common. `attributes` are the launch's, by number.
int launch(State &state, void *function, fake_gpu::Launch launch, void **parameters,
           const std::map<int, int> &attributes) {
  auto &kernel = *static_cast<KernelText *>(function);
  if (contexts().empty()) {
    return kInvalidContext;
  }
  // Checked here as the driver does.
  int shared = static_cast<int>(launch.sharedBytes);
  if (shared + kernel.staticShared > 48 * 1024 && shared > kernel.dynamicShared) {
    return kInvalidValue;
  }
  launch.kernel = kernel.name;
  launch.device = contexts().back();
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    launch.parameters.push_back(fake_gpu::parameterText(parameters[i], kernel.parameters[i]));
  }
  for (const auto &[number, value] : attributes) {
    launch.more += (launch.more.empty() ? "\"" : ", \"") + std::to_string(number) + "\": " + std::to_string(value);
  }
  launch.more = "\"attributes\": {" + launch.more + "}";
  state.note(launch);
  return kSuccess;
}

struct Attribute {
  int id, padding, value, rest[15];
};

struct Config {
  unsigned x, y, z, threads, threadsY, threadsZ, shared;
  void *stream;
  const Attribute *attributes;
  unsigned attributeCount;
};
static_assert(sizeof(Attribute) == 72 && sizeof(Config) == 56, "the driver's structures have these sizes");
} // namespace

EXPORT int cuLaunchKernel(void *function, unsigned x, unsigned y, unsigned z, unsigned threads, unsigned, unsigned,
                          unsigned shared, void *stream, void **parameters, void **) {
  if (quiet()) {
    return kSuccess;
  }
  ENTER("cuLaunchKernel")
  return launch(state, function, {"", 0, {x, y, z}, threads, shared, reinterpret_cast<uintptr_t>(stream)}, parameters,
                {});
}

EXPORT int cuLaunchKernelEx(const Config *config, void *function, void **parameters, void **) {
  if (quiet()) {
    return kSuccess;
  }
  ENTER("cuLaunchKernelEx")
  std::map<int, int> attributes;
  for (unsigned i = 0; i < config->attributeCount; ++i) {
    attributes[config->attributes[i].id] = config->attributes[i].value;
  }
  std::array<unsigned, 3> grid = {config->x, config->y, config->z};
  auto stream = reinterpret_cast<uintptr_t>(config->stream);
  return launch(state, function, {"", 0, grid, config->threads, config->shared, stream}, parameters, attributes);
}

EXPORT int cuPointerGetAttribute(void *value, int attribute, uint64_t pointer) {
  ENTER("cuPointerGetAttribute")
  // Device d has the addresses from (d + 1) << 40; the host's lie above those of all devices.
  int device = static_cast<int>(pointer >> 40) - 1;
  bool onDevice = device >= 0 && device < state.devices;
  if (attribute == 9 && onDevice) {
    std::memcpy(value, &device, sizeof(device));
    return kSuccess;
  }
  if (attribute == 3 && (onDevice || pointer == state.pinned)) {
    std::memcpy(value, &pointer, sizeof(pointer));
    return kSuccess;
  }
  return kInvalidValue;
}
