// Scans of lines that several warps share:
//
//     a scan of 1024 elements, 4 warps
//
//       inner  = scan of each 256 elements, by a warp         4 parts
//       totals = the last element of each part                convert_layout: every thread gets all 4
//       before = the scan of the totals, of the part before
//       result = part 0: inner, others: combine(before, inner)

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_SPLITSCANS_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_SPLITSCANS_H

#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

namespace tilewright::tilegpu {

/// The number of parts into which each line of the scan is divided, one for each of the warps that would otherwise all
/// scan the same line; 1 if there are no such warps, if lines are too short for the exchange to pay, if it lacks shared
/// memory, or if the combiner has effects, as it is executed more often.
int64_t partsOfLines(tile::ScanOp op);

/// Replaces the scan by scans inside warps. Operands may have any layouts; the results keep theirs.
void splitScan(tile::ScanOp op, int64_t parts);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_SPLITSCANS_H
