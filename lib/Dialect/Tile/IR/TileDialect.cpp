// Registration of the tile dialect, and helpers for its types.

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright::tile;

#include "tilewright/Dialect/Tile/IR/TileDialect.cpp.inc"
#include "tilewright/Dialect/Tile/IR/TileEnums.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "tilewright/Dialect/Tile/IR/TileTypes.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "tilewright/Dialect/Tile/IR/TileAttrs.cpp.inc"

#include "tilewright/Dialect/Tile/IR/TileInterfaces.cpp.inc"

#define GET_OP_CLASSES
#include "tilewright/Dialect/Tile/IR/TileOps.cpp.inc"

namespace {
/// Every tile operation may be inlined anywhere, as none depends on its function.
struct TileInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
};
} // namespace

void TileDialect::initialize() {
  registerTypes();
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "tilewright/Dialect/Tile/IR/TileOps.cpp.inc"
      >();
  addInterfaces<TileInlinerInterface>();
}

Operation *TileDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

void TileDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "tilewright/Dialect/Tile/IR/TileTypes.cpp.inc"
      >();
}

void TileDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tilewright/Dialect/Tile/IR/TileAttrs.cpp.inc"
      >();
}

namespace tilewright::tile {

Type getElementType(Type type) { return getElementTypeOrSelf(type); }

Value withoutHints(Value value) {
  while (auto hint = value.getDefiningOp<HintOp>()) {
    value = hint.getSrc();
  }
  return value;
}

ArrayRef<int64_t> getShape(Type type) {
  if (auto shaped = dyn_cast<RankedTensorType>(type)) {
    return shaped.getShape();
  }
  return {};
}

Type withElementType(Type type, Type element) {
  if (auto shaped = dyn_cast<RankedTensorType>(type)) {
    return shaped.clone(element);
  }
  return element;
}

FileLineColLoc findPosition(Location loc) {
  FileLineColLoc found;
  loc->walk([&](Location inner) {
    found = dyn_cast<FileLineColLoc>(inner);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

static Type withoutEncoding(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile ? RankedTensorType::get(tile.getShape(), tile.getElementType()) : type;
}

bool areSameUpToEncoding(TypeRange left, TypeRange right) {
  return left.size() == right.size() && llvm::all_of(llvm::zip(left, right), [](auto pair) {
           return withoutEncoding(std::get<0>(pair)) == withoutEncoding(std::get<1>(pair));
         });
}

Type getPointeeType(Type pointerLike) {
  auto pointee = cast<PtrType>(getElementType(pointerLike)).getPointee();
  return withElementType(pointerLike, pointee);
}

} // namespace tilewright::tile
