// Prints layouts as tables.
//
// threadTable: one row per thread, one column per register; cells are coordinates.
// tileTable:   the tile; cells are the holders of elements: T4:2 is register 2 of thread 4,
//              and +1 after it means that one more thread holds a replica. In shared memory,
//              cells are offsets.
// offsetTable: shared memory from left to right; cells are coordinates.

#ifndef TILEWRIGHT_LAYOUT_TABLE_H
#define TILEWRIGHT_LAYOUT_TABLE_H

#include "tilewright/Layout/LinearLayout.h"

namespace tilewright::layout {

std::string threadTable(const LinearLayout &layout);

/// One table of the last two dimensions for each index of the others.
std::string tileTable(const LinearLayout &layout);

/// `perRow` offsets per line.
std::string offsetTable(const LinearLayout &shared, int64_t perRow);

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_TABLE_H
