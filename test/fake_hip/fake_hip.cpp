// A stand-in for the HIP runtime: the functions that Tilewright calls, without a device. It is told what to do by words
// (fake_gpu/Script.h), in the environment variable FAKE_HIP or by fake_configure(). Further words:
//
//   version=60443482  lds=65536  lanes=64
//   arch=gfx1100  arch1=gfx1100   the architecture of all devices, or of one
//   captured=0x77                 launches on this stream go into a graph, which fake_replay() notes
//
// It loads code objects by their notes: real ones, and those of fake_code_object(), whose text is
//
//   gfx942:sramecc+
//   NAME registers=40 local=0 static=0 threads=1024 parameters=8,8,4

#include "State.h"

#include <cstdlib>
#include <cstring>

using namespace fake_hip;

#define EXPORT extern "C" __attribute__((visibility("default")))

static uint64_t copied = 0, allocated = 0;

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

EXPORT int fake_current() { return currentDevice(); }
/// Device -1 stands for the one of a new thread.
EXPORT void fake_make_current(int device) { currentDevice() = device < 0 ? 0 : device; }
/// This thread's last error, which stays.
EXPORT int fake_last_error() { return lastError(); }

/// The last value that the host copied to a variable of a module.
EXPORT uint64_t fake_copied() { return copied; }
/// The memory of the last call of hipHostMalloc.
EXPORT uint64_t fake_allocated() { return allocated; }

EXPORT void fake_replay() {
  std::lock_guard<std::mutex> lock(State::mutex());
  State::get().replay();
}

//===----------------------------------------------------------------------===//
// The runtime's functions
//===----------------------------------------------------------------------===//

namespace {
int fail(int status) {
  lastError() = status;
  return status;
}

/// The device that a call is for; -1 if it is for none.
int deviceOf(const std::string &function) {
  bool isForDevice = function.rfind("hipModule", 0) == 0 || function.rfind("hipHost", 0) == 0;
  return isForDevice ? currentDevice() : -1;
}
} // namespace

#define ENTER(function)                                                                                                \
  fake_gpu::Entered<State> entered(function, deviceOf(function));                                                      \
  State &state = entered.state;                                                                                        \
  static_cast<void>(state);                                                                                            \
  if (entered.status) {                                                                                                \
    return fail(entered.status);                                                                                       \
  }

EXPORT int hipInit(unsigned) {
  ENTER("hipInit")
  return state.devices > 0 ? kSuccess : fail(kNoDevice);
}

EXPORT int hipRuntimeGetVersion(int *version) {
  ENTER("hipRuntimeGetVersion")
  *version = state.version;
  return kSuccess;
}

EXPORT const char *hipGetErrorName(int status) { return State::errorName(status); }
EXPORT const char *hipGetErrorString(int status) { return State::errorText(status); }

EXPORT int hipGetLastError() {
  int status = lastError();
  lastError() = kSuccess;
  return status;
}

EXPORT int hipGetDeviceCount(int *count) {
  ENTER("hipGetDeviceCount")
  *count = state.devices;
  return kSuccess;
}

EXPORT int hipDeviceGetName(char *name, int length, int) {
  ENTER("hipDeviceGetName")
  std::strncpy(name, "Imaginary Instinct", length);
  return kSuccess;
}

EXPORT int hipDeviceGetAttribute(int *value, int attribute, int) {
  ENTER("hipDeviceGetAttribute")
  int status = state.deviceAttribute(attribute, *value);
  return status ? fail(status) : kSuccess;
}

EXPORT int hipDeviceTotalMem(size_t *bytes, int) {
  ENTER("hipDeviceTotalMem")
  *bytes = size_t(192) << 30;
  return kSuccess;
}

EXPORT int hipGetDevicePropertiesR0600(void *properties, int device) {
  ENTER("hipGetDevicePropertiesR0600")
  constexpr size_t kBytes = 1472, kArchitecture = 1160;
  std::memset(properties, 0, kBytes);
  std::strcpy(static_cast<char *>(properties) + kArchitecture, state.architecture(device).c_str());
  return kSuccess;
}

