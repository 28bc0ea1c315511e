// Instructions of GPUs as data: what they compute, on which types, and which elements each thread holds. A GpuInfo
// (Gpu.h) lists the rows of its target.
//
// Layouts map (register, lane, warp, block) to elements; a register is one element here, in the order in which the
// instruction takes them, lowest bits first.

#ifndef TILEWRIGHT_HARDWARE_INSTRUCTIONS_H
#define TILEWRIGHT_HARDWARE_INSTRUCTIONS_H

#include "tilewright/Layout/Fragments.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace tilewright::hardware {

/// S16 and S64 are words in which instructions take narrower elements. The 8-bit floats named FNUZ have neither
/// infinity nor negative zero, and one NaN.
enum class ElementType { F16, BF16, TF32, F32, F64, S8, U8, S32, E4M3, E5M2, E4M3FNUZ, E5M2FNUZ, S16, S64 };

/// The size in registers; TF32 takes 32 bits.
int bitsOf(ElementType type);

/// "f16", "e4m3".
std::string_view nameOf(ElementType type);

/// The type of the values in which an instruction takes elements: a scalar, or a vector of `count`. F16 x 2 is
/// vector<2xf16>; S32 is also a word with narrower elements.
struct ValueType {
  ElementType type;
  int count = 1;
};

/// One operand of a matrix instruction: its elements, and the form in which a thread passes them.
struct MmaOperand {
  layout::LinearLayout fragment; ///< (register, lane) -> A (M,K), B (K,N) or C (M,N)
  ElementType element;
  ValueType value;

  int64_t elementsPerValue() const { return bitsOf(value.type) * value.count / bitsOf(element); }
};

/// D = A * B + C by one warp, all operands in registers.
struct MmaInstruction {
  std::string name;      ///< in the compiler's IR: shape, A, B, accumulator, as in "m16n8k16.f16.f16.f32"
  std::string intrinsic; ///< LLVM's; takes the values of A, then those of B, then those of C
  layout::MmaShape shape;
  std::array<MmaOperand, 3> operands; ///< A, B, C
  std::string_view unit = "mma.sync"; ///< what the vendor calls instructions of this kind

  const MmaOperand &operand(layout::Operand which) const { return operands[static_cast<int>(which)]; }
  const MmaOperand &a() const { return operands[0]; }
  const MmaOperand &b() const { return operands[1]; }
  const MmaOperand &c() const { return operands[2]; }
};

/// D = A * B + C by a warp group that reads B from shared memory, and A from there or from registers, while the
/// program continues. NVIDIA's wgmma.
struct GroupMmaInstruction {
  static constexpr int kWarps = 4;     ///< in a group
  static constexpr int64_t kRows = 64; ///< m

  int64_t k;
  ElementType a, b, accumulator;
  int64_t nStep;        ///< n = 8, 16, 24, 32, and from there in these steps up to 256
  bool takesTransposed; ///< operands in shared memory may be stored along M and N (16-bit elements)

  bool takes(int64_t n) const { return n > 0 && n <= 256 && n % (n <= 32 ? 8 : nStep) == 0; }

  /// In the compiler's IR: K, A, B, accumulator, as in "m64k16.f16.f16.f32".
  std::string name() const;

  /// (T128,V) -> C (64,N), or A (64,K) in registers. Layouts have powers of two for n.
  layout::LinearLayout operand(layout::Operand which, int64_t n) const;
};

/// How many registers each thread of a warp group can have after it has given some up, or got some.
struct MovedRegisters {
  static constexpr int kUnit = 8, kFewest = 24, kMost = 256;
  static constexpr bool isValid(int64_t count) { return count % kUnit == 0 && count >= kFewest && count <= kMost; }
};

/// A warp moves `count` matrices between registers and rows of 16 bytes in shared memory. Lane i provides the address
/// of row i. NVIDIA's ldmatrix and stmatrix.
struct MatrixMove {
  bool isStore;
  std::string_view shape; ///< of one matrix: "m8n8"
  int count;
  bool isTransposed; ///< adjacent elements of a thread are in one column in memory
  int elementBits;
  int rows; ///< rows of 16 bytes in each matrix

  static constexpr int kRowBits = 128;
  int elementsPerRow() const { return kRowBits / elementBits; }

  /// The name in the compiler's IR: "m8n8.x4.trans.b16".
  std::string name() const;

  /// LLVM's intrinsic: takes an address, and for a store the words.
  std::string intrinsic() const;

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

/// Each thread copies this many bytes from global to shared memory while the program continues. NVIDIA's cp.async.
struct AsyncCopy {
  int bytes;
  bool bypassesL1;
};

/// An atomic addition of floats in global memory: a thread adds to this many contiguous elements, each of which is
/// atomic.
struct AtomicAdd {
  ElementType type;
  int elements;
};

/// Converts two 8-bit floats at once: from f32, rounding to nearest even and saturating, and to f16 or f32.
struct PairConversion {
  ElementType narrow;
  ElementType wide; ///< F16 or F32
  int pairs;        ///< in the register that instructions for single pairs take or fill a part of
};

} // namespace tilewright::hardware

#endif // TILEWRIGHT_HARDWARE_INSTRUCTIONS_H
