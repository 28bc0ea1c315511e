// expand-float8: lowers 8-bit floats to bytes. See Passes.td.
//
//   %y = arith.addf %x, %x : vector<4xf8E5M2>
// becomes
//   %h = <the bytes of %x, moved to the upper halves of f16>
//   %w = arith.extf %h : vector<4xf16> to vector<4xf32>
//   %s = arith.addf %w, %w : vector<4xf32>
//   %y = <the bytes of %s, rounded> : vector<4xi8>

#include "Codec.h"
#include "tilewright/Dialect/Thread/IR/Thread.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"
#include "tilewright/Transforms/Passes.h"

#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;
using namespace tilewright;

namespace tilewright {
#define GEN_PASS_DEF_EXPANDFLOAT8
#include "tilewright/Transforms/Passes.h.inc"
} // namespace tilewright

namespace {

bool usesFloat8(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), isFloat8) || llvm::any_of(op->getResultTypes(), isFloat8);
}

/// Whether the operation computes with the values rather than just moving their bits.
bool calculates(Operation *op) {
  bool isArithmetic = isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op->getDialect()) &&
                      !isa<arith::ConstantOp, arith::SelectOp, arith::BitcastOp>(op);
  return isArithmetic || isa<tile::DotOp, tile::PrintOp>(op);
}

/// Rewrites operations to compute with wider floats.
class Widener {
public:
  explicit Widener(const hardware::GpuInfo *info) : info(info) {}

  void rewrite(Operation *op) {
    ImplicitLocOpBuilder builder(op->getLoc(), op);
    Type element = wideElement(builder, op);
    for (OpOperand &operand : op->getOpOperands()) {
      if (isFloat8(operand.get().getType())) {
        operand.set(decode(builder, operand.get(), element));
      }
    }
    if (isa<arith::ExtFOp>(op)) {
      op->getResult(0).replaceAllUsesWith(op->getOperand(0));
      return op->erase();
    }
    builder.setInsertionPointAfter(op);
    for (Value result : op->getResults()) {
      if (isFloat8(result.getType())) {
        encodeResult(builder, result);
      }
    }
    if (isa<arith::TruncFOp>(op)) {
      op->erase();
    }
  }

private:
  /// The type to compute in. The product of two 8-bit floats is exact in f32, and dots need f16 for matrix
  /// instructions.
  static Type wideElement(Builder &builder, Operation *op) {
    if (isa<arith::ExtFOp>(op)) {
      return getElementTypeOrSelf(op->getResult(0).getType());
    }
    return isa<tile::DotOp>(op) ? Type(builder.getF16Type()) : Type(builder.getF32Type());
  }

  Value decode(ImplicitLocOpBuilder &builder, Value value, Type element) {
    Type bytes = MathBuilder(builder, value.getType()).shaped(builder.getI8Type());
    Value bits = arith::BitcastOp::create(builder, bytes, value);
    return Float8Codec(builder, value.getType(), info).decode(bits, element);
  }

  void encodeResult(ImplicitLocOpBuilder &builder, Value result) {
    Type type = result.getType();
    Value wide = result;
    if (auto narrowing = dyn_cast<arith::TruncFOp>(result.getDefiningOp())) {
      wide = narrowing.getIn();
    } else {
      result.setType(MathBuilder(builder, type).f32());
    }
    Value bits = Float8Codec(builder, type, info).encode(wide);
    Value narrow = arith::BitcastOp::create(builder, type, bits);
    result.replaceUsesWithIf(narrow, [&](OpOperand &use) { return isAfter(use.getOwner(), narrow); });
  }

  /// Excludes the operations that encode the result.
  static bool isAfter(Operation *user, Value narrow) {
    Operation *last = narrow.getDefiningOp();
    return user->getBlock() != last->getBlock() || last->isBeforeInBlock(user);
  }

  const hardware::GpuInfo *info;
};

/// Replaces 8-bit float types by i8, except in conversions of pairs, which name the format in an attribute.
void replaceTypes(Operation *root) {
  AttrTypeReplacer replacer;
  Type byte = IntegerType::get(root->getContext(), 8);
  replacer.addReplacement(
      [byte](FloatType type) -> std::optional<Type> { return isFloat8(type) ? std::optional(byte) : std::nullopt; });
  replacer.addReplacement([byte](FloatAttr attr) -> std::optional<Attribute> {
    if (!isFloat8(attr.getType())) {
      return std::nullopt;
    }
    return IntegerAttr::get(byte, attr.getValue().bitcastToAPInt());
  });
  replacer.addReplacement([byte](DenseElementsAttr attr) -> std::optional<Attribute> {
    if (!isFloat8(attr.getType())) {
      return std::nullopt;
    }
    return attr.bitcast(byte);
  });
  root->walk([&](Operation *op) {
    if (!isa<thread::ExtendPairsOp, thread::TruncatePairsOp>(op)) {
      replacer.replaceElementsIn(op, /*replaceAttrs=*/true, /*replaceLocs=*/false, /*replaceTypes=*/true);
    }
  });
  root->walk([](arith::BitcastOp cast) {
    if (cast.getIn().getType() == cast.getType()) {
      cast.replaceAllUsesWith(cast.getIn());
      cast.erase();
    }
  });
}

/// The target GPU of the module; null for the host.
const hardware::GpuInfo *gpuOf(ModuleOp module) {
  return module->hasAttr(tilegpu::TileGPUDialect::kTargetAttr) ? &tilegpu::targetOf(module) : nullptr;
}

struct ExpandFloat8 : tilewright::impl::ExpandFloat8Base<ExpandFloat8> {
  void runOnOperation() override {
    SmallVector<Operation *> found;
    getOperation()->walk([&](Operation *op) {
      if (usesFloat8(op) && calculates(op)) {
        found.push_back(op);
      }
    });
    Widener widener(gpuOf(getOperation()));
    for (Operation *op : found) {
      widener.rewrite(op);
    }
    replaceTypes(getOperation());
  }
};

} // namespace
