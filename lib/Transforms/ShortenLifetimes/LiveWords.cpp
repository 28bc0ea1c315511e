#include "LiveWords.h"

#include "tilewright/Dialect/Thread/IR/Thread.h"
#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"
#include "tilewright/Hardware/Gpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace tilewright {

static int64_t bitsOf(Type type) {
  if (auto vector = dyn_cast<VectorType>(type)) {
    return vector.getNumElements() * bitsOf(vector.getElementType());
  }
  return type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 64; // an address or an index
}

static bool isPredicate(Type type) { return getElementTypeOrSelf(type).isInteger(1); }

/// Whether the elements of a vector are one scalar plus constants, which become offsets in instructions. `depth` limits
/// how far this looks.
static bool isScalarPlusConstants(Value value, int depth = 8) {
  Operation *op = value.getDefiningOp();
  if (!isa<VectorType>(value.getType()) || isa_and_nonnull<arith::ConstantOp, vector::BroadcastOp>(op)) {
    return true;
  }
  bool keepsConstants =
      isa_and_nonnull<arith::AddIOp, arith::OrIOp, arith::ExtSIOp, arith::ExtUIOp, LLVM::GEPOp, vector::ShuffleOp>(op);
  return keepsConstants && depth > 0 &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return isScalarPlusConstants(operand, depth - 1); });
}

int64_t wordsOf(Operation *op) {
  if (isa<arith::ConstantOp, vector::BroadcastOp, vector::ExtractOp>(op)) {
    return 0;
  }
  int64_t words = 0;
  for (Value result : op->getResults()) {
    bool isFree = isPredicate(result.getType()) || (isa<VectorType>(result.getType()) && isScalarPlusConstants(result));
    words += isFree || result.use_empty() ? 0 : (bitsOf(result.getType()) + 31) / 32;
  }
  return words;
}

int64_t mostLiveWords(ArrayRef<Operation *> order) {
  DenseMap<Operation *, size_t> lastUse; // of any result
  Block *block = order.front()->getBlock();
  for (auto [position, op] : llvm::enumerate(order)) {
    op->walk([&, position = position](Operation *user) {
      for (Value operand : user->getOperands()) {
        if (Operation *source = operand.getDefiningOp(); source && source->getBlock() == block) {
          lastUse[source] = position;
        }
      }
    });
  }
  std::vector<int64_t> freed(order.size(), 0);
  int64_t live = 0, most = 0;
  for (auto [position, op] : llvm::enumerate(order)) {
    live -= freed[position];
    auto last = lastUse.find(op);
    if (last == lastUse.end()) {
      continue;
    }
    int64_t words = wordsOf(op);
    live += words;
    freed[last->second] += words;
    most = std::max(most, live);
  }
  return most;
}

int64_t mostLiveWords(Block &block) {
  std::vector<Operation *> order;
  for (Operation &op : block) {
    order.push_back(&op);
  }
  return order.empty() ? 0 : mostLiveWords(order);
}

static bool multipliesMatrices(func::FuncOp function) {
  return function
      .walk([](Operation *op) {
        return isa<thread::MmaOp, thread::GroupMmaOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// What instructions can name: 255 on NVIDIA's GPUs, 256 on AMD's, of which some have more by other instructions.
static constexpr int64_t kMostRegisters = 255;

std::optional<int64_t> registersPerThread(func::FuncOp function) {
  bool hasTarget = function->getParentOp()->hasAttr(tilegpu::TileGPUDialect::kTargetAttr);
  if (!hasTarget || multipliesMatrices(function)) {
    return std::nullopt;
  }
  int64_t share = tilegpu::targetOf(function).registersPerSm / tilegpu::threadsOf(function).count();
  return std::min(share, kMostRegisters);
}

} // namespace tilewright
