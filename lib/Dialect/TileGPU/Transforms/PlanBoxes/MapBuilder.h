// Describes boxes to launches: how each makes a tensor map, and what must hold of its integers for the copies to read
// what the loads would.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PLANBOXES_MAPBUILDER_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PLANBOXES_MAPBUILDER_H

#include "Box.h"

#include "tilewright/Analysis/AxisInfo.h"
#include "tilewright/Analysis/IndexRanges.h"

#include <vector>

namespace tilewright::tilegpu {

/// The tensor maps of a kernel.
class MapBuilder {
public:
  explicit MapBuilder(mlir::FunctionOpInterface function);

  /// Adds a map for the box of a tile in such a buffer, and returns its number; none if launches can't tell whether the
  /// copy reads what the load would, or if the hardware can't take the array. `why` gets the reason.
  std::optional<int64_t> add(const Box &box, BufferType buffer, std::string &why) {
    return add(box, buffer, /*lastUnit=*/std::nullopt, why);
  }

  /// Adds a map for a store. Only where a load's map needs it already do launches check alignments for stores, which
  /// would not be worth a variant without any map. The hardware writes whole units of 16 bytes, also where the array
  /// ends, and an H200 has taken a store that begins before the array for an illegal instruction.
  std::optional<int64_t> addStored(Box &box, BufferType buffer, std::string &why);

  int64_t size() const { return static_cast<int64_t>(maps.size()); }
  /// Removes the maps from number `size` on.
  void truncate(int64_t size) { maps.erase(maps.begin() + size, maps.end()); }

  /// Whether launches can make all of the maps: the number of maps, and of the steps that compute them, is limited.
  bool fits() const;

  /// Adds the maps to the function, as attributes and arguments.
  void finish();

private:
  struct Map {
    mlir::Type type;
    int64_t slot, swizzle;
    llvm::SmallVector<int> extents, strides; ///< steps of `ranges`
    llvm::SmallVector<int64_t> box;
    llvm::SmallVector<IndexRanges::Check> checks;
    bool checksAlignment = false; ///< whether some of the checks are of alignments
  };

  /// `lastUnit`, of a store, must be a multiple of the alignment, too.
  std::optional<int64_t> add(const Box &box, BufferType buffer, const std::optional<IndexSum> &lastUnit,
                             std::string &why);
  bool addAlignment(const IndexProduct &product, int64_t elementBytes, Map &map);
  bool addAlignment(const Box &box, int64_t elementBytes, Map &map);
  int stepOf(const IndexProduct &product, unsigned bits, Map *checked);
  int stepOf(const IndexSum &sum, unsigned bits, Map *checked);
  int negatedStep(int step);
  void addRemainder(const IndexRemainder &remainder, Map &map);
  void addUnseen(const IndexRemainder &remainder, Map &map);
  void addDimensions(const Box &box, int64_t elementBytes, Map &map);
  /// What must hold for the copies to be those of the box.
  void addChecks(const Box &box, Map &map);
  void addCoordinate(const BoxDimension &dimension, Map &map);
  llvm::SmallVector<IndexRanges::Check> checks() const;
  llvm::SmallVector<int> steps() const;

  mlir::FunctionOpInterface function;
  IndexRanges ranges;
  AxisInfoAnalysis axis;
  std::vector<Map> maps;
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PLANBOXES_MAPBUILDER_H
