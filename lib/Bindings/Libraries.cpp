// read_library(): what a file of LLVM bitcode defines.

#include "Bindings.h"

#include "tilewright/Target/Libraries.h"

namespace py = pybind11;

namespace tilewright::bindings {

static py::tuple readLibrary(const std::string &file) {
  auto contents = libraries::read(file);
  if (!contents) {
    throw py::value_error(llvm::toString(contents.takeError()));
  }
  py::dict functions;
  for (const auto &[name, signature] : contents->functions) {
    functions[py::str(name)] = py::make_tuple(signature.result, py::tuple(py::cast(signature.parameters)));
  }
  return py::make_tuple(contents->triple, functions);
}

void bindLibraries(py::module_ &module) {
  module.def("read_library", &readLibrary, py::arg("file"),
             "The triple of a file of LLVM bitcode, empty if it is for any target, and the functions that it defines:\n"
             "by name the types of the result and of the parameters, in LLVM's notation.\n\n"
             "Raises ValueError if the file can't be read or is not bitcode.");
}

} // namespace tilewright::bindings
