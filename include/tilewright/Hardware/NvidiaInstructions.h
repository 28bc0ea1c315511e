// Instructions of NVIDIA's GPUs as rows: shape, element types, where operands lie, and which
// architectures have them. A pass asks for the rows of its target; it never compares
// capability numbers.
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

/// TF32 lives in 32 bits.
int bitsOf(ElementType type);

/// As PTX writes it: "f16", "e4m3".
std::string_view ptxName(ElementType type);

/// mma.sync.aligned: D = A * B + C by one warp, all operands in registers.
struct MmaInstruction {
  layout::MmaShape shape;
  ElementType a, b, accumulator;
  NvidiaTargets targets;
  int ptxVersion = 0; ///< what it needs beyond the target's first version

  /// (T32,V) -> A (M,K), B (K,N), C (M,N). See Layout/Fragments.h for pictures.
  layout::LinearLayout operand(layout::Operand which) const;

  /// What the compiler's IR calls it: shape, A, B, accumulator, as in "m16n8k16.f16.f16.f32".
  std::string name() const;
};

const std::vector<MmaInstruction> &mmaInstructions();

/// Null for a name that is none of them.
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

/// ldmatrix and stmatrix: a warp moves `count` matrices between registers and rows of
/// 16 bytes in shared memory. Lane i gives the address of row i.
struct MatrixMove {
  bool isStore;
  std::string_view shape; ///< as PTX writes it: "m8n8"
  int count;              ///< .x1, .x2, .x4
  bool isTransposed;      ///< a thread's neighbouring elements are of one column in memory
  int elementBits;
  int rows; ///< rows of 16 bytes in each matrix
  NvidiaTargets targets;

  int elementsPerRow() const { return 128 / elementBits; }

  /// The same instruction for elements of another width: without transposition it moves words of 32 bits, whatever is
  /// in them.
  std::optional<MatrixMove> of(int bitsOfElement) const;

  /// (T32,V) -> dim0: the row, that is the lane that gives its address; dim1: the element in it.
  layout::LinearLayout fragment() const;

  /// A tile that this instruction moves in pieces, seen as rows: lane i holds, for each piece, the row of 16 bytes
  /// whose address it gives, in its lowest registers; the higher ones number the pieces, as the tile's own registers do
  /// that are left. None where threads do not hold the tile as the instruction moves it.
  ///
  /// So the instruction fits a shared layout where widestAccess(offsetsOf(rows, shared)) is a row, in its order.
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

/// atom.add of floats in global memory: a thread adds to this many neighbours, each of them indivisible by itself.
struct AtomicAdd {
  ElementType type;
  int elements;
  NvidiaTargets targets;
  int ptxVersion = 0;
};

const std::vector<AtomicAdd> &atomicAdds();

/// cvt of two floats at once: from f32, rounded to nearest even and saturating, and to f16.
struct PairConversion {
  ElementType narrow;
  NvidiaTargets targets;
  int ptxVersion = 0;
};

const std::vector<PairConversion> &pairConversions();

} // namespace tilewright::hardware

#endif // TILEWRIGHT_HARDWARE_NVIDIAINSTRUCTIONS_H
