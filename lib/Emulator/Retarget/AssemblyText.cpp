#include "AssemblyText.h"

#include "llvm/ADT/StringExtras.h"

#include <cstring>
#include <optional>

using namespace llvm;

namespace tilewright::emulator {
namespace {

Error unreadable(StringRef text) { return createStringError("cannot parse the assembly '" + text.trim() + "'"); }

/// 16, -1, 0xffU, 0f3F800000, 1.5
std::optional<AssemblyOperand> parseNumber(StringRef text) {
  AssemblyOperand operand;
  operand.kind = AssemblyOperand::Immediate;
  uint64_t bits;
  StringRef rest = text;
  if (rest.consume_front_insensitive("0f") || rest.consume_front_insensitive("0d")) {
    if (rest.getAsInteger(16, bits)) {
      return std::nullopt;
    }
    operand.number = static_cast<int64_t>(bits);
    return operand;
  }
  StringRef integer = text;
  integer.consume_back("U");
  if (!integer.getAsInteger(0, operand.number)) {
    return operand;
  }
  if (!integer.getAsInteger(0, bits)) {
    operand.number = static_cast<int64_t>(bits);
    return operand;
  }
  operand.kind = AssemblyOperand::Decimal;
  bool isDecimal = text.contains('.') && text.find_first_not_of("0123456789.eE+-") == StringRef::npos;
  return isDecimal && !text.getAsDouble(operand.decimal) ? std::optional(operand) : std::nullopt;
}

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
  } else if (auto number = parseNumber(text)) {
    return *number;
  }
  if (text.empty() || text.find_first_of(" \t\n{}[]") != StringRef::npos) {
    return unreadable(whole);
  }
  operand.name = text.str();
  return operand;
}

/// Splits at the commas that are not inside braces or brackets.
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
      depth += text[i] == '{' || text[i] == '[' ? 1 : text[i] == '}' || text[i] == ']' ? -1 : 0;
    }
  }
  return parts;
}

/// The elements of an operand, as text.
SmallVector<std::string> elementsOf(StringRef text) {
  SmallVector<std::string> elements;
  auto append = [&](ArrayRef<StringRef> parts) {
    for (StringRef part : parts) {
      elements.push_back(part.trim().str());
    }
  };
  StringRef tensor = text;
  if (text.consume_front("{") && text.consume_back("}")) {
    append(splitOperands(text));
  } else if (tensor.contains('{') && tensor.consume_front("[") && tensor.consume_back("]")) {
    auto [address, coordinates] = tensor.split(',');
    elements.push_back(("[" + address.trim() + "]").str());
    coordinates = coordinates.trim();
    if (coordinates.consume_front("{") && coordinates.consume_back("}")) {
      append(splitOperands(coordinates));
    }
  } else if (text.contains('|')) {
    append({text.split('|').first, text.split('|').second});
  } else {
    append(text);
  }
  return elements;
}

/// "wait: mbarrier..." begins with a label.
std::string consumeLabel(StringRef &text) {
  StringRef name = text.take_while([](char c) { return isAlnum(c) || c == '_' || c == '$'; });
  StringRef rest = text.drop_front(name.size()).ltrim();
  if (name.empty() || !rest.starts_with(":") || rest.starts_with("::")) {
    return "";
  }
  // A brace may follow the label of the end.
  text = rest.drop_front().ltrim(" \t\n\r{}");
  return name.str();
}

Expected<AssemblyStatement> parseStatement(StringRef text) {
  AssemblyStatement statement;
  StringRef rest = text.trim();
  statement.label = consumeLabel(rest);
  if (rest.consume_front("@")) {
    statement.isNegated = rest.consume_front("!");
    StringRef predicate = rest.take_until(isSpace);
    statement.predicate = predicate.str();
    rest = rest.drop_front(predicate.size()).ltrim();
  }
  size_t end = rest.find_first_of(" \t\n\r");
  statement.opcode = rest.substr(0, end).str();
  for (StringRef part : splitOperands(end == StringRef::npos ? "" : rest.substr(end))) {
    auto &elements = statement.operands.emplace_back();
    SmallVector<std::string> parts = elementsOf(part);
    if (parts.empty()) {
      return unreadable(text);
    }
    for (const std::string &element : parts) {
      auto operand = parseOperand(element);
      if (!operand) {
        return operand.takeError();
      }
      elements.push_back(std::move(*operand));
    }
  }
  return statement;
}

/// The text without comments, and with $0 for LLVM's ${0}.
std::string simplified(StringRef text) {
  std::string result;
  while (!text.empty()) {
    if (text.starts_with("//")) {
      text = text.drop_until([](char c) { return c == '\n'; });
    } else if (text.starts_with("/*")) {
      text = text.drop_front(std::min(text.find("*/"), text.size() - 2) + 2);
      result += ' ';
    } else if (text.starts_with("${")) {
      auto [number, rest] = text.drop_front(2).split('}');
      result += ("$" + number).str();
      text = rest;
    } else {
      result += text.front();
      text = text.drop_front();
    }
  }
  return result;
}

/// ".reg .pred p, q<4>": the names p, q0, q1, q2 and q3.
void declare(StringRef text, StringSet<> &declared) {
  text = text.drop_front(strlen(".reg")).ltrim();
  text = text.drop_until(isSpace);
  SmallVector<StringRef> names;
  text.split(names, ',');
  for (StringRef name : names) {
    auto [prefix, count] = name.trim().split('<');
    unsigned number;
    if (count.consumeInteger(10, number)) {
      declared.insert(prefix);
      continue;
    }
    for (unsigned i = 0; i < number; ++i) {
      declared.insert((prefix + Twine(i)).str());
    }
  }
}

} // namespace

Expected<Assembly> parseAssembly(StringRef text) {
  Assembly assembly;
  std::string simple = simplified(text);
  SmallVector<StringRef> lines;
  StringRef(simple).split(lines, ';');
  for (StringRef line : lines) {
    // A statement may follow a brace that opens a scope without a semicolon in between.
    line = line.trim();
    while (line.starts_with("{") || line.starts_with("}")) {
      line = line.drop_front().trim();
    }
    if (line.starts_with(".reg")) {
      declare(line, assembly.declared);
    } else if (!line.empty()) {
      auto statement = parseStatement(line);
      if (!statement) {
        return statement.takeError();
      }
      assembly.statements.push_back(std::move(*statement));
    }
  }
  return assembly;
}

} // namespace tilewright::emulator
