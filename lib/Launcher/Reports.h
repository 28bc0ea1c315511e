// What GPU code reports before it stops its device (Runtime/Mailbox.h), and the exceptions for it. The reports are read
// when the device is found lost, or before each launch on a device that survives them.

#ifndef TILEWRIGHT_LIB_LAUNCHER_REPORTS_H
#define TILEWRIGHT_LIB_LAUNCHER_REPORTS_H

#include "tilewright/Launcher/Load.h"

#include "tilewright/Runtime/AccessChecks.h"
#include "tilewright/Runtime/GpuDevice.h"

#include <memory>
#include <string>
#include <vector>

namespace tilewright::launcher {

/// The meaning of what one kernel's code reports, on one device.
struct ReportingCode {
  std::string name;
  const runtime::GpuDevice *device;
  /// The reports have the numbers of the accesses, then those of the assertions.
  std::vector<runtime::AccessSite> accesses;
  std::vector<PyAssert> asserts;
  runtime::Mailbox mailbox;
  const char *label = nullptr; ///< the kernel in messages; never freed; null before its first launch
};

/// What code reports, which is kept forever, with a mailbox. Null for code without accesses and assertions. Throws an
/// exception of Python if there is no memory for the mailbox.
ReportingCode *addReportingCode(const std::string &name, runtime::GpuDevice &device, const PyAccesses &accesses,
                                std::vector<PyAssert> asserts);

/// Throws the exception for a report of code on the device, if there is one. A device that survives reports is used
/// again afterwards, so each report is removed.
void raiseReport(const runtime::GpuDevice &device);

/// Sets the exception for a report of code on the device. Returns false if there is none.
bool setReport(const runtime::GpuDevice &device);

/// The class of the exception for a problem.
const char *errorFor(const runtime::KernelProblem &problem);

} // namespace tilewright::launcher

#endif // TILEWRIGHT_LIB_LAUNCHER_REPORTS_H
