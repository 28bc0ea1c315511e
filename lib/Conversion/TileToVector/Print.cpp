// tile.print becomes one call to the runtime:
//
//     tile.print ["x = ", ""] ["d"] (%x : tensor<2x16xi32>)
//
//     loops that copy %x to scratch memory
//     llvm.call @tilewright_print("[2,16] x = %i32:d;", %pid0, %pid1, %pid2, %operands)
//
// %operands is the address of the operands' addresses. include/tilewright/Runtime/Host/Printing.h documents the
// format.

#include "Emitter.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tilewright::cpu {

static constexpr llvm::StringLiteral kFunction = "tilewright_print";

/// Declares the runtime function on first use.
static LLVM::LLVMFuncOp declareFunction(OpBuilder &b, ModuleOp module) {
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(kFunction)) {
    return known;
  }
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Type i32 = b.getI32Type();
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), {pointer, i32, i32, i32, pointer});
  return LLVM::LLVMFuncOp::create(b, module.getLoc(), kFunction, type);
}

/// Creates a global C string and returns its address.
static Value createText(OpBuilder &b, Location loc, ModuleOp module, StringRef text) {
  std::string name;
  for (unsigned i = 0; name.empty() || module.lookupSymbol(name); ++i) {
    name = (kFunction + "_format" + Twine(i)).str();
  }
  SmallVector<char> bytes(text.begin(), text.end());
  bytes.push_back('\0');
  StringRef value(bytes.data(), bytes.size());
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), value.size());
  LLVM::GlobalOp global;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    global = LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true, LLVM::Linkage::Internal, name,
                                    b.getStringAttr(value));
  }
  return LLVM::AddressOfOp::create(b, loc, global);
}

/// The runtime's name of an element type: narrow floats are passed as f32, booleans as bytes.
static std::string describeElement(Type element, StringRef format) {
  if (isa<tile::PtrType>(element)) {
    return "u64";
  }
  unsigned bits = element.getIntOrFloatBitWidth();
  if (isa<FloatType>(element)) {
    return bits == 64 ? "f64" : "f32";
  }
  return (format.ends_with("d") ? "i" : "u") + std::to_string(std::max(bits, 8u));
}

static std::string describeLine(tile::PrintOp print) {
  std::string line = "-";
  if (!print.getArgs().empty()) {
    auto sizeText = [](int64_t size) { return std::to_string(size); };
    ArrayRef<int64_t> shape = tile::getShape(print.getArgs()[0].getType());
    line = "[" + llvm::join(llvm::map_range(shape, sizeText), ",") + "]" + (print.getMask() ? "?" : "");
  }
  line += " ";
  for (auto [i, text] : llvm::enumerate(print.getTexts().getAsValueRange<StringAttr>())) {
    for (char c : text) {
      line += c == '%' ? "%%" : std::string(1, c);
    }
    if (i < print.getArgs().size()) {
      StringRef format = cast<StringAttr>(print.getFormats()[i]).getValue();
      Type element = getElementTypeOrSelf(print.getArgs()[i].getType());
      bool isPointer = isa<tile::PtrType>(element);
      line += (isPointer ? "0x%" : "%") + describeElement(element, format) + ":" + (isPointer ? "016x" : format).str();
      line += ";";
    }
  }
  return line;
}

/// Copies the operand's elements to scratch memory in row-major order, in the type that the runtime expects.
static Buffer copyForPrint(Emitter &e, Value operand) {
  Type element = getElementTypeOrSelf(operand.getType());
  bool widens = isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
  Buffer buffer = e.allocate(operand.getType(), widens ? e.b.getF32Type() : Type());
  auto write = [&](const Point &point, Value value) {
    if (widens) {
      value = arith::ExtFOp::create(e.b, operand.getLoc(), Emitter::vectorOf(e.b.getF32Type(), Emitter::widthOf(value)),
                                    value);
    }
    e.writeBuffer(buffer, point, value);
  };
  CacheScope scope(e);
  ArrayRef<int64_t> sizes = tile::getShape(operand.getType());
  e.emitPointwise(sizes, -1, 1, [&](const Point &point) { write(point, e.evaluate(operand, point)); });
  return buffer;
}

/// The address of the operands' addresses: that of the mask first, if there is one.
static Value copyOperands(Emitter &e, tile::PrintOp print) {
  SmallVector<Value> operands;
  if (print.getMask()) {
    operands.push_back(print.getMask());
  }
  llvm::append_range(operands, print.getArgs());
  Location loc = print.getLoc();
  Buffer table = e.allocate(RankedTensorType::get({int64_t(operands.size())}, e.b.getI64Type()));
  for (auto [i, operand] : llvm::enumerate(operands)) {
    Value address = LLVM::PtrToIntOp::create(e.b, loc, e.b.getI64Type(), copyForPrint(e, operand).base);
    e.writeBuffer(table, Point{{e.i64(int64_t(i))}}, address);
  }
  return table.base;
}

namespace {
struct Print : EmissionModel<Print, tile::PrintOp> {
  LogicalResult emit(Operation *op, Emitter &e) const {
    auto print = cast<tile::PrintOp>(op);
    Location loc = print.getLoc();
    auto module = e.b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
    LLVM::LLVMFuncOp function = declareFunction(e.b, module);
    Value text = createText(e.b, loc, module, describeLine(print));
    Value operands = print.getArgs().empty()
                         ? LLVM::ZeroOp::create(e.b, loc, LLVM::LLVMPointerType::get(e.b.getContext())).getResult()
                         : copyOperands(e, print);
    LLVM::CallOp::create(e.b, loc, function,
                         ValueRange{text, e.program.id[0], e.program.id[1], e.program.id[2], operands});
    return success();
  }
};
} // namespace

void attachPrint(MLIRContext *context) { tile::PrintOp::attachInterface<Print>(*context); }

} // namespace tilewright::cpu
