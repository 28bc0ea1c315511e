// Declarations of functions that CUDA's driver links into every kernel, and strings.

#include "DeviceCalls.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace tilewright::distribute {

ModuleOp moduleAround(Builder &builder) {
  return builder.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
}

LLVM::LLVMFuncOp declareFunction(Builder &builder, StringRef name, LLVM::LLVMFunctionType type) {
  ModuleOp module = moduleAround(builder);
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name)) {
    return known;
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(module.getBody());
  return LLVM::LLVMFuncOp::create(builder, module.getLoc(), name, type);
}

Value createText(Builder &builder, StringRef text) {
  ModuleOp module = moduleAround(builder);
  std::string name;
  for (unsigned i = 0; name.empty() || module.lookupSymbol(name); ++i) {
    name = ("tilewright_text" + Twine(i)).str();
  }
  std::string bytes = text.str();
  bytes.push_back('\0');
  auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), bytes.size());
  LLVM::GlobalOp global;
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    global = LLVM::GlobalOp::create(builder, module.getLoc(), type, /*isConstant=*/true, LLVM::Linkage::Internal, name,
                                    builder.getStringAttr(bytes));
  }
  return LLVM::AddressOfOp::create(builder, global);
}

} // namespace tilewright::distribute
