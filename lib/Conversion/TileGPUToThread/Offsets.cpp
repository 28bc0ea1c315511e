// The distance of an address from the argument that it is derived from, as an integer of 32 bits.
//
//     %p = vector.broadcast %x                          %o = arith.muli (vector.extract %i[3]), 4
//     %q = llvm.getelementptr %p[%i] : f32        ->
//     load (vector.extract %q[3])                       load %x plus %o
//
// An address of which only its bits are known, such as one that a loop carries, is subtracted. A distance that all
// threads add to addresses whose own distance is known to be small is added to the argument instead, which is one
// addition on the scalar unit:
//
//     %q = llvm.getelementptr %p[%i] {small}            %x1 = llvm.getelementptr %x[%advance]
//     %r = llvm.getelementptr %q[splat %advance]  ->    load %x1 plus (vector.extract %i[3]) * 4

#include "TileGPUToThread.h"

#include "tilewright/Analysis/PointerOffsets.h"
#include "tilewright/Analysis/PointerSources.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright::gpu {
namespace {

/// Of an operation with a mark, the number of the argument that its pointers are derived from.
constexpr llvm::StringLiteral kBaseAttr = "tilegpu.base";

/// Adds operations that compute distances from one base. A value is null where it is zero.
class Distances {
public:
  Distances(Builder &builder, Value base) : builder(builder), base(base) {}

  /// Of an element of a vector of pointers, or of a pointer.
  Value of(Value pointers, int64_t element) {
    if (pointers == base) {
      return {};
    }
    Operation *source = pointers.getDefiningOp();
    if (!source) {
      return ofBits(pointers, element);
    }
    return llvm::TypeSwitch<Operation *, Value>(source)
        .Case([&](LLVM::GEPOp add) { return ofSum(add, element); })
        .Case([&](vector::BroadcastOp splat) {
          return isa<VectorType>(splat.getSourceType()) ? ofBits(pointers, element) : of(splat.getSource(), 0);
        })
        .Case([&](vector::ShuffleOp shuffle) { return ofShuffled(shuffle, element); })
        .Case([&](vector::FromElementsOp elements) { return of(elements.getElements()[element], 0); })
        .Case([&](vector::ExtractOp extract) {
          bool isElement = extract.getStaticPosition().size() == 1 && !extract.hasDynamicPosition();
          return isElement ? of(extract.getSource(), extract.getStaticPosition()[0]) : ofBits(pointers, element);
        })
        .Case([&](arith::SelectOp select) {
          Value lhs = orZero(of(select.getTrueValue(), element)), rhs = orZero(of(select.getFalseValue(), element));
          return arith::SelectOp::create(builder, elementOf(select.getCondition(), element), lhs, rhs).getResult();
        })
        .Default([&](Operation *) { return ofBits(pointers, element); });
  }

  Value orZero(Value distance) { return distance ? distance : constantI32(builder, 0); }

private:
  Value elementOf(Value vector, int64_t element) {
    return isa<VectorType>(vector.getType()) ? vector::ExtractOp::create(builder, vector, element).getResult() : vector;
  }

  Value toWord(Value integer) {
    unsigned bits = integer.getType().getIntOrFloatBitWidth();
    Type word = builder.getI32Type();
    return bits > 32   ? arith::TruncIOp::create(builder, word, integer).getResult()
           : bits < 32 ? arith::ExtSIOp::create(builder, word, integer).getResult()
                       : integer;
  }

  Value ofSum(LLVM::GEPOp add, int64_t element) {
    LLVM::GEPIndicesAdaptor<ValueRange> indices = add.getIndices();
    if (indices.size() != 1) {
      return ofBits(add, element);
    }
    Value before = of(add.getBase(), element), index;
    if (auto constant = dyn_cast<IntegerAttr>(indices[0])) {
      index = constantI32(builder, constant.getInt());
    } else {
      index = toWord(elementOf(cast<Value>(indices[0]), element));
    }
    Value bytes =
        arith::MulIOp::create(builder, index, constantI32(builder, tilegpu::bytesOf(add.getElemType()))).getResult();
    return before ? arith::AddIOp::create(builder, before, bytes).getResult() : bytes;
  }

  Value ofShuffled(vector::ShuffleOp shuffle, int64_t element) {
    int64_t from = shuffle.getMask()[element], ofFirst = shuffle.getV1VectorType().getNumElements();
    if (from < 0) {
      return ofBits(shuffle, element);
    }
    return from < ofFirst ? of(shuffle.getV1(), from) : of(shuffle.getV2(), from - ofFirst);
  }

  Value ofBits(Value pointers, int64_t element) {
    Type address = builder.getI64Type();
    Value to = LLVM::PtrToIntOp::create(builder, address, elementOf(pointers, element));
    Value from = LLVM::PtrToIntOp::create(builder, address, base);
    return toWord(arith::SubIOp::create(builder, to, from));
  }

  Builder &builder;
  Value base;
};

} // namespace

void findBases(ModuleOp module) {
  module.walk([](tile::MemoryAccessOpInterface access) {
    if (!access->removeAttr(kSmallOffsetsAttr)) {
      return;
    }
    PointerSources sources = findPointerSources(access.getPtr());
    if (sources.isComplete && sources.arguments.size() == 1) {
      int64_t number = sources.arguments.front().getArgNumber();
      access->setAttr(kBaseAttr, IntegerAttr::get(IndexType::get(access.getContext()), number));
    }
  });
}

void keepMark(Operation *tile, Operation *pointers) {
  if (Attribute mark = tile->getDiscardableAttr(kSmallOffsetsAttr)) {
    pointers->setDiscardableAttr(kSmallOffsetsAttr, mark);
  }
}

void dropMarks(ModuleOp module) {
  module.walk([](LLVM::GEPOp add) { add->removeDiscardableAttr(kSmallOffsetsAttr); });
}

/// The scalar that the operation adds to each address of a vector with the mark; null otherwise.
static Value advanceOf(LLVM::GEPOp add) {
  LLVM::GEPIndicesAdaptor<ValueRange> indices = add.getIndices();
  auto from = add.getBase().getDefiningOp<LLVM::GEPOp>();
  if (!from || !from->hasAttr(kSmallOffsetsAttr) || indices.size() != 1 || !isa<Value>(indices[0])) {
    return {};
  }
  auto splat = cast<Value>(indices[0]).getDefiningOp<vector::BroadcastOp>();
  return splat && !isa<VectorType>(splat.getSourceType()) ? splat.getSource() : Value();
}

Place placeOf(Builder &builder, Operation *access, Value pointers, int64_t element) {
  auto number = access->getAttrOfType<IntegerAttr>(kBaseAttr);
  Value base = number ? access->getParentOfType<func::FuncOp>().getArgument(number.getInt()) : Value();
  if (!base || !isa<LLVM::LLVMPointerType>(base.getType())) {
    return {vector::ExtractOp::create(builder, pointers, element), Value()};
  }
  Distances distances(builder, base);
  auto last = pointers.getDefiningOp<LLVM::GEPOp>();
  if (Value advance = last ? advanceOf(last) : Value()) {
    Value moved = LLVM::GEPOp::create(builder, base.getType(), last.getElemType(), base, advance);
    return {moved, distances.orZero(distances.of(last.getBase(), element))};
  }
  return {base, distances.orZero(distances.of(pointers, element))};
}

} // namespace tilewright::gpu
