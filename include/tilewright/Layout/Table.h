// Layouts as the tables that people draw by hand.
//
// threadTable: one row per thread, one column per register, in each cell coordinates.
// tileTable:   the tile, in each cell who holds it: thread 4's register 2 is T4:2, and
//              +1 behind it says that one more thread holds a copy. In shared memory the
//              cell is the offset.
// offsetTable: shared memory from left to right, in each cell coordinates.

#ifndef TILEWRIGHT_LAYOUT_TABLE_H
#define TILEWRIGHT_LAYOUT_TABLE_H

#include "tilewright/Layout/LinearLayout.h"

namespace tilewright::layout {

std::string threadTable(const LinearLayout &layout);

/// The last two dimensions across the page, one table per index of the others.
std::string tileTable(const LinearLayout &layout);

/// `perRow` offsets a line.
std::string offsetTable(const LinearLayout &shared, int64_t perRow);

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_TABLE_H
