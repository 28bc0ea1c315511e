// resolve-waits: derives from the tokens of a wait how many groups it may leave in flight. See Passes.td.
//
//     %t0 = async_commit of %a
//     %t1 = async_commit of %b
//     async_wait %t0             ->        async_wait %t0 pending 1
//
// The analysis tracks the age of each token: the number of groups committed after its own, on the path with the fewest.

#include "RegionFlow.h"
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_RESOLVEWAITS
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h.inc"
} // namespace tilewright::tilegpu

/// The age of the token of a wait, and of a group that has completed on every path.
static constexpr int64_t kCompleted = std::numeric_limits<int64_t>::max();

namespace {
/// The ages of tokens. A token of a copy that belongs to no group yet has the age -1.
class Ages {
public:
  void set(Value token, int64_t age) { born[token] = age == kCompleted ? kCompleted : commits - age; }

  void commit() { ++commits; }

  /// A token of unknown origin may belong to the last group.
  int64_t of(Value token) const {
    const auto *found = born.find(token);
    return found == born.end() ? 0 : found->second == kCompleted ? kCompleted : commits - found->second;
  }

  /// Keeps the lower age of each token.
  bool join(const Ages &other) {
    bool isChanged = false;
    for (const auto &[token, unused] : other.born) {
      if (!born.contains(token) || other.of(token) < of(token)) {
        set(token, other.of(token));
        isChanged = true;
      }
    }
    return isChanged;
  }

private:
  llvm::MapVector<Value, int64_t> born; ///< the number of commits up to the token's own
  int64_t commits = 0;
};

class TokenAges {
public:
  using Flow = RegionFlow<TokenAges, Ages>;

  void visit(Block &block, Ages &ages) {
    for (Operation &op : block) {
      if (auto branch = dyn_cast<RegionBranchOpInterface>(op)) {
        Flow(*this, branch).enter(ages);
      } else {
        visit(&op, ages);
      }
    }
  }

  /// Tokens that control flow forwards keep their ages.
  static void follow(Flow::Edge edge, Ages &ages) {
    SmallVector<std::pair<Value, int64_t>> forwarded;
    for (auto [operand, input] : llvm::zip_equal(edge.operands(), edge.to.getSuccessorInputs())) {
      if (isa<TokenType>(input.getType())) {
        forwarded.emplace_back(input, ages.of(operand));
      }
    }
    for (auto [input, age] : forwarded) {
      ages.set(input, age);
    }
  }

  static bool isStopped() { return false; }

  llvm::MapVector<AsyncWaitOp, int64_t> ages; ///< of the youngest token that a wait consumes

private:
  void visit(Operation *op, Ages &state) {
    if (auto copy = dyn_cast<AsyncCopyOp>(op)) {
      state.set(copy.getToken(), -1);
    } else if (auto commit = dyn_cast<AsyncCommitOp>(op)) {
      state.commit();
      state.set(commit.getToken(), 0);
    } else if (auto wait = dyn_cast<AsyncWaitOp>(op)) {
      int64_t &age = ages.try_emplace(wait, kCompleted).first->second;
      for (Value token : wait.getTokens()) {
        age = std::min(age, state.of(token));
      }
      state.set(wait.getDone(), kCompleted);
    }
  }
};
} // namespace

static LogicalResult resolve(AsyncWaitOp wait, int64_t age) {
  if (age < 0) {
    return wait.emitOpError("waits for a copy that belongs to no group yet");
  }
  wait.setPending(age == kCompleted ? 0 : static_cast<uint32_t>(age));
  return success();
}

namespace {
class ResolveWaits : public tilegpu::impl::ResolveWaitsBase<ResolveWaits> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      TokenAges analysis;
      for (Block &block : function.getBody()) {
        Ages ages;
        analysis.visit(block, ages);
      }
      for (auto [wait, age] : analysis.ages) {
        if (failed(resolve(wait, age))) {
          return signalPassFailure();
        }
      }
    }
  }
};
} // namespace
