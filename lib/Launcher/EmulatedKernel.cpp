// Launches on an emulated GPU. Python provides the settings (runtime/emulation.py), the thread pool runs the programs,
// and Python receives the reports.

#include "EmulatedKernel.h"
#include "GpuKernel.h"

#include "PythonInterrupt.h"
#include "tilewright/Launcher/Launcher.h"
#include "tilewright/Launcher/Load.h"

#include "tilewright/Emulator/Block.h"
#include "tilewright/Emulator/Counters.h"
#include "tilewright/Emulator/Retarget.h"
#include "tilewright/Hardware/Gpu.h"
#include "tilewright/Runtime/Excess.h"
#include "tilewright/Runtime/Mailbox.h"
#include "tilewright/Runtime/PrintBuffer.h"
#include "tilewright/Target/Host/Host.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdio>
#include <cstring>

namespace py = pybind11;

namespace tilewright::launcher {

using namespace emulator;

//===----------------------------------------------------------------------===//
// Settings from Python
//===----------------------------------------------------------------------===//

static Settings readSettings(const py::dict &given) {
  Settings settings;
  const std::pair<const char *, bool *> flags[] = {{"initialized", &settings.checkInitialized},
                                                   {"races", &settings.checkRaces},
                                                   {"copies", &settings.checkCopies},
                                                   {"profile", &settings.profile}};
  for (auto [name, flag] : flags) {
    *flag = given[name].cast<bool>();
  }
  settings.copies = given["early_copies"].cast<bool>() ? CopyTime::Early : CopyTime::Late;
  settings.seed = given["seed"].cast<uint64_t>();
  settings.maxSteps = given["max_steps"].cast<int64_t>();
  return settings;
}

static std::vector<Tensor> tensorsOf(const Call &call) {
  std::vector<Tensor> tensors;
  for (const Placement::HostArray &array : call.placement.hostArrays) {
    if (array.extent) {
      const char *name = PyUnicode_AsUTF8(array.parameter->name.get());
      tensors.push_back({name ? name : "?", array.extent->begin, array.extent->end});
    }
  }
  return tensors;
}

/// Arrays that no argument is: kernels reach them through addresses in memory. Each is a name and two addresses.
static void addMemory(std::vector<Tensor> &tensors, const py::dict &given) {
  for (py::handle each : given["memory"]) {
    auto [name, begin, end] = each.cast<std::tuple<std::string, uintptr_t, uintptr_t>>();
    tensors.push_back({name, begin, end});
  }
}

//===----------------------------------------------------------------------===//
// Printed lines
//===----------------------------------------------------------------------===//

/// The memory that code accesses in order to print.
static void addPrintBuffer(std::vector<Tensor> &tensors, const runtime::PrintBuffer *prints) {
  if (prints) {
    auto variable = reinterpret_cast<uintptr_t>(&runtime::hostPrintWords);
    auto words = reinterpret_cast<uintptr_t>(prints->memory());
    tensors.push_back({"the print buffer's address", variable, variable + sizeof runtime::hostPrintWords});
    tensors.push_back({"the print buffer", words, words + runtime::PrintBuffer::kBytes});
  }
}

static void printLines(runtime::PrintBuffer *prints) {
  if (prints) {
    std::string lines = prints->take();
    std::fwrite(lines.data(), 1, lines.size(), stdout);
    std::fflush(stdout);
  }
}

//===----------------------------------------------------------------------===//
// Reports for Python
//===----------------------------------------------------------------------===//

static py::dict describeSite(const Site &site) {
  py::dict result;
  result["file"] = site.file;
  result["line"] = site.line;
  result["column"] = site.column;
  result["instruction"] = site.instruction;
  return result;
}

static py::dict describe(const Report &report, const Kernel &kernel) {
  py::dict result = describeSite(kernel.sites[report.site]);
  result["kind"] = nameOf(report.kind);
  result["message"] = report.message;
  result["program"] = report.program;
  result["thread"] = report.thread;
  result["other_thread"] = report.otherThread;
  result["other"] = report.otherThread < 0 ? py::object(py::none()) : describeSite(kernel.sites[report.otherSite]);
  return result;
}

static void addCounts(py::dict &to, const char *name, const MemoryCounts &counts) {
  py::dict fields;
  fields["requests"] = counts.requests;
  fields["bytes"] = counts.bytes;
  fields["transfers"] = counts.transfers;
  fields["ideal"] = counts.ideal;
  to[name] = fields;
}

static py::list describe(const Profile &profile, const Kernel &kernel) {
  py::list list;
  for (size_t i = 0; i < profile.sites.size(); ++i) {
    const SiteCounts &counts = profile.sites[i];
    py::dict site = describeSite(kernel.sites[i]);
    addCounts(site, "global_loads", counts.globalLoads);
    addCounts(site, "global_stores", counts.globalStores);
    addCounts(site, "shared_loads", counts.sharedLoads);
    addCounts(site, "shared_stores", counts.sharedStores);
    site["barriers"] = counts.barriers;
    py::dict instructions;
    for (int kind = 0; kind < kInstructionClasses; ++kind) {
      if (int64_t number = counts.instructions[kind]) {
        instructions[nameOf(static_cast<InstructionClass>(kind))] = number;
      }
    }
    site["instructions"] = instructions;
    list.append(site);
  }
  return list;
}

//===----------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------===//

/// The KernelFunction that the thread pool calls. The only slot is the launch.
static int32_t runChunk(const uint64_t *slots, const int32_t *, int64_t begin, int64_t end, void *) {
  auto &launch = *reinterpret_cast<Launch *>(slots[0]);
  return runBlocks(launch, begin, end) ? 0 : 1;
}

namespace {

/// Ctrl-C also stops the programs that other threads run.
class LaunchInterrupt final : public PythonInterrupt {
public:
  explicit LaunchInterrupt(Launch &launch) : launch(launch) {}
  bool requested() override {
    bool isRequested = PythonInterrupt::requested();
    if (isRequested) {
      launch.stop();
    }
    return isRequested;
  }

private:
  Launch &launch;
};

} // namespace

/// Runs the programs without the GIL. Returns false with an exception set if the user interrupted it or memory ran out.
static bool run(Launch &launch, const runtime::Grid &grid, runtime::ProgramCost &cost) {
  runtime::Result result;
  {
    LaunchInterrupt interrupt(launch);
    interrupt.onLongLaunch();
    launch.interrupted = [&] { return interrupt.requested(); };
    auto slot = reinterpret_cast<uint64_t>(&launch);
    result = runtime::ThreadPool::instance().run({{runChunk, 0}, &slot, grid, cost}, &interrupt);
    launch.interrupted = nullptr;
    std::fflush(stdout);
  }
  if (result.outcome == runtime::Result::OutOfMemory) {
    PyErr_NoMemory();
  }
  return !PyErr_Occurred();
}

namespace {
/// The slots of a launch. Hidden slots precede them: those of code with bounds checks or assertions, or of persistent
/// code, which CheckBounds.cpp, ReportAsserts.cpp and MakePersistent.cpp define, and tensor maps below those that the
/// code reads.
class HiddenSlots {
public:
  /// `grid` is null if the code is not persistent.
  HiddenSlots(const Call &call, bool isChecked, bool hasMailbox, const runtime::Grid *grid,
              llvm::ArrayRef<int> tensorMapSlots)
      : block(call.slots, count(call, isChecked, hasMailbox, grid, tensorMapSlots)) {
    for (size_t axis = 0; grid && axis < grid->axes.size(); ++axis) {
      block.hidden(axis) = static_cast<uint64_t>(grid->axes[axis]);
    }
    if (hasMailbox) {
      block.hidden(0) = reinterpret_cast<uint64_t>(words);
    }
    if (isChecked) {
      addBounds(call);
    }
    // Must come last because bounds that the code does not read may be in the same slots.
    for (auto [slot, map] : llvm::zip_equal(tensorMapSlots, call.tensorMaps)) {
      runtime::EncodedTensorMap encoded = runtime::encode(map);
      std::memcpy(block.data() + slot, encoded.bytes.data(), sizeof encoded);
    }
  }

