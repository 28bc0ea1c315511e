#include "tilewright/Analysis/PointerOffsets.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright {

using Offset = PointerOffsets::Offset;

/// Addresses, and so distances between them.
static constexpr unsigned kAddressBits = 64;

/// The size in memory of what a pointer points to.
static int64_t pointeeBytes(Type pointers) {
  Type pointee = tile::getElementType(tile::getPointeeType(pointers));
  return pointee.isIntOrFloat() ? (pointee.getIntOrFloatBitWidth() + 7) / 8 : 8;
}

/// The bytes that an addptr adds, or -1 if its offset has more bits than an address.
static int bytesAdded(tile::AddPtrOp add, IndexRanges &ranges) {
  if (integerBits(add.getOffset().getType()) > kAddressBits) {
    return -1;
  }
  int elements = ranges.extendedStep(add.getOffset(), kAddressBits);
  return ranges.productStep(kAddressBits, elements, ranges.constantStep(kAddressBits, pointeeBytes(add.getType())));
}

std::optional<Offset> PointerOffsets::get(Value pointer) {
  auto [found, isNew] = known.try_emplace(pointer, std::nullopt); // for a pointer that is computed from itself
  if (!isNew) {
    return found->second;
  }
  std::optional<Offset> offset = compute(pointer);
  known[pointer] = offset;
  return offset;
}

std::optional<Offset> PointerOffsets::join(ValueRange sources) {
  std::optional<Offset> joined = get(sources.front());
  for (Value source : sources.drop_front()) {
    std::optional<Offset> other = get(source);
    if (!joined || !other || joined->base != other->base) {
      return std::nullopt;
    }
    joined->step = ranges.joinStep(kAddressBits, joined->step, other->step);
  }
  return joined;
}

/// A pointer that a loop carries, and to which each iteration adds what the loop does not change.
std::optional<Offset> PointerOffsets::carried(scf::ForOp loop, unsigned index) {
  Value argument = loop.getRegionIterArg(index), next = tile::withoutHints(loop.getYieldedValues()[index]);
  std::optional<Offset> offset = get(loop.getInitArgs()[index]);
  SmallVector<int> amounts;
  while (offset && next != argument) {
    auto add = next.getDefiningOp<tile::AddPtrOp>();
    int bytes = add && loop.isDefinedOutsideOfLoop(add.getOffset()) ? bytesAdded(add, ranges) : -1;
    if (bytes < 0) {
      return std::nullopt;
    }
    amounts.push_back(bytes);
    next = tile::withoutHints(add.getPtr());
  }
  if (!offset || amounts.empty()) {
    return offset;
  }
  offset->step = ranges.advancedStep(loop, kAddressBits, offset->step, amounts);
  return offset->step < 0 ? std::nullopt : offset;
}

std::optional<Offset> PointerOffsets::compute(Value pointer) {
  if (auto argument = dyn_cast<BlockArgument>(pointer)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (isa<FunctionOpInterface>(parent)) {
      return Offset{argument, ranges.constantStep(kAddressBits, 0)};
    }
    auto loop = dyn_cast<scf::ForOp>(parent);
    return loop ? carried(loop, argument.getArgNumber() - loop.getNumInductionVars()) : std::nullopt;
  }
  unsigned index = cast<OpResult>(pointer).getResultNumber();
  using Result = std::optional<Offset>;
  return llvm::TypeSwitch<Operation *, Result>(pointer.getDefiningOp())
      .Case([&](tile::AddPtrOp add) -> Result {
        Result offset = get(add.getPtr());
        int bytes = offset ? bytesAdded(add, ranges) : -1;
        if (bytes < 0) {
          return std::nullopt;
        }
        offset->step = ranges.sumStep(kAddressBits, offset->step, bytes);
        return offset;
      })
      .Case([&](tile::PtrCastOp cast) { return get(cast.getSrc()); })
      .Case([&](tile::RearrangementOpInterface shape) { return join(shape.getSources()); })
      .Case([&](arith::SelectOp select) { return join({select.getTrueValue(), select.getFalseValue()}); })
      .Case([&](scf::IfOp branch) {
        return join({branch.thenYield().getOperand(index), branch.elseYield().getOperand(index)});
      })
      .Case([&](scf::ForOp loop) { return carried(loop, index); })
      .Default([](Operation *) { return std::nullopt; });
}

} // namespace tilewright
