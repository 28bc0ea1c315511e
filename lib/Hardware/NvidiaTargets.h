// The sets of architectures in the tables of instructions.

#ifndef TILEWRIGHT_LIB_HARDWARE_NVIDIATARGETS_H
#define TILEWRIGHT_LIB_HARDWARE_NVIDIATARGETS_H

#include "tilewright/Hardware/Nvidia.h"

namespace tilewright::hardware {

inline constexpr NvidiaTargets k80 = 1, k86 = 2, k89 = 4, k90a = 8, k100a = 16, k103a = 32, k120a = 64;

inline constexpr NvidiaTargets kBlackwell = k100a | k103a | k120a;
inline constexpr NvidiaTargets kFrom90 = k90a | kBlackwell;
inline constexpr NvidiaTargets kFrom89 = k89 | kFrom90;
inline constexpr NvidiaTargets kAll = k80 | k86 | kFrom89;

} // namespace tilewright::hardware

#endif // TILEWRIGHT_LIB_HARDWARE_NVIDIATARGETS_H
