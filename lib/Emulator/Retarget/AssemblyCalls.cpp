#include "AssemblyCalls.h"

#include "AssemblyText.h"

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
  bool hasResult() const { return !StringSet<>{"st", "cp", "red", "bar", "barrier", "fence", "membar"}.contains(head); }
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

Opcode takeApart(StringRef text) {
  SmallVector<StringRef> parts;
  text.split(parts, '.');
  Opcode opcode;
  opcode.head = opcode.name = parts.front().str();
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
  return opcode;
}

/// Translates the statements of one inline assembly string to calls.
class AssemblyTranslator {
public:
  AssemblyTranslator(CallInst &call, EmulatedCalls &calls) : call(call), calls(calls), builder(&call) {}

  Error run() {
    auto *assembly = cast<InlineAsm>(call.getCalledOperand());
    size_t results = EmulatedCalls::slotsOf(call.getType());
    for (size_t i = 0; i < results; ++i) {
      registers["$" + std::to_string(i)] = builder.getInt64(0);
    }
    for (auto [index, argument] : llvm::enumerate(call.args())) {
      registers["$" + std::to_string(results + index)] = calls.toSlot(builder, argument);
    }
    auto statements = parseAssembly(assembly->getAsmString());
    if (!statements) {
      return statements.takeError();
    }
    for (const AssemblyStatement &statement : *statements) {
      if (Error error = translate(statement)) {
        return error;
      }
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
  Value *valueOf(const AssemblyOperand &operand) {
    Value *offset = builder.getInt64(operand.number);
    if (operand.kind == AssemblyOperand::Immediate) {
      return offset;
    }
    Value *&value = registers[operand.name];
    value = value ? value : builder.getInt64(0);
    return operand.number ? builder.CreateAdd(value, offset) : value;
  }

  SmallVector<Value *> valuesOf(ArrayRef<SmallVector<AssemblyOperand, 4>> operands) {
    SmallVector<Value *> values;
    for (const auto &elements : operands) {
      for (const AssemblyOperand &element : elements) {
        values.push_back(valueOf(element));
      }
    }
    return values;
  }

  /// The statement's predicate in the low bit of a slot. A statement without one has the predicate true.
  Value *predicateOf(const AssemblyStatement &statement) {
    Value *predicate = builder.getInt64(1);
    if (!statement.predicate.empty()) {
      Value *&slot = registers[statement.predicate];
      predicate = slot ? slot : builder.getInt64(0);
    }
    return statement.isNegated ? builder.CreateXor(predicate, 1) : predicate;
  }

  /// The operands that the row's function expects. Those of memory accesses start with predicate, address and sizes.
  Expected<SmallVector<Value *>> operandsOf(const AssemblyStatement &statement, const Opcode &opcode) {
    auto sources = ArrayRef(statement.operands).drop_front(opcode.hasResult() ? 1 : 0);
    if (!opcode.isAccess() && !opcode.isAtomic()) {
      if (!statement.predicate.empty()) {
        return createStringError("the emulator does not support a predicate on '" + statement.opcode + "'");
      }
      return valuesOf(sources);
    }
    SmallVector<Value *> values = {predicateOf(statement)};
    values.append(valuesOf(sources.take_front()));
    if (opcode.isAccess()) {
      values.push_back(builder.getInt64(opcode.elementBytes));
    }
    values.push_back(builder.getInt64(opcode.elements));
    if (opcode.isAtomic()) {
      values.push_back(builder.getInt64(static_cast<uint64_t>(opcode.order)));
    }
    values.append(valuesOf(sources.drop_front()));
    return values;
  }

  /// Sets the result registers. They keep their values if the predicate is false.
  void assign(const AssemblyStatement &statement, ArrayRef<Value *> results) {
    Value *executed = builder.CreateTrunc(predicateOf(statement), builder.getInt1Ty());
    for (auto [operand, result] : llvm::zip(statement.operands.front(), results)) {
      Value *old = valueOf(operand);
      registers[operand.name] = builder.CreateSelect(executed, result, old);
    }
  }

  Error translate(const AssemblyStatement &statement) {
    Opcode opcode = takeApart(statement.opcode);
    if (statement.operands.empty() && opcode.hasResult()) {
      return createStringError("the assembly '" + statement.opcode + "' has no operands");
    }
    if (opcode.head == "mov") {
      SmallVector<Value *> values = valuesOf(ArrayRef(statement.operands).drop_front());
      if (values.size() != statement.operands.front().size()) {
        return createStringError("the emulator does not support packing or unpacking registers with '" +
                                 statement.opcode + "'");
      }
      assign(statement, values);
      return Error::success();
    }
    const Instruction *row = findInstruction(opcode.name);
    if (!row) {
      return createStringError("the emulator does not support the instruction '" + statement.opcode + "'");
    }
    auto operands = operandsOf(statement, opcode);
    if (!operands) {
      return operands.takeError();
    }
    size_t results = opcode.hasResult() ? statement.operands.front().size() : 0;
    SmallVector<Value *> values = calls.call(builder, call, *row, *operands, results);
    if (opcode.hasResult()) {
      assign(statement, values);
    }
    return Error::success();
  }

  CallInst &call;
  EmulatedCalls &calls;
  IRBuilder<> builder;
  StringMap<Value *> registers;
};

} // namespace

const Instruction *rowOfAssembly(const CallInst &call) {
  auto statements = parseAssembly(cast<InlineAsm>(call.getCalledOperand())->getAsmString());
  if (!statements) {
    consumeError(statements.takeError()); // replaceAssembly() reports it
    return nullptr;
  }
  return statements->empty() ? nullptr : findInstruction(takeApart(statements->back().opcode).name);
}

Error replaceAssembly(CallInst &call, EmulatedCalls &calls) { return AssemblyTranslator(call, calls).run(); }

} // namespace tilewright::emulator
