#include "WgmmaAssembly.h"

#include "tilewright/Emulator/Wgmma.h"

using namespace llvm;

namespace tilewright::emulator {
namespace {

/// The parts of "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16".
struct WgmmaOpcode {
  StringRef beforeShape; ///< with the dot
  unsigned n = 0;        ///< 0 if the opcode cannot be parsed
  StringRef k;           ///< "k16"
  StringRef accumulator, a, b;

  explicit WgmmaOpcode(StringRef opcode) {
    constexpr StringLiteral shape = ".m64n";
    size_t at = opcode.find(shape);
    if (at == StringRef::npos) {
      return;
    }
    beforeShape = opcode.take_front(at + 1);
    SmallVector<StringRef> parts;
    StringRef rest = opcode.drop_front(at + shape.size());
    unsigned number;
    if (rest.consumeInteger(10, number)) {
      return;
    }
    rest.split(parts, '.');
    if (parts.size() == 4) {
      n = number;
      k = parts[0];
      accumulator = parts[1], a = parts[2], b = parts[3];
    }
  }

  bool isInteger() const { return accumulator == "s32"; }
  bool hasTransposes() const { return a == "f16" || a == "bf16"; }
  size_t registers() const { return n / (accumulator == "f16" ? 4 : 2); }
  bool hasValidN() const {
    bool isListed = n >= 8 && n <= wgmma::kMostN && n % 8 == 0;
    return isListed && (!isInteger() || n % 16 == 0 || n == 8 || n == 24);
  }
};

/// Reads the immediate operands behind scale-d, which PTX lists in one order.
class Immediates {
public:
  explicit Immediates(const AssemblyStatement &statement) : operands(ArrayRef(statement.operands).drop_front(4)) {}

  /// Sets the bit if the next operand is `ifSet`; it must be that or `otherwise`.
  void take(uint64_t &form, wgmma::Form bit, int64_t otherwise, int64_t ifSet) {
    if (operands.empty() || operands.front().size() != 1) {
      isValid = false;
      return;
    }
    const AssemblyOperand &operand = operands.front().front();
    bool isImmediate = operand.kind == AssemblyOperand::Immediate;
    isValid &= isImmediate && (operand.number == otherwise || operand.number == ifSet);
    form |= operand.number == ifSet ? bit : 0;
    operands = operands.drop_front();
  }
  bool areValid() const { return isValid && operands.empty(); }

private:
  ArrayRef<SmallVector<AssemblyOperand, 4>> operands;
  bool isValid = true;
};

} // namespace

bool isWgmma(StringRef opcode) { return opcode.starts_with("wgmma.mma_async."); }

std::string wgmmaRowName(StringRef opcode) {
  WgmmaOpcode parsed(opcode);
  return (parsed.beforeShape + "m64nN" + parsed.k + "." + parsed.accumulator + "." + parsed.a + "." + parsed.b).str();
}

Expected<WgmmaStatement> parseWgmma(const AssemblyStatement &statement) {
  WgmmaOpcode opcode(statement.opcode);
  if (!opcode.hasValidN()) {
    return createStringError("there is no instruction '" + statement.opcode + "'");
  }
  bool hasOperands = statement.operands.size() >= 4 && statement.predicate.empty();
  size_t found = hasOperands ? statement.operands[0].size() : 0;
  if (found != opcode.registers()) {
    return createStringError("'" + statement.opcode + "' takes " + std::to_string(opcode.registers()) +
                             " accumulators, but has " + std::to_string(found));
  }
  size_t wordsA = statement.operands[1].size();
  WgmmaStatement result = {opcode.n, wordsA == 1 ? uint64_t(0) : wgmma::kRegistersA};
  Immediates immediates(statement);
  if (!opcode.isInteger()) {
    immediates.take(result.form, wgmma::kNegatedA, 1, -1);
    immediates.take(result.form, wgmma::kNegatedB, 1, -1);
  }
  if (opcode.hasTransposes() && wordsA == 1) {
    immediates.take(result.form, wgmma::kTransposedA, 0, 1);
  }
  if (opcode.hasTransposes()) {
    immediates.take(result.form, wgmma::kTransposedB, 0, 1);
  }
  bool isSingle = statement.operands[2].size() == 1 && statement.operands[3].size() == 1;
  if (!immediates.areValid() || !isSingle || (wordsA != 1 && wordsA != wgmma::kWordsOfA)) {
    return createStringError("the operands of '" + statement.opcode + "' are not those that PTX has");
  }
  return result;
}

} // namespace tilewright::emulator
