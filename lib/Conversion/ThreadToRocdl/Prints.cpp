// Printing: each line goes to the ring of words that tilewright/Runtime/PrintBuffer.h describes.
//
//     buffer = load @tilewright_prints
//     if buffer != null {
//       begin = taken + words <= printed + size ? compare-and-swap until the words are ours : count a lost line
//       write the words of the format and the arguments, and then the header
//     }

#include "ThreadToRocdl.h"

#include "tilewright/Runtime/PrintBuffer.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewright::amd {
namespace {

Value constantI64(Builder &builder, int64_t value) {
  return arith::ConstantIntOp::create(builder, builder.getI64Type(), value);
}

LLVM::LLVMPointerType globalPointer(Builder &builder) {
  return LLVM::LLVMPointerType::get(builder.getContext(), thread::kGlobalSpace);
}

/// The variable with the buffer's address, which the host sets when it loads the code.
Value bufferVariable(Builder &builder) {
  auto module = builder.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  auto variable = module.lookupSymbol<LLVM::GlobalOp>(runtime::kPrintBufferVariable);
  if (!variable) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    // The module's location, as that of a print may be an inlined call site, which is only valid inside a function.
    variable = LLVM::GlobalOp::create(builder, module.getLoc(), builder.getI64Type(), /*isConstant=*/false,
                                      LLVM::Linkage::External, runtime::kPrintBufferVariable,
                                      builder.getI64IntegerAttr(0), /*alignment=*/8, thread::kGlobalSpace);
    variable.setVisibility_(LLVM::Visibility::Protected);
    variable.setExternallyInitialized(true);
  }
  return LLVM::AddressOfOp::create(builder, globalPointer(builder), variable.getSymName());
}

/// The words of the format, which ends with zeros.
SmallVector<Value> wordsOf(Builder &builder, StringRef format) {
  SmallVector<Value> words;
  for (size_t begin = 0; begin < format.size(); begin += sizeof(uint64_t)) {
    uint64_t word = 0;
    for (auto [place, character] : llvm::enumerate(format.substr(begin, sizeof word))) {
      word |= static_cast<uint64_t>(static_cast<unsigned char>(character)) << (8 * place);
    }
    words.push_back(constantI64(builder, static_cast<int64_t>(word)));
  }
  return words;
}

Value toWord(Builder &builder, Value argument) {
  Type type = argument.getType(), i64 = builder.getI64Type();
  if (isa<LLVM::LLVMPointerType>(type)) {
    return LLVM::PtrToIntOp::create(builder, i64, argument);
  }
  if (type.isF64()) {
    return arith::BitcastOp::create(builder, i64, argument);
  }
  return type.isInteger(64) ? argument : arith::ExtUIOp::create(builder, i64, argument).getResult();
}

/// The buffer in the emitted code.
class Buffer {
public:
  Buffer(Builder &builder, Value address)
      : builder(builder), words(LLVM::IntToPtrOp::create(builder, globalPointer(builder), address)) {}

  /// Takes words for a line. The result is where they begin, or -1 if the ring is full.
  Value take(int64_t count) const {
    Type i64 = builder.getI64Type();
    auto loop = scf::WhileOp::create(
        builder, i64, ValueRange(),
        [&](OpBuilder &, Location, ValueRange) {
          Value taken = load(runtime::kPrintTaken), printed = load(runtime::kPrintPrinted);
          Value end = arith::AddIOp::create(builder, taken, constantI64(builder, count));
          Value limit = arith::AddIOp::create(builder, printed, constantI64(builder, runtime::PrintBuffer::kRingWords));
          Value fits = arith::CmpIOp::create(builder, arith::CmpIPredicate::ule, end, limit);
          auto attempt = scf::IfOp::create(builder, TypeRange{builder.getI1Type(), i64}, fits, /*withElseRegion=*/true);
          exchange(attempt.thenBlock(), taken, end);
          countLost(attempt.elseBlock());
          scf::ConditionOp::create(builder, attempt.getResult(0), attempt.getResult(1));
        },
        [&](OpBuilder &, Location, ValueRange) { scf::YieldOp::create(builder); });
    return loop.getResult(0);
  }

