// scalarize-calls: passes vectors between functions as their elements. See Passes.td.
//
//     func.func private @f(%x: vector<2xf32>)          func.func private @f(%a: f32, %b: f32) -> (f32, f32) {
//         -> vector<2xf32> {                             %x = vector.from_elements %a, %b
//       ...                                        ->    ...
//       return %y                                        %c, %d = vector.to_elements %y
//     }                                                  return %c, %d
//                                                      }

#include "tilewright/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace tilewright {
#define GEN_PASS_DEF_SCALARIZECALLS
#include "tilewright/Transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;

namespace {

/// The types with vectors replaced by their elements.
SmallVector<Type> elementsOf(TypeRange types) {
  SmallVector<Type> elements;
  for (Type type : types) {
    auto vector = dyn_cast<VectorType>(type);
    elements.append(vector ? vector.getNumElements() : 1, vector ? vector.getElementType() : type);
  }
  return elements;
}

/// The values with vectors replaced by their elements.
SmallVector<Value> unpack(OpBuilder &b, Location loc, ValueRange values) {
  SmallVector<Value> elements;
  for (Value value : values) {
    if (isa<VectorType>(value.getType())) {
      llvm::append_range(elements, vector::ToElementsOp::create(b, loc, value).getResults());
    } else {
      elements.push_back(value);
    }
  }
  return elements;
}

/// Values of the types, made of as many of `elements` as they need.
SmallVector<Value> pack(OpBuilder &b, Location loc, TypeRange types, ValueRange elements) {
  SmallVector<Value> values;
  for (Type type : types) {
    auto vector = dyn_cast<VectorType>(type);
    size_t count = vector ? vector.getNumElements() : 1;
    values.push_back(vector ? vector::FromElementsOp::create(b, loc, vector, elements.take_front(count))
                            : elements.front());
    elements = elements.drop_front(count);
  }
  return values;
}

void scalarize(func::CallOp call) {
  OpBuilder b(call);
  Location loc = call.getLoc();
  auto made = func::CallOp::create(b, loc, call.getCallee(), elementsOf(call.getResultTypes()),
                                   unpack(b, loc, call.getOperands()));
  call.replaceAllUsesWith(pack(b, loc, call.getResultTypes(), made.getResults()));
  call.erase();
}

void scalarize(func::FuncOp function) {
  Block &entry = function.front();
  OpBuilder b = OpBuilder::atBlockBegin(&entry);
  unsigned count = entry.getNumArguments();
  SmallVector<Type> types(entry.getArgumentTypes());
  for (Type type : elementsOf(types)) {
    entry.addArgument(type, function.getLoc());
  }
  SmallVector<Value> values = pack(b, function.getLoc(), types, entry.getArguments().drop_front(count));
  for (auto [argument, value] : llvm::zip_equal(entry.getArguments().take_front(count), values)) {
    argument.replaceAllUsesWith(value);
  }
  entry.eraseArguments(0, count);
  function.walk([](func::ReturnOp op) {
    OpBuilder b(op);
    op->setOperands(unpack(b, op.getLoc(), op.getOperands()));
  });
  function.setType(b.getFunctionType(entry.getArgumentTypes(), elementsOf(function.getResultTypes())));
}

struct ScalarizeCalls : tilewright::impl::ScalarizeCallsBase<ScalarizeCalls> {
  void runOnOperation() override {
    getOperation().walk([](func::CallOp call) { scalarize(call); });
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isPrivate() && !function.isDeclaration()) {
        scalarize(function);
      }
    }
  }
};

} // namespace
