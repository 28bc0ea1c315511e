// Inline assembly of the user: checks it, and hands it to LLVM. LLVM ends the process for constraints and texts that it
// can't parse, so everything is checked before.

#include "ThreadToNvvm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tilewright::nvidia {
namespace {

/// A class of registers, by its letter in the constraints.
struct RegisterClass {
  char letter;
  unsigned bits;
  bool isFloat;
};

constexpr RegisterClass kClasses[] = {
    {'b', 1, false}, {'h', 16, false}, {'r', 32, false}, {'l', 64, false}, {'f', 32, true}, {'d', 64, true},
};

const RegisterClass *lookupClass(StringRef letter) {
  const auto *found = llvm::find_if(
      kClasses, [&](const RegisterClass &each) { return letter.size() == 1 && each.letter == letter.front(); });
  return found == std::end(kClasses) ? nullptr : found;
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

/// The constraints of one inline assembly, such as "=r,=&f,l,0,~{memory}".
class Constraints {
public:
  explicit Constraints(thread::InlineAsmOp op) : op(op), isPure(op.getPure()) {}

  LogicalResult parse() {
    SmallVector<StringRef> parts;
    op.getConstraints().split(parts, ',');
    for (StringRef part : parts) {
      if (failed(parseOne(part.trim()))) {
        return failure();
      }
    }
    if (outputs.size() != op.getNumResults() || inputs.size() != op.getNumOperands()) {
      return op.emitError("inline assembly has ")
             << op.getNumResults() << " registers for results and " << op.getNumOperands()
             << " for operands, but its constraints are for " << outputs.size() << " and " << inputs.size() << ", in '"
             << op.getConstraints() << "'";
    }
    return checkWidths();
  }

  /// As LLVM takes them: without blanks, and with the clobber of memory for assembly that is not pure. Without the
  /// clobber, LLVM's machine passes sink plain loads past the assembly.
  std::string text() const {
    SmallVector<StringRef> all = parsed;
    if (!isPure && !llvm::is_contained(all, kMemory)) {
      all.push_back(kMemory);
    }
    return llvm::join(all, ",");
  }

  SmallVector<const RegisterClass *> outputs, inputs;

private:
  static constexpr llvm::StringLiteral kMemory = "~{memory}";

  LogicalResult parseOne(StringRef part) {
    StringRef rest = part;
    bool isOutput = rest.consume_front("=");
    if (isOutput) {
      rest.consume_front("&");
    }
    unsigned tied;
    const RegisterClass *found = lookupClass(rest);
    if (!isOutput && !rest.getAsInteger(10, tied) && tied < outputs.size()) {
      found = outputs[tied];
    }
    bool isClobber = rest.starts_with("~{") && rest.ends_with("}");
    if (!found && !isClobber) {
      return op.emitError("unknown constraint '")
             << part << "' of inline assembly, in '" << op.getConstraints()
             << "'; a result is '=' and an operand is one of the letters b (1 bit), h (16), r (32), l (64), f (float) "
                "and d (double), or an operand is the number of a result";
    }
    if (found && isOutput && (!inputs.empty() || hasClobber)) {
      return op.emitError("the constraints of the results of inline assembly must precede the others, found '")
             << op.getConstraints() << "'";
    }
    hasClobber |= isClobber;
    if (found) {
      (isOutput ? outputs : inputs).push_back(found);
    }
    parsed.push_back(part);
    return success();
  }

  LogicalResult checkWidths() {
    for (auto [index, each, type] : llvm::enumerate(outputs, op.getResultTypes())) {
      if (failed(checkWidth("a result", index, *each, type.getIntOrFloatBitWidth()))) {
        return failure();
      }
    }
    for (auto [index, each, type] : llvm::enumerate(inputs, op.getOperandTypes())) {
      if (failed(checkWidth("an operand", index, *each, type.getIntOrFloatBitWidth()))) {
        return failure();
      }
    }
    return success();
  }

  /// A register of up to 32 bits may hold fewer; the others must have the width of the value.
  LogicalResult checkWidth(StringRef what, size_t index, const RegisterClass &each, unsigned bits) {
    bool fits = each.isFloat || each.bits == 64 || each.bits == 1 ? bits == each.bits : bits <= each.bits;
    if (fits) {
      return success();
    }
    unsigned number = index + (what == "an operand" ? op.getNumResults() : 0);
    return op.emitError("register $") << number << " of inline assembly, " << what << ", has " << bits
                                      << " bits, but its constraint '" << each.letter << "' is a "
                                      << (each.isFloat ? "float" : "register") << " of " << each.bits;
  }

  thread::InlineAsmOp op;
  const bool isPure;
  SmallVector<StringRef> parsed;
  bool hasClobber = false;
};

//===----------------------------------------------------------------------===//
// The text
//===----------------------------------------------------------------------===//

/// Checks what follows the dollar signs: a register's number, also in braces, or a second one for the character.
LogicalResult checkText(thread::InlineAsmOp op) {
  unsigned registers = op.getNumResults() + op.getNumOperands();
  StringRef rest = op.getAssembly();
  while (true) {
    rest = rest.drop_while([](char c) { return c != '$'; });
    if (!rest.consume_front("$")) {
      return success();
    }
    if (rest.consume_front("$")) {
      continue;
    }
    bool isBraced = rest.consume_front("{");
    unsigned number;
    if (rest.consumeInteger(10, number) || (isBraced && !rest.consume_front("}"))) {
      return op.emitError("inline assembly has a '$' that no register's number follows, in '")
             << op.getAssembly() << "'; write '$$' for the character";
    }
    if (number >= registers) {
      return op.emitError("inline assembly uses register $")
             << number << ", but has " << registers << ", which are counted from $0: " << op.getNumResults()
             << " for results and " << op.getNumOperands() << " for operands";
    }
  }
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

Type typeOf(Builder &builder, const RegisterClass &each) {
  if (each.isFloat) {
    return each.bits == 64 ? Type(builder.getF64Type()) : builder.getF32Type();
  }
  return builder.getIntegerType(each.bits);
}

/// The integer in a register of the class; the upper bits are zero.
Value toRegister(Builder &builder, Value value, const RegisterClass &each) {
  Type type = typeOf(builder, each);
  if (each.isFloat) {
    return arith::BitcastOp::create(builder, type, value);
  }
  return value.getType() == type ? value : arith::ExtUIOp::create(builder, type, value).getResult();
}

Value fromRegister(Builder &builder, Value value, const RegisterClass &each, Type type) {
  if (each.isFloat) {
    return arith::BitcastOp::create(builder, type, value);
  }
  return value.getType() == type ? value : arith::TruncIOp::create(builder, type, value).getResult();
}

struct InlineAsm : OpRewritePattern<thread::InlineAsmOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(thread::InlineAsmOp op, PatternRewriter &rewriter) const override {
    Constraints constraints(op);
    if (failed(constraints.parse()) || failed(checkText(op))) {
      return failure();
    }
    Builder builder(op.getLoc(), rewriter);
    SmallVector<Value> operands;
    for (auto [value, each] : llvm::zip(op.getArgs(), constraints.inputs)) {
      operands.push_back(toRegister(builder, value, *each));
    }
    SmallVector<Type> types;
    for (const RegisterClass *each : constraints.outputs) {
      types.push_back(typeOf(builder, *each));
    }
    bool isOne = types.size() == 1;
    Type type = isOne ? types.front() : LLVM::LLVMStructType::getLiteral(builder.getContext(), types);
    auto assembly =
        LLVM::InlineAsmOp::create(builder, type, operands, op.getAssembly(), constraints.text(),
                                  /*has_side_effects=*/!op.getPure(), /*is_align_stack=*/false,
                                  LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
    SmallVector<Value> results;
    for (auto [index, result] : llvm::enumerate(op.getResults())) {
      Value value = isOne ? assembly.getRes()
                          : LLVM::ExtractValueOp::create(builder, assembly.getRes(), ArrayRef<int64_t>(index));
      results.push_back(fromRegister(builder, value, *constraints.outputs[index], result.getType()));
    }
    rewriter.replaceOp(op, results);
    return success();
  }
};

} // namespace

void addInlineAsmPatterns(RewritePatternSet &patterns) { patterns.add<InlineAsm>(patterns.getContext()); }

} // namespace tilewright::nvidia