  /// Writes a line where its words begin.
  void write(Value begin, Value header, ArrayRef<Value> line) const {
    for (auto [index, word] : llvm::enumerate(line)) {
      Value at = arith::AddIOp::create(builder, begin, constantI64(builder, static_cast<int64_t>(index) + 1));
      LLVM::StoreOp::create(builder, word, inRing(at), /*alignment=*/8);
    }
    auto last = LLVM::StoreOp::create(builder, header, inRing(begin), /*alignment=*/8);
    last.setOrdering(LLVM::AtomicOrdering::release); // the host reads the other words after it
  }

private:
  Value at(Value index) const {
    return LLVM::GEPOp::create(builder, words.getType(), builder.getI64Type(), words, index);
  }
  Value inRing(Value index) const {
    constexpr int64_t kMask = runtime::PrintBuffer::kRingWords - 1;
    Value place = arith::AndIOp::create(builder, index, constantI64(builder, kMask));
    return at(arith::AddIOp::create(builder, place, constantI64(builder, runtime::kPrintRing)));
  }
  Value load(int64_t word) const {
    auto op = LLVM::LoadOp::create(builder, builder.getI64Type(), at(constantI64(builder, word)), /*alignment=*/8);
    op.setOrdering(LLVM::AtomicOrdering::monotonic);
    return op;
  }

  void exchange(Block *block, Value taken, Value end) const {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(block);
    auto swapped = LLVM::AtomicCmpXchgOp::create(builder, at(constantI64(builder, runtime::kPrintTaken)), taken, end,
                                                 LLVM::AtomicOrdering::acq_rel, LLVM::AtomicOrdering::monotonic);
    Value isOurs = LLVM::ExtractValueOp::create(builder, swapped, 1);
    Value again = arith::XOrIOp::create(builder, isOurs, arith::ConstantIntOp::create(builder, 1, 1));
    scf::YieldOp::create(builder, ValueRange{again, taken});
  }

  void countLost(Block *block) const {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(block);
    LLVM::AtomicRMWOp::create(builder, LLVM::AtomicBinOp::add, at(constantI64(builder, runtime::kPrintLost)),
                              constantI64(builder, 1), LLVM::AtomicOrdering::monotonic);
    Value stops = arith::ConstantIntOp::create(builder, 0, 1);
    scf::YieldOp::create(builder, ValueRange{stops, constantI64(builder, -1)});
  }

  Builder &builder;
  Value words;
};

struct Print : OpRewritePattern<thread::PrintOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(thread::PrintOp op, PatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    SmallVector<Value> line = wordsOf(builder, op.getFormat());
    auto texts = static_cast<int64_t>(line.size());
    for (Value argument : op.getArgs()) {
      line.push_back(toWord(builder, argument));
    }
    auto count = static_cast<int64_t>(line.size()) + 1;
    Value address = LLVM::LoadOp::create(builder, builder.getI64Type(), bufferVariable(builder), /*alignment=*/8);
    whereNot(builder, address, 0, [&] {
      Buffer buffer(builder, address);
      Value begin = buffer.take(count);
      whereNot(builder, begin, -1, [&] { buffer.write(begin, constantI64(builder, texts << 32 | count), line); });
    });
    rewriter.eraseOp(op);
    return success();
  }

private:
  static void whereNot(Builder &builder, Value value, int64_t number, llvm::function_ref<void()> emit) {
    Value differs = arith::CmpIOp::create(builder, arith::CmpIPredicate::ne, value, constantI64(builder, number));
    auto branch = scf::IfOp::create(builder, differs, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    emit();
  }
};

} // namespace

void addPrintPatterns(RewritePatternSet &patterns) { patterns.add<Print>(patterns.getContext()); }

} // namespace tilewright::amd
