#include "AssemblyCalls.h"

#include "AssemblyText.h"
#include "BoxAssembly.h"
#include "PtxArithmetic.h"
#include "WgmmaAssembly.h"

#include "tilewright/Emulator/Wgmma.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/InlineAsm.h"

using namespace llvm;

namespace tilewright::emulator {
namespace {

/// A parsed opcode: modifiers that do not affect the result are dropped, and the types of memory accesses are
/// separated.
struct Opcode {
  std::string name; ///< the name of the row
  std::string head; ///< the part before the first dot
  int elements = 1;
  int elementBytes = 0;
  AtomicOrder order = AtomicOrder::Relaxed;

  bool isAccess() const { return head == "ld" || head == "st"; }
  bool isAtomic() const { return head == "atom"; }
  bool hasResult() const {
    static const StringSet<> without = {
        "st", "cp", "red", "bar", "barrier", "fence", "wgmma", "membar", "griddepcontrol", "nanosleep", "prefetch"};
    return !without.contains(head);
  }
};

/// Cache operators and scopes. Atomics of the emulator are visible to all threads, whatever their scope.
bool isWithoutEffect(StringRef part) {
  static const StringSet<> parts = {"ca", "cg", "cs", "cv", "wb", "wt", "gpu", "cta", "sys", "volatile"};
  return parts.contains(part);
}

std::optional<AtomicOrder> orderOf(StringRef part) {
  return StringSwitch<std::optional<AtomicOrder>>(part)
      .Case("relaxed", AtomicOrder::Relaxed)
      .Case("acquire", AtomicOrder::Acquire)
      .Case("release", AtomicOrder::Release)
      .Case("acq_rel", AtomicOrder::AcquireRelease)
      .Default(std::nullopt);
}

/// The size of a type such as "b32", in bytes.
std::optional<int> bytesOf(StringRef part) {
  int bits;
  if (!part.empty() && StringRef("busf").contains(part.front()) && to_integer(part.drop_front(), bits) &&
      bits % 8 == 0) {
    return bits / 8;
  }
  return std::nullopt;
}

/// The row for other spellings: an address without a space is that of a tensor, and a fence orders all accesses.
std::string rowNameOf(StringRef head, StringRef name) {
  if (name == "fence.proxy.async" || name == "fence.mbarrier_init.release.cluster") {
    return name.str();
  }
  if (head == "fence" || head == "membar") {
    return name.ends_with(".cta") ? "fence.acq_rel.cta" : "fence.acq_rel.gpu";
  }
  if (name == "bar.sync" || name == "barrier.sync" || name == "barrier.sync.aligned" || name == "bar.cta.sync" ||
      name == "barrier.cta.sync") {
    return "barrier.cta.sync.aligned.all";
  }
  if (name == "bar.arrive" || name == "bar.cta.arrive" || name == "barrier.arrive.aligned") {
    return "barrier.cta.arrive.aligned.count";
  }
  if (name == "ld" || name == "st") {
    return (name + ".global").str();
  }
  // PTX rounds these to nearest if it is not said.
  bool isHalf = name.ends_with("f16") || name.ends_with("f16x2");
  if (isHalf && (head == "add" || head == "sub" || head == "mul") && name.contains(".rn.")) {
    auto [before, after] = name.split(".rn.");
    return (before + "." + after).str();
  }
  return name.str();
}

Opcode takeApart(StringRef text) {
  SmallVector<StringRef> parts;
  text.split(parts, '.');
  Opcode opcode;
  opcode.head = opcode.name = parts.front().str();
  if (isWgmma(text)) {
    opcode.name = wgmmaRowName(text);
    return opcode;
  }
  if (isBoxOpcode(text)) {
    opcode.name = boxRowName(text);
    return opcode;
  }
  bool isMemory = opcode.isAccess() || opcode.isAtomic() || opcode.head == "cp";
  for (StringRef part : ArrayRef(parts).drop_front()) {
    if (part.contains("::") || (isMemory && isWithoutEffect(part)) || (opcode.isAtomic() && part == "global")) {
      continue;
    }
    if (std::optional<AtomicOrder> order = isMemory ? orderOf(part) : std::nullopt) {
      opcode.order = *order;
      continue;
    }
    int count;
    if (part.starts_with("v") && to_integer(part.drop_front(), count)) {
      opcode.elements = count;
    } else if (auto bytes = bytesOf(part); bytes && opcode.isAccess()) {
      opcode.elementBytes = *bytes;
    } else {
      opcode.name += ("." + part).str();
    }
  }
  opcode.name = rowNameOf(opcode.head, opcode.name);
  return opcode;
}

/// Whether a row only computes its results, so that they may be ignored if a predicate is false.
bool isArithmetic(const Instruction &row) {
  return row.kind == InstructionClass::Float || row.kind == InstructionClass::Special ||
         row.kind == InstructionClass::Conversion || row.kind == InstructionClass::Other;
}

/// Translates the statements of one inline assembly string to calls and to LLVM's arithmetic.
class AssemblyTranslator {
public:
  AssemblyTranslator(CallInst &call, EmulatedCalls &calls) : call(call), calls(calls), builder(&call) {}

