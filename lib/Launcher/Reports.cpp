#include "Reports.h"

#include <set>

namespace py = pybind11;

namespace tilewright::launcher {

using namespace runtime;

const char *errorFor(const KernelProblem &problem) { return problem.isAssertion ? "DeviceAssertError" : "DeviceError"; }

/// Guarded by the GIL.
static std::vector<std::unique_ptr<ReportingCode>> &reportingCode() {
  static auto &all = *new std::vector<std::unique_ptr<ReportingCode>>();
  return all;
}

/// Lets the interpreter print at its exit what the device reports after its last launch: the exception of a function
/// that is called then.
static void raiseAtExit(const GpuDevice &device) {
  static auto &registered = *new std::set<const GpuDevice *>(); // guarded by the GIL
  if (device.survivesReports && registered.insert(&device).second) {
    py::module_::import("atexit").attr("register")(py::cpp_function([&device] { raiseReport(device); }));
  }
}

ReportingCode *addReportingCode(const std::string &name, GpuDevice &device, const PyAccesses &accesses,
                                std::vector<PyAssert> asserts) {
  AccessSites sites = readAccesses(accesses);
  if (!sites && asserts.empty()) {
    return nullptr;
  }
  auto code = std::make_unique<ReportingCode>(ReportingCode{
      name, &device, std::move(sites).value_or(std::vector<AccessSite>()), std::move(asserts), {}, nullptr});
  KernelProblem problem;
  if (!device.allocateMailbox(code->mailbox, problem)) {
    if (device.isLost()) {
      raiseReport(device);
    }
    raise(errorFor(problem), name + ": " + problem.message);
  }
  raiseAtExit(device);
  return reportingCode().emplace_back(std::move(code)).get();
}

[[noreturn]] static void raiseOutOfBounds(const ReportingCode &code, const AccessSite &site,
                                          const std::array<int64_t, 3> &program) {
  py::list findings;
  findings.append(makeFinding(code.name, site, describeOutOfBounds(site), program));
  raise("CheckError", findings, 0, code.device->lostBecause());
}

[[noreturn]] static void raiseAssertion(const ReportingCode &code, const PyAssert &failed,
                                        const std::array<int64_t, 3> &program) {
  const auto &[message, file, line, column] = failed;
  throwError(py::module_::import("tilewright.errors")
                 .attr("DeviceAssertError")
                 .attr("make")(code.label ? code.label : code.name, message, py::make_tuple(file, line, column),
                               py::make_tuple(program[0], program[1], program[2]), py::none(),
                               code.device->lostBecause()));
}

void raiseReport(const GpuDevice &device) {
  for (const std::unique_ptr<ReportingCode> &code : reportingCode()) {
    if (code->device != &device) {
      continue;
    }
    std::optional<MailboxReport> found = readMailbox(code->mailbox.words);
    if (!found) {
      continue;
    }
    if (device.survivesReports) {
      clearMailbox(code->mailbox.words);
    }
    auto number = static_cast<size_t>(found->number);
    size_t accesses = code->accesses.size();
    if (number < accesses) {
      raiseOutOfBounds(*code, code->accesses[number], found->program);
    }
    if (number - accesses < code->asserts.size()) {
      raiseAssertion(*code, code->asserts[number - accesses], found->program);
    }
  }
}

bool setReport(const GpuDevice &device) {
  try {
    raiseReport(device);
  } catch (py::error_already_set &error) {
    error.restore();
  }
  return PyErr_Occurred();
}

} // namespace tilewright::launcher
