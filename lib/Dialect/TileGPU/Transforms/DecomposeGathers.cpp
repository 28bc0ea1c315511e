// decompose-gathers: gathers through shared memory where shuffles are not enough. See Passes.td.
//
//     %y = gather %x[%i] 0     =     %b = local_alloc
//                                    local_store %x, %b
//                                    %y = local_gather %b[%i] 0

#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h"
#include "tilewright/Layout/Gather.h"
#include "tilewright/Layout/Shared.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_DECOMPOSEGATHERS
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h.inc"
} // namespace tilewright::tilegpu

/// If n bits of the index map to registers, each element takes 2^n shuffles, or selects. With more bits than this, a
/// store to shared memory and a load are cheaper.
static constexpr int kMostRegisterBits = 1;
static constexpr int kMostRegisterBitsWithoutLanes = 3;

static bool staysInWarp(tile::GatherOp gather) {
  layout::GatherPlan plan =
      layout::planGather(mapOf(gather.getSrc()), mapOf(gather.getIndices()), static_cast<int>(gather.getAxis()));
  int most = plan.laneBits() > 0 ? kMostRegisterBits : kMostRegisterBitsWithoutLanes;
  return plan.isInWarp && plan.registerBits() <= most;
}

/// Row-major, as nothing is known about the indices.
static LayoutAttr sharedLayout(RankedTensorType type) {
  layout::Shape shape(type.getShape());
  return LayoutAttr::get(type.getContext(),
                         layout::swizzled(shape, layout::rowMajorOrder(static_cast<int>(shape.size()))));
}

static void throughSharedMemory(tile::GatherOp gather) {
  OpBuilder builder(gather);
  Location loc = gather.getLoc();
  auto source = cast<RankedTensorType>(gather.getSrc().getType());
  Value buffer = LocalAllocOp::create(builder, loc, BufferType::get(source, sharedLayout(source)), IntegerAttr());
  LocalStoreOp::create(builder, loc, gather.getSrc(), buffer);
  Value result = LocalGatherOp::create(builder, loc, gather.getType(), buffer, gather.getIndices(), gather.getAxis());
  gather.replaceAllUsesWith(result);
  gather.erase();
}

namespace {
class DecomposeGathers : public tilegpu::impl::DecomposeGathersBase<DecomposeGathers> {
  void runOnOperation() override {
    SmallVector<tile::GatherOp> gathers;
    getOperation()->walk([&](tile::GatherOp gather) {
      if (!staysInWarp(gather)) {
        gathers.push_back(gather);
      }
    });
    llvm::for_each(gathers, throughSharedMemory);
  }
};
} // namespace
