// tile.print: every thread prints the elements that it owns, one per line.
//
//     tile.print "x" (%x : tensor<2x16xf32>)
//
//     pid (0, 0, 0) idx (1, 7) x: 0.25
//
// Arguments are promoted as in C. A float is printed with enough digits to
// distinguish all values of its type; unlike the host's formatting, printf cannot print the shortest such text.

#include "TileGPUToThread.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewright::gpu {
namespace {

/// How an element is passed to printf.
struct Conversion {
  std::string specifier;
  Type type; ///< after promotion
  bool isSigned = false;
};

/// The number of digits that distinguish all values of the type.
int digitsOf(FloatType type) {
  constexpr double digitsPerBit = 0.30103;
  return static_cast<int>(std::ceil(1 + type.getFPMantissaWidth() * digitsPerBit));
}

Conversion conversionOf(Type element, bool isSigned, bool hex, Builder &builder) {
  if (isa<LLVM::LLVMPointerType>(element)) {
    return {"0x%016llx", builder.getI64Type()};
  }
  if (auto type = dyn_cast<FloatType>(element)) {
    return {"%." + std::to_string(digitsOf(type)) + "g", builder.getF64Type()};
  }
  unsigned bits = element.getIntOrFloatBitWidth();
  Conversion conversion{bits > 32 ? "ll" : "", builder.getIntegerType(bits > 32 ? 64 : 32), isSigned && bits > 1};
  if (hex) {
    conversion.isSigned = false;
    conversion.specifier = "0x%0" + std::to_string(std::max(bits, 8u) / 4) + conversion.specifier + "x";
  } else {
    conversion.specifier = "%" + conversion.specifier + (conversion.isSigned ? "d" : "u");
  }
  return conversion;
}

Value promote(Builder &builder, Value element, const Conversion &conversion) {
  if (isa<LLVM::LLVMPointerType>(element.getType())) {
    return LLVM::PtrToIntOp::create(builder, conversion.type, element);
  }
  if (element.getType() == conversion.type) {
    return element;
  }
  if (isa<FloatType>(element.getType())) {
    return arith::ExtFOp::create(builder, conversion.type, element);
  }
  return conversion.isSigned ? arith::ExtSIOp::create(builder, conversion.type, element).getResult()
                             : arith::ExtUIOp::create(builder, conversion.type, element).getResult();
}

/// Escapes a text that printf is to print verbatim.
std::string escape(StringRef text) {
  std::string escaped;
  for (char c : text) {
    escaped += c == '%' ? "%%" : std::string(1, c);
  }
  return escaped;
}

/// "x" -> "x: ", also if the user's prefix ends with a colon; empty for an empty prefix.
std::string describePrefix(StringRef prefix, size_t operand, size_t operands) {
  StringRef bare = prefix.trim();
  bare.consume_back(":");
  std::string text = bare.empty() ? "" : escape(bare) + ": ";
  return operands > 1 ? text + "(operand " + std::to_string(operand) + ") " : text;
}

struct Print : OpConversionPattern<tile::PrintOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tile::PrintOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    SmallVector<Value> program = {thread::ProgramIdOp::create(builder, 0), thread::ProgramIdOp::create(builder, 1),
                                  thread::ProgramIdOp::create(builder, 2)};
    if (op.getArgs().empty()) {
      std::string format = "pid (%u, %u, %u) " + escape(op.getPrefix()) + "\n";
      inThreads(builder, isFirstThread(builder), [&] { thread::PrintOp::create(builder, format, program); });
    }
    for (auto [index, value] : llvm::enumerate(adaptor.getArgs())) {
      printOperand(op, index, value, program, builder);
    }
    rewriter.eraseOp(op);
    return success();
  }

private:
  static void inThreads(Builder &builder, Value condition, llvm::function_ref<void()> emit) {
    OpBuilder::InsertionGuard guard(builder);
    if (condition) {
      auto branch = scf::IfOp::create(builder, condition, /*withElseRegion=*/false);
      builder.setInsertionPointToStart(branch.thenBlock());
    }
    emit();
  }

  static void printOperand(tile::PrintOp op, size_t index, Value value, ArrayRef<Value> program, Builder &builder) {
    auto tile = dyn_cast<RankedTensorType>(op.getArgs()[index].getType());
    Conversion conversion =
        conversionOf(getElementTypeOrSelf(value.getType()), op.getIsSigned()[index], op.getHex(), builder);
    std::string places;
    for (int64_t dim = 0; tile && dim < tile.getRank(); ++dim) {
      places += dim > 0 ? ", %u" : "%u";
    }
    std::string prefix = describePrefix(op.getPrefix(), index, op.getArgs().size());
    std::string format = "pid (%u, %u, %u) idx (" + places + ") " + prefix + conversion.specifier + "\n";
    inThreads(builder, tile ? ownsElements(builder, tilegpu::mapOf(tile)) : isFirstThread(builder), [&] {
      for (auto [reg, element] : llvm::enumerate(unpack(builder, asVector(builder, value)))) {
        SmallVector<Value> arguments(program);
        if (tile) {
          arguments.append(coordinates(builder, tilegpu::mapOf(tile), reg));
        }
        arguments.push_back(promote(builder, element, conversion));
        thread::PrintOp::create(builder, format, arguments);
      }
    });
  }

  static SmallVector<Value> coordinates(Builder &builder, const layout::LinearLayout &map, size_t reg) {
    SmallVector<int64_t> ofRegister = registerImages(map)[reg];
    SmallVector<Value> result = threadImages(builder, map);
    for (auto [dim, image] : llvm::enumerate(result)) {
      bool disjoint = areDisjoint(map, layout::dimName(static_cast<int>(dim)));
      image = combineImages(builder, image, ofRegister[dim], disjoint);
    }
    return result;
  }
};

} // namespace

void addPrintPatterns(RewritePatternSet &patterns, const ThreadTypes &types) {
  patterns.add<Print>(types, patterns.getContext());
}

} // namespace tilewright::gpu