  const uint64_t *slots() const { return block.data(); }

  Tensor mailbox() const {
    auto begin = reinterpret_cast<uintptr_t>(words);
    return {"mailbox", begin, begin + sizeof words};
  }

  std::optional<runtime::MailboxReport> report() const { return runtime::readMailbox(words); }

private:
  static size_t count(const Call &call, bool isChecked, bool hasMailbox, const runtime::Grid *grid,
                      llvm::ArrayRef<int> tensorMapSlots) {
    size_t values = isChecked ? 1 + 2 * call.slots.size() : hasMailbox ? 1 : grid ? grid->axes.size() : 0;
    return tensorMapSlots.empty() ? values : std::max(values, static_cast<size_t>(-tensorMapSlots.back()));
  }

  void addBounds(const Call &call) {
    for (const PassedArray &array : call.arrays) {
      // An array of unknown size is assumed to contain every address.
      block.hidden(1 + 2 * array.slot) = array.extent ? array.extent->begin : 0;
      block.hidden(2 + 2 * array.slot) = array.extent ? array.extent->end - array.extent->begin : INT64_MAX;
    }
  }

  runtime::ArgumentBlock block;
  uint64_t words[runtime::kMailboxWords] = {};
};
} // namespace

/// Throws the report of the code's bounds checks, if there is one.
static void raiseFinding(py::handle compiled, const AccessSites &sites,
                         const std::optional<runtime::MailboxReport> &found) {
  if (found && sites && found->number < static_cast<int64_t>(sites->size())) {
    const runtime::AccessSite &site = (*sites)[found->number];
    py::list findings;
    findings.append(
        makeFinding(compiled.attr("name").cast<std::string>(), site, describeOutOfBounds(site), found->program));
    raise("CheckError", findings);
  }
}

/// The number of the assertion that the mailbox reports for the program, or -1.
int64_t EmulatedKernel::numberOfAssert(const Report &report) const {
  auto checks = static_cast<int64_t>(accesses ? accesses->size() : 0);
  bool isOfProgram = lastReport && llvm::equal(lastReport->program, report.program);
  return isOfProgram ? std::max<int64_t>(lastReport->number - checks, -1) : -1;
}

/// The programs of a persistent kernel that an emulated GPU runs at once.
static constexpr int64_t kProgramsAtOnce = 6;

bool EmulatedKernel::launch(Call &call, PyObject *compiled, const runtime::Grid &grid) {
  if (call.tensorMaps.size() != tensorMapSlots.size()) {
    PyErr_SetString(PyExc_SystemError, "the code has other tensor maps than the compiled kernel");
    return false;
  }
  if (auto excess = runtime::excessOfGrid(maxGrid, grid)) {
    setError("GridError", call.state, nullptr, describe(*excess, gpu));
    return false;
  }
  std::optional<runtime::Grid> started = isPersistent ? runtime::startedGrid(grid, kProgramsAtOnce) : grid;
  if (!started) {
    setError("GridError", call.state, nullptr, runtime::describeTooManyPrograms(grid));
    return false;
  }
  try {
    return launchPrograms(call, compiled, grid, *started);
  } catch (py::error_already_set &error) {
    error.restore();
  } catch (const std::exception &error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return false;
}

bool EmulatedKernel::launchPrograms(Call &call, PyObject *compiled, const runtime::Grid &grid,
                                    const runtime::Grid &started) {
  auto self = py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject *>(&call.launcher));
  const py::dict given = self.attr("_emulation")(kernel.checked);
  const Settings settings = readSettings(given);
  Launch launch(kernel, settings);
  const bool hasMailbox = accesses || hasAsserts;
  HiddenSlots hidden(call, accesses.has_value(), hasMailbox, isPersistent ? &grid : nullptr, tensorMapSlots);
  launch.slots = hidden.slots();
  launch.grid = started.axes;
  launch.tensors = tensorsOf(call);
  addMemory(launch.tensors, given);
  if (hasMailbox) {
    launch.tensors.push_back(hidden.mailbox());
  }
  addPrintBuffer(launch.tensors, prints);
  launch.tensorsKnown = call.extentsKnown;
  Profile profile(kernel.sites.size());
  launch.profile = &profile;
  bool hasRun = run(launch, started, cost);
  printLines(prints);
  if (!hasRun) {
    return false;
  }
  launch.settle();
  lastReport = hidden.report();
  raiseFinding(py::handle(compiled), accesses, lastReport);
  py::list reports;
  for (const Report &report : launch.reports) {
    py::dict described = describe(report, kernel);
    described["assert"] = numberOfAssert(report);
    reports.append(std::move(described));
  }
  py::object counts = settings.profile && kernel.checked ? py::object(describe(profile, kernel)) : py::none();
  self.attr("_emulated")(py::handle(compiled), grid.axes, reports, launch.suppressed, counts);
  return true;
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

/// Those of the hardware table; the default for a GPU that it lacks.
static MemoryRules memoryRulesOf(llvm::StringRef gpu) {
  MemoryRules rules;
  if (const hardware::GpuInfo *info = hardware::lookupGpu(gpu.split(':').second.str())) {
    rules.transferBytes = info->transferBytes;
    rules.banks = info->banks;
    rules.widestLoadOrder = info->widestLoadOrder;
    rules.joinsPairs = info->joinsPairs;
  }
  return rules;
}

using PySite = std::tuple<std::string, int, int, std::string>;

static std::shared_ptr<EmulatedKernel>
loadEmulated(const std::string &object, const std::string &symbol, int threads, int64_t sharedBytes, int architecture,
             bool checked, const std::vector<PySite> &sites, const PyAccesses &accesses, bool hasAsserts,
             std::string gpu, const std::array<int64_t, 3> &maxGrid, std::vector<int> tensorMapSlots, bool isPersistent,
             int lanes, bool prints) {
  if (lanes != kLanes && lanes != kMostLanes) {
    throw py::value_error("a warp must have 32 or 64 lanes");
  }
  if (sites.empty() || threads < 1 || threads > 1024) {
    throw py::value_error("a kernel must have 1 to 1024 threads, and at least one site, for unknown places");
  }
  Kernel kernel;
  kernel.threads = threads;
  kernel.lanes = lanes;
  kernel.sharedBytes = sharedBytes;
  kernel.architecture = architecture;
  kernel.memory = memoryRulesOf(gpu);
  kernel.checked = checked;
  for (const auto &[file, line, column, instruction] : sites) {
    kernel.sites.push_back({file, line, column, instruction});
  }
  AccessSites accessSites = readAccesses(accesses);
  std::optional<py::gil_scoped_release> unlocked(std::in_place);
  llvm::Expected<host::LinkedCode> code = host::link(object, symbol, calledFunctions());
  unlocked.reset();
  if (!code) {
    setLinkError(code.takeError());
    throw py::error_already_set();
  }
  kernel.code = reinterpret_cast<ThreadCode>(code->entry());
  return std::make_shared<EmulatedKernel>(std::move(kernel), std::move(*code), std::move(accessSites), hasAsserts,
                                          std::move(gpu), maxGrid, std::move(tensorMapSlots), isPersistent,
                                          prints ? &runtime::hostPrintBuffer() : nullptr);
}

std::shared_ptr<LoadedKernel> emulatorLoad(const LoadRequest &request) {
  std::vector<PySite> sites;
  for (py::handle site : request.metadata["sites"]) {
    sites.push_back(py::tuple(py::reinterpret_borrow<py::object>(site)).cast<PySite>());
  }
  // "cuda:90a+checks"
  llvm::StringRef arch = request.arch;
  bool checked = arch.consume_back("+checks");
  int architecture = 0;
  arch.split(':').second.take_while(llvm::isDigit).getAsInteger(10, architecture);
  return loadEmulated(request.object, request.symbol, request.get<int>("threads"), request.get<int64_t>("shared_bytes"),
                      architecture, checked, sites, request.accesses(), !request.asserts().empty(), arch.str(),
                      request.get<std::array<int64_t, 3>>("max_grid"),
                      request.get<std::vector<int>>("tensor_map_slots"), request.get<bool>("persistent"),
                      request.get<int>("lanes_per_warp"), hasAttribute(request, "prints"));
}

void emulatorBind(py::module_ &module) {
  py::class_<EmulatedKernel, LoadedKernel, std::shared_ptr<EmulatedKernel>>(module, "EmulatedKernel",
                                                                            "A kernel on an emulated GPU.")
      .def_property_readonly("threads", [](const EmulatedKernel &self) { return self.kernel.threads; })
      .def_property_readonly("checked", [](const EmulatedKernel &self) { return self.kernel.checked; })
      .def_property_readonly(
          "last_report",
          [](const EmulatedKernel &self) {
            return self.lastReport ? py::object(py::make_tuple(self.lastReport->number, self.lastReport->program))
                                   : py::none();
          },
          "What the code of the last launch reported before it failed, as on a GPU: the index among the checked\n"
          "accesses followed by the assertions, and the program; or None.");
  module.def("load_emulated", &loadEmulated, py::arg("object"), py::arg("symbol"), py::arg("threads"),
             py::arg("shared_bytes"), py::arg("architecture"), py::arg("checked"), py::arg("sites"),
             py::arg("accesses") = py::none(), py::arg("has_asserts") = false, py::arg("gpu") = "the GPU",
             py::arg("max_grid") = std::array<int64_t, 3>{INT32_MAX, INT32_MAX, INT32_MAX},
             py::arg("tensor_map_slots") = std::vector<int>(), py::arg("persistent") = false, py::arg("lanes") = kLanes,
             py::arg("prints") = false,
             "Links an object file from compile() for an emulated GPU into this process; load() does so for compiled\n"
             "kernels.\n\n"
             "The architecture is a number such as 90 for sm_90a. "
             "A site is (file, line, column, instruction); the first one stands for unknown places.");
  module.def(
      "emulated_instructions",
      [] {
        py::list rows;
        for (const Instruction *row : instructions()) {
          rows.append(py::make_tuple(row->name, row->intrinsic ? py::object(py::str(row->intrinsic)) : py::none(),
                                     nameOf(row->kind), row->meaning, row->source));
        }
        return rows;
      },
      "The instructions that the emulator supports: (name, LLVM intrinsic or None, class, meaning, source).");
}

} // namespace tilewright::launcher
