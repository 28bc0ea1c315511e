// Registration of the ptx dialect, and how values are cut into registers.

#include "tilewright/Dialect/Ptx/IR/Ptx.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright::ptx;

/// A register's name in the text.
static std::string reg(int index) { return "$" + std::to_string(index); }

/// ".cg" for "cg", nothing for nothing.
static std::string suffix(llvm::StringRef name) { return name.empty() ? "" : ("." + name).str(); }

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

/// Addresses in shared memory are short.
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

Words wordsOf(Type type) {
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
  return {bits / 32, 32, 32};
}

} // namespace tilewright::ptx
