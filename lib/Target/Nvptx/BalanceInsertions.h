// Vectors of many elements from halves. A vector that is filled element by element is a chain of as many vectors, and
// LLVM's scalarizer takes each of them apart and puts it together again: its time grows with the square of the length.
//
//     %1 = insertelement poison, %x0, 0         %low  = insertelement ... of %x0 to %x31
//     %2 = insertelement %1, %x1, 1        ->   %high = insertelement ... of %x32 to %x63
//     ...                                       %64   = shufflevector %low, %high, <0, 1, ..., 63>
//     %64 = insertelement %63, %x63, 63

#ifndef TILEWRIGHT_LIB_TARGET_NVPTX_BALANCEINSERTIONS_H
#define TILEWRIGHT_LIB_TARGET_NVPTX_BALANCEINSERTIONS_H

#include "llvm/IR/PassManager.h"

namespace tilewright::nvptx {

struct BalanceInsertions : llvm::PassInfoMixin<BalanceInsertions> {
  /// Vectors of at most this many elements stay as they are.
  static constexpr unsigned kMostAtOnce = 128;
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

} // namespace tilewright::nvptx

#endif // TILEWRIGHT_LIB_TARGET_NVPTX_BALANCEINSERTIONS_H
