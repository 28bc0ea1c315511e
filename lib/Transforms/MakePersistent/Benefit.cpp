#include "Benefit.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tilewright {
namespace {

/// Of a program's tile. On an H100, products in larger tiles took 0.73 to 0.99 of the time, those in smaller ones 0.99
/// to 1.04: they are chosen for small matrices, whose programs all run at the same time.
constexpr int64_t kLeastElements = int64_t(128) * 128;
/// Of elements in memory. Larger ones are stored by threads in a loop, which takes longer than the copies of boxes
/// outside of loops.
constexpr unsigned kMostStoredBits = 16;

/// The kernel's only dot, if its loop is not in another one; null otherwise.
tile::DotOp onlyDot(func::FuncOp kernel) {
  SmallVector<tile::DotOp> dots;
  kernel.walk([&](tile::DotOp dot) { dots.push_back(dot); });
  if (dots.size() != 1) {
    return nullptr;
  }
  auto loop = dyn_cast<scf::ForOp>(dots.front()->getParentOp());
  return loop && loop->getParentOp() == kernel ? dots.front() : nullptr;
}

/// Whether a value is known to be the same in all programs of a launch.
bool isUniform(Value value) {
  llvm::SetVector<Value> sources;
  sources.insert(value);
  for (size_t i = 0; i < sources.size(); ++i) {
    if (auto argument = dyn_cast<BlockArgument>(sources[i])) {
      if (!isa<func::FuncOp>(argument.getOwner()->getParentOp())) {
        return false;
      }
      continue;
    }
    Operation *op = sources[i].getDefiningOp();
    if (isa<tile::ProgramIdOp>(op) || op->getNumRegions() != 0 || (!isPure(op) && !isa<tile::LoadOp>(op))) {
      return false;
    }
    sources.insert(op->operand_begin(), op->operand_end());
  }
  return true;
}

/// Whether the loop has the same bounds, and takes the same time, in all programs.
bool hasUniformBounds(scf::ForOp loop) {
  return llvm::all_of(ArrayRef<Value>{loop.getLowerBound(), loop.getUpperBound(), loop.getStep()}, isUniform);
}

/// Whether the kernel stores tiles as large as the product's, in elements that copies of boxes can store in a loop, and
/// nothing else of that size.
bool storesByBoxes(func::FuncOp kernel, int64_t elements) {
  bool found = false, others = false;
  kernel.walk([&](tile::StoreOp store) {
    auto type = dyn_cast<RankedTensorType>(store.getValue().getType());
    if (type && type.getNumElements() >= elements) {
      found = true;
      others |= !type.getElementType().isIntOrFloat() || type.getElementTypeBitWidth() > kMostStoredBits;
    }
  });
  return found && !others;
}

/// Whether programs may wait for each other, or take different times for a reason other than the product's loop.
bool mayWait(func::FuncOp kernel) {
  return kernel
      .walk([](Operation *op) {
        return isa<scf::WhileOp, tile::AtomicOpInterface>(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

} // namespace

StringRef whyNotWorthwhile(func::FuncOp kernel) {
  tile::DotOp dot = onlyDot(kernel);
  if (!dot) {
    return "it was only seen to pay for one dot, in a loop that is in no other";
  }
  if (mayWait(kernel)) {
    return "programs with `while` loops or atomics may wait for each other, or take different times";
  }
  if (!hasUniformBounds(cast<scf::ForOp>(dot->getParentOp()))) {
    return "the loop's bounds differ between programs, or are computed in a way that may";
  }
  int64_t elements = dot.getResult().getType().getNumElements();
  if (elements < kLeastElements) {
    return "its tiles have fewer than 128x128 elements, so that several programs overlap on a multiprocessor";
  }
  return storesByBoxes(kernel, elements) ? "" : "it does not store its tiles in elements of at most 16 bits";
}

} // namespace tilewright
