// Libraries of LLVM bitcode: what they define, and the process that reads them first.

#include "Bindings.h"

#include "tilewright/Target/Bitcode.h"
#include "tilewright/Target/Libraries.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

#include <dlfcn.h>

namespace py = pybind11;

namespace tilewright::bindings {

static py::tuple readLibrary(const std::string &file) {
  auto contents = [&] {
    py::gil_scoped_release unlocked; // another process may read the file
    return libraries::read(file);
  }();
  if (!contents) {
    throw py::value_error(llvm::json::fixUTF8(llvm::toString(contents.takeError())));
  }
  py::dict functions;
  for (const auto &[name, signature] : contents->functions) {
    if (!llvm::json::isUTF8(name)) {
      continue; // a kernel has no name for it
    }
    py::tuple parameters(signature.parameters.size());
    for (auto [index, type] : llvm::enumerate(signature.parameters)) {
      parameters[index] = py::str(llvm::json::fixUTF8(type));
    }
    functions[py::str(name)] = py::make_tuple(llvm::json::fixUTF8(signature.result), parameters);
  }
  return py::make_tuple(llvm::json::fixUTF8(contents->triple), functions);
}

/// Loads this extension module without its package.
static constexpr const char *kReader = R"(
import sys
from importlib.util import module_from_spec, spec_from_file_location
_, core, *files = sys.argv
spec = spec_from_file_location("_core", core)
module = module_from_spec(spec)
spec.loader.exec_module(module)
module.rewrite_bitcode(*files)
)";

/// The reader is this process's interpreter, unless Python is embedded in another program.
static void setReader() {
  Dl_info self = {};
  py::object interpreter = py::module_::import("sys").attr("executable");
  if (!py::isinstance<py::str>(interpreter) || !dladdr(reinterpret_cast<void *>(&setReader), &self)) {
    return;
  }
  auto path = interpreter.cast<std::string>();
  if (llvm::sys::path::filename(path).starts_with("python")) {
    bitcode::setReader({path, "-I", "-S", "-c", kReader, self.dli_fname});
  }
}

void bindLibraries(py::module_ &module) {
  setReader();
  module.def("read_library", &readLibrary, py::arg("file"),
             "The triple of a file of LLVM bitcode, empty if it is for any target, and the functions that it defines:\n"
             "by name the types of the result and of the parameters, in LLVM's notation.\n\n"
             "Raises ValueError if the file can't be read or is not bitcode.");
  module.def(
      "rewrite_bitcode", &bitcode::rewrite, py::arg("input"), py::arg("output"),
      "What another process calls to read a file of bitcode; see include/tilewright/Target/Bitcode.h. It limits\n"
      "the memory and the time of the process.");
}

} // namespace tilewright::bindings
