#include "BoxAssembly.h"

#include "tilewright/Runtime/TensorMap.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace tilewright::emulator {
namespace {

constexpr StringLiteral kBarrier = "mbarrier.", kTensor = "cp.async.bulk.tensor.",
                        kReduce = "cp.reduce.async.bulk.tensor.";
constexpr StringLiteral kLoadRow = "cp.async.bulk.tensor.shared.global",
                        kStoreRow = "cp.async.bulk.tensor.global.shared",
                        kReduceRow = "cp.reduce.async.bulk.tensor.global.shared.";
constexpr unsigned kMaxRank = runtime::TensorMap::kMaxRank;

/// The operands of a row of mbarrier, without the address: the result, the numbers that it must have, and those that
/// it may have. Without its optional number, an instruction is executed as if it were 1.
struct BarrierForm {
  bool hasResult;
  unsigned numbers, optional;
};

const StringMap<BarrierForm> &barrierForms() {
  static const StringMap<BarrierForm> forms = {
      {"mbarrier.init", {false, 1, 0}},
      {"mbarrier.inval", {false, 0, 0}},
      {"mbarrier.arrive", {true, 0, 1}},
      {"mbarrier.arrive.expect_tx", {true, 1, 0}},
      {"mbarrier.expect_tx", {false, 1, 0}},
      {"mbarrier.try_wait.parity", {true, 1, 1}}, // the optional number is the time that it suspends the thread
      {"mbarrier.test_wait.parity", {true, 1, 0}},
  };
  return forms;
}

/// The opcode without the modifiers of PTX's defaults: release and acquire within the block.
std::string barrierRow(StringRef opcode) {
  static const StringSet<> defaults = {"shared", "shared::cta", "b64", "cta", "release", "acquire"};
  SmallVector<StringRef> parts, kept;
  opcode.split(parts, '.');
  bool isExpect = opcode.starts_with("mbarrier.expect_tx.");
  for (StringRef part : parts) {
    if (!defaults.contains(part) && !(isExpect && part == "relaxed")) {
      kept.push_back(part);
    }
  }
  return join(kept, ".");
}

/// The rank, or 0 for an opcode that is not of the form.
unsigned rankOf(StringRef opcode) {
  unsigned rank;
  bool isCopy = opcode.consume_front(kTensor) || opcode.consume_front(kReduce);
  bool hasRank = isCopy && !opcode.consumeInteger(10, rank) && opcode.consume_front("d.");
  return hasRank && rank >= 1 && rank <= kMaxRank ? rank : 0;
}

/// Precedes a policy for the cache, the last operand, which does not affect results.
constexpr StringLiteral kPolicy = "L2::cache_hint";

/// What follows the rank, without the load mode, which is `tile` if it is not said, and without a policy.
std::string copyForm(StringRef opcode) {
  SmallVector<StringRef> parts;
  (void)(opcode.consume_front(kTensor) || opcode.consume_front(kReduce));
  opcode.split(parts, '.');
  erase_if(parts, [](StringRef part) { return part == "tile" || part == kPolicy; });
  return join(ArrayRef(parts).drop_front(), ".");
}

/// The row of a reduction, of which the form is that of a store with the operation before its end.
std::optional<std::string> reduceRow(StringRef form) {
  static const StringSet<> kinds = {"add", "and", "or", "xor"};
  bool isStore = form.consume_front("global.shared::cta.") && form.consume_back(".bulk_group");
  return isStore && kinds.contains(form) ? std::optional((kReduceRow + form).str()) : std::nullopt;
}

std::string copyRow(StringRef opcode) {
  std::string form = rankOf(opcode) ? copyForm(opcode) : "";
  if (form == "shared::cluster.global.mbarrier::complete_tx::bytes" ||
      form == "shared::cta.global.mbarrier::complete_tx::bytes") {
    return kLoadRow.str();
  }
  if (opcode.starts_with(kReduce)) {
    return reduceRow(form).value_or(opcode.str());
  }
  return form == "global.shared::cta.bulk_group" ? kStoreRow.str() : opcode.str();
}

Error wrongOperands(const AssemblyStatement &statement) {
  return createStringError("the operands of '" + statement.opcode + "' are not those of the instruction");
}

bool isAddress(ArrayRef<AssemblyOperand> operand) {
  return operand.size() == 1 && operand[0].kind == AssemblyOperand::Address;
}

Expected<SmallVector<BoxSlot, 10>> barrierSlots(const AssemblyStatement &statement, const BarrierForm &form) {
  auto operands = ArrayRef(statement.operands).drop_front(form.hasResult && !statement.operands.empty() ? 1 : 0);
  size_t least = 1 + form.numbers;
  if (operands.size() < least || operands.size() > least + form.optional || !isAddress(operands.front())) {
    return wrongOperands(statement);
  }
  bool hasNumber = operands.size() > 1;
  return SmallVector<BoxSlot, 10>{{&operands[0][0], 0}, hasNumber ? BoxSlot{&operands[1][0], 0} : BoxSlot{nullptr, 1}};
}

/// "[$1, {$2, $3}]" is one operand, whose first element is the address of the map.
Expected<SmallVector<BoxSlot, 10>> copySlots(const AssemblyStatement &statement, bool isLoad) {
  unsigned rank = rankOf(statement.opcode);
  ArrayRef operands = statement.operands;
  if (StringRef(statement.opcode).ends_with(kPolicy) && !operands.empty()) {
    operands = operands.drop_back();
  }
  if (operands.size() != (isLoad ? 3 : 2)) {
    return wrongOperands(statement);
  }
  const auto &tensor = operands[isLoad ? 1 : 0], &shared = operands[isLoad ? 0 : 1];
  if (tensor.size() != 1 + rank || tensor[0].kind != AssemblyOperand::Address || !isAddress(shared) ||
      (isLoad && !isAddress(operands[2]))) {
    return wrongOperands(statement);
  }
  SmallVector<BoxSlot, 10> slots = {
      {nullptr, rank}, {&tensor[0], 0}, {&shared[0], 0}, isLoad ? BoxSlot{&operands[2][0], 0} : BoxSlot()};
  for (unsigned i = 0; i < kMaxRank; ++i) {
    slots.push_back(i < rank ? BoxSlot{&tensor[1 + i], 0} : BoxSlot());
  }
  return slots;
}

} // namespace

