// The attributes and types: parsing, printing and verification.

#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::LinearLayout;

/// A list in square brackets, which may be empty.
static ParseResult parseIntegers(AsmParser &parser, SmallVector<int64_t> &values) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                        [&] { return parser.parseInteger(values.emplace_back()); });
}

static void printIntegers(AsmPrinter &printer, ArrayRef<int64_t> values) {
  printer << "[";
  llvm::interleaveComma(values, printer);
  printer << "]";
}

#define GET_ATTRDEF_CLASSES
#include "tilewright/Dialect/TileGPU/IR/TileGPUAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "tilewright/Dialect/TileGPU/IR/TileGPUTypes.cpp.inc"

void TileGPUDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "tilewright/Dialect/TileGPU/IR/TileGPUTypes.cpp.inc"
      >();
}

void TileGPUDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tilewright/Dialect/TileGPU/IR/TileGPUAttrs.cpp.inc"
      >();
}

llvm::hash_code tilewright::layout::hash_value(const LinearLayout &layout) {
  llvm::hash_code hash = llvm::hash_combine_range(layout.columns());
  for (const auto *dims : {&layout.ins(), &layout.outs()}) {
    for (const layout::Dim &dim : *dims) {
      hash = llvm::hash_combine(hash, dim.name, dim.bits);
    }
  }
  return hash;
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

bool LayoutAttr::isShared() const { return !getMap().ins().empty() && getMap().ins().front().name == layout::kOffset; }

int64_t LayoutAttr::registers() const { return getMap().inSize(layout::kRegister); }

static void printShape(AsmPrinter &printer, ArrayRef<int64_t> shape) { llvm::interleave(shape, printer, "x"); }

/// Prints the coordinates of each bit of an input: `register = [[0, 1], [1, 0]]`.
static void printBases(AsmPrinter &printer, const LinearLayout &map, const layout::Dim &in) {
  printer << in.name << " = [";
  for (int bit = 0; bit < in.bits; ++bit) {
    printer << (bit ? ", [" : "[");
    llvm::interleaveComma(map.outs(), printer,
                          [&](const layout::Dim &out) { printer << map.basis(in.name, bit, out.name); });
    printer << "]";
  }
  printer << "]";
}

void LayoutAttr::print(AsmPrinter &printer) const {
  const LinearLayout &map = getMap();
  printer << "<";
  llvm::interleaveComma(map.ins(), printer, [&](const layout::Dim &in) { printBases(printer, map, in); });
  printer << " : ";
  SmallVector<int64_t> shape;
  for (const layout::Dim &out : map.outs()) {
    shape.push_back(out.size());
  }
  printShape(printer, shape);
  printer << ">";
}

static ParseResult parsePoint(AsmParser &parser, LinearLayout::Point &point) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                        [&] { return parser.parseInteger(point.emplace_back()); });
}

static ParseResult parseBases(AsmParser &parser, LinearLayout::Bases &bases) {
  StringRef name;
  if (parser.parseKeyword(&name) || parser.parseEqual()) {
    return failure();
  }
  auto &points = bases.emplace_back(name.str(), std::vector<LinearLayout::Point>()).second;
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                        [&] { return parsePoint(parser, points.emplace_back()); });
}

/// Whether the inputs are those of a layout in registers or in shared memory, and all bases are inside the shape.
static bool isLayout(const LinearLayout::Bases &bases, ArrayRef<int64_t> shape) {
  SmallVector<StringRef> names;
  for (const auto &[name, points] : bases) {
    names.push_back(name);
    for (const LinearLayout::Point &point : points) {
      if (point.size() != shape.size() || llvm::any_of(llvm::zip_equal(point, shape), [](auto pair) {
            return std::get<0>(pair) < 0 || std::get<0>(pair) >= std::get<1>(pair);
          })) {
        return false;
      }
    }
  }
  return names == ArrayRef<StringRef>{"offset"} || names == ArrayRef<StringRef>{"register", "lane", "warp", "block"};
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  LinearLayout::Bases bases;
  SmallVector<int64_t> shape;
  SMLoc start = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseCommaSeparatedList([&] { return parseBases(parser, bases); }) ||
      parser.parseColon() || parser.parseDimensionList(shape, /*allowDynamic=*/false, /*withTrailingX=*/false) ||
      parser.parseGreater()) {
    return {};
  }
  if (!llvm::all_of(shape, [](int64_t size) { return llvm::isPowerOf2_64(size); }) || !isLayout(bases, shape)) {
    parser.emitError(start, "a layout has the inputs register, lane, warp and block, or offset; coordinates inside its "
                            "shape; and sizes that are powers of two");
    return {};
  }
  std::vector<layout::Dim> outs;
  for (auto [index, size] : llvm::enumerate(shape)) {
    outs.push_back({layout::dimName(static_cast<int>(index)), layout::log2Exact(size)});
  }
  return LayoutAttr::get(parser.getContext(), LinearLayout::fromBases(bases, outs));
}

LogicalResult LayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                         function_ref<InFlightDiagnostic()> emitError) const {
  const auto &outs = getMap().outs();
  bool fits = outs.size() == shape.size() && llvm::all_of(llvm::zip(outs, shape), [](auto pair) {
                return std::get<0>(pair).size() == std::get<1>(pair);
              });
  return fits ? success() : LogicalResult(emitError() << "the layout has a different shape: " << *this);
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t stage, int64_t cluster,
                                   int64_t partition) {
  if (stage < 0 || cluster < 0 || partition < 0) {
    return emitError() << "stage, cluster and partition must not be negative";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

int64_t BufferType::getNumElements() const { return ShapedType::getNumElements(getShape()); }

int64_t BufferType::getElementBytes() const { return bytesOf(getElementType()); }

BufferType BufferType::getSlot() const {
  return BufferType::get(getContext(), 1, getShape(), getElementType(), getLayout());
}

LogicalResult BufferType::verify(function_ref<InFlightDiagnostic()> emitError, int64_t slots, ArrayRef<int64_t> shape,
                                 Type element, LayoutAttr layout) {
  if (slots < 1) {
    return emitError() << "a buffer has at least one slot, not " << slots;
  }
  if (!element.isIntOrFloat() && !isa<tile::PtrType>(element)) {
    return emitError() << "a buffer holds integers, floats or pointers, not " << element;
  }
  if (!layout.isShared()) {
    return emitError() << "a buffer's layout maps from (offset)";
  }
  return layout.verifyEncoding(shape, element, emitError);
}

void BufferType::print(AsmPrinter &printer) const {
  printer << "<";
  printShape(printer, getShape());
  printer << "x" << getElementType() << ", " << getLayout();
  if (getSlots() != 1) {
    printer << ", " << getSlots();
  }
  printer << ">";
}

Type BufferType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type element;
  LayoutAttr layout;
  int64_t slots = 1;
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) || parser.parseType(element) ||
      parser.parseComma() || parser.parseAttribute(layout) ||
      (succeeded(parser.parseOptionalComma()) && parser.parseInteger(slots)) || parser.parseGreater()) {
    return {};
  }
  return BufferType::getChecked([&] { return parser.emitError(parser.getNameLoc()); }, parser.getContext(), slots,
                                shape, element, layout);
}
