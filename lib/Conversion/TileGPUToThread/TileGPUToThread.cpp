// tilegpu-to-thread: lowers tiles to thread-level code. See Passes.td.

#include "TileGPUToThread.h"

#include "tilewright/Analysis/ReadOnlyMemory.h"
#include "tilewright/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace tilewright;

namespace tilewright {
#define GEN_PASS_DEF_TILEGPUTOTHREAD
#include "tilewright/Conversion/Passes.h.inc"
} // namespace tilewright

namespace {

/// The pointer arguments to memory that the kernel only reads, and that no other pointer of the kernel aliases.
llvm::BitVector findReadOnlyArguments(func::FuncOp function) {
  ReadOnlyMemory memory(function);
  llvm::BitVector readOnly(function.getNumArguments());
  for (BlockArgument argument : function.getArguments()) {
    bool isAlone = function.getArgAttr(argument.getArgNumber(), tile::TileDialect::kNoAliasAttr) != nullptr;
    readOnly[argument.getArgNumber()] = isAlone && memory.contains(argument);
  }
  return readOnly;
}

/// The attributes of a parameter that is passed by value.
NamedAttrList describeBytes(tile::BytesType type) {
  Builder builder(type.getContext());
  NamedAttrList attributes;
  attributes.set(LLVM::LLVMDialect::getByValAttrName(),
                 TypeAttr::get(LLVM::LLVMArrayType::get(builder.getI8Type(), type.getSize())));
  attributes.set(LLVM::LLVMDialect::getAlignAttrName(), builder.getI64IntegerAttr(type.getAlignment()));
  return attributes;
}

/// Translates what the launcher guarantees about arguments, which had these types, to LLVM attributes, and records
/// which slots of the launch they are.
///
/// LLVM's `noalias` also implies that nothing else in the function modifies the pointer's memory, not even across a
/// barrier or an atomic that orders memory: LLVM could keep a value in a register after another thread has overwritten
/// it. So only arguments whose memory no thread writes get the attribute.
void describeArguments(func::FuncOp function, ArrayRef<Type> types, const llvm::BitVector &readOnly) {
  Builder builder(function.getContext());
  SmallVector<int32_t> slots;
  auto maps = function->getAttrOfType<ArrayAttr>(tilegpu::TileGPUDialect::kTensorMapsAttr);
  unsigned firstMap = function.getNumArguments() - (maps ? maps.size() : 0);
  for (unsigned index = 0; index < function.getNumArguments(); ++index) {
    if (index >= firstMap) { // `tilegpu.tensor_maps` describes it
      function.setArgAttrs(index, ArrayRef<NamedAttribute>());
      function.setArgAttr(index, thread::ThreadDialect::kTensorMapAttr, builder.getUnitAttr());
      continue;
    }
    auto divisibility = function.getArgAttrOfType<IntegerAttr>(index, tile::TileDialect::kDivisibilityAttr);
    bool isExclusive = function.getArgAttr(index, tile::TileDialect::kNoAliasAttr) != nullptr;
    bool isPointer = isa<LLVM::LLVMPointerType>(function.getArgument(index).getType());
    auto slot = function.getArgAttrOfType<IntegerAttr>(index, tile::TileDialect::kSlotAttr);
    auto hidden = function.getArgAttrOfType<IntegerAttr>(index, tile::TileDialect::kHiddenSlotAttr);
    slots.push_back(hidden ? -1 - static_cast<int32_t>(hidden.getInt())
                    : slot ? static_cast<int32_t>(slot.getInt())
                           : static_cast<int32_t>(index));
    if (auto bytes = dyn_cast<tile::BytesType>(types[index])) {
      function.setArgAttrs(index, describeBytes(bytes).getDictionary(function.getContext()));
      continue;
    }
    function.setArgAttrs(index, ArrayRef<NamedAttribute>());
    if (isPointer && divisibility) {
      function.setArgAttr(index, LLVM::LLVMDialect::getAlignAttrName(),
                          builder.getI64IntegerAttr(divisibility.getInt()));
    }
    if (isPointer && isExclusive) {
      function.setArgAttr(index, thread::ThreadDialect::kNoAliasAttr, builder.getUnitAttr());
    }
    if (isPointer && readOnly[index]) {
      function.setArgAttr(index, LLVM::LLVMDialect::getNoAliasAttrName(), builder.getUnitAttr());
    }
  }
  function->setAttr(tilegpu::TileGPUDialect::kSlotsAttr, builder.getDenseI32ArrayAttr(slots));
}

/// Tokens order operations; threads execute these in order, and `resolve-waits` has derived what waits need of them.
/// Without uses other than by control flow, patterns need not expect operands without a value.
void dropTokens(ModuleOp module) {
  module.walk([](Operation *op) {
    if (auto load = dyn_cast<tilegpu::LocalLoadOp>(op)) {
      load.getAfterMutable().clear();
    } else if (auto gather = dyn_cast<tilegpu::LocalGatherOp>(op)) {
      gather.getAfterMutable().clear();
    } else if (isa<tilegpu::AsyncCommitOp, tilegpu::AsyncWaitOp>(op)) {
      op->setOperands({});
    }
  });
}

/// The lowering of each family of operations, which is one file.
void addPatterns(RewritePatternSet &patterns, tilewright::gpu::ThreadTypes &types, ConversionTarget &target) {
  tilewright::gpu::addElementwisePatterns(patterns, types);
  tilewright::gpu::addShapePatterns(patterns, types);
  tilewright::gpu::addMemoryPatterns(patterns, types);
  tilewright::gpu::addAtomicPatterns(patterns, types);
  tilewright::gpu::addPollPatterns(patterns, types);
  tilewright::gpu::addConversionPatterns(patterns, types);
  tilewright::gpu::addReductionPatterns(patterns, types);
  tilewright::gpu::addScanPatterns(patterns, types);
  tilewright::gpu::addGatherPatterns(patterns, types);
  tilewright::gpu::addPrintPatterns(patterns, types);
  tilewright::gpu::addAssertPatterns(patterns, types);
  tilewright::gpu::addBarrierPatterns(patterns, types);
  tilewright::gpu::addPartitionPatterns(patterns, types);
  tilewright::gpu::addTurnPatterns(patterns, types);
  tilewright::gpu::addAsyncCopyPatterns(patterns, types);
  tilewright::gpu::addBoxPatterns(patterns, types);
  tilewright::gpu::addRingPatterns(patterns, types);
  tilewright::gpu::addLocalMemoryPatterns(patterns, types);
  tilewright::gpu::addInlineAsmPatterns(patterns, types);
  tilewright::gpu::addLibraryPatterns(patterns, types);
  tilewright::gpu::addDotPatterns(patterns, types);
  tilewright::gpu::addGroupMmaPatterns(patterns, types);
  tilewright::gpu::addMmaPatterns(patterns, types);
  tilewright::gpu::addControlPatterns(patterns, types, target);
}

struct TileGPUToThread : tilewright::impl::TileGPUToThreadBase<TileGPUToThread> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    MLIRContext *context = module.getContext();
    // By kernel, before tiles are lowered.
    llvm::StringMap<llvm::BitVector> readOnly;
    llvm::StringMap<SmallVector<Type>> argumentTypes;
    for (auto function : module.getOps<func::FuncOp>()) {
      readOnly[function.getName()] = findReadOnlyArguments(function);
      argumentTypes[function.getName()] = llvm::to_vector(function.getArgumentTypes());
      if (!function->hasAttr(tile::TileDialect::kKernelAttr)) {
        for (unsigned index = 0; index < function.getNumArguments(); ++index) {
          function.setArgAttrs(index, ArrayRef<NamedAttribute>()); // of tiles
        }
      }
    }
    dropTokens(module);
    tilewright::gpu::findBases(module);
    tilewright::gpu::ThreadTypes types;
    RewritePatternSet patterns(context);
    ConversionTarget target(*context);
    addPatterns(patterns, types, target);
    ConversionConfig config;
    // Patterns read layouts from the types of the operations that they replace.
    config.allowPatternRollback = false;
    if (failed(applyFullConversion(module, target, std::move(patterns), config))) {
      return signalPassFailure();
    }
    tilewright::gpu::dropMarks(module);
    for (auto function : module.getOps<func::FuncOp>()) {
      if (function->hasAttr(tile::TileDialect::kKernelAttr)) {
        describeArguments(function, argumentTypes[function.getName()], readOnly[function.getName()]);
        tilewright::gpu::prefetchTensorMaps(function);
      }
    }
  }
};

} // namespace
