// Verification of the dialect's discardable attributes.

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace tilewright::tile;

static bool isHint(StringRef name) {
  return llvm::is_contained({TileDialect::kDivisibilityAttr, TileDialect::kContiguityAttr, TileDialect::kConstancyAttr},
                            name);
}

/// A hint is a positive i32 for a scalar, and an array of one for each dimension for a tile.
static LogicalResult verifyHint(Operation *op, NamedAttribute attr, Type type) {
  if (!isa<IntegerType, IndexType, PtrType>(getElementType(type))) {
    return op->emitError() << attr.getName() << " applies to integers and pointers, found on " << type;
  }
  if (isa<TensorType>(type)) {
    auto array = dyn_cast<DenseI32ArrayAttr>(attr.getValue());
    if (array && array.size() == int64_t(getShape(type).size()) &&
        llvm::all_of(array.asArrayRef(), [](int32_t entry) { return entry > 0; })) {
      return success();
    }
    return op->emitError() << attr.getName() << " of " << type << " must be an array<i32> of " << getShape(type).size()
                           << " positive integers, found " << attr.getValue();
  }
  auto scalar = dyn_cast<IntegerAttr>(attr.getValue());
  if (scalar && scalar.getType().isInteger(32) && scalar.getInt() > 0) {
    return success();
  }
  return op->emitError() << attr.getName() << " of a scalar must be a positive i32, found " << attr.getValue();
}

LogicalResult TileDialect::verifyOperationAttribute(Operation *op, NamedAttribute attr) {
  StringRef name = attr.getName();
  if (name == kKernelAttr) {
    auto function = dyn_cast<FunctionOpInterface>(op);
    if (!function || !function.getResultTypes().empty()) {
      return op->emitError() << name << " must be on a function without results";
    }
    return success();
  }
  return isHint(name) ? op->emitError() << name << " must be on an argument of a function; use tile.hint "
                                        << "for other values"
                      : success();
}

LogicalResult TileDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned index, NamedAttribute attr) {
  StringRef name = attr.getName();
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function) {
    return op->emitError() << name << " must be on an argument of a function";
  }
  Type type = function.getArgumentTypes()[index];
  if (isHint(name)) {
    return verifyHint(op, attr, type);
  }
  if (name == kNoAliasAttr) {
    return isa<PtrType>(type) ? success() : op->emitError() << name << " applies to pointers, found on " << type;
  }
  if (name == kSlotAttr || name == kHiddenSlotAttr) {
    auto slot = dyn_cast<IntegerAttr>(attr.getValue());
    bool valid = slot && slot.getType().isInteger(32) && slot.getInt() >= 0;
    return valid ? success()
                 : op->emitError() << name << " must be an i32 that is not negative, found " << attr.getValue();
  }
  return success();
}
