// Converts LLVM's JSON values to and from Python's.

#ifndef TILEWRIGHT_LIB_BINDINGS_JSON_H
#define TILEWRIGHT_LIB_BINDINGS_JSON_H

#include <pybind11/pybind11.h>

#include "llvm/Support/JSON.h"

namespace tilewright::bindings {

pybind11::object toPython(const llvm::json::Value &value);
pybind11::dict toPython(const llvm::json::Object &object);

/// None, a boolean, an integer or a string; raises TypeError for another value.
llvm::json::Value scalarFromPython(pybind11::handle value);

} // namespace tilewright::bindings

#endif // TILEWRIGHT_LIB_BINDINGS_JSON_H
