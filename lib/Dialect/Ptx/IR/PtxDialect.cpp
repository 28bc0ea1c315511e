// Registration of the ptx dialect, and the split of values into registers.

#include "tilewright/Dialect/Ptx/IR/Ptx.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright::ptx;

/// The name of a register in the assembly.
static std::string reg(int index) { return "$" + std::to_string(index); }

/// "{$4, $5}": `count` registers from the first one on.
static std::string regs(int first, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += (i > 0 ? ", " : "") + reg(first + i);
  }
  return "{" + text + "}";
}

/// ".cg" for "cg", empty for an empty name.
static std::string suffix(llvm::StringRef name) { return name.empty() ? "" : ("." + name).str(); }

/// Sets the first registers to zero.
static std::string zeros(const Words &words) {
  std::string text;
  for (int i = 0; i < words.count; ++i) {
    text += "mov.b" + words.registerBits() + " " + reg(i) + ", 0;\n\t";
  }
  return text;
}

/// Whether an atomic's operand is one 64-bit register.
static bool isWide(Type type) { return getElementTypeOrSelf(type).getIntOrFloatBitWidth() == 64; }

/// ".add.noftz.v4.f16x2" for "fadd" and vector<8xf16>.
static std::string atomicName(llvm::StringRef kind, Type type) {
  Type element = getElementTypeOrSelf(type);
  std::string bits = std::to_string(element.getIntOrFloatBitWidth());
  if (kind == "fadd") {
    auto vector = dyn_cast<VectorType>(type);
    bool isHalf = bits == "16", isPair = isHalf && vector && vector.getNumElements() > 1;
    int64_t count = (vector ? vector.getNumElements() : 1) / (isPair ? 2 : 1);
    return std::string(".add") + (isHalf ? ".noftz" : "") + (count > 1 ? ".v" + std::to_string(count) : "") +
           (element.isBF16() ? ".bf" : ".f") + bits + (isPair ? "x2" : "");
  }
  bool isUnsigned = kind.consume_front("u") || kind == "add";
  if (kind == "max" || kind == "min" || kind == "add") {
    return "." + kind.str() + (isUnsigned ? ".u" : ".s") + bits;
  }
  return "." + (kind == "xchg" ? "exch" : kind.str()) + ".b" + bits;
}

#include "tilewright/Dialect/Ptx/IR/PtxDialect.cpp.inc"

#include "tilewright/Dialect/Ptx/IR/PtxInterfaces.cpp.inc"

#define GET_OP_CLASSES
#include "tilewright/Dialect/Ptx/IR/PtxOps.cpp.inc"

void PtxDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "tilewright/Dialect/Ptx/IR/PtxOps.cpp.inc"
      >();
}

namespace tilewright::ptx {

/// Addresses in shared memory have 32 bits.
static constexpr unsigned kSharedSpace = 3;

std::string Words::type() const {
  std::string vector = count > 1 ? ".v" + std::to_string(count) : "";
  return vector + ".b" + std::to_string(memoryBits);
}

std::string Words::list(int first) const {
  std::string text = reg(first);
  for (int i = 1; i < count; ++i) {
    text += ", " + reg(first + i);
  }
  return count > 1 ? "{" + text + "}" : text;
}

Words wordsOf(Type type, int widest) {
  if (auto pointer = dyn_cast<LLVM::LLVMPointerType>(type)) {
    int bits = pointer.getAddressSpace() == kSharedSpace ? 32 : 64;
    return {1, bits, bits};
  }
  if (type.isInteger(1)) {
    return {1, 1, 1};
  }
  auto vector = dyn_cast<VectorType>(type);
  Type element = vector ? vector.getElementType() : type;
  int elementBits = isa<LLVM::LLVMPointerType>(element) ? 64 : static_cast<int>(element.getIntOrFloatBitWidth());
  int bits = elementBits * static_cast<int>(vector ? vector.getNumElements() : 1);
  if (bits <= 16) {
    return {1, 16, bits};
  }
  int word = std::min(bits, widest);
  return {bits / word, word, word};
}

} // namespace tilewright::ptx
