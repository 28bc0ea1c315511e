// What the driver's statuses mean for the user of a kernel.

#ifndef TILEWRIGHT_RUNTIME_CUDASTATUS_H
#define TILEWRIGHT_RUNTIME_CUDASTATUS_H

#include "tilewright/Runtime/CudaDriver.h"

namespace tilewright::runtime::cuda {

/// Whether a kernel broke its context: every later call returns the status again.
bool isFatal(Status status);

/// The likely cause and how to mend it, or null where the driver's own words say it all.
const char *adviceOn(Status status);

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDASTATUS_H
