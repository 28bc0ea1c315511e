// The table of all instruction families, and the lookup by PTX name and by LLVM intrinsic.

#include "tilewright/Emulator/Instruction.h"

#include "Instructions/Families.h"

#include <cctype>
#include <string>
#include <unordered_map>

namespace tilewright::emulator {

using Index = std::unordered_map<std::string_view, const Instruction *>;

const char *nameOf(InstructionClass kind) {
  static constexpr const char *names[kInstructionClasses] = {"integer", "float",   "special", "conversion", "matrix",
                                                             "global",  "shared",  "async",   "atomic",     "warp",
                                                             "barrier", "control", "other"};
  return names[static_cast<int>(kind)];
}

const std::vector<const Instruction *> &instructions() {
  static const std::vector<const Instruction *> all = [] {
    std::vector<const Instruction *> rows;
    for (const Family *family :
         {&kRegisterInstructions,   &kMemoryInstructions,     &kAtomicInstructions,         &kAsyncCopyInstructions,
          &kBoxCopyInstructions,    &kMbarrierInstructions,   &kBarrierInstructions,        &kControlInstructions,
          &kMathInstructions,       &kHalfMathInstructions,   &kConversionInstructions,     &kWarpInstructions,
          &kMatrixInstructions,     &kByteMatrixInstructions, &kMmaFloatInstructions,       &kMmaIntegerInstructions,
          &kMmaDoubleInstructions,  &kWgmmaInstructions,      &kRegisterCountInstructions,  &kWaveRegisterInstructions,
          &kWaveLaneInstructions,   &kWaveMathInstructions,   &kWaveConversionInstructions, &kWaveMatrixInstructions,
          &kWaveControlInstructions}) {
      for (const Instruction &row : *family) {
        rows.push_back(&row);
      }
    }
    return rows;
  }();
  return all;
}

static const Instruction *lookUp(const Index &index, std::string_view name) {
  auto found = index.find(name);
  return found == index.end() ? nullptr : found->second;
}

const Instruction *findInstruction(std::string_view name) {
  static const Index byName = [] {
    Index index;
    for (const Instruction *row : instructions()) {
      index.emplace(row->name, row);
    }
    return index;
  }();
  return lookUp(byName, name);
}

/// Whether the text is a type in the name of an overloaded LLVM intrinsic: i32, f16, bf16, p3, v2f16.
static bool isType(std::string_view text) {
  auto digits = [&text] {
    size_t count = 0;
    while (count < text.size() && std::isdigit(static_cast<unsigned char>(text[count]))) {
      ++count;
    }
    text.remove_prefix(count);
    return count > 0;
  };
  if (!text.empty() && text.front() == 'v') {
    text.remove_prefix(1);
    if (!digits()) {
      return false;
    }
  }
  for (std::string_view prefix : {"bf", "f", "i", "p"}) {
    if (text.substr(0, prefix.size()) == prefix) {
      text.remove_prefix(prefix.size());
      return digits() && text.empty();
    }
  }
  return false;
}

const Instruction *findIntrinsic(std::string_view name) {
  static const Index byIntrinsic = [] {
    Index index;
    for (const Instruction *row : instructions()) {
      if (row->intrinsic) {
        index.emplace(row->intrinsic, row);
      }
    }
    return index;
  }();
  while (true) {
    if (const Instruction *row = lookUp(byIntrinsic, name)) {
      return row;
    }
    size_t dot = name.rfind('.');
    if (dot == std::string_view::npos) {
      return nullptr;
    }
    std::string_view last = name.substr(dot + 1);
    name = name.substr(0, dot);
    if (!isType(last)) {
      // shfl.sync.idx.f32p also returns a predicate: its row is shfl.sync.idx.p, and its type f32.
      bool withPredicate = !last.empty() && last.back() == 'p' && isType(last.substr(0, last.size() - 1));
      return withPredicate ? lookUp(byIntrinsic, std::string(name) + ".p") : nullptr;
    }
  }
}

} // namespace tilewright::emulator
