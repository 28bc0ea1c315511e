// The layout of a buffer in shared memory for one write and one read.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_SHAREDLAYOUT_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_SHAREDLAYOUT_H

#include "tilewright/Hardware/Nvidia.h"
#include "tilewright/Layout/ChooseSwizzle.h"

namespace tilewright::tilegpu {

/// For a tile that threads write as `write` and read as `read`. Where the target's ldmatrix reads `read`, rows of
/// 16 bytes stay together for it, which makes for fewer instructions; where both sides have vectors, there are no
/// bank conflicts either way.
layout::SwizzleChoice chooseSharedLayout(const layout::LinearLayout &write, const layout::LinearLayout &read,
                                         int64_t elementBytes, const hardware::NvidiaInfo &target);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_SHAREDLAYOUT_H
