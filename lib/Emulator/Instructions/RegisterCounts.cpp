// setmaxnreg: warp groups exchange registers.
//
// Emulated threads have registers without limit, so only the form of the instruction is checked: its number, and that
// all warps of the group execute it. That a block has as many registers is verified where the code is made
// (SpecializeWarpsOp::verify); on a GPU, warps would wait for them forever.

#include "Families.h"
#include "WgmmaIssue.h"

#include "tilewright/Emulator/Block.h"

namespace tilewright::emulator {
namespace {

/// Operands: the number of registers.
template <bool isIncrease> void setRegisters(const WarpCall &call) {
  constexpr uint64_t kUnit = 8, kFewest = 24, kMost = 256;
  uint64_t count = call.in[0][0];
  if (count % kUnit != 0 || count < kFewest || count > kMost) {
    call.thread(0).fail(Report::Fault, call.site,
                        "setmaxnreg takes a multiple of 8 from 24 to 256, not " + std::to_string(count));
  }
  enterGroup(call, reinterpret_cast<const void *>(setRegisters<isIncrease>), count);
}

} // namespace

static constexpr Instruction kRegisterCountRows[] = {
    {"setmaxnreg.inc.sync.aligned.u32", "llvm.nvvm.setmaxnreg.inc.sync.aligned.u32", warpWide<setRegisters<true>>,
     InstructionClass::Control, "waits until the warp group can have as many registers for each thread",
     "9.7.19.5 setmaxnreg"},
    {"setmaxnreg.dec.sync.aligned.u32", "llvm.nvvm.setmaxnreg.dec.sync.aligned.u32", warpWide<setRegisters<false>>,
     InstructionClass::Control, "leaves the warp group as many registers for each thread", "9.7.19.5 setmaxnreg"},
};
const Family kRegisterCountInstructions = kRegisterCountRows;

} // namespace tilewright::emulator
