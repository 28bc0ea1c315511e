// Functions that are not inlined. Scalars are passed and returned as values, tiles in row-major memory:
//
//     func.func private @f(%t: tensor<64xf32>, %n: i32) -> (tensor<64xf32>, i32)
//
//     func.func private @f(%grid: !llvm.ptr, %number: i64, %x: i32, %y: i32, %z: i32, %scratch: !llvm.ptr,
//                          %t: !llvm.ptr, %n: i32, %result: !llvm.ptr) -> (i32, i32)
//
// The first result is the status of return-on-assert. A function may overwrite the tiles that it is passed. Its scratch
// memory follows that of its caller:
//
//     | tiles of the kernel | tiles of @f | tiles of a function that @f calls |
//                           | tiles of @g |

#include "Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tilewright::cpu {

namespace {
/// The parameters of a function that precede its own.
enum Parameter { kGrid, kNumber, kX, kY, kZ, kScratch, kOwn };
} // namespace

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

Value Emitter::scratchOfCallees() {
  if (!calleeScratch) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfterValue(program.scratch);
    Location loc = program.scratch.getLoc();
    ownScratchBytes = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(0)); // known when all is emitted
    auto pointer = LLVM::LLVMPointerType::get(b.getContext());
    calleeScratch = LLVM::GEPOp::create(b, loc, pointer, b.getI8Type(), program.scratch,
                                        ArrayRef<LLVM::GEPArg>{ownScratchBytes.getResult()});
  }
  return calleeScratch;
}

FailureOr<EmittedFunction> Emitter::finish() {
  if (hasFailed) {
    return failure();
  }
  if (ownScratchBytes) {
    ownScratchBytes.setValueAttr(b.getI64IntegerAttr(scratchBytes));
  }
  return EmittedFunction{scratchBytes + callees.scratchBytes, storesStream || callees.storesStream};
}

Value Emitter::passTile(Value tile, tile::CallOp call) {
  std::optional<Buffer> own = takeOver(tile, call);
  bool isRowMajor = own && !own->panel && own->strides == rowMajorStrides(tile::getShape(tile.getType()));
  if (isRowMajor) {
    return own->base;
  }
  Buffer copy = allocate(tile.getType());
  copyTile(tile, copy);
  return copy.base;
}

LogicalResult Emitter::emitCall(tile::CallOp call) {
  const EmittedFunction &callee = functions.at(call.getCallee());
  callees.scratchBytes = std::max(callees.scratchBytes, callee.scratchBytes);
  callees.storesStream |= callee.storesStream;

  SmallVector<Value> operands = {program.grid,  program.number, program.id[0],
                                 program.id[1], program.id[2],  scratchOfCallees()};
  for (Value arg : call.getArgs()) {
    operands.push_back(isTile(arg) ? passTile(arg, call) : scalar(arg));
  }
  SmallVector<Buffer> tiles = allocateFor(call.getResults());
  llvm::append_range(operands, llvm::map_range(tiles, [](const Buffer &buffer) { return buffer.base; }));
  SmallVector<Type> types = {b.getI32Type()};
  for (Type type : call.getResultTypes()) {
    if (!isTile(type)) {
      types.push_back(convert(type));
    }
  }
  auto made = func::CallOp::create(b, call.getLoc(), call.getCallee(), types, operands);
  bind(call.getResults(), made.getResults().drop_front(), tiles);
  return success();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static func::FuncOp createEmitted(OpBuilder &b, func::FuncOp function) {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext()), i64 = b.getI64Type(), i32 = b.getI32Type();
  auto passed = [&](Type type) { return isTile(type) || isa<tile::PtrType>(type) ? pointer : type; };
  SmallVector<Type> parameters = {pointer, i64, i32, i32, i32, pointer}, results = {i32};
  llvm::append_range(parameters, llvm::map_range(function.getArgumentTypes(), passed));
  for (Type type : function.getResultTypes()) {
    (isTile(type) ? parameters : results).push_back(passed(type));
  }
  b.setInsertionPoint(function);
  auto emitted = func::FuncOp::create(b, function.getLoc(), function.getName(), b.getFunctionType(parameters, results));
  emitted.setPrivate();
  // Upstream's conversion to LLVM takes these attributes over.
  emitted->setAttr("llvm.linkage", LLVM::LinkageAttr::get(b.getContext(), LLVM::Linkage::Internal));
  emitted->setAttr("passthrough", b.getStrArrayAttr({"noinline"}));
  emitted.addEntryBlock();
  return emitted;
}

static ProgramContext contextOf(func::FuncOp emitted) {
  ProgramContext context;
  for (int axis = 0; axis < 3; ++axis) {
    context.id[axis] = emitted.getArgument(kX + axis);
  }
  context.grid = emitted.getArgument(kGrid);
  context.scratch = emitted.getArgument(kScratch);
  context.number = emitted.getArgument(kNumber);
  return context;
}

FailureOr<EmittedFunction> convertFunction(func::FuncOp function, const hardware::CpuInfo &cpu,
                                           const EmittedFunctions &functions) {
  if (!function.getBody().hasOneBlock()) {
    return function.emitOpError("a function that is not inlined must have one basic block");
  }
  AxisInfoAnalysis axis(function);
  OpBuilder b(function.getContext());
  func::FuncOp emitted = createEmitted(b, function);
  b.setInsertionPointToStart(&emitted.front());
  Emitter emitter(b, axis, cpu, functions, contextOf(emitted));

  auto inMemory = [&](Value tile, Value base) {
    Type element = emitter.convert(tile::getElementType(tile.getType()));
    return Buffer{base, element, Emitter::rowMajorStrides(tile::getShape(tile.getType()))};
  };
  for (auto [argument, passed] : llvm::zip(function.getArguments(), emitted.getArguments().drop_front(kOwn))) {
    if (isTile(argument)) {
      emitter.buffers[argument] = inMemory(argument, passed);
    } else {
      emitter.map(argument, passed);
    }
  }
  if (failed(emitter.emitBlock(function.front()))) {
    return failure();
  }
  SmallVector<Buffer> into;
  Operation *terminator = function.front().getTerminator();
  unsigned next = kOwn + function.getNumArguments();
  for (Value result : terminator->getOperands()) {
    if (isTile(result)) {
      into.push_back(inMemory(result, emitted.getArgument(next++)));
    }
  }
  Location loc = terminator->getLoc();
  SmallVector<Value> results = {arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0))};
  llvm::append_range(results, emitter.moveInto(terminator->getOperands(), into));
  func::ReturnOp::create(b, loc, results);
  function.erase();
  return emitter.finish();
}

namespace {
struct Call : EmissionModel<Call, tile::CallOp> {
  LogicalResult emit(Operation *op, Emitter &e) const { return e.emitCall(cast<tile::CallOp>(op)); }
};
} // namespace

void attachCalls(MLIRContext *context) { tile::CallOp::attachInterface<Call>(*context); }

} // namespace tilewright::cpu
