// tile.print: every thread prints the elements that it owns, one per line.
//
//     tile.print ["x = ", ""] [""] (%x : tensor<2x16xf32>)
//
//     pid (0, 0, 0) idx (1, 7) x = 0.25
//
// Arguments are promoted as in C. A float without a format is printed with enough digits to
// distinguish all values of its type; unlike the host's formatting, printf cannot print the shortest such text.

#include "TileGPUToThread.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringExtras.h"

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

Conversion conversionOf(Type element, StringRef format, Builder &builder) {
  if (isa<LLVM::LLVMPointerType>(element)) {
    return {"0x%016llx", builder.getI64Type()};
  }
  std::string percent = "%";
  if (auto type = dyn_cast<FloatType>(element)) {
    bool isShortest = format.empty() || !llvm::isAlpha(format.back());
    std::string digits = isShortest ? "." + std::to_string(digitsOf(type)) + "g" : "";
    return {percent + format.str() + digits, builder.getF64Type()};
  }
  bool isLong = element.getIntOrFloatBitWidth() > 32;
  std::string specifier = percent + format.drop_back().str() + (isLong ? "ll" : "") + format.back();
  return {specifier, builder.getIntegerType(isLong ? 64 : 32), format.back() == 'd'};
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

struct Print : OpConversionPattern<tile::PrintOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tile::PrintOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    SmallVector<Value> program = {thread::ProgramIdOp::create(builder, 0), thread::ProgramIdOp::create(builder, 1),
                                  thread::ProgramIdOp::create(builder, 2)};
    auto tile = op.getArgs().empty() ? RankedTensorType() : dyn_cast<RankedTensorType>(op.getArgs()[0].getType());
    SmallVector<Conversion> conversions;
    std::string format = describeLine(op, adaptor, tile, builder, conversions);
    where(builder, tile ? ownsElements(builder, tilegpu::mapOf(tile)) : isFirstThread(builder), [&] {
      if (op.getArgs().empty()) {
        thread::PrintOp::create(builder, format, program);
      } else {
        printElements(adaptor, tile, program, format, conversions, builder);
      }
    });
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// Emits code that runs where the condition holds, or always if it is null.
  static void where(Builder &builder, Value condition, llvm::function_ref<void()> emit) {
    OpBuilder::InsertionGuard guard(builder);
    if (condition) {
      auto branch = scf::IfOp::create(builder, condition, /*withElseRegion=*/false);
      builder.setInsertionPointToStart(branch.thenBlock());
    }
    emit();
  }

  /// The format of a line, whose arguments are the program, the coordinates and the operands.
  static std::string describeLine(tile::PrintOp op, OpAdaptor adaptor, RankedTensorType tile, Builder &builder,
                                  SmallVectorImpl<Conversion> &conversions) {
    std::string line = "pid (%u, %u, %u) ";
    if (!op.getArgs().empty()) {
      SmallVector<std::string> places(tile ? tile.getRank() : 0, "%u");
      line += "idx (" + llvm::join(places, ", ") + ") ";
    }
    for (auto [i, text] : llvm::enumerate(op.getTexts().getAsValueRange<StringAttr>())) {
      line += escape(text);
      if (i < adaptor.getArgs().size()) {
        Type element = getElementTypeOrSelf(adaptor.getArgs()[i].getType());
        conversions.push_back(conversionOf(element, cast<StringAttr>(op.getFormats()[i]).getValue(), builder));
        line += conversions.back().specifier;
      }
    }
    return line + "\n";
  }

  static void printElements(OpAdaptor adaptor, RankedTensorType tile, ArrayRef<Value> program, StringRef format,
                            ArrayRef<Conversion> conversions, Builder &builder) {
    auto elementsOf = [&](Value value) { return unpack(builder, asVector(builder, value)); };
    SmallVector<SmallVector<Value>> operands = llvm::map_to_vector(adaptor.getArgs(), elementsOf);
    SmallVector<Value> mask = adaptor.getMask() ? elementsOf(adaptor.getMask()) : SmallVector<Value>();
    for (size_t reg = 0; reg < operands[0].size(); ++reg) {
      where(builder, mask.empty() ? Value() : mask[reg], [&] {
        SmallVector<Value> arguments(program);
        if (tile) {
          arguments.append(coordinates(builder, tilegpu::mapOf(tile), reg));
        }
        for (auto [operand, conversion] : llvm::zip_equal(operands, conversions)) {
          arguments.push_back(promote(builder, operand[reg], conversion));
        }
        thread::PrintOp::create(builder, format, arguments);
      });
    }
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
