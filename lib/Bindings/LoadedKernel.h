// A kernel's code where it can run, as Python holds it: one class per kind of
// target, which knows how to load, launch and explain failures.
//
//   HostKernel.cpp  linked into this process
//   CudaKernel.cpp  on a CUDA device
//   EmulatedKernel.cpp  on an emulated one, in this process

#ifndef TILEWRIGHT_LIB_BINDINGS_LOADEDKERNEL_H
#define TILEWRIGHT_LIB_BINDINGS_LOADEDKERNEL_H

#include <Python.h>

#include "tilewright/Runtime/Grid.h"

namespace tilewright::bindings {

struct Call;

class LoadedKernel {
public:
  virtual ~LoadedKernel() = default;

  /// Runs, or queues, the programs of a grid that is not empty. `compiled` is the CompiledKernel that a failure is
  /// explained by. Returns false with a Python exception set.
  virtual bool launch(Call &call, PyObject *compiled, const runtime::Grid &grid) = 0;
};

/// The C++ object of a Python one; nullptr with an exception set where it is none. It lives as long as the Python one.
LoadedKernel *loadedKernelOf(PyObject *object);

} // namespace tilewright::bindings

#endif // TILEWRIGHT_LIB_BINDINGS_LOADEDKERNEL_H
