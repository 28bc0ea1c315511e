// The instructions of AMD's GPUs as tables (Instructions.h), each row with the architectures that have it.

#ifndef TILEWRIGHT_HARDWARE_AMDINSTRUCTIONS_H
#define TILEWRIGHT_HARDWARE_AMDINSTRUCTIONS_H

#include "tilewright/Hardware/Amd.h"

namespace tilewright::hardware {

/// A row of a table of instructions, and which architectures have it.
template <typename Row> struct AmdRow : Row {
  AmdTargets targets;
};
template <typename Row> using AmdTable = std::vector<AmdRow<Row>>;

/// The operands of a matrix instruction's intrinsic besides A, B and C.
enum class AmdMmaForm {
  Mfma,         ///< A, B, C, and three immediates that broadcast or permute blocks: 0
  Wmma,         ///< A, B, C
  WmmaInteger,  ///< whether A is signed, A, whether B is, B, C, whether to saturate
  WmmaModified, ///< modifiers of A, A, of B, B, of C, C, whether A and B are as in the last instruction
};

struct AmdMma : MmaInstruction {
  AmdMmaForm form;
  bool swapsOperands; ///< the intrinsic takes B, transposed, as its A, and A as its B, and computes C transposed
};

/// v_mfma_* of CDNA and v_wmma_* of RDNA
const AmdTable<AmdMma> &amdMmaInstructions();

/// The row of this name; null if there is none.
const AmdMma *lookupAmdMma(std::string_view name);

/// Additions of floats in global memory that are one instruction. LLVM expands others to loops of compare-and-swap.
const AmdTable<AtomicAdd> &amdAtomicAdds();

/// v_cvt_pk_f32_fp8, v_cvt_pk_fp8_f32 and those of bf8
const AmdTable<PairConversion> &amdPairConversions();

} // namespace tilewright::hardware

#endif // TILEWRIGHT_HARDWARE_AMDINSTRUCTIONS_H
