// The registered kinds of targets and of devices, for Python: names, options and properties, and loading.

#include "Bindings.h"
#include "Json.h"

#include "tilewright/Launcher/DeviceKind.h"
#include "tilewright/Launcher/Load.h"
#include "tilewright/Pipeline/TargetKind.h"

#include <pybind11/stl.h>

namespace py = pybind11;

namespace tilewright::bindings {

using namespace launcher;

static py::dict describe(const OptionBase &option) {
  const OptionTraits &traits = option.traits;
  py::dict result;
  result["name"] = traits.name;
  result["type"] = option.type().str();
  result["default"] = toPython(option.get());
  result["doc"] = traits.doc;
  result["power_of_two"] = traits.isPowerOfTwo;
  result["from_zero"] = traits.isFromZero;
  result["choices"] = py::tuple(py::cast(traits.choices));
  result["refused_elsewhere"] = traits.isRefusedElsewhere;
  result["setting"] = traits.setting ? py::object(py::str(traits.setting)) : py::none();
  return result;
}

static py::list optionsOf(const TargetKind &kind) {
  py::list list;
  std::unique_ptr<CompileOptions> options = kind.createOptions();
  for (const OptionBase *option : options->all()) {
    if (!option->traits.isInternal) {
      list.append(describe(*option));
    }
  }
  return list;
}

static py::object findArchitecture(const TargetKind &kind, const std::string &text) {
  std::optional<std::string> found = kind.findArchitecture(text);
  return found ? py::object(py::str(*found)) : py::none();
}

static const DeviceKind &deviceKindNamed(const std::string &name) {
  for (const DeviceKind *kind : deviceKinds()) {
    if (name == kind->name) {
      return *kind;
    }
  }
  throw py::value_error("there is no kind of device '" + name + "'");
}

static std::shared_ptr<LoadedKernel> loadCode(const std::string &target, const std::string &kernel,
                                              const py::bytes &object, const std::string &symbol, int ordinal,
                                              const py::dict &metadata) {
  auto [kind, arch] = llvm::StringRef(target).split(':');
  return load(kind, {kernel, arch.str(), object, symbol, ordinal, metadata});
}

static std::vector<std::string> phasesOf(const TargetKind &kind) {
  std::vector<std::string> names;
  for (llvm::StringRef phase : kind.phases()) {
    names.push_back(phase.str());
  }
  return names;
}

/// Resources without a limit are None.
static py::dict limitsOf(const TargetKind &kind, const std::string &arch) {
  hardware::Limits limits = kind.limits(arch);
  py::dict result;
  result["threads"] = limits.threads;
  result["lanes_per_warp"] = limits.lanesPerWarp;
  result["shared_bytes"] = limits.sharedBytes;
  result["registers"] = limits.registers;
  result["registers_per_thread"] = limits.registersPerThread;
  result["grid"] = py::tuple(py::cast(limits.grid));
  return result;
}

static py::dict termsOf(const TargetKind &kind, const std::string &arch) {
  HardwareTerms terms = kind.terms(arch);
  py::dict result;
  result["warp"] = terms.warp.str();
  result["multiprocessor"] = terms.multiprocessor.str();
  result["shared"] = terms.shared.str();
  result["transfer"] = terms.transfer.str();
  result["wavefront"] = terms.wavefront.str();
  result["matrix_units"] = terms.matrixUnits.str();
  result["copies_ahead"] = terms.copiesAhead.str();
  return result;
}

static void bindTargetKind(py::module_ &module) {
  py::class_<TargetKind, std::unique_ptr<TargetKind, py::nodelete>>(
      module, "TargetKind", "A kind of target; see include/tilewright/Pipeline/TargetKind.h.")
      .def_property_readonly("name", [](const TargetKind &self) { return self.name.str(); })
      .def_property_readonly("architectures", &TargetKind::architectures)
      .def_property_readonly("summary", &TargetKind::summary)
      .def_property_readonly("device_kind", [](const TargetKind &self) { return deviceKindOfTarget(self.name)->name; })
      .def_property_readonly("phases", phasesOf)
      .def_property_readonly("assembly_phase", [](const TargetKind &self) { return self.assemblyPhase().str(); })
      .def_property_readonly("code_name", [](const TargetKind &self) { return self.codeName().str(); })
      .def_property_readonly("embeds_source_paths", &TargetKind::embedsSourcePaths)
      .def_property_readonly("options", optionsOf)
      .def("find_architecture", findArchitecture, py::arg("text"),
           "The canonical name of an architecture, or None if there is no such one.")
      .def("terms", termsOf, py::arg("arch"), "What the vendor calls the parts of an architecture.")
      .def("limits", limitsOf, py::arg("arch"),
           "What a kernel for an architecture may use at most; None for what its programs do not have.")
      .def(
          "key", [](const TargetKind &self, const std::string &arch) { return self.key(arch); }, py::arg("arch"),
          "What the code for an architecture depends on, for cache keys.")
      .def(
          "why_not_runnable", [](const TargetKind &self, const std::string &arch) { return self.whyNotRunnable(arch); },
          py::arg("arch"), "Why this machine's processor can't run code for an architecture, or empty.");
}

void bindTargets(py::module_ &module) {
  bindTargetKind(module);
  module.def(
      "target_kinds",
      [] {
        py::list list;
        for (const TargetKind *kind : targetKinds()) {
          list.append(py::cast(kind, py::return_value_policy::reference));
        }
        return list;
      },
      "The registered kinds of targets.");
  module.def(
      "devices", [](const std::string &kind) { return toPython(deviceKindNamed(kind).describe()); }, py::arg("kind"),
      "The devices of a kind: `problem` (why no device can be used, or empty), and for each of `devices` its `name`,\n"
      "`architecture` and `capability`; and what else the kind reports.");
  module.def(
      "current_device", [](const std::string &kind) { return deviceKindNamed(kind).currentOrdinal(); }, py::arg("kind"),
      "The ordinal of PyTorch's current device, or of the thread's current context, or 0.");
  module.def(
      "device_kind_called",
      [](const std::string &name) -> std::string {
        for (const DeviceKind *kind : deviceKinds()) {
          if (kind->isCalled(name)) {
            return kind->name;
          }
        }
        return "";
      },
      py::arg("name"), "The kind of the devices that PyTorch calls by a name; empty if there is none.");
  module.def("load", &loadCode, py::arg("target"), py::arg("kernel"), py::arg("object"), py::arg("symbol"),
             py::arg("ordinal"), py::arg("metadata"),
             "Loads code from compile() onto a device, where it stays. `metadata` are those of the compilation, and\n"
             "`accesses`, which are None for code without bounds checks.\n\n"
             "Raises DeviceError, or OutOfResourcesError with the required amount and the limit.");
}

} // namespace tilewright::bindings
