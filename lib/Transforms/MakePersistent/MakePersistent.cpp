// make-persistent: makes a kernel execute several programs of the grid, one after the other. See Passes.td.

#include "Benefit.h"

#include "tilewright/Analysis/IndexRanges.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Dialect/Tile/Transforms/Decisions.h"
#include "tilewright/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <array>

using namespace mlir;

namespace tilewright {
#define GEN_PASS_DEF_MAKEPERSISTENT
#include "tilewright/Transforms/Passes.h.inc"
} // namespace tilewright

namespace tilewright {
namespace {

constexpr llvm::StringLiteral kNamesProgram = "it has assertions, checks or prints, which name the program";

/// Whether assembly reads the position in the started grid, or orders grids.
bool readsGrid(StringRef assembly) {
  return llvm::any_of(ArrayRef<StringRef>{"ctaid", "gridid", "cluster", "griddepcontrol"},
                      [&](StringRef word) { return assembly.contains(word); });
}

/// Why the operation keeps a kernel from being persistent; empty if it does not.
StringRef obstacleOf(Operation *op) {
  auto assembly = dyn_cast<tile::InlineAsmOp>(op);
  auto library = dyn_cast<tile::CallLibraryOp>(op);
  if (isa<tile::AssertOp, tile::PrintOp>(op)) {
    return kNamesProgram;
  }
  if (isa<tile::WaitForGridsOp, tile::LaunchDependentsOp>(op)) {
    return "it waits for other launches, or lets them start";
  }
  if (isa<tile::CallOp>(op) || (library && !library.getPure()) || (assembly && readsGrid(assembly.getAssembly()))) {
    return "a function or assembly in it may read the program's position";
  }
  return "";
}

/// Why the kernel can't be persistent; empty if it can.
StringRef obstacleIn(func::FuncOp kernel, bool isCooperative) {
  if (isCooperative) {
    return "all programs of a cooperative launch run at the same time";
  }
  for (unsigned index = 0; index < kernel.getNumArguments(); ++index) {
    if (kernel.getArgAttr(index, tile::TileDialect::kHiddenSlotAttr)) {
      return kNamesProgram; // the hidden arguments are those of checks
    }
  }
  StringRef obstacle;
  kernel.walk([&](Operation *op) {
    obstacle = obstacleOf(op);
    return obstacle.empty() ? WalkResult::advance() : WalkResult::interrupt();
  });
  return obstacle;
}

class ProgramLoop {
public:
  explicit ProgramLoop(func::FuncOp kernel) : kernel(kernel), b(kernel.getContext()), loc(kernel.getLoc()) {}

  void wrap() {
    Block &body = kernel.front();
    SmallVector<Operation *> program;
    for (Operation &op : body.without_terminator()) {
      program.push_back(&op);
    }
    b.setInsertionPointToStart(&body);
    addGrid();
    Value rows = arith::MulIOp::create(b, loc, grid[1], grid[2], kNoWrap);
    Value programs = arith::MulIOp::create(b, loc, grid[0], rows, kNoWrap);
    Value first = tile::ProgramIdOp::create(b, loc, 0);
    Value started = tile::NumProgramsOp::create(b, loc, 0);
    auto loop = scf::ForOp::create(b, loc, first, programs, started);
    for (Operation *op : program) {
      op->moveBefore(loop.getBody()->getTerminator());
    }
    b.setInsertionPointToStart(loop.getBody());
    replacePositions(loop);
    kernel->setAttr(tile::TileDialect::kPersistentAttr, b.getUnitAttr());
  }

private:
  static constexpr auto kNoWrap = arith::IntegerOverflowFlags::nsw; ///< as the launcher checks

  /// Passes the launch's grid. No launch has an axis of length 0, and divisions need to know that.
  void addGrid() {
    Value one = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(1));
    for (auto [axis, size] : llvm::enumerate(grid)) {
      unsigned index = kernel.getNumArguments();
      auto attributes = b.getDictionaryAttr(
          b.getNamedAttr(tile::TileDialect::kHiddenSlotAttr, b.getI32IntegerAttr(static_cast<int32_t>(axis))));
      (void)kernel.insertArgument(index, b.getI32Type(), attributes, loc);
      size = arith::MaxSIOp::create(b, loc, kernel.getArgument(index), one);
    }
  }

  void replacePositions(scf::ForOp loop) {
    Value number = loop.getInductionVar();
    Value column = arith::RemSIOp::create(b, loc, number, grid[0]);
    Value rest = arith::DivSIOp::create(b, loc, number, grid[0]);
    Value row = arith::RemSIOp::create(b, loc, rest, grid[1]);
    Value layer = arith::DivSIOp::create(b, loc, rest, grid[1]);
    const Value position[] = {column, row, layer};
    for (auto [axis, value] : llvm::enumerate(position)) {
      value.getDefiningOp()->setAttr(kPositionAttr, b.getI32IntegerAttr(static_cast<int32_t>(axis)));
    }
    loop.walk([&](Operation *op) {
      if (auto id = dyn_cast<tile::ProgramIdOp>(op)) {
        id.replaceAllUsesWith(position[static_cast<int>(id.getAxis())]);
      } else if (auto count = dyn_cast<tile::NumProgramsOp>(op)) {
        count.replaceAllUsesWith(grid[static_cast<int>(count.getAxis())]);
      }
    });
  }

  func::FuncOp kernel;
  OpBuilder b;
  Location loc;
  std::array<Value, 3> grid;
};

struct MakePersistent : impl::MakePersistentBase<MakePersistent> {
  using MakePersistentBase::MakePersistentBase;

  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      if (!kernel->hasAttr(tile::TileDialect::kKernelAttr)) {
        continue;
      }
      StringRef obstacle = automatic ? whyNotWorthwhile(kernel) : "";
      if (obstacle.empty()) {
        obstacle = obstacleIn(kernel, cooperative);
      }
      if (obstacle.empty()) {
        ProgramLoop(kernel).wrap();
      } else if (!automatic) {
        kernel.emitWarning() << "the kernel is not persistent: " << obstacle;
      } else {
        stateNotPersistent(kernel, obstacle);
      }
    }
  }
};

} // namespace
} // namespace tilewright