  Error run() {
    auto *text = cast<InlineAsm>(call.getCalledOperand());
    size_t results = EmulatedCalls::slotsOf(call.getType());
    for (size_t i = 0; i < results; ++i) {
      registers["$" + std::to_string(i)] = builder.getInt64(0);
    }
    for (auto [index, argument] : llvm::enumerate(call.args())) {
      registers["$" + std::to_string(results + index)] = calls.toSlot(builder, argument);
    }
    setTied(*text, results);
    auto assembly = parseAssembly(text->getAsmString());
    if (!assembly) {
      return assembly.takeError();
    }
    for (const auto &name : assembly->declared) {
      registers[name.getKey()] = builder.getInt64(0);
    }
    for (ArrayRef<AssemblyStatement> rest = assembly->statements; !rest.empty(); rest = rest.drop_front()) {
      const AssemblyStatement &statement = rest.front();
      size_t branches = branchesOfWait(rest);
      if (Error error = branches > 0 ? translateBox(statement, *findInstruction(kWaitLoopRow)) : translate(statement)) {
        return error;
      }
      rest = rest.drop_front(branches);
    }
    if (results > 0) {
      SmallVector<Value *> slots;
      for (size_t i = 0; i < results; ++i) {
        slots.push_back(registers["$" + std::to_string(i)]);
      }
      call.replaceAllUsesWith(calls.fromSlots(builder, slots, call.getType()));
    }
    call.eraseFromParent();
    return Error::success();
  }

private:
  using Operands = ArrayRef<SmallVector<AssemblyOperand, 4>>;

  /// A result that is tied to an operand, by the constraint "0", starts with its value.
  void setTied(const InlineAsm &text, size_t results) {
    size_t index = results;
    for (const InlineAsm::ConstraintInfo &info : text.ParseConstraints()) {
      if (info.Type != InlineAsm::isInput) {
        continue;
      }
      if (!info.Codes.empty()) {
        unsigned result;
        if (!StringRef(info.Codes.front()).getAsInteger(10, result) && result < results) {
          registers["$" + std::to_string(result)] = registers["$" + std::to_string(index)];
        }
      }
      ++index;
    }
  }

  /// A special register, such as "%smid", is a row of the table.
  Expected<Value *> valueOf(const AssemblyOperand &operand, bool isDouble = false) {
    switch (operand.kind) {
    case AssemblyOperand::Immediate:
      return builder.getInt64(operand.number);
    case AssemblyOperand::Decimal:
      return builder.getInt64(isDouble ? bit_cast<uint64_t>(operand.decimal)
                                       : bit_cast<uint32_t>(static_cast<float>(operand.decimal)));
    default:
      break;
    }
    auto found = registers.find(operand.name);
    Value *value = found == registers.end() ? nullptr : found->second;
    const Instruction *row = value ? nullptr : findInstruction(operand.name);
    if (row && StringRef(operand.name).starts_with("%")) {
      value = calls.call(builder, call, *row, {}, 1).front();
    }
    if (!value) {
      return createStringError("the register '" + operand.name + "' of inline assembly is not declared");
    }
    return operand.number ? builder.CreateAdd(value, builder.getInt64(operand.number)) : value;
  }

  Expected<SmallVector<Value *>> valuesOf(Operands operands, bool areDoubles = false) {
    SmallVector<Value *> values;
    for (const auto &elements : operands) {
      for (const AssemblyOperand &element : elements) {
        auto value = valueOf(element, areDoubles);
        if (!value) {
          return value.takeError();
        }
        values.push_back(*value);
      }
    }
    return values;
  }

  /// The statement's predicate in the low bit of a slot. A statement without one has the predicate true.
  Expected<Value *> predicateOf(const AssemblyStatement &statement) {
    if (statement.predicate.empty()) {
      return builder.getInt64(1);
    }
    AssemblyOperand operand;
    operand.name = statement.predicate;
    auto predicate = valueOf(operand);
    return !predicate || !statement.isNegated ? std::move(predicate)
                                              : Expected<Value *>(builder.CreateXor(*predicate, 1));
  }

