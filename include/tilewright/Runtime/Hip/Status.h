// Explanations of the HIP runtime's status codes.

#ifndef TILEWRIGHT_RUNTIME_HIP_STATUS_H
#define TILEWRIGHT_RUNTIME_HIP_STATUS_H

#include "third_party/hip/Runtime.h"

namespace tilewright::runtime::hip {

/// Whether the error ends the use of the device, so that every later call fails with the same status.
bool isFatal(Status status);

/// The likely cause and how to fix it, or null if the runtime's own message is enough.
const char *adviceOn(Status status);

} // namespace tilewright::runtime::hip

#endif // TILEWRIGHT_RUNTIME_HIP_STATUS_H
