// Symbols of the module besides the kernel. They get the module's location, as that of a use may be an inlined call
// site, which is only valid inside a function.

#include "ThreadToNvvm.h"

using namespace mlir;

namespace tilewright::nvidia {

static ModuleOp moduleAround(Builder &builder) {
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

Value sharedMemory(Builder &builder) {
  static constexpr llvm::StringLiteral kName = "tilewright_shared";
  ModuleOp module = moduleAround(builder);
  auto global = module.lookupSymbol<LLVM::GlobalOp>(kName);
  if (!global) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    // The swizzles of matrix instructions and of copies of boxes repeat every eight lines.
    const hardware::GpuInfo &target = tilegpu::targetOf(module);
    bool isSwizzled = !target.groupMma.empty() || target.copiesBoxes;
    auto alignment = static_cast<unsigned>(target.lineBytes * (isSwizzled ? 8 : 1));
    auto bytes = LLVM::LLVMArrayType::get(builder.getI8Type(), 0);
    global = LLVM::GlobalOp::create(builder, module.getLoc(), bytes, /*isConstant=*/false, LLVM::Linkage::External,
                                    kName, Attribute(), alignment, thread::kSharedSpace);
  }
  return LLVM::AddressOfOp::create(builder, global);
}

} // namespace tilewright::nvidia
