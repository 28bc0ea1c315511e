#include "AssemblyText.h"

using namespace llvm;

namespace tilewright::emulator {
namespace {

Error unreadable(StringRef text) { return createStringError("cannot parse the assembly '" + text.trim() + "'"); }

/// `$0`, `policy`, `16`, `[$3 + 16]`.
Expected<AssemblyOperand> parseOperand(StringRef text) {
  AssemblyOperand operand;
  StringRef whole = text;
  if (text.consume_front("[")) {
    operand.kind = AssemblyOperand::Address;
    if (!text.consume_back("]")) {
      return unreadable(whole);
    }
    auto [base, offset] = text.split('+');
    text = base.trim();
    if (!offset.empty() && offset.trim().getAsInteger(0, operand.number)) {
      return unreadable(whole);
    }
  } else if (!text.getAsInteger(0, operand.number)) {
    operand.kind = AssemblyOperand::Immediate;
    return operand;
  }
  if (text.empty() || text.find_first_of(" \t{}[]") != StringRef::npos) {
    return unreadable(whole);
  }
  operand.name = text.str();
  return operand;
}

/// Splits at the commas that are not inside braces.
SmallVector<StringRef> splitOperands(StringRef text) {
  SmallVector<StringRef> parts;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && depth == 0)) {
      StringRef part = text.slice(begin, i).trim();
      if (!part.empty()) {
        parts.push_back(part);
      }
      begin = i + 1;
    } else {
      depth += text[i] == '{' ? 1 : text[i] == '}' ? -1 : 0;
    }
  }
  return parts;
}

Expected<AssemblyStatement> parseStatement(StringRef text) {
  AssemblyStatement statement;
  StringRef rest = text.trim();
  if (rest.consume_front("@")) {
    statement.isNegated = rest.consume_front("!");
    StringRef predicate;
    std::tie(predicate, rest) = rest.split(' ');
    statement.predicate = predicate.str();
    rest = rest.ltrim();
  }
  size_t end = rest.find_first_of(" \t");
  statement.opcode = rest.substr(0, end).str();
  for (StringRef part : splitOperands(end == StringRef::npos ? "" : rest.substr(end))) {
    auto &elements = statement.operands.emplace_back();
    bool isVector = part.consume_front("{") && part.consume_back("}");
    for (StringRef element : isVector ? splitOperands(part) : SmallVector<StringRef>{part}) {
      auto operand = parseOperand(element);
      if (!operand) {
        return operand.takeError();
      }
      elements.push_back(std::move(*operand));
    }
  }
  return statement;
}

} // namespace

Expected<SmallVector<AssemblyStatement, 4>> parseAssembly(StringRef text) {
  SmallVector<AssemblyStatement, 4> statements;
  SmallVector<StringRef> lines;
  text.split(lines, ';');
  for (StringRef line : lines) {
    // A statement may follow a brace that opens a scope without a semicolon in between.
    line = line.trim();
    while (line.starts_with("{") || line.starts_with("}")) {
      line = line.drop_front().trim();
    }
    if (line.empty() || line.starts_with(".reg")) {
      continue;
    }
    auto statement = parseStatement(line);
    if (!statement) {
      return statement.takeError();
    }
    statements.push_back(std::move(*statement));
  }
  return statements;
}

} // namespace tilewright::emulator
