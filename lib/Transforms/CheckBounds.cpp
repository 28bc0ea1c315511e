// check-bounds: asserts before each memory access that its elements are inside the kernel's arrays.
//
//     tile.store %p, %x                   %address = tile.ptr_to_int %p
//                                         %offset = %address - splat(%begin)         for each array
//                                 ->      %lies = 0 <= %offset <= splat(%size - 4)
//                                         tile.assert %lies or not %mask report 1 to %mailbox
//                                         tile.store %p, %x
//
// The mailbox and the bounds of arrays are passed as additional arguments in hidden slots: the mailbox in hidden slot
// 0; for the array in slot s, its address in hidden slot 1 + 2s and its size in 2 + 2s. An access is not checked if its
// pointer may come from anything but arguments.

#include "tilewright/Analysis/CheckedAccess.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright {
#define GEN_PASS_DEF_CHECKBOUNDS
#include "tilewright/Transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;

namespace tilewright {
namespace {

struct ArrayBounds {
  Value begin, size; ///< i64
};

/// The scalar, or its splat if `like` is a tile.
Value splatLike(OpBuilder &b, Location loc, Value scalar, Type like) {
  if (!isa<RankedTensorType>(like)) {
    return scalar;
  }
  return tile::SplatOp::create(b, loc, tile::withElementType(like, scalar.getType()), scalar);
}

Value constantLike(OpBuilder &b, Location loc, TypedAttr value, Type like) {
  return splatLike(b, loc, arith::ConstantOp::create(b, loc, value), like);
}

class KernelChecker {
public:
  explicit KernelChecker(func::FuncOp kernel) : kernel(kernel), b(kernel.getContext()) {}

  void run() {
    SmallVector<tile::MemoryAccessOpInterface> accesses;
    kernel.walk([&](tile::MemoryAccessOpInterface op) { accesses.push_back(op); });
    addArguments();
    for (tile::MemoryAccessOpInterface op : accesses) {
      check(op);
    }
    kernel->setAttr(kCheckedAccessesAttr, b.getArrayAttr(descriptions));
  }

private:
  Value addArgument(Type type, int64_t slot) {
    auto attributes = b.getDictionaryAttr(
        b.getNamedAttr(tile::TileDialect::kHiddenSlotAttr, b.getI32IntegerAttr(static_cast<int32_t>(slot))));
    unsigned index = kernel.getNumArguments();
    (void)kernel.insertArgument(index, type, attributes, kernel.getLoc());
    return kernel.getArgument(index);
  }

  void addArguments() {
    SmallVector<int64_t> slots;
    for (BlockArgument argument : kernel.getArguments()) {
      if (isa<tile::PtrType>(argument.getType())) {
        unsigned index = argument.getArgNumber();
        auto slot = kernel.getArgAttrOfType<IntegerAttr>(index, tile::TileDialect::kSlotAttr);
        slots.push_back(slot ? slot.getInt() : index);
      }
    }
    for (int64_t slot : slots) {
      Value begin = addArgument(b.getI64Type(), 1 + 2 * slot);
      arrays.push_back({begin, addArgument(b.getI64Type(), 2 + 2 * slot)});
    }
    mailbox = addArgument(tile::PtrType::get(b.getI64Type()), 0);
  }

  /// Whether elements at the addresses are inside the array.
  Value liesIn(Location loc, Value address, const ArrayBounds &array, int64_t bytes) {
    Type like = address.getType();
    Value offset = arith::SubIOp::create(b, loc, address, splatLike(b, loc, array.begin, like));
    Value count = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(bytes));
    // Signed, so that no offset is in bounds if the array is smaller than an element.
    Value last = splatLike(b, loc, arith::SubIOp::create(b, loc, array.size, count), like);
    Value zero = constantLike(b, loc, b.getI64IntegerAttr(0), like);
    Value begins = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, offset, zero);
    Value ends = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, offset, last);
    return arith::AndIOp::create(b, loc, begins, ends);
  }

  void check(tile::MemoryAccessOpInterface op) {
    CheckedAccess access = describeAccess(op);
    descriptions.push_back(access.description);
    if (!access.sources.isComplete) {
      return;
    }
    Location loc = op.getLoc();
    b.setInsertionPoint(op);
    Value pointer = op.getPtr();
    Type addresses = b.getI64Type();
    if (isa<RankedTensorType>(pointer.getType())) {
      addresses = tile::withElementType(pointer.getType(), addresses);
    }
    Value address = tile::PtrToIntOp::create(b, loc, addresses, pointer);
    Value holds;
    for (const ArrayBounds &array : arrays) {
      Value lies = liesIn(loc, address, array, access.bytes);
      holds = holds ? arith::OrIOp::create(b, loc, holds, lies).getResult() : lies;
    }
    if (Value mask = op.getMask()) {
      Value all = constantLike(b, loc, b.getBoolAttr(true), mask.getType());
      holds = arith::OrIOp::create(b, loc, holds, arith::XOrIOp::create(b, loc, mask, all));
    }
    std::string bytes = std::to_string(access.bytes) + (access.bytes == 1 ? " byte" : " bytes");
    std::string message = access.description.getAs<StringAttr>("kind").str() + " " + bytes + " out of bounds";
    tile::AssertOp::create(b, loc, holds, b.getStringAttr(message), mailbox,
                           b.getI32IntegerAttr(static_cast<int32_t>(descriptions.size())));
  }

  func::FuncOp kernel;
  OpBuilder b;
  SmallVector<ArrayBounds> arrays;
  Value mailbox;
  SmallVector<Attribute> descriptions;
};

struct CheckBounds : impl::CheckBoundsBase<CheckBounds> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      if (kernel->hasAttr(tile::TileDialect::kKernelAttr)) {
        KernelChecker(kernel).run();
      }
    }
  }
};

} // namespace
} // namespace tilewright
