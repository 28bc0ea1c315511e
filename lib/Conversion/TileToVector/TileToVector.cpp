// tile-to-vector: lowers a tile kernel to a function that executes a range of programs on the host.
//
//     func.func @k(%x: !tile.ptr<f32> {tile.slot = 0}, %n: i32 {tile.slot = 2})
//
//     func.func @k(%args: !llvm.ptr, %grid: !llvm.ptr, %begin: i64, %end: i64,
//                  %scratch: !llvm.ptr) -> i32 {
//       %x = load slot 0 of %args ...
//       scf.for %program = %begin to %end { ... loops over vectors ... }
//     }

#include "Emitter.h"

#include "tilewright/Analysis/CheckedAccess.h"
#include "tilewright/Conversion/Passes.h"
#include "tilewright/Dialect/Tile/IR/Calls.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace tilewright {
#define GEN_PASS_DEF_TILETOVECTOR
#include "tilewright/Conversion/Passes.h.inc"
} // namespace tilewright

using namespace mlir;

namespace tilewright::cpu {
namespace {

/// Parameters of the emitted function.
enum Parameter { kArgs, kGrid, kBegin, kEnd, kScratch };

func::FuncOp createEntry(OpBuilder &b, func::FuncOp kernel) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Type i64 = b.getI64Type();
  auto type = b.getFunctionType({pointer, pointer, i64, i64, pointer}, {b.getI32Type()});
  b.setInsertionPoint(kernel);
  auto entry = func::FuncOp::create(b, kernel.getLoc(), kernel.getName(), type);
  entry.addEntryBlock();
  return entry;
}

/// Loads a kernel argument from its eight-byte slot. Bytes that are passed by value stay there.
Value loadArgument(OpBuilder &b, func::FuncOp kernel, func::FuncOp entry, BlockArgument arg) {
  auto slot = kernel.getArgAttrOfType<IntegerAttr>(arg.getArgNumber(), "tile.slot");
  int32_t index = slot ? int32_t(slot.getInt()) : int32_t(arg.getArgNumber());
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Location loc = arg.getLoc();
  Value address =
      LLVM::GEPOp::create(b, loc, pointer, b.getI64Type(), entry.getArgument(kArgs), ArrayRef<LLVM::GEPArg>{index});
  if (isa<tile::BytesType>(arg.getType())) {
    return address;
  }
  Type type = isa<tile::PtrType>(arg.getType()) ? Type(pointer) : arg.getType();
  if (!type.isInteger(1)) {
    return LLVM::LoadOp::create(b, loc, type, address);
  }
  Value byte = LLVM::LoadOp::create(b, loc, b.getI8Type(), address);
  return arith::TruncIOp::create(b, loc, type, byte);
}

/// Splits a linear program index into x, y and z.
void splitProgram(OpBuilder &b, Location loc, Value program, Value grid, ProgramContext &context) {
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value rest = program;
  for (int axis = 0; axis < 3; ++axis) {
    Value own = rest;
    if (axis < 2) {
      Value address = LLVM::GEPOp::create(b, loc, pointer, i32, grid, ArrayRef<LLVM::GEPArg>{axis});
      Value size = arith::ExtUIOp::create(b, loc, i64, LLVM::LoadOp::create(b, loc, i32, address));
      own = arith::RemUIOp::create(b, loc, rest, size);
      Value quotient = arith::DivUIOp::create(b, loc, rest, size);
      // A grid with a dimension of zero is never launched.
      own.getDefiningOp()->setAttr("tile.safe_division", b.getUnitAttr());
      quotient.getDefiningOp()->setAttr("tile.safe_division", b.getUnitAttr());
      rest = quotient;
    }
    context.id[axis] = arith::TruncIOp::create(b, loc, i32, own);
  }
}

LogicalResult convertKernel(func::FuncOp kernel, const hardware::CpuInfo &cpu, const EmittedFunctions &functions,
                            bool checkBounds) {
  if (!kernel.getBody().hasOneBlock() || kernel.getNumResults() != 0) {
    return kernel.emitOpError("a kernel must have one basic block and no results");
  }
  AxisInfoAnalysis axis(kernel);
  OpBuilder b(kernel.getContext());
  func::FuncOp entry = createEntry(b, kernel);
  Location loc = kernel.getLoc();
  b.setInsertionPointToStart(&entry.front());
  SmallVector<Value> arguments;
  for (BlockArgument arg : kernel.getArguments()) {
    arguments.push_back(loadArgument(b, kernel, entry, arg));
  }
  Value one = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(1));
  auto programs = scf::ForOp::create(b, loc, entry.getArgument(kBegin), entry.getArgument(kEnd), one);
  Value status = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
  func::ReturnOp::create(b, loc, status);

  b.setInsertionPointToStart(programs.getBody());
  ProgramContext context;
  context.grid = entry.getArgument(kGrid);
  context.scratch = entry.getArgument(kScratch);
  context.number = programs.getInductionVar();
  context.checkedSlots = checkBounds ? entry.getArgument(kArgs) : Value();
  splitProgram(b, loc, programs.getInductionVar(), context.grid, context);
  Emitter emitter(b, axis, cpu, functions, context);
  for (auto [arg, value] : llvm::zip(kernel.getArguments(), arguments)) {
    emitter.map(arg, value);
  }
  if (failed(emitter.emitBlock(kernel.front()))) {
    return failure();
  }
  FailureOr<EmittedFunction> emitted = emitter.finish();
  if (failed(emitted)) {
    return failure();
  }
  if (emitted->storesStream) { // order them before later accesses
    b.setInsertionPointAfter(programs);
    LLVM::FenceOp::create(b, loc, LLVM::AtomicOrdering::seq_cst);
  }
  entry->setAttr("tile.scratch_bytes", b.getI64IntegerAttr(emitted->scratchBytes));
  if (checkBounds) {
    entry->setAttr(kCheckedAccessesAttr, b.getArrayAttr(emitter.getCheckedAccesses()));
  }
  kernel.erase();
  return success();
}

struct TileToVector : impl::TileToVectorBase<TileToVector> {
  using TileToVectorBase::TileToVectorBase;

  void runOnOperation() override {
    const hardware::CpuInfo &cpu = hardware::lookupCpu(features);
    EmittedFunctions emitted;
    SmallVector<FunctionOpInterface> callersFirst = tile::callersFirst(getOperation());
    for (FunctionOpInterface interface : llvm::reverse(callersFirst)) {
      auto function = dyn_cast<func::FuncOp>(interface.getOperation());
      if (!function) {
        continue;
      }
      if (function->hasAttr(tile::TileDialect::kKernelAttr)) {
        if (failed(convertKernel(function, cpu, emitted, checkBounds))) {
          return signalPassFailure();
        }
        continue;
      }
      if (checkBounds) {
        function.emitOpError("must be inlined, as accesses in it are to be checked");
        return signalPassFailure();
      }
      std::string name = function.getName().str();
      FailureOr<EmittedFunction> callee = convertFunction(function, cpu, emitted);
      if (failed(callee)) {
        return signalPassFailure();
      }
      emitted[name] = *callee;
    }
  }
};

} // namespace
} // namespace tilewright::cpu
