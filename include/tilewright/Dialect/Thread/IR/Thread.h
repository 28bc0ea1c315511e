// The thread dialect: what one thread of a GPU does, for GPUs of any vendor.

#ifndef TILEWRIGHT_DIALECT_THREAD_IR_THREAD_H
#define TILEWRIGHT_DIALECT_THREAD_IR_THREAD_H

#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Hardware/Instructions.h"

#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "tilewright/Dialect/Thread/IR/ThreadDialect.h.inc"
#include "tilewright/Dialect/Thread/IR/ThreadEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tilewright/Dialect/Thread/IR/ThreadAttrs.h.inc"

#define GET_OP_CLASSES
#include "tilewright/Dialect/Thread/IR/ThreadOps.h.inc"

namespace tilewright::thread {

/// The address spaces of pointers.
inline constexpr unsigned kGlobalSpace = 1;
inline constexpr unsigned kSharedSpace = 3;

/// The most dimensions of a box, and the size and the alignment in bytes of a tensor map. These are the numbers of
/// tilewright/Runtime/TensorMap.h.
inline constexpr unsigned kMaxBoxRank = 5;
inline constexpr unsigned kTensorMapBytes = 128;
inline constexpr unsigned kTensorMapAlignment = 64;

/// The 8-bit float for which a GPU may have a pair conversion; none for other types.
std::optional<hardware::ElementType> pairElementOf(mlir::Type format);

/// The type of the values in which an instruction takes elements.
mlir::Type valueType(mlir::MLIRContext *context, hardware::ValueType value);

} // namespace tilewright::thread

#endif // TILEWRIGHT_DIALECT_THREAD_IR_THREAD_H
