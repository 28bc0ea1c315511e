// Assembles PTX to a cubin: selects the assembler, and parses its log.

#include "tilewright/Target/Cuda/Assemble.h"
#include "Assemblers.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/VersionTuple.h"

using namespace llvm;

namespace tilewright::cuda {

static const char *const kNoAssembler =
    "there is no assembler for NVIDIA's GPUs: neither nvJitLink nor ptxas was found\n"
    "hint: pip install nvidia-nvjitlink";

static std::vector<std::string> ptxasOptions(const AssembleOptions &options) {
  std::vector<std::string> texts = {"-v", "-O" + std::to_string(options.optimization)};
  if (options.lineInfo) {
    texts.push_back("-lineinfo");
  }
  return texts;
}

/// Adds a .maxnreg directive to the kernel, because nvJitLink accepts but ignores the option of ptxas.
static std::string limitRegisters(StringRef ptx, int registers) {
  size_t entry = ptx.find(".entry");
  size_t body = entry == StringRef::npos ? entry : ptx.find('{', entry);
  if (body == StringRef::npos) {
    return ptx.str();
  }
  return (ptx.take_front(body) + ".maxnreg " + Twine(registers) + "\n" + ptx.drop_front(body)).str();
}

//===----------------------------------------------------------------------===//
// The log
//===----------------------------------------------------------------------===//

/// The number in the pattern's group, for each line that matches.
static std::vector<int64_t> findNumbers(StringRef log, StringRef pattern) {
  Regex regex(pattern);
  std::vector<int64_t> numbers;
  for (StringRef line : split(log, '\n')) {
    SmallVector<StringRef, 2> groups;
    int64_t number;
    if (regex.match(line, &groups) && to_integer(groups[1], number)) {
      numbers.push_back(number);
    }
  }
  return numbers;
}

static int64_t findLargest(StringRef log, StringRef pattern) {
  int64_t largest = 0;
  for (int64_t number : findNumbers(log, pattern)) {
    largest = std::max(largest, number);
  }
  return largest;
}

static int64_t findSum(StringRef log, StringRef pattern) {
  int64_t sum = 0;
  for (int64_t number : findNumbers(log, pattern)) {
    sum += number;
  }
  return sum;
}

static Cubin describe(Assembled assembled, std::string assembler) {
  Cubin cubin;
  StringRef log = assembled.log;
  cubin.registers = static_cast<int>(findLargest(log, "Used ([0-9]+) registers"));
  cubin.spillBytes = findSum(log, "([0-9]+) bytes spill stores") + findSum(log, "([0-9]+) bytes spill loads");
  cubin.stackBytes = findLargest(log, "([0-9]+) bytes stack frame");
  cubin.staticSharedBytes = findLargest(log, "([0-9]+) bytes smem");
  cubin.image = std::move(assembled.image);
  cubin.log = std::move(assembled.log);
  cubin.assembler = std::move(assembler);
  return cubin;
}

/// Quotes the lines of PTX that the log refers to, without duplicates and up to a limit.
static std::string quoteLines(StringRef log, StringRef ptx) {
  constexpr size_t kMost = 5;
  SmallVector<StringRef> lines;
  ptx.split(lines, '\n');
  std::vector<int64_t> numbers = findNumbers(log, ", line ([0-9]+);");
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  std::string quoted;
  for (int64_t number : ArrayRef(numbers).take_front(kMost)) {
    if (number >= 1 && number <= static_cast<int64_t>(lines.size())) {
      quoted += ("\nPTX line " + Twine(number) + ": " + lines[number - 1].trim()).str();
    }
  }
  return quoted;
}

std::vector<std::string> findWgmmaRemarks(StringRef log) {
  Regex regex("\\(C75[0-9][0-9]\\).*(wgmma|warpgroup)");
  std::vector<std::string> remarks;
  for (StringRef line : split(log, '\n')) {
    if (regex.match(line)) {
      remarks.push_back(line.str());
    }
  }
  return remarks;
}

bool lacksRegisters(StringRef error) { return error.contains("(C7600)"); }

//===----------------------------------------------------------------------===//
// Assemblers
//===----------------------------------------------------------------------===//

Expected<std::string> describeAssembler(const AssembleOptions &options) {
  if (!options.nvJitLink.empty()) {
    auto library = NvJitLink::open(options.nvJitLink);
    return library ? (*library)->describe() : Expected<std::string>(library.takeError());
  }
  if (!options.ptxas.empty()) {
    return describePtxas(options.ptxas);
  }
  return createStringError(kNoAssembler);
}

/// nvJitLink assembles code that could be linked with other code, and ignores instructions by which warp groups
/// exchange registers.
static bool usesNvJitLink(const AssembleOptions &options, bool movesRegisters) {
  return !options.nvJitLink.empty() && (options.ptxas.empty() || !movesRegisters);
}

static Expected<Assembled> run(StringRef ptx, StringRef arch, const AssembleOptions &options, std::string &assembler) {
  if (usesNvJitLink(options, ptx.contains("setmaxnreg"))) {
    auto library = NvJitLink::open(options.nvJitLink);
    if (!library) {
      return library.takeError();
    }
    assembler = (*library)->describe();
    return (*library)->assemble(ptx, arch, ptxasOptions(options));
  }
  if (!options.ptxas.empty()) {
    assembler = "ptxas";
    return runPtxas(options.ptxas, ptx, arch, ptxasOptions(options));
  }
  return createStringError(kNoAssembler);
}

bool serializesUndefinedAccumulators(const AssembleOptions &options, bool movesRegisters) {
  AssembleOptions used = options;
  if (!usesNvJitLink(options, movesRegisters)) {
    used.nvJitLink.clear();
  }
  Expected<std::string> description = describeAssembler(used); // "ptxas 12.8.93"
  if (!description) {
    consumeError(description.takeError()); // assemble() will report it
    return true;
  }
  VersionTuple version;
  return version.tryParse(StringRef(*description).split(' ').second) || version < VersionTuple(12, 9);
}

Expected<Cubin> assemble(StringRef ptx, const hardware::NvidiaInfo &info, const AssembleOptions &options) {
  std::string assembler;
  std::string limited = options.maxRegisters ? limitRegisters(ptx, *options.maxRegisters) : std::string();
  auto assembled = run(options.maxRegisters ? StringRef(limited) : ptx, StringRef(info.name), options, assembler);
  if (!assembled) {
    return assembled.takeError();
  }
  if (!assembled->ok) {
    StringRef log = StringRef(assembled->log).trim();
    return createStringError(assembler + " rejected the PTX for " + StringRef(info.name) + ":\n" + log +
                             quoteLines(log, ptx));
  }
  if (assembled->image.empty()) {
    return createStringError(assembler + " generated no code from the PTX for " + StringRef(info.name));
  }
  return describe(std::move(*assembled), std::move(assembler));
}

void warmUp(StringRef nvJitLink) {
  const hardware::NvidiaInfo &info = hardware::nvidiaTargets().front();
  AssembleOptions options;
  options.nvJitLink = nvJitLink.str();
  consumeError(assemble(".version 8.0\n.target sm_80\n.address_size 64\n.entry warm_up() { ret; }\n", info, options)
                   .takeError());
}

} // namespace tilewright::cuda