  /// The operands that the row's function expects. Those of memory accesses start with predicate, address and sizes,
  /// and those of instructions of a warp with the lanes, which PTX has last.
  Expected<SmallVector<Value *>> operandsOf(const AssemblyStatement &statement, const Opcode &opcode,
                                            const Instruction &row) {
    auto sources = valuesOf(ArrayRef(statement.operands).drop_front(opcode.hasResult() ? 1 : 0));
    if (!sources) {
      return sources.takeError();
    }
    if (!opcode.isAccess() && !opcode.isAtomic()) {
      if (!statement.predicate.empty() && !isArithmetic(row)) {
        return createStringError("the emulator does not support a predicate on '" + statement.opcode + "'");
      }
      if ((opcode.head == "shfl" || opcode.head == "vote" || opcode.head == "match") && !sources->empty()) {
        std::rotate(sources->begin(), sources->end() - 1, sources->end());
      }
      return sources;
    }
    auto predicate = predicateOf(statement);
    if (!predicate) {
      return predicate.takeError();
    }
    if (sources->empty()) {
      return createStringError("the assembly '" + statement.opcode + "' has no address");
    }
    SmallVector<Value *> values = {*predicate, sources->front()};
    if (opcode.isAccess()) {
      values.push_back(builder.getInt64(opcode.elementBytes));
    }
    values.push_back(builder.getInt64(opcode.elements));
    if (opcode.isAtomic()) {
      values.push_back(builder.getInt64(static_cast<uint64_t>(opcode.order)));
    }
    values.append(sources->begin() + 1, sources->end());
    return values;
  }

  /// Sets the result registers. They keep their values if the predicate is false.
  Error assign(const AssemblyStatement &statement, ArrayRef<Value *> results) {
    auto predicate = predicateOf(statement);
    if (!predicate) {
      return predicate.takeError();
    }
    Value *executed = builder.CreateTrunc(*predicate, builder.getInt1Ty());
    for (auto [operand, result] : llvm::zip(statement.operands.front(), results)) {
      auto found = registers.find(operand.name);
      if (operand.name == "_") {
        continue;
      }
      if (operand.kind != AssemblyOperand::Register || found == registers.end()) {
        return createStringError("'" + statement.opcode + "' of inline assembly writes to '" + operand.name +
                                 "', which is not a declared register");
      }
      found->second = builder.CreateSelect(executed, result, found->second);
    }
    return Error::success();
  }

  /// mov.b32 d, a; mov.b32 {x, y}, a; and mov.b32 d, {a, b}: the first element of a vector is in the low bits.
  Error translateMove(const AssemblyStatement &statement) {
    PtxOpcode opcode(statement.opcode);
    size_t into = statement.operands.front().size();
    bool isKnown = opcode.types.size() == 1 && opcode.modifiers.empty() && statement.operands.size() == 2;
    size_t from = isKnown ? statement.operands.back().size() : 0;
    unsigned bits = isKnown ? opcode.types.front().bits : 0;
    if (!isKnown || (into > 1 && from > 1) || bits % into != 0 || bits % from != 0) {
      return createStringError("the emulator does not support the instruction '" + statement.opcode + "'");
    }
    auto values = valuesOf(ArrayRef(statement.operands).drop_front(), bits == 64);
    if (!values) {
      return values.takeError();
    }
    Value *whole = builder.getInt64(0);
    for (auto [index, value] : llvm::enumerate(*values)) {
      whole = builder.CreateOr(whole, builder.CreateShl(lowBits(value, bits / from), index * (bits / from)));
    }
    SmallVector<Value *> results;
    for (size_t i = 0; i < into; ++i) {
      results.push_back(lowBits(builder.CreateLShr(whole, i * (bits / into)), bits / into));
    }
    return assign(statement, results);
  }

  Value *lowBits(Value *value, unsigned bits) {
    return bits == 64 ? value : builder.CreateAnd(value, (uint64_t(1) << bits) - 1);
  }

  /// The slots of wgmma::Slot. The accumulators are operands and results.
  Error translateWgmma(const AssemblyStatement &statement, const Instruction &row) {
    auto form = parseWgmma(statement);
    if (!form) {
      return form.takeError();
    }
    auto registers = valuesOf(ArrayRef(statement.operands).take_front(4));
    if (!registers) {
      return registers.takeError();
    }
    size_t accumulators = statement.operands[0].size(), wordsOfA = statement.operands[1].size();
    ArrayRef<Value *> a = ArrayRef(*registers).slice(accumulators, wordsOfA);
    Value *b = registers->end()[-2], *scaleD = registers->end()[-1];
    SmallVector<Value *> slots = {builder.getInt64(form->n), builder.getInt64(form->form), scaleD, b};
    slots.append(a.begin(), a.end());
    slots.resize(wgmma::kAccumulators, builder.getInt64(0));
    slots.append(registers->begin(), registers->begin() + accumulators);
    return assign(statement, calls.call(builder, call, row, slots, accumulators));
  }

