// A compiled kernel linked into this process, as Python holds it.

#ifndef TILEWRIGHT_LIB_BINDINGS_LOADEDKERNEL_H
#define TILEWRIGHT_LIB_BINDINGS_LOADEDKERNEL_H

#include "tilewright/Runtime/Kernel.h"

#include <memory>
#include <utility>

namespace tilewright::bindings {

struct LoadedKernel {
  explicit LoadedKernel(runtime::KernelEntry entry, std::shared_ptr<void> code = nullptr)
      : entry(entry), code(std::move(code)) {}

  runtime::KernelEntry entry;
  /// Whatever owns the machine code.
  std::shared_ptr<void> code;
};

} // namespace tilewright::bindings

#endif // TILEWRIGHT_LIB_BINDINGS_LOADEDKERNEL_H
