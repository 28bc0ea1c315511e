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

/// Additions of floats in global memory that are one instruction. LLVM expands others to loops of compare-and-swap.
const AmdTable<AtomicAdd> &amdAtomicAdds();

} // namespace tilewright::hardware

#endif // TILEWRIGHT_HARDWARE_AMDINSTRUCTIONS_H
