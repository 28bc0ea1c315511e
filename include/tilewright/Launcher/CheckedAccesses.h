// Conversions between Python and C++ for the accesses and the assertions that compiled code checks.

#ifndef TILEWRIGHT_LAUNCHER_CHECKEDACCESSES_H
#define TILEWRIGHT_LAUNCHER_CHECKEDACCESSES_H

#include "tilewright/Launcher/Raise.h"
#include "tilewright/Runtime/AccessChecks.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <array>
#include <optional>
#include <tuple>
#include <vector>

namespace tilewright::launcher {

/// kind, bytes, strict, file, line, column: as in the kernel's metadata.
using PyAccess = std::tuple<std::string, int64_t, bool, std::string, int64_t, int64_t>;
/// None for code without bounds checks.
using PyAccesses = std::optional<std::vector<PyAccess>>;
using AccessSites = std::optional<std::vector<runtime::AccessSite>>;

/// An assertion: message, file, line, column; as in the kernel's metadata.
using PyAssert = std::tuple<std::string, std::string, int64_t, int64_t>;

inline AccessSites readAccesses(const PyAccesses &accesses) {
  if (!accesses) {
    return std::nullopt;
  }
  std::vector<runtime::AccessSite> sites;
  for (const auto &[kind, bytes, strict, file, line, column] : *accesses) {
    sites.push_back({kind, bytes, strict, file, line, column});
  }
  return sites;
}

/// Creates a tilewright.errors.Finding. Unknown file, line and column are None.
inline pybind11::object makeFinding(const std::string &kernel, const runtime::AccessSite &site,
                                    const std::string &message, const std::array<int64_t, 3> &program) {
  using namespace pybind11::literals;
  pybind11::dict position;
  if (site.line > 0) {
    position = pybind11::dict("file"_a = site.file, "line"_a = site.line, "column"_a = site.column);
  }
  return pybind11::module_::import("tilewright.errors")
      .attr("Finding")("kind"_a = "bounds", "message"_a = message, "kernel"_a = kernel,
                       "program"_a = pybind11::make_tuple(program[0], program[1], program[2]), **position);
}

/// The message for an access whose address is not known.
inline std::string describeOutOfBounds(const runtime::AccessSite &site) {
  return site.kind + " " + runtime::countBytes(site.bytes) + " outside of the arrays that the kernel was given";
}

} // namespace tilewright::launcher

#endif // TILEWRIGHT_LAUNCHER_CHECKEDACCESSES_H
