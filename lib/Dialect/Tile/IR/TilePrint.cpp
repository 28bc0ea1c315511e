// tile.print: its verification.

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tilewright::tile;

/// Whether the text is flags, a width and a precision.
static bool areModifiers(StringRef text) {
  text = text.ltrim("-+ #0").ltrim("0123456789");
  return text.empty() || (text.consume_front(".") && llvm::all_of(text, llvm::isDigit));
}

/// Whether a conversion formats elements of the type.
static bool formats(StringRef format, Type element) {
  bool hasLetter = !format.empty() && llvm::isAlpha(format.back());
  StringRef letter = hasLetter ? format.take_back() : "", modifiers = hasLetter ? format.drop_back() : format;
  if (isa<PtrType>(element)) {
    return format == "p";
  }
  StringRef letters = isa<FloatType>(element) ? "eEfFgG" : "duxXo";
  return areModifiers(modifiers) && letters.contains(letter) && (hasLetter || isa<FloatType>(element));
}

LogicalResult PrintOp::verify() {
  size_t count = getArgs().size();
  if (getTexts().size() != count + 1 || getFormats().size() != count) {
    return emitOpError("needs a format for each operand, and a text before and after each, found ")
           << getFormats().size() << " formats and " << getTexts().size() << " texts for " << count << " operands";
  }
  if (count == 0 && getMask()) {
    return emitOpError("has a mask, but no operands");
  }
  for (auto [value, format] : llvm::zip_equal(getArgs(), getFormats().getAsValueRange<StringAttr>())) {
    if (!formats(format, getElementType(value.getType()))) {
      return emitOpError("cannot print ") << value.getType() << " by the format '" << format << "'";
    }
  }
  for (Value value : getOperands()) {
    if (getShape(value.getType()) != getShape(getOperand(0).getType())) {
      return emitOpError("has operands of different shapes: ") << getOperand(0).getType() << " and " << value.getType();
    }
  }
  return success();
}
