// Which loads of a loop may become asynchronous copies that are started iterations ahead.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_COPIESAHEAD_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_COPIESAHEAD_H

#include "tilewright/Analysis/ReadOnlyMemory.h"
#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::tilegpu {

/// Whether masked elements are zero or unspecified: asynchronous copies can only fill with zeros.
bool fillsWithZeros(tile::LoadOp load);

/// Whether an asynchronous copy of the target moves `bytes` bytes for each thread.
bool canCopy(const hardware::GpuInfo &target, int64_t bytes);

/// The number of bytes that a thread copies from global memory to the buffer with one instruction.
int64_t copiedBytes(tile::LoadOp load, BufferType buffer);

/// Whether threads can copy what the load reads to the buffers to which it is stored.
bool canCopyByThreads(tile::LoadOp load);

/// Why the load can't be executed iterations ahead; empty if it can. Then the operations from which its address and
/// mask are computed in the loop are added to `slice`, with those of the values of masked elements if the load stays
/// one to registers.
std::string whyNotAhead(tile::LoadOp load, mlir::scf::ForOp loop, const ReadOnlyMemory &readOnly,
                        llvm::SetVector<mlir::Operation *> &slice);

/// Whether the loop can be pipelined: it does not count unsigned, and all values it yields are results of operations
/// rather than block arguments.
bool hasPlainYields(mlir::scf::ForOp loop);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_COPIESAHEAD_H
