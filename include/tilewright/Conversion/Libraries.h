// Calls of functions of the user's libraries, which are linked into the LLVM module (Target/Libraries.h). Until then, a
// call refers to a declaration whose attributes name the function and the files:
//
//     llvm.func @twice.library1(f32) -> f32 attributes {
//       passthrough = [["tilewright-symbol", "twice"], ["tilewright-libraries", "/home/me/twice.bc"]]}

#ifndef TILEWRIGHT_CONVERSION_LIBRARIES_H
#define TILEWRIGHT_CONVERSION_LIBRARIES_H

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringExtras.h"

namespace tilewright {

/// The declaration of the operation's function with these types.
inline mlir::LLVM::LLVMFuncOp declareFunctionOf(tile::CallLibraryOp op, mlir::TypeRange arguments, mlir::Type result) {
  auto module = op->getParentOfType<mlir::ModuleOp>();
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockBegin(module.getBody());
  auto pair = [&](llvm::StringRef name, const llvm::Twine &value) -> mlir::Attribute {
    return builder.getStrArrayAttr({name, value.str()});
  };
  std::string files = llvm::join(op.getLibraries().getAsValueRange<mlir::StringAttr>(), "\n");
  mlir::ArrayAttr key =
      builder.getArrayAttr({pair("tilewright-symbol", op.getSymbol()), pair("tilewright-libraries", files)});
  auto type = mlir::LLVM::LLVMFunctionType::get(result, llvm::to_vector(arguments));
  int number = 1;
  for (auto function : module.getOps<mlir::LLVM::LLVMFuncOp>()) {
    if (function.getPassthroughAttr() == key && function.getFunctionType() == type) {
      return function;
    }
    number += function.getPassthroughAttr() != nullptr;
  }
  std::string name = (op.getSymbol() + ".library" + llvm::Twine(number)).str();
  auto function = mlir::LLVM::LLVMFuncOp::create(builder, op.getLoc(), name, type);
  function.setPassthroughAttr(key);
  return function;
}

} // namespace tilewright

#endif // TILEWRIGHT_CONVERSION_LIBRARIES_H
