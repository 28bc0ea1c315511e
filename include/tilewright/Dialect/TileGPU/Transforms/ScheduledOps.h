// The operations of loops as a report of the schedule shows them.

#ifndef TILEWRIGHT_DIALECT_TILEGPU_TRANSFORMS_SCHEDULEDOPS_H
#define TILEWRIGHT_DIALECT_TILEGPU_TRANSFORMS_SCHEDULEDOPS_H

#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

#include "llvm/Support/JSON.h"

#include <optional>
#include <string>
#include <vector>

namespace tilewright::tilegpu {

/// The matrix instructions of a dot.
struct DotInstructions {
  std::string unit;        ///< "wgmma", "mma.sync", or "fma"
  std::string instruction; ///< "m64n128k16.f16.f16.f32"; empty for fma
  int64_t issued = 0;      ///< by the program, in each execution of the dot
  std::string a, b;        ///< where the operands are
  int64_t products = 0;    ///< multiplications and additions of the dot
  int elementBits = 0;     ///< of its operands, if tensor cores multiply them: 8, 16, or 32 for tf32; otherwise 0
};

/// Operations of one kind, at one place of the source and of the schedule.
struct ScheduledOp {
  std::string kind; ///< "copy", "load", "dot", ...
  mlir::Location at;
  std::string tile;      ///< "64x32xf16"; of a dot "64x64x32", M x N x K
  ScheduleAttr position; ///< null if the loop is not pipelined
  std::optional<DotInstructions> dot;
  int64_t count = 1;
  int64_t bytes = 0; ///< of global memory that one of them reads or writes at most
};

/// Whether a report shows the loop: not if it only computes scalars, such as the trip count of another loop at the same
/// line.
bool isShown(mlir::LoopLikeOpInterface loop);

/// The operations of a block and of the branches in it that a report shows, but not those of loops in it. Their
/// position is that of the operation of `body` around them.
std::vector<ScheduledOp> scheduledOpsOf(mlir::Block &body);

/// "64x32xf16"
std::string tileText(llvm::ArrayRef<int64_t> shape, mlir::Type element);

/// The permutation of a buffer's chunks: "128-byte swizzle", "xor swizzle" of another kind, or "no swizzle".
std::string swizzleText(BufferType buffer);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_DIALECT_TILEGPU_TRANSFORMS_SCHEDULEDOPS_H
