// tile.print becomes one call to the runtime for each operand:
//
//     tile.print "x" (%x : tensor<2x16xf32>)
//
//     loops that copy %x to scratch memory
//     llvm.call @tilewright_print("f32[2,16] x: ", %pid0, %pid1, %pid2, %scratch)
//
// include/tilewright/Runtime/Host/KernelSupport.h documents the format.

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

/// The format's name of an element type: narrow floats are passed as f32, booleans as bytes.
static std::string describeElement(Type element, bool isSigned, bool hex) {
  if (isa<tile::PtrType>(element)) {
    return "x64";
  }
  unsigned bits = element.getIntOrFloatBitWidth();
  if (isa<FloatType>(element)) {
    return bits == 64 ? "f64" : "f32";
  }
  char kind = hex ? 'x' : isSigned && bits > 1 ? 'i' : 'u';
  return kind + std::to_string(std::max(bits, 8u));
}

/// "x" -> "x: ", also if the user's prefix ends with a colon; empty for an empty prefix.
static std::string describePrefix(StringRef prefix, size_t operand, size_t operands) {
  StringRef bare = prefix.trim();
  bare.consume_back(":");
  std::string text = bare.empty() ? "" : (bare + ": ").str();
  if (operands > 1) {
    text += "(operand " + std::to_string(operand) + ") ";
  }
  return text;
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

static void emitPrint(Emitter &e, tile::PrintOp print) {
  Location loc = print.getLoc();
  auto module = e.b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  LLVM::LLVMFuncOp function = declareFunction(e.b, module);
  auto call = [&](const std::string &format, Value elements) {
    Value text = createText(e.b, loc, module, format);
    LLVM::CallOp::create(e.b, loc, function,
                         ValueRange{text, e.program.id[0], e.program.id[1], e.program.id[2], elements});
  };
  if (print.getArgs().empty()) {
    call("- " + print.getPrefix().str(), LLVM::ZeroOp::create(e.b, loc, LLVM::LLVMPointerType::get(e.b.getContext())));
    return;
  }
  auto sizeText = [](int64_t size) { return std::to_string(size); };
  for (auto [i, operand] : llvm::enumerate(print.getArgs())) {
    Type element = getElementTypeOrSelf(operand.getType());
    std::string format = describeElement(element, print.getIsSigned()[i], print.getHex());
    format += "[" + llvm::join(llvm::map_range(tile::getShape(operand.getType()), sizeText), ",") + "]";
    format += " " + describePrefix(print.getPrefix(), i, print.getArgs().size());
    call(format, copyForPrint(e, operand).base);
  }
}

namespace {
struct Print : EmissionModel<Print, tile::PrintOp> {
  LogicalResult emit(Operation *op, Emitter &e) const {
    emitPrint(e, cast<tile::PrintOp>(op));
    return success();
  }
};
} // namespace

void attachPrint(MLIRContext *context) { tile::PrintOp::attachInterface<Print>(*context); }

} // namespace tilewright::cpu
