// The opcode of a PTX instruction, taken apart: "setp.lt.and.f32" is the instruction `setp` with the modifiers "lt" and
// "and" and the type f32.

#ifndef TILEWRIGHT_LIB_EMULATOR_RETARGET_PTXTYPES_H
#define TILEWRIGHT_LIB_EMULATOR_RETARGET_PTXTYPES_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace tilewright::emulator {

/// A type of one register that is a number, or just bits.
struct PtxType {
  enum Kind { Bits, Unsigned, Signed, Float, BFloat, Predicate };
  Kind kind = Bits;
  unsigned bits = 32;

  bool isFloat() const { return kind == Float || kind == BFloat; }
  bool isSigned() const { return kind == Signed; }
};

/// Nothing for a modifier, and for types such as f16x2 that hold several numbers.
inline std::optional<PtxType> parsePtxType(llvm::StringRef text) {
  if (text == "pred") {
    return PtxType{PtxType::Predicate, 1};
  }
  static constexpr std::pair<llvm::StringLiteral, PtxType::Kind> kinds[] = {{"bf", PtxType::BFloat},
                                                                            {"b", PtxType::Bits},
                                                                            {"u", PtxType::Unsigned},
                                                                            {"s", PtxType::Signed},
                                                                            {"f", PtxType::Float}};
  for (auto [prefix, kind] : kinds) {
    llvm::StringRef rest = text;
    unsigned bits = 0;
    if (rest.consume_front(prefix) && llvm::to_integer(rest, bits, 10)) {
      bool isWhole = bits == 8 || bits == 16 || bits == 32 || bits == 64;
      bool exists = kind == PtxType::BFloat ? bits == 16 : kind == PtxType::Float ? isWhole && bits > 8 : isWhole;
      return exists ? std::optional(PtxType{kind, bits}) : std::nullopt;
    }
  }
  return std::nullopt;
}

/// An instruction on numbers. Its last one or two parts are types.
class PtxOpcode {
public:
  explicit PtxOpcode(llvm::StringRef text) {
    llvm::SmallVector<llvm::StringRef> parts;
    text.split(parts, '.');
    head = parts.front();
    for (llvm::StringRef part : llvm::ArrayRef(parts).drop_front()) {
      if (auto type = parsePtxType(part)) {
        types.push_back(*type);
      } else {
        modifiers.push_back(part);
      }
    }
  }

  /// Whether the opcode has the modifier, which is then known.
  bool take(llvm::StringRef name) {
    auto *found = llvm::find(modifiers, name);
    if (found == modifiers.end()) {
      return false;
    }
    modifiers.erase(found);
    return true;
  }

  llvm::StringRef head;
  llvm::SmallVector<PtxType, 2> types;
  llvm::SmallVector<llvm::StringRef> modifiers; ///< those that were not taken
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_EMULATOR_RETARGET_PTXTYPES_H