  /// wgmma.wait_group returns the results of the assembly, which are tied to operands: the accumulators in flight.
  Error translateWgmmaWait(const AssemblyStatement &statement) {
    auto slots = valuesOf(statement.operands);
    if (!slots) {
      return slots.takeError();
    }
    if (slots->size() != 1 || !statement.predicate.empty()) {
      return createStringError("'" + statement.opcode + "' takes the number of groups, and no predicate");
    }
    size_t results = EmulatedCalls::slotsOf(call.getType());
    slots->push_back(builder.getInt64(results));
    for (size_t i = 0; i < results; ++i) {
      slots->push_back(registers["$" + std::to_string(i)]);
    }
    const Instruction &row = *findInstruction("wgmma.wait_group.sync.aligned with registers");
    for (auto [index, value] : llvm::enumerate(calls.call(builder, call, row, *slots, results))) {
      registers["$" + std::to_string(index)] = value;
    }
    return Error::success();
  }

  /// Instructions of transaction barriers and copies of boxes. They take their predicate as the first operand.
  Error translateBox(const AssemblyStatement &statement, const Instruction &row) {
    auto predicate = predicateOf(statement);
    auto operands = boxSlots(statement);
    if (!predicate || !operands) {
      return joinErrors(predicate.takeError(), operands.takeError());
    }
    SmallVector<Value *> slots = {*predicate};
    for (const BoxSlot &slot : *operands) {
      Expected<Value *> value =
          slot.operand ? valueOf(*slot.operand) : Expected<Value *>(builder.getInt64(slot.constant));
      if (!value) {
        return value.takeError();
      }
      slots.push_back(*value);
    }
    size_t results = hasBoxResult(boxRowName(statement.opcode)) ? 1 : 0;
    SmallVector<Value *> values = calls.call(builder, call, row, slots, results);
    return results > 0 ? assign(statement, values) : Error::success();
  }

  /// An instruction that LLVM has.
  Error translateArithmetic(const AssemblyStatement &statement) {
    bool areDoubles = StringRef(statement.opcode).ends_with(".f64");
    auto sources = valuesOf(ArrayRef(statement.operands).drop_front(), areDoubles);
    if (!sources) {
      return sources.takeError();
    }
    PtxArithmetic::Values results = PtxArithmetic(builder, statement.opcode, *sources).emit();
    if (results.size() < statement.operands.front().size()) {
      return createStringError("the emulator does not support the instruction '" + statement.opcode + "'");
    }
    return assign(statement, results);
  }

  Error translate(const AssemblyStatement &statement) {
    if (statement.opcode.empty()) {
      return Error::success(); // a label at the end
    }
    Opcode opcode = takeApart(statement.opcode);
    if (statement.operands.empty() && opcode.hasResult()) {
      return createStringError("the assembly '" + statement.opcode + "' has no operands");
    }
    if (opcode.head == "mov") {
      return translateMove(statement);
    }
    bool isPair = opcode.hasResult() && statement.operands.front().size() == 2;
    const Instruction *row = findInstruction(opcode.head == "shfl" && isPair ? opcode.name + " d|p" : opcode.name);
    if (row && isWgmma(statement.opcode)) {
      return translateWgmma(statement, *row);
    }
    if (row && opcode.name == "wgmma.wait_group.sync.aligned") {
      return translateWgmmaWait(statement);
    }
    if (row && isBoxOpcode(statement.opcode)) {
      return translateBox(statement, *row);
    }
    if (!row) {
      return opcode.hasResult()
                 ? translateArithmetic(statement)
                 : createStringError("the emulator does not support the instruction '" + statement.opcode + "'");
    }
    auto operands = operandsOf(statement, opcode, *row);
    if (!operands) {
      return operands.takeError();
    }
    size_t results = opcode.hasResult() ? statement.operands.front().size() : 0;
    SmallVector<Value *> values = calls.call(builder, call, *row, *operands, results);
    return opcode.hasResult() ? assign(statement, values) : Error::success();
  }

  CallInst &call;
  EmulatedCalls &calls;
  IRBuilder<> builder;
  StringMap<Value *> registers;
};

} // namespace

const Instruction *rowOfAssembly(const CallInst &call) {
  auto assembly = parseAssembly(cast<InlineAsm>(call.getCalledOperand())->getAsmString());
  if (!assembly) {
    consumeError(assembly.takeError()); // replaceAssembly() reports it
    return nullptr;
  }
  return assembly->statements.empty() ? nullptr : findInstruction(takeApart(assembly->statements.back().opcode).name);
}

Error replaceAssembly(CallInst &call, EmulatedCalls &calls) { return AssemblyTranslator(call, calls).run(); }

} // namespace tilewright::emulator
