// Registration of the thread dialect, and the verification of its operations.

#include "tilewright/Dialect/Thread/IR/Thread.h"

#include "tilewright/Hardware/Gpu.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::thread;

#include "tilewright/Dialect/Thread/IR/ThreadDialect.cpp.inc"
#include "tilewright/Dialect/Thread/IR/ThreadEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "tilewright/Dialect/Thread/IR/ThreadAttrs.cpp.inc"

void ThreadDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tilewright/Dialect/Thread/IR/ThreadAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tilewright/Dialect/Thread/IR/ThreadOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void LoadOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  if (getIsVolatile()) {
    effects.emplace_back(MemoryEffects::Write::get()); // so that it is neither removed nor merged
  }
}

LogicalResult LoadOp::verify() {
  if (getOther() && getOther().getType() != getType()) {
    return emitOpError("the result is ") << getType() << ", and the value of masked-out elements is "
                                         << getOther().getType();
  }
  return !getOther() || getMask() ? success()
                                  : emitOpError("a load without a mask has no value for masked-out elements");
}

LogicalResult AtomicRMWOp::verify() {
  auto vector = dyn_cast<VectorType>(getType());
  bool isSingle = !vector || vector.getNumElements() == 1;
  return isSingle || getKind() == tile::RMWKind::FAdd ? success() : emitOpError("only fadd takes several elements");
}

LogicalResult AsyncCopyOp::verify() {
  bool exists = llvm::any_of(hardware::gpus(), [&](const hardware::GpuInfo &gpu) {
    return llvm::any_of(gpu.asyncCopies, [&](const hardware::AsyncCopy *copy) {
      return copy->bytes == static_cast<int>(getSize()) && copy->bypassesL1 == getBypassL1();
    });
  });
  return exists ? success() : emitOpError("no GPU copies ") << getSize() << " bytes in this way";
}

//===----------------------------------------------------------------------===//
// Warps
//===----------------------------------------------------------------------===//

LogicalResult ReduceOp::verify() {
  using vector::CombiningKind;
  switch (getKind()) {
  case CombiningKind::ADD:
  case CombiningKind::AND:
  case CombiningKind::OR:
  case CombiningKind::XOR:
  case CombiningKind::MINSI:
  case CombiningKind::MAXSI:
  case CombiningKind::MINUI:
  case CombiningKind::MAXUI:
    return success();
  default:
    return emitOpError("does not combine by ") << vector::stringifyCombiningKind(getKind());
  }
}

LogicalResult MmaOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  llvm::append_range(types, adaptor.getC().getTypes());
  return success();
}

static Type elementTypeOf(MLIRContext *context, hardware::ElementType type) {
  switch (type) {
  case hardware::ElementType::F16:
    return Float16Type::get(context);
  case hardware::ElementType::BF16:
    return BFloat16Type::get(context);
  case hardware::ElementType::F32:
    return Float32Type::get(context);
  case hardware::ElementType::F64:
    return Float64Type::get(context);
  default:
    return IntegerType::get(context, hardware::bitsOf(type));
  }
}

Type thread::valueType(MLIRContext *context, hardware::ValueType value) {
  Type element = elementTypeOf(context, value.type);
  return value.count == 1 ? element : VectorType::get(value.count, element);
}

/// Checks that the values hold the thread's elements of the operand.
static LogicalResult verifyValues(MmaOp op, ValueRange values, const hardware::MmaOperand &operand, StringRef name) {
  int64_t count = operand.fragment.inSize(layout::kRegister) / operand.elementsPerValue();
  Type type = valueType(op.getContext(), operand.value);
  if (static_cast<int64_t>(values.size()) == count &&
      llvm::all_of(values.getTypes(), [&](Type found) { return found == type; })) {
    return success();
  }
  return op.emitOpError() << op.getInstruction() << " takes " << count << " x " << type << " as " << name;
}

LogicalResult MmaOp::verify() {
  const hardware::MmaInstruction *row = hardware::lookupMma(getInstruction());
  if (!row) {
    return emitOpError("there is no instruction ") << getInstruction();
  }
  return success(succeeded(verifyValues(*this, getA(), row->a(), "A")) &&
                 succeeded(verifyValues(*this, getB(), row->b(), "B")) &&
                 succeeded(verifyValues(*this, getC(), row->c(), "C")));
}

LogicalResult GroupMmaOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  llvm::append_range(types, adaptor.getC().getTypes());
  return success();
}

LogicalResult GroupMmaOp::verify() {
  const hardware::GroupMmaInstruction *row = hardware::lookupGroupMma(getInstruction());
  if (!row || !row->takes(getColumns())) {
    return emitOpError("there is no instruction ") << getInstruction() << " of " << getColumns() << " columns";
  }
  bool isTransposed = getInB().getTransposed() || (getInA() && getInA()->getTransposed());
  if (isTransposed && !row->takesTransposed) {
    return emitOpError() << getInstruction() << " takes no transposed operands";
  }
  auto words = [&](layout::Operand which, hardware::ElementType type) {
    return row->operand(which, getColumns()).inSize(layout::kRegister) * hardware::bitsOf(type) / 32;
  };
  int64_t wordsOfA = getInA() ? 1 : words(layout::Operand::A, row->a);
  if (static_cast<int64_t>(getA().size()) != wordsOfA ||
      static_cast<int64_t>(getC().size()) != words(layout::Operand::C, row->accumulator)) {
    return emitOpError() << getInstruction() << " of " << getColumns() << " columns takes " << wordsOfA
                         << " words of A and " << words(layout::Operand::C, row->accumulator) << " of C";
  }
  return success();
}

