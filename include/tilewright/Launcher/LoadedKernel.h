// The Python object for a loaded kernel. There is one class per kind of target, which loads and launches kernels and
// reports failures.
//
//   HostKernel.cpp      linked into this process
//   EmulatedKernel.cpp  linked into this process, on an emulated GPU
//   GpuKernel.cpp       on a GPU: the base class of those below
//   Cuda/Kernel.cpp     on a CUDA device
//   Hip/Kernel.cpp      on an AMD GPU

#ifndef TILEWRIGHT_LAUNCHER_LOADEDKERNEL_H
#define TILEWRIGHT_LAUNCHER_LOADEDKERNEL_H

#include <Python.h>

#include "tilewright/Runtime/Grid.h"

#include "llvm/Support/Error.h"

namespace tilewright::launcher {

struct Call;

class LoadedKernel {
public:
  virtual ~LoadedKernel() = default;

  /// Runs or queues the programs of a grid, which must not be empty. `compiled` is the CompiledKernel, which is used to
  /// explain a failure. Returns false with a Python exception set on failure.
  virtual bool launch(Call &call, PyObject *compiled, const runtime::Grid &grid) = 0;
};

/// The C++ object of a Python object, which owns it; nullptr with an exception set if it is not a LoadedKernel.
LoadedKernel *loadedKernelOf(PyObject *object);

/// Sets the exception for code that can't be linked into this process: MemoryError if memory ran out, else ValueError.
void setLinkError(llvm::Error error);

} // namespace tilewright::launcher

#endif // TILEWRIGHT_LAUNCHER_LOADEDKERNEL_H
