#include "tilewright/Analysis/CheckedAccess.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tilewright;

/// In memory, a boolean takes one byte and a pointer eight.
static int64_t bytesInMemory(Type element) {
  return isa<tile::PtrType>(element) ? 8 : std::max<int64_t>(element.getIntOrFloatBitWidth() / 8, 1);
}

static StringRef verbOf(tile::AccessKind kind) {
  switch (kind) {
  case tile::AccessKind::Load:
    return "reads";
  case tile::AccessKind::Store:
    return "writes";
  case tile::AccessKind::Atomic:
    return "updates";
  }
  llvm_unreachable("unknown kind of access");
}

CheckedAccess tilewright::describeAccess(Operation *op) {
  auto memory = cast<tile::MemoryAccessOpInterface>(op);
  Value pointer = memory.getPtr();
  CheckedAccess access;
  access.bytes = bytesInMemory(tile::getElementType(tile::getPointeeType(pointer.getType())));
  access.sources = findPointerSources(pointer);
  FileLineColLoc position = tile::findPosition(op->getLoc());
  OpBuilder b(op->getContext());
  access.description = b.getDictionaryAttr({
      b.getNamedAttr("kind", b.getStringAttr(verbOf(memory.getAccessKind()))),
      b.getNamedAttr("bytes", b.getI64IntegerAttr(access.bytes)),
      b.getNamedAttr("strict", b.getBoolAttr(access.sources.isComplete)),
      b.getNamedAttr("file", b.getStringAttr(position ? position.getFilename().str() : "")),
      b.getNamedAttr("line", b.getI64IntegerAttr(position ? position.getLine() : 0)),
      b.getNamedAttr("column", b.getI64IntegerAttr(position ? position.getColumn() : 0)),
  });
  return access;
}
