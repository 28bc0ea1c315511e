// Accesses that compiled code checks, between Python and C++.

#ifndef TILEWRIGHT_LIB_BINDINGS_CHECKEDACCESSES_H
#define TILEWRIGHT_LIB_BINDINGS_CHECKEDACCESSES_H

#include "tilewright/Runtime/AccessChecks.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <array>
#include <optional>
#include <tuple>
#include <vector>

namespace tilewright::bindings {

/// kind, bytes, strict, file, line, column: as metadata has it.
using PyAccess = std::tuple<std::string, int64_t, bool, std::string, int64_t, int64_t>;
/// None where code checks nothing.
using PyAccesses = std::optional<std::vector<PyAccess>>;
using AccessSites = std::optional<std::vector<runtime::AccessSite>>;

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

/// What `JITFunction._out_of_bounds` is told of an access.
inline pybind11::dict describeAccess(const runtime::AccessSite &site, const std::string &message,
                                     const std::array<int64_t, 3> &program) {
  pybind11::dict result;
  result["kind"] = "bounds";
  result["message"] = message;
  result["program"] = pybind11::make_tuple(program[0], program[1], program[2]);
  result["file"] = site.file;
  result["line"] = site.line;
  result["column"] = site.column;
  return result;
}

/// Of an access of which only the place is known.
inline std::string describeOutOfBounds(const runtime::AccessSite &site) {
  return site.kind + " " + runtime::countBytes(site.bytes) + " outside of the arrays that the kernel was given";
}

} // namespace tilewright::bindings

#endif // TILEWRIGHT_LIB_BINDINGS_CHECKEDACCESSES_H
