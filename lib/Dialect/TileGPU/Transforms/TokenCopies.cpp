#include "TokenCopies.h"

#include "tilewright/Analysis/ForwardedValues.h"

using namespace mlir;

namespace tilewright::tilegpu {

static TokenCopies::Copies trace(Value token) {
  TokenCopies::Copies copies;
  llvm::DenseSet<std::pair<Value, int>> seen;
  SmallVector<std::pair<Value, bool>> todo = {{token, false}};
  while (!todo.empty()) {
    auto [value, wasForwarded] = todo.pop_back_val();
    if (!seen.insert({value, wasForwarded}).second) {
      continue;
    }
    if (isForwarded(value)) {
      for (Value source : valuesForwardedTo(value)) {
        todo.emplace_back(source, true);
      }
    } else if (auto commit = value.getDefiningOp<AsyncCommitOp>()) {
      for (Value copy : commit.getCopies()) {
        todo.emplace_back(copy, wasForwarded);
      }
    } else if (auto copy = value.getDefiningOp<AsyncCopyOp>()) {
      copies[copy] |= wasForwarded;
    }
  }
  return copies;
}

const TokenCopies::Copies &TokenCopies::find(Value token) {
  std::unique_ptr<Copies> &copies = known[token];
  if (!copies) {
    copies = std::make_unique<Copies>(trace(token));
  }
  return *copies;
}

} // namespace tilewright::tilegpu
