// Tables of instructions of NVIDIA's GPUs: shape, element types, operand layouts, and the architectures that support
// them. Passes look up the rows for their target; they never compare compute capabilities.
//
//     for (const MmaInstruction &mma : mmaInstructions())
//       if ((mma.targets & info.target) && mma.a == ElementType::F16) ...
//
// Layouts map (register, lane, warp, block) to elements; a register is one element here,
// in the order in which the instruction's 32-bit registers hold them, lowest bits first.

#ifndef TILEWRIGHT_HARDWARE_NVIDIAINSTRUCTIONS_H
#define TILEWRIGHT_HARDWARE_NVIDIAINSTRUCTIONS_H

#include "tilewright/Hardware/Nvidia.h"
#include "tilewright/Layout/Fragments.h"

#include <optional>
#include <string>

namespace tilewright::hardware {

enum class ElementType { F16, BF16, TF32, F32, F64, S8, U8, S32, E4M3, E5M2 };

/// The size in registers; TF32 takes 32 bits.
int bitsOf(ElementType type);

/// The name in PTX: "f16", "e4m3".
std::string_view ptxName(ElementType type);

/// mma.sync.aligned: D = A * B + C by one warp, all operands in registers.
struct MmaInstruction {
  layout::MmaShape shape;
  ElementType a, b, accumulator;
  NvidiaTargets targets;
  int ptxVersion = 0; ///< required PTX version, if later than the target's

  /// (T32,V) -> A (M,K), B (K,N), C (M,N). See Layout/Fragments.h for pictures.
  layout::LinearLayout operand(layout::Operand which) const;

  /// The name in the compiler's IR: shape, A, B, accumulator, as in "m16n8k16.f16.f16.f32".
  std::string name() const;
};

const std::vector<MmaInstruction> &mmaInstructions();

/// Null for an unknown name.
const MmaInstruction *lookupMma(std::string_view name);

/// wgmma.mma_async.sync.aligned: one warp group; B in shared memory, A there or in registers.
struct WgmmaInstruction {
  int64_t k; ///< m is 64
  ElementType a, b, accumulator;
  int64_t nStep;        ///< n = 8, 16, 24, 32, and from there in these steps up to 256
  bool takesTransposed; ///< operands in shared memory may be stored along M and N (16-bit elements)
  NvidiaTargets targets;
  int ptxVersion = 0;

  bool takes(int64_t n) const { return n > 0 && n <= 256 && n % (n <= 32 ? 8 : nStep) == 0; }

  /// (T128,V) -> C (64,N), or A (64,K) in registers. Layouts have powers of two for n.
  layout::LinearLayout operand(layout::Operand which, int64_t n) const;
};

const std::vector<WgmmaInstruction> &wgmmaInstructions();

/// ldmatrix and stmatrix: a warp moves `count` matrices between registers and rows of 16 bytes in shared memory. Lane i
/// provides the address of row i.
struct MatrixMove {
  bool isStore;
  std::string_view shape; ///< the name in PTX: "m8n8"
  int count;              ///< .x1, .x2, .x4
  bool isTransposed;      ///< adjacent elements of a thread are in one column in memory
  int elementBits;
  int rows; ///< rows of 16 bytes in each matrix
  NvidiaTargets targets;

  int elementsPerRow() const { return 128 / elementBits; }

  /// The same instruction for elements of another width: without transposition, it moves 32-bit words of any contents.
  std::optional<MatrixMove> of(int bitsOfElement) const;

  /// (T32,V) -> dim0: the row, i.e. the lane that provides its address; dim1: the element in the row.
  layout::LinearLayout fragment() const;

  /// The layout of a tile in terms of the rows that this instruction moves, in one or more pieces: for each piece, lane
  /// i holds the row of 16 bytes whose address it provides, in its lowest registers. The higher registers are the
  /// tile's remaining ones and enumerate the pieces. None if the tile's layout does not match the fragment.
  ///
  /// So the instruction supports a shared layout if widestAccess(offsetsOf(rows, shared)) is a row, in order.
  std::optional<layout::LinearLayout> rowsOf(const layout::LinearLayout &tile, int bitsOfElement) const;
};

const std::vector<MatrixMove> &matrixMoves();

/// cp.async: each thread copies this many bytes from global to shared memory.
struct AsyncCopy {
  int bytes;
  bool bypassesL1; ///< .cg instead of .ca
  NvidiaTargets targets;
};

const std::vector<AsyncCopy> &asyncCopies();

/// atom.add of floats in global memory: a thread adds to this many contiguous elements, each of which is atomic.
struct AtomicAdd {
  ElementType type;
  int elements;
  NvidiaTargets targets;
  int ptxVersion = 0;
};

const std::vector<AtomicAdd> &atomicAdds();

/// cvt of two 8-bit floats at once: from f32, rounding to nearest even and saturating, and to f16.
struct PairConversion {
  ElementType narrow;
  NvidiaTargets targets;
  int ptxVersion = 0;
};

const std::vector<PairConversion> &pairConversions();

} // namespace tilewright::hardware

#endif // TILEWRIGHT_HARDWARE_NVIDIAINSTRUCTIONS_H
