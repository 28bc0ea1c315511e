// A kernel that is loaded on an AMD GPU, and its launch.

#ifndef TILEWRIGHT_RUNTIME_HIP_KERNEL_H
#define TILEWRIGHT_RUNTIME_HIP_KERNEL_H

#include "tilewright/Runtime/Grid.h"
#include "tilewright/Runtime/Hip/Arguments.h"
#include "tilewright/Runtime/Hip/Platform.h"

#include <memory>
#include <optional>
#include <string>

namespace tilewright::runtime::hip {

/// The output of the compiler.
struct KernelCode {
  std::string image; ///< a code object
  std::string symbol;
  std::string architecture; ///< "gfx942", or a generic one such as "gfx9-4-generic"
  ArgumentLayout arguments;
  int threads = 0;                ///< per block, and thus per program
  int64_t dynamicSharedBytes = 0; ///< of LDS, per block
  bool isCooperative = false;     ///< all programs of a launch run at the same time
  bool isPersistent = false;      ///< a launch starts `programsAtOnce` programs
  bool prints = false;            ///< has the variable of PrintBuffer.h
};

/// The code stays on the device until the process ends.
class Kernel {
public:
  /// Loads code onto a device. This also works while a stream is being captured, on this thread or another one.
  static std::unique_ptr<Kernel> load(Device &device, const KernelCode &code, KernelProblem &problem);

  /// The first axis of a grid that a launch can't have. The runtime counts the threads along axis 0 in 32 bits.
  std::optional<Excess> excessOf(const Grid &grid) const;
  /// Queues a launch. The grid must not be empty, and must be within the limits. `values` points to one value per
  /// argument.
  Status launch(const Grid &grid, Stream stream, void **values) const;

  /// The runtime's handles, for programs that launch the kernel themselves.
  Module moduleHandle() const { return module; }
  Function functionHandle() const { return function; }

  Device &device;
  const ArgumentLayout arguments;
  KernelResources resources;
  int programsAtOnce = 1; ///< on all compute units of the device; only known for persistent code

private:
  Kernel(Device &device, const KernelCode &code)
      : device(device), arguments(code.arguments), threads(code.threads), dynamicSharedBytes(code.dynamicSharedBytes),
        isCooperative(code.isCooperative) {}
  bool prepare(const KernelCode &code, KernelProblem &problem);
  bool readResources(KernelProblem &problem);
  bool readOccupancy(KernelProblem &problem);

  const int threads;
  const int64_t dynamicSharedBytes;
  const bool isCooperative;
  Module module = nullptr;
  Function function = nullptr;
};

} // namespace tilewright::runtime::hip

#endif // TILEWRIGHT_RUNTIME_HIP_KERNEL_H
