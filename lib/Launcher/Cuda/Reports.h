// What GPU code reports before it stops its device (Runtime/Mailbox.h), and the exceptions for it. The reports are read
// when the device is found lost.

#ifndef TILEWRIGHT_LIB_LAUNCHER_CUDA_REPORTS_H
#define TILEWRIGHT_LIB_LAUNCHER_CUDA_REPORTS_H

#include "tilewright/Launcher/Load.h"

#include "tilewright/Runtime/AccessChecks.h"
#include "tilewright/Runtime/Cuda/Mailbox.h"

#include <memory>
#include <string>
#include <vector>

namespace tilewright::launcher {

/// The meaning of what one kernel's code reports, on one device.
struct ReportingCode {
  std::string name;
  const runtime::cuda::Device *device;
  /// The reports have the numbers of the accesses, then those of the assertions.
  std::vector<runtime::AccessSite> accesses;
  std::vector<PyAssert> asserts;
  runtime::cuda::Mailbox mailbox;
  const char *label = nullptr; ///< the kernel in messages; never freed; null before its first launch
};

/// Keeps the code forever, and allocates its mailbox. Throws an exception of Python if that fails.
ReportingCode *addReportingCode(std::unique_ptr<ReportingCode> code, runtime::cuda::Device &device);

/// Throws the exception for a report of code on a lost device, if there is one.
void raiseReport(const runtime::cuda::Device &device);

/// Sets the exception for a report of code on a lost device. Returns false if there is none.
bool setReport(const runtime::cuda::Device &device);

/// The class of the exception for a status.
const char *errorFor(runtime::cuda::Status status);

} // namespace tilewright::launcher

#endif // TILEWRIGHT_LIB_LAUNCHER_CUDA_REPORTS_H