EXPORT int hipGetDevice(int *device) {
  if (quiet()) {
    *device = currentDevice();
    return kSuccess;
  }
  ENTER("hipGetDevice")
  *device = currentDevice();
  return kSuccess;
}

EXPORT int hipSetDevice(int device) {
  ENTER("hipSetDevice")
  if (device < 0 || device >= state.devices) {
    return fail(kInvalidDevice);
  }
  currentDevice() = device;
  return kSuccess;
}

EXPORT int hipThreadExchangeStreamCaptureMode(int *mode) {
  ENTER("hipThreadExchangeStreamCaptureMode")
  std::swap(*mode, captureMode());
  return kSuccess;
}

EXPORT int hipModuleLoadData(void **module, const void *image) {
  ENTER("hipModuleLoadData")
  if (state.forbidsMemory()) {
    return fail(kCaptureUnsupported);
  }
  auto notes = readImage(image);
  if (!notes) {
    return fail(kInvalidImage);
  }
  std::string architecture = state.architecture(currentDevice());
  if (architecture.substr(0, architecture.find(':')) != notes->architecture) {
    return fail(kNoBinaryForGpu);
  }
  auto *loaded = new Module{std::move(*notes), currentDevice(), {}};
  for (const auto &kernel : loaded->notes.kernels) {
    loaded->functions.push_back({&kernel, loaded});
  }
  ++state.loaded;
  *module = loaded;
  return kSuccess;
}

EXPORT int hipModuleUnload(void *module) {
  ENTER("hipModuleUnload")
  --state.loaded;
  delete static_cast<Module *>(module);
  return kSuccess;
}

EXPORT int hipModuleGetFunction(void **function, void *module, const char *name) {
  ENTER("hipModuleGetFunction")
  for (Function &candidate : static_cast<Module *>(module)->functions) {
    if (candidate.notes->name == name) {
      *function = &candidate;
      return kSuccess;
    }
  }
  return fail(kNotFound);
}

/// Each module has a variable of eight bytes.
EXPORT int hipModuleGetGlobal(uint64_t *variable, size_t *bytes, void *module, const char *) {
  ENTER("hipModuleGetGlobal")
  *variable = reinterpret_cast<uint64_t>(&static_cast<Module *>(module)->variable);
  *bytes = sizeof(uint64_t);
  return kSuccess;
}

EXPORT int hipMemcpyHtoD(uint64_t to, const void *from, size_t bytes) {
  ENTER("hipMemcpyHtoD")
  if (state.forbidsMemory()) {
    return fail(kCaptureUnsupported);
  }
  std::memcpy(&copied, from, sizeof copied);
  std::memcpy(reinterpret_cast<void *>(to), from, bytes);
  return kSuccess;
}

EXPORT int hipFuncGetAttribute(int *value, int attribute, void *function) {
  ENTER("hipFuncGetAttribute")
  const auto &notes = *static_cast<Function *>(function)->notes;
  const std::map<int, uint32_t> values = {
      {0, notes.maxThreads}, {1, notes.ldsBytes}, {3, notes.scratchBytes}, {4, notes.vectorRegisters}};
  auto found = values.find(attribute);
  *value = found == values.end() ? 0 : static_cast<int>(found->second);
  return found == values.end() ? fail(kInvalidValue) : kSuccess;
}

/// Two programs fit, whatever the kernel needs.
EXPORT int hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *, int, size_t) {
  ENTER("hipModuleOccupancyMaxActiveBlocksPerMultiprocessor")
  *blocks = 2;
  return kSuccess;
}

/// Never freed: reports are read when the device is lost.
EXPORT int hipHostMalloc(void **memory, size_t bytes, unsigned flags) {
  ENTER("hipHostMalloc")
  constexpr unsigned kPortable = 1, kMapped = 2, kCoherent = 0x40000000;
  if (state.forbidsMemory()) {
    return fail(kCaptureUnsupported);
  }
  if (flags != (kPortable | kMapped | kCoherent)) {
    return fail(kInvalidValue); // else the host would not see what a running kernel writes
  }
  *memory = std::malloc(bytes);
  allocated = reinterpret_cast<uint64_t>(*memory);
  return kSuccess;
}

