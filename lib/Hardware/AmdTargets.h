// The sets of architectures in the tables of AMD's instructions.

#ifndef TILEWRIGHT_LIB_HARDWARE_AMDTARGETS_H
#define TILEWRIGHT_LIB_HARDWARE_AMDTARGETS_H

#include "tilewright/Hardware/Amd.h"

namespace tilewright::hardware {

inline constexpr AmdTargets kGfx90a = 1, kGfx942 = 2, kGfx950 = 4, kGfx1100 = 8, kGfx1201 = 16, kGfx1250 = 32;

inline constexpr AmdTargets kCdna = kGfx90a | kGfx942 | kGfx950;
inline constexpr AmdTargets kAllAmd = kCdna | kGfx1100 | kGfx1201 | kGfx1250;

} // namespace tilewright::hardware

#endif // TILEWRIGHT_LIB_HARDWARE_AMDTARGETS_H
