// distribute: from tiles to the code of one thread. See Passes.td.

#include "Distribute.h"

#include "tilewright/Analysis/ReadOnlyMemory.h"
#include "tilewright/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"

#include "tilewright/Dialect/Ptx/IR/Ptx.h"

#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace tilewright;

namespace tilewright {
#define GEN_PASS_DEF_DISTRIBUTE
#include "tilewright/Conversion/Passes.h.inc"
} // namespace tilewright

namespace {

/// The pointers among a kernel's arguments that nothing else in it reaches and that it only reads.
llvm::BitVector findReadOnlyArguments(func::FuncOp function) {
  ReadOnlyMemory memory(function);
  llvm::BitVector readOnly(function.getNumArguments());
  for (BlockArgument argument : function.getArguments()) {
    bool isAlone = function.getArgAttr(argument.getArgNumber(), tile::TileDialect::kNoAliasAttr) != nullptr;
    readOnly[argument.getArgNumber()] = isAlone && memory.contains(argument);
  }
  return readOnly;
}

/// What the launcher promises of arguments, in LLVM's words; and which arguments of the launch they are.
///
/// LLVM's `noalias` also means that nothing else in the function, not even a barrier or an atomic that orders memory,
/// changes what the pointer reaches: it would keep in a register what another thread has written since. So only
/// arguments have it whose memory no thread writes.
void describeArguments(func::FuncOp function, const llvm::BitVector &readOnly) {
  Builder builder(function.getContext());
  SmallVector<int32_t> slots;
  for (unsigned index = 0; index < function.getNumArguments(); ++index) {
    auto divisibility = function.getArgAttrOfType<IntegerAttr>(index, tile::TileDialect::kDivisibilityAttr);
    bool isPointer = isa<LLVM::LLVMPointerType>(function.getArgument(index).getType());
    auto slot = function.getArgAttrOfType<IntegerAttr>(index, tile::TileDialect::kSlotAttr);
    auto hidden = function.getArgAttrOfType<IntegerAttr>(index, tile::TileDialect::kHiddenSlotAttr);
    slots.push_back(hidden ? -1 - static_cast<int32_t>(hidden.getInt())
                    : slot ? static_cast<int32_t>(slot.getInt())
                           : static_cast<int32_t>(index));
    function.setArgAttrs(index, ArrayRef<NamedAttribute>());
    if (isPointer && divisibility) {
      function.setArgAttr(index, LLVM::LLVMDialect::getAlignAttrName(),
                          builder.getI64IntegerAttr(divisibility.getInt()));
    }
    if (isPointer && readOnly[index]) {
      function.setArgAttr(index, LLVM::LLVMDialect::getNoAliasAttrName(), builder.getUnitAttr());
    }
  }
  function->setAttr(tilegpu::TileGPUDialect::kSlotsAttr, builder.getDenseI32ArrayAttr(slots));
}

struct Distribute : tilewright::impl::DistributeBase<Distribute> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    MLIRContext *context = module.getContext();
    llvm::StringMap<llvm::BitVector> readOnly; // by kernel, while there are tiles
    for (auto function : module.getOps<func::FuncOp>()) {
      readOnly[function.getName()] = findReadOnlyArguments(function);
    }
    distribute::ThreadTypes types;
    RewritePatternSet patterns(context);
    ConversionTarget target(*context);
    distribute::addElementwisePatterns(patterns, types);
    distribute::addShapePatterns(patterns, types);
    distribute::addMemoryPatterns(patterns, types);
    distribute::addAtomicPatterns(patterns, types);
    distribute::addConversionPatterns(patterns, types);
    distribute::addReductionPatterns(patterns, types);
    distribute::addScanPatterns(patterns, types);
    distribute::addGatherPatterns(patterns, types);
    distribute::addPrintPatterns(patterns, types);
    distribute::addAssertPatterns(patterns, types);
    distribute::addBarrierPatterns(patterns, types);
    distribute::addAsyncCopyPatterns(patterns, types);
    distribute::addLocalMemoryPatterns(patterns, types);
    distribute::addDotPatterns(patterns, types);
    distribute::addMmaPatterns(patterns, types);
    distribute::addControlPatterns(patterns, types, target);
    ConversionConfig config;
    // Patterns look at layouts, which are in the types of what they replace.
    config.allowPatternRollback = false;
    if (failed(applyFullConversion(module, target, std::move(patterns), config))) {
      return signalPassFailure();
    }
    for (auto function : module.getOps<func::FuncOp>()) {
      if (function->hasAttr(tile::TileDialect::kKernelAttr)) {
        describeArguments(function, readOnly[function.getName()]);
      }
    }
  }
};

} // namespace