EXPORT int hipHostGetDevicePointer(void **pointer, void *memory, unsigned) {
  ENTER("hipHostGetDevicePointer")
  *pointer = memory;
  return kSuccess;
}

EXPORT int hipPointerGetAttribute(void *value, int attribute, uint64_t pointer) {
  ENTER("hipPointerGetAttribute")
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
  return fail(kInvalidValue);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

namespace {
/// What the runtime checks of a launch; kSuccess if it accepts it.
int check(const Function &function, const fake_gpu::Launch &launch) {
  const auto &[x, y, z] = launch.grid;
  if (function.module->device != launch.device) {
    return kInvalidHandle;
  }
  if (x == 0 || y == 0 || z == 0) {
    return kInvalidValue;
  }
  if (uint64_t(x) * launch.threads > UINT32_MAX || y > 65536 || z > 65536) {
    return kInvalidConfiguration;
  }
  return launch.threads > function.notes->maxThreads ? kLaunchFailure : kSuccess;
}

int start(State &state, const Function &function, fake_gpu::Launch launch) {
  launch.kernel = function.notes->name;
  launch.device = currentDevice();
  if (int status = check(function, launch)) {
    return fail(status);
  }
  state.launch(launch);
  return kSuccess;
}

/// The values in the buffer that `extra` describes, in the order that the runtime requires. Returns false if it is not
/// well-formed, or too short for the kernel's arguments.
bool readBuffer(const Function &function, void **extra, fake_gpu::Launch &launch) {
  auto mark = [&](int i) { return reinterpret_cast<uintptr_t>(extra[i]); };
  if (!extra || mark(0) != 1 || mark(2) != 2 || mark(4) != 3) {
    return false;
  }
  const auto *buffer = static_cast<const uint8_t *>(extra[1]);
  size_t bytes = *static_cast<size_t *>(extra[3]);
  for (const auto &argument : function.notes->arguments) {
    if (argument.isHidden) {
      continue;
    }
    if (argument.offset + argument.bytes > bytes) {
      return false;
    }
    launch.parameters.push_back(fake_gpu::parameterText(buffer + argument.offset, static_cast<int>(argument.bytes)));
  }
  static const char *digits = "0123456789abcdef";
  for (size_t i = 0; i < bytes; ++i) {
    launch.more += {digits[buffer[i] >> 4], digits[buffer[i] & 15]};
  }
  launch.more = "\"buffer\": \"" + launch.more + "\"";
  return true;
}
} // namespace

EXPORT int hipModuleLaunchKernel(void *function, unsigned x, unsigned y, unsigned z, unsigned threads, unsigned,
                                 unsigned, unsigned shared, void *stream, void **parameters, void **extra) {
  if (quiet()) {
    return kSuccess;
  }
  ENTER("hipModuleLaunchKernel")
  const auto &called = *static_cast<Function *>(function);
  fake_gpu::Launch launch = {"", 0, {x, y, z}, threads, shared, reinterpret_cast<uintptr_t>(stream), {}, ""};
  if (parameters || !readBuffer(called, extra, launch)) {
    return fail(kInvalidValue);
  }
  return start(state, called, launch);
}

EXPORT int hipModuleLaunchCooperativeKernel(void *function, unsigned x, unsigned y, unsigned z, unsigned threads,
                                            unsigned, unsigned, unsigned shared, void *stream, void **parameters) {
  ENTER("hipModuleLaunchCooperativeKernel")
  const auto &called = *static_cast<Function *>(function);
  fake_gpu::Launch launch = {"", 0, {x, y, z}, threads, shared, reinterpret_cast<uintptr_t>(stream), {}, ""};
  size_t i = 0;
  for (const auto &argument : called.notes->arguments) {
    if (!argument.isHidden) {
      launch.parameters.push_back(fake_gpu::parameterText(parameters[i++], static_cast<int>(argument.bytes)));
    }
  }
  launch.more = "\"cooperative\": true";
  return start(state, called, launch);
}
