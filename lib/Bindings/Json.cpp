#include "Json.h"

namespace py = pybind11;

namespace tilewright::bindings {

py::dict toPython(const llvm::json::Object &object) {
  py::dict dict;
  for (const auto &[key, value] : object) {
    dict[py::str(key.str())] = toPython(value);
  }
  return dict;
}

py::object toPython(const llvm::json::Value &value) {
  switch (value.kind()) {
  case llvm::json::Value::Null:
    return py::none();
  case llvm::json::Value::Boolean:
    return py::bool_(*value.getAsBoolean());
  case llvm::json::Value::Number:
    return value.getAsInteger() ? py::object(py::int_(*value.getAsInteger())) : py::float_(*value.getAsNumber());
  case llvm::json::Value::String:
    return py::str(value.getAsString()->str());
  case llvm::json::Value::Array: {
    py::list list;
    for (const llvm::json::Value &item : *value.getAsArray()) {
      list.append(toPython(item));
    }
    return list;
  }
  case llvm::json::Value::Object:
    return toPython(*value.getAsObject());
  }
  llvm_unreachable("unknown kind of JSON value");
}

llvm::json::Value scalarFromPython(py::handle value) {
  if (value.is_none()) {
    return nullptr;
  }
  if (py::isinstance<py::bool_>(value)) {
    return value.cast<bool>();
  }
  if (py::isinstance<py::int_>(value)) {
    return value.cast<int64_t>();
  }
  if (py::isinstance<py::str>(value)) {
    return value.cast<std::string>();
  }
  throw py::type_error("expected None, a boolean, an integer or a string, not " + py::repr(value).cast<std::string>());
}

} // namespace tilewright::bindings
