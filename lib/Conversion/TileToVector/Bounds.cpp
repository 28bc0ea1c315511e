// Bounds checks: a program ends before it accesses memory outside of its arrays.
//
//     %off = %address - %begin                     for the array that the pointer comes from
//     %in = %off < %size - (bytes of the access - 1)
//     %ok = scf.if %in { true } else { llvm.call @tilewright_may_access(...) }
//     cf.assert %ok {tile.status = -1}
//     the access
//
// There is one comparison for consecutive elements, and one per lane otherwise. The call checks each element against
// all arrays; see include/tilewright/Runtime/AccessChecks.h.

#include "Emitter.h"

#include "tilewright/Analysis/CheckedAccess.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace tilewright::cpu {

static constexpr llvm::StringLiteral kFunction = "tilewright_may_access";
/// The status that the emitted code returns; must equal runtime::kOutOfBounds.
static constexpr int64_t kOutOfBounds = -1;
/// An access that may be to more arrays than this is not compared inline but checked by the runtime.
static constexpr size_t kMostComparisons = 4;

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

static int64_t slotOf(BlockArgument argument) {
  auto function = cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  auto slot = function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), tile::TileDialect::kSlotAttr);
  return slot ? slot.getInt() : argument.getArgNumber();
}

const Emitter::NumberedAccess &Emitter::numberAccess(Operation *op) {
  auto known = accesses.find(op);
  if (known != accesses.end()) {
    return known->second;
  }
  CheckedAccess described = describeAccess(op);
  NumberedAccess access;
  access.number = static_cast<int32_t>(checkedAccesses.size());
  access.bytes = described.bytes;
  if (described.sources.arguments.size() <= kMostComparisons) {
    access.slots = llvm::map_to_vector(described.sources.arguments, slotOf);
  }
  checkedAccesses.push_back(described.description);
  return accesses.try_emplace(op, access).first->second;
}

std::pair<Value, Value> Emitter::memoryOf(int64_t slot) {
  auto known = slotMemory.find(slot);
  if (known != slotMemory.end()) {
    return known->second;
  }
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfterValue(program.scratch);
  Location loc = program.scratch.getLoc();
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Type i64Type = b.getI64Type();
  auto at = [&](Value base, int64_t index) -> Value {
    return LLVM::GEPOp::create(b, loc, pointer, i64Type, base, ArrayRef<LLVM::GEPArg>{int32_t(index)});
  };
  Value table = LLVM::LoadOp::create(b, loc, pointer, at(program.checkedSlots, -2));
  Value begin = LLVM::LoadOp::create(b, loc, i64Type, at(table, 2 * slot));
  Value size = LLVM::LoadOp::create(b, loc, i64Type, at(table, 2 * slot + 1));
  return slotMemory[slot] = {begin, size};
}

//===----------------------------------------------------------------------===//
// The comparison
//===----------------------------------------------------------------------===//

/// Whether `count` elements from each pointer are inside one of the arrays that the pointer may come from; null if
/// these are not known. Masked-off elements of a vector of pointers count as inside.
Value Emitter::liesInSomeArray(const NumberedAccess &access, Value pointer, Value count, Value mask) {
  Location loc = pointer.getLoc();
  int64_t width = widthOf(pointer);
  Value address = LLVM::PtrToIntOp::create(b, loc, vectorOf(b.getI64Type(), width), pointer);
  Value bytes = arith::MulIOp::create(b, loc, count, i64(access.bytes));
  Value result;
  for (int64_t slot : access.slots) {
    auto [begin, size] = memoryOf(slot);
    Value offset = arith::SubIOp::create(b, loc, address, broadcast(begin, width));
    // Signed, so that no offset is in bounds if the array is smaller than the access.
    Value last = arith::SubIOp::create(b, loc, size, bytes);
    Value begins = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, offset, broadcast(i64(0), width));
    Value ends = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, offset, broadcast(last, width));
    Value lies = arith::AndIOp::create(b, loc, begins, ends);
    result = result ? arith::OrIOp::create(b, loc, result, lies).getResult() : lies;
  }
  if (!result || width == 1) {
    return result;
  }
  if (mask) {
    Value isOff = arith::XOrIOp::create(b, loc, mask, allTrue(width));
    result = arith::OrIOp::create(b, loc, result, isOff);
  }
  return vector::ReductionOp::create(b, loc, vector::CombiningKind::AND, result);
}

//===----------------------------------------------------------------------===//
// The call
//===----------------------------------------------------------------------===//

