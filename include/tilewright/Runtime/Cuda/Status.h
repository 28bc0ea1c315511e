// Explanations of the driver's status codes.

#ifndef TILEWRIGHT_RUNTIME_CUDA_STATUS_H
#define TILEWRIGHT_RUNTIME_CUDA_STATUS_H

#include "tilewright/Runtime/Cuda/Driver.h"

namespace tilewright::runtime::cuda {

/// Whether the error corrupts the context, so that every later call fails with the same status.
bool isFatal(Status status);

/// The likely cause and how to fix it, or null if the driver's own message is enough.
const char *adviceOn(Status status);

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_STATUS_H
