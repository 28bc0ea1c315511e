// A kernel on a CUDA device, launched on the stream that the arguments' framework works on.

#ifndef TILEWRIGHT_LIB_BINDINGS_CUDAKERNEL_H
#define TILEWRIGHT_LIB_BINDINGS_CUDAKERNEL_H

#include "LoadedKernel.h"

#include "tilewright/Runtime/AccessChecks.h"
#include "tilewright/Runtime/CudaKernel.h"
#include "tilewright/Runtime/CudaMailbox.h"

#include <memory>
#include <string>
#include <vector>

namespace tilewright::bindings {

/// What is needed to tell what checks in a kernel's code have found.
struct CheckedCode {
  std::string name;
  const runtime::cuda::Device *device;
  runtime::cuda::Mailbox mailbox;
  std::vector<runtime::AccessSite> sites;
};

class CudaKernel final : public LoadedKernel {
public:
  /// `slots` are those of the code's parameters, in order; empty where each slot has its parameter. Those below zero
  /// are hidden ones of code that checks bounds, which lives as long as the process.
  CudaKernel(std::unique_ptr<runtime::cuda::Kernel> kernel, std::vector<int> slots, const CheckedCode *checked);

  /// Returns when the grid is queued.
  bool launch(Call &call, PyObject *compiled, const runtime::Grid &grid) override;

  const std::unique_ptr<runtime::cuda::Kernel> kernel;

private:
  const std::vector<int> slots;
  const CheckedCode *const checked;
  size_t slotCount; // that a launch must have
  /// Names the kernel where the device's failures are told; lives as long as the process.
  const char *label = nullptr;
};

} // namespace tilewright::bindings

#endif // TILEWRIGHT_LIB_BINDINGS_CUDAKERNEL_H
