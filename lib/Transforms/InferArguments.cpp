// infer-arguments: notes on the arguments of called functions what axis analysis knows at every call. See Passes.td.
//
//     %y = tile.call @f(%offsets)   // contiguous        func.func private @f(%o: tensor<64xi32>
//                                                    ->      {tile.contiguity = array<i32: 64>, ...})

#include "tilewright/Analysis/AxisInfo.h"
#include "tilewright/Dialect/Tile/IR/Calls.h"
#include "tilewright/Transforms/Passes.h"

namespace tilewright {
#define GEN_PASS_DEF_INFERARGUMENTS
#include "tilewright/Transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using tilewright::tile::TileDialect;

namespace tilewright {
namespace {

/// One integer for a scalar, an array for a tile.
Attribute hintOf(Type type, ArrayRef<int32_t> values) {
  Builder builder(type.getContext());
  return isa<RankedTensorType>(type) ? Attribute(builder.getDenseI32ArrayAttr(values))
                                     : builder.getI32IntegerAttr(values.front());
}

/// Notes the properties, of which runs are consecutive as signed integers.
void note(FunctionOpInterface function, unsigned index, const AxisInfo &info) {
  SmallVector<int32_t> contiguity, divisibility, constancy;
  for (unsigned dim = 0; dim < info.getRank(); ++dim) {
    AxisProperties properties = info.getSigned(dim);
    contiguity.push_back(static_cast<int32_t>(properties.contiguity));
    divisibility.push_back(static_cast<int32_t>(properties.divisibility));
    constancy.push_back(static_cast<int32_t>(properties.constancy));
  }
  Type type = function.getArgument(index).getType();
  function.setArgAttr(index, TileDialect::kContiguityAttr, hintOf(type, contiguity));
  function.setArgAttr(index, TileDialect::kDivisibilityAttr, hintOf(type, divisibility));
  function.setArgAttr(index, TileDialect::kConstancyAttr, hintOf(type, constancy));
}

bool hasAxisProperties(Type type) {
  Type element = tile::getElementType(type);
  return isa<IntegerType, tile::PtrType>(element);
}

struct InferArguments : impl::InferArgumentsBase<InferArguments> {
  void runOnOperation() override {
    llvm::DenseMap<Operation *, SmallVector<AxisInfo>> properties;
    for (FunctionOpInterface function : tile::callersFirst(getOperation())) {
      auto known = properties.find(function);
      for (unsigned index = 0; known != properties.end() && index < function.getNumArguments(); ++index) {
        if (hasAxisProperties(function.getArgument(index).getType())) {
          note(function, index, known->second[index]);
        }
      }
      SmallVector<tile::CallOp> calls;
      function->walk([&](tile::CallOp call) { calls.push_back(call); });
      if (calls.empty()) {
        continue;
      }
      AxisInfoAnalysis axis(function);
      for (tile::CallOp call : calls) {
        SmallVector<AxisInfo> &arguments = properties[tile::calleeOf(call)];
        arguments.resize(call.getArgs().size());
        for (auto [known, operand] : llvm::zip_equal(arguments, call.getArgs())) {
          known = AxisInfo::join(known, axis.get(operand));
        }
      }
    }
  }
};

} // namespace
} // namespace tilewright
