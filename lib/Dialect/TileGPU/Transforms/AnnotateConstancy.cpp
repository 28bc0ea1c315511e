// annotate-constancy: says which elements of a mask are equal. See Passes.td.
//
//     %m = arith.cmpi slt, %i, %n : tensor<1024xi32>
//  =  %m = arith.cmpi slt, %i, %n {tilegpu.constancy = array<i64: 4>} : tensor<1024xi32>
//
// where 4 divides %n. A thread with four consecutive elements then needs one comparison, and one predicate.

#include "tilewright/Analysis/AxisInfo.h"
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_ANNOTATECONSTANCY
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h.inc"
} // namespace tilewright::tilegpu

namespace {
class AnnotateConstancy : public tilegpu::impl::AnnotateConstancyBase<AnnotateConstancy> {
  void runOnOperation() override {
    SmallVector<arith::CmpIOp> comparisons;
    getOperation()->walk([&](arith::CmpIOp compare) {
      if (isa<RankedTensorType>(compare.getType())) {
        comparisons.push_back(compare);
      }
    });
    if (comparisons.empty()) {
      return; // without the time of the analysis
    }
    AxisInfoAnalysis axis(getOperation());
    for (arith::CmpIOp compare : comparisons) {
      SmallVector<int64_t> constancy;
      for (const AxisProperties &properties : axis.get(compare.getResult()).getProperties()) {
        constancy.push_back(properties.constancy);
      }
      if (llvm::any_of(constancy, [](int64_t equal) { return equal > 1; })) {
        compare->setAttr(TileGPUDialect::kConstancyAttr, Builder(&getContext()).getDenseI64ArrayAttr(constancy));
      }
    }
  }
};
} // namespace