LogicalResult GroupMmaBeginOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  llvm::append_range(types, adaptor.getValues().getTypes());
  return success();
}

LogicalResult GroupMmaWaitOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  llvm::append_range(types, adaptor.getValues().getTypes());
  return success();
}

static LogicalResult verifyMove(Operation *op, bool isStore, StringRef instruction, size_t words) {
  const hardware::MatrixMove *move = hardware::lookupMatrixMove(isStore, instruction);
  if (!move) {
    return op->emitOpError("there is no instruction ") << instruction;
  }
  int64_t moved = move->fragment().inSize(layout::kRegister) * move->elementBits / 32;
  return static_cast<int64_t>(words) == moved
             ? success()
             : op->emitOpError() << instruction << " moves " << moved << " words of each lane, not " << words;
}

LogicalResult LoadMatrixOp::verify() { return verifyMove(*this, false, getInstruction(), getWords().size()); }

LogicalResult StoreMatrixOp::verify() { return verifyMove(*this, true, getInstruction(), getWords().size()); }

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

LogicalResult ThreadDialect::verifyRegionArgAttribute(Operation *op, unsigned region, unsigned index,
                                                      NamedAttribute attribute) {
  if (attribute.getName() == kNoAliasAttr) {
    return isa<UnitAttr>(attribute.getValue()) ? success() : op->emitError() << kNoAliasAttr << " is a unit attribute";
  }
  if (attribute.getName() != kTensorMapAttr) {
    return op->emitError("unknown attribute ") << attribute.getName() << " of an argument";
  }
  Type type = op->getRegion(region).empty() ? Type() : op->getRegion(region).getArgument(index).getType();
  bool isMap = isa<UnitAttr>(attribute.getValue()) && (!type || type == LLVM::LLVMPointerType::get(op->getContext()));
  return isMap ? success()
               : op->emitError() << kTensorMapAttr << " is a unit attribute of an argument of type !llvm.ptr, found "
                                 << attribute.getValue() << " on " << type;
}

static LogicalResult verifyCoordinates(Operation *op, size_t count) {
  return count >= 1 && count <= kMaxBoxRank
             ? success()
             : op->emitOpError("a box has from 1 to ") << kMaxBoxRank << " coordinates, not " << count;
}

LogicalResult BoxCopyOp::verify() { return verifyCoordinates(*this, getCoordinates().size()); }

LogicalResult BoxStoreOp::verify() {
  using tile::RMWKind;
  constexpr RMWKind kKinds[] = {RMWKind::FAdd, RMWKind::Add, RMWKind::And, RMWKind::Or, RMWKind::Xor};
  std::optional<RMWKind> kind = getReduction();
  if (kind && !llvm::is_contained(kKinds, *kind)) {
    return emitOpError("does not reduce by ") << tile::stringifyRMWKind(*kind);
  }
  return verifyCoordinates(*this, getCoordinates().size());
}

//===----------------------------------------------------------------------===//
// Inline assembly
//===----------------------------------------------------------------------===//

void InlineAsmOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (!getPure()) {
    effects.emplace_back(MemoryEffects::Read::get());
    effects.emplace_back(MemoryEffects::Write::get());
  }
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

std::optional<hardware::ElementType> thread::pairElementOf(Type format) {
  using hardware::ElementType;
  return llvm::TypeSwitch<Type, std::optional<ElementType>>(format)
      .Case([](Float8E4M3FNType) { return ElementType::E4M3; })
      .Case([](Float8E5M2Type) { return ElementType::E5M2; })
      .Case([](Float8E4M3FNUZType) { return ElementType::E4M3FNUZ; })
      .Case([](Float8E5M2FNUZType) { return ElementType::E5M2FNUZ; })
      .Default([](Type) { return std::nullopt; });
}

static LogicalResult verifyPairs(Operation *op, Type format, int64_t wide, int64_t narrow) {
  if (!thread::pairElementOf(format)) {
    return op->emitOpError("no GPU converts pairs of ") << format;
  }
  return wide == narrow ? success()
                        : op->emitOpError("converts between ") << wide << " wide and " << narrow << " narrow numbers";
}

LogicalResult ExtendPairsOp::verify() {
  return verifyPairs(*this, getFormat(), getType().getNumElements(), getBytes().getType().getNumElements());
}

LogicalResult TruncatePairsOp::verify() {
  return verifyPairs(*this, getFormat(), getValues().size(), getType().getNumElements());
}

#define GET_OP_CLASSES
#include "tilewright/Dialect/Thread/IR/ThreadOps.cpp.inc"