/// Declares the runtime function on first use. It only accesses memory passed as arguments and memory inaccessible to
/// the kernel.
static LLVM::LLVMFuncOp declareFunction(OpBuilder &b, ModuleOp module) {
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(kFunction)) {
    return known;
  }
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Type i64 = b.getI64Type(), i32 = b.getI32Type();
  auto type = LLVM::LLVMFunctionType::get(i32, {pointer, i64, i32, pointer, pointer, pointer, i64});
  auto function = LLVM::LLVMFuncOp::create(b, module.getLoc(), kFunction, type);
  // The launch's reports are in memory that the kernel never accesses.
  auto none = LLVM::ModRefInfo::NoModRef, reads = LLVM::ModRefInfo::Ref, all = LLVM::ModRefInfo::ModRef;
  function.setMemoryEffectsAttr(LLVM::MemoryEffectsAttr::get(b.getContext(), {none, reads, all, none, none, none}));
  function.setPassthroughAttr(b.getStrArrayAttr({"cold", "nounwind", "willreturn"}));
  return function;
}

/// Stores a vector to scratch memory and returns its address.
Value Emitter::storeForRuntime(Value vector) {
  auto type = cast<VectorType>(vector.getType());
  auto known = askedFor.find(type);
  if (known == askedFor.end()) {
    Buffer buffer = allocate(RankedTensorType::get(type.getShape(), b.getI64Type()), type.getElementType());
    known = askedFor.try_emplace(type, buffer).first;
  }
  Value base = known->second.base;
  LLVM::StoreOp::create(b, vector.getLoc(), vector, base, /*alignment=*/1);
  return base;
}

Value Emitter::askRuntime(const NumberedAccess &access, Value pointer, Value count, Value mask) {
  Location loc = pointer.getLoc();
  auto module = program.scratch.getParentBlock()->getParentOp()->getParentOfType<ModuleOp>();
  auto pointerType = LLVM::LLVMPointerType::get(b.getContext());
  Value none = zero(pointerType);
  bool isVector = widthOf(pointer) > 1;
  Value checks =
      LLVM::GEPOp::create(b, loc, pointerType, b.getI64Type(), program.checkedSlots, ArrayRef<LLVM::GEPArg>{-1});
  checks = LLVM::LoadOp::create(b, loc, pointerType, checks);
  Value lanes = isVector ? i64(widthOf(pointer)) : count;
  Value bytes = mask ? storeForRuntime(toMemory(mask)) : none;
  SmallVector<Value> arguments{checks,
                               program.number,
                               constant(b.getI32IntegerAttr(access.number)),
                               isVector ? storeForRuntime(pointer) : none,
                               isVector ? none : pointer,
                               bytes,
                               lanes};
  Value answer = LLVM::CallOp::create(b, loc, declareFunction(b, module), arguments).getResult();
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, answer, constant(b.getI32IntegerAttr(0)));
}

void Emitter::checkBounds(Operation *op, Value pointer, int64_t lanes, Value mask) {
  if (!program.checkedSlots) {
    return;
  }
  Location loc = op->getLoc();
  const NumberedAccess &access = numberAccess(op);
  Value count = widthOf(pointer) > 1 ? i64(1) : i64(lanes);
  // For a mask of the first lanes, check that number of elements; the access is off if it is zero.
  Value isOff;
  auto known = mask ? laneCounts.find(mask) : laneCounts.end();
  if (known != laneCounts.end() && widthOf(pointer) == 1) {
    count = known->second;
    isOff = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, count, i64(0));
    mask = {};
  } else if (mask && widthOf(mask) == 1) {
    isOff = arith::XOrIOp::create(b, loc, mask, constant(b.getBoolAttr(true)));
    mask = {};
  }
  Value lies = liesInSomeArray(access, pointer, count, mask);
  if (isOff) {
    lies = lies ? arith::OrIOp::create(b, loc, lies, isOff).getResult() : isOff;
  }
  if (!lies) {
    lies = constant(b.getBoolAttr(false));
  }
  auto ask = [&](OpBuilder &, Location) { scf::YieldOp::create(b, loc, askRuntime(access, pointer, count, mask)); };
  auto branch = scf::IfOp::create(
      b, loc, lies, [&](OpBuilder &, Location) { scf::YieldOp::create(b, loc, constant(b.getBoolAttr(true))); }, ask);
  auto assertion = cf::AssertOp::create(b, loc, branch.getResult(0), "out of bounds");
  assertion->setAttr("tile.status", b.getI32IntegerAttr(kOutOfBounds));
}

} // namespace tilewright::cpu
