// The opcode and the immediate operands of wgmma.mma_async in inline assembly.
//
//     wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {$0, ..., $7}, $8, $9, p, 1, 1, 0, 1;
//                                                        accumulators   A   B   scale-d
//                                                                                  signs of A and B, transposed A and B

#ifndef TILEWRIGHT_LIB_EMULATOR_RETARGET_WGMMAASSEMBLY_H
#define TILEWRIGHT_LIB_EMULATOR_RETARGET_WGMMAASSEMBLY_H

#include "AssemblyText.h"

namespace tilewright::emulator {

/// What a statement says besides its registers.
struct WgmmaStatement {
  uint64_t n = 0;
  uint64_t form = 0; ///< of wgmma::Form
};

/// Whether the opcode multiplies matrices.
bool isWgmma(llvm::StringRef opcode);

/// The name of the row of a wgmma, which is the same for all n: "m64n16k16" becomes "m64nNk16".
std::string wgmmaRowName(llvm::StringRef opcode);

/// Fails if the statement is not of a form that PTX has.
llvm::Expected<WgmmaStatement> parseWgmma(const AssemblyStatement &statement);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_EMULATOR_RETARGET_WGMMAASSEMBLY_H