bool isBoxOpcode(StringRef opcode) {
  return opcode.starts_with(kBarrier) || opcode.starts_with(kTensor) || opcode.starts_with(kReduce);
}

std::string boxRowName(StringRef opcode) { return opcode.starts_with(kBarrier) ? barrierRow(opcode) : copyRow(opcode); }

bool hasBoxResult(StringRef row) {
  auto found = barrierForms().find(row);
  return found != barrierForms().end() && found->second.hasResult;
}

Expected<SmallVector<BoxSlot, 10>> boxSlots(const AssemblyStatement &statement) {
  std::string row = boxRowName(statement.opcode);
  auto found = barrierForms().find(row);
  return found != barrierForms().end() ? barrierSlots(statement, found->second) : copySlots(statement, row == kLoadRow);
}

size_t branchesOfWait(ArrayRef<AssemblyStatement> statements) {
  auto isBranch = [&](size_t index, StringRef label) {
    if (index >= statements.size() || label.empty()) {
      return false;
    }
    const AssemblyStatement &branch = statements[index];
    bool isBra = branch.opcode == "bra" || branch.opcode == "bra.uni";
    return isBra && branch.operands.size() == 1 && branch.operands[0].size() == 1 &&
           branch.operands[0][0].name == label;
  };
  const AssemblyStatement &wait = statements.front();
  std::string row = boxRowName(wait.opcode);
  bool isWait = row == "mbarrier.try_wait.parity" || row == "mbarrier.test_wait.parity";
  if (!isWait || !wait.predicate.empty() || wait.operands.empty() || statements.size() < 2 ||
      statements[1].predicate != wait.operands[0][0].name) {
    return 0;
  }
  if (isBranch(1, wait.label) && statements[1].isNegated) {
    return 1;
  }
  bool leaves = statements.size() > 3 && isBranch(1, statements[3].label) && !statements[1].isNegated;
  return leaves && isBranch(2, wait.label) && statements[2].predicate.empty() ? 2 : 0;
}

} // namespace tilewright::emulator
