// The properties of a global memory access that determine its cost in a layout, from the attributes set by `coalesce`.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_ACCESSPROPERTIES_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_ACCESSPROPERTIES_H

#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Layout/Shape.h"

#include <optional>

namespace tilewright::tilegpu {

using tile::AccessKind;

struct AccessProperties {
  AccessKind kind = AccessKind::Load;
  layout::Shape shape;
  layout::Order order;      ///< dimensions, the one with the longest runs of consecutive addresses first
  int64_t run = 1;          ///< consecutive elements along order[0]
  int64_t vector = 1;       ///< elements that one instruction of a thread can access
  int64_t elementBytes = 1; ///< in memory
  bool isForDots = false;   ///< a loop with several stages loads it for the operands of its dots
};

/// None for an access to a single element.
std::optional<AccessProperties> propertiesOf(tile::MemoryAccessOpInterface access);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_ACCESSPROPERTIES_H
