// The attribute `tile.asserts` of a kernel: the message and the position of each assertion that its code reports by
// number, in the order of the numbers.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_ASSERTDESCRIPTION_H
#define TILEWRIGHT_LIB_TRANSFORMS_ASSERTDESCRIPTION_H

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Builders.h"

namespace tilewright {

/// The entry for an assertion; the file is empty if its position is unknown.
inline mlir::DictionaryAttr describeAssert(mlir::Operation *op, mlir::StringAttr message) {
  mlir::Builder b(op->getContext());
  mlir::FileLineColLoc position = tile::findPosition(op->getLoc());
  return b.getDictionaryAttr({
      b.getNamedAttr("message", message),
      b.getNamedAttr("file", b.getStringAttr(position ? position.getFilename().str() : "")),
      b.getNamedAttr("line", b.getI64IntegerAttr(position ? position.getLine() : 0)),
      b.getNamedAttr("column", b.getI64IntegerAttr(position ? position.getColumn() : 0)),
  });
}

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TRANSFORMS_ASSERTDESCRIPTION_H
