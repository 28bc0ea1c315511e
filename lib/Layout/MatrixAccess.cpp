#include "tilewright/Layout/MatrixAccess.h"

#include <algorithm>

namespace tilewright::layout {

namespace {

class Matcher {
public:
  Matcher(const LinearLayout &offsets, const LinearLayout &fragment)
      : offsets(offsets), fragment(fragment), lanes(offsets.columnsOf(kLane)), registers(offsets.columnsOf(kRegister)),
        insideRow(fragment.outSize(dimName(1)) - 1), rows(lanes.size(), 0) {}

  std::optional<MatrixAccess> match() {
    if (fragment.inBits(kLane) != offsets.inBits(kLane) || !placeLanes() || !placeRegisters() || !areRowsWhole()) {
      return std::nullopt;
    }
    Columns columns = registers;
    columns.insert(columns.end(), rows.begin(), rows.end());
    for (uint64_t column : offsets.columnsOf(kWarp)) {
      columns.push_back(column);
    }
    return MatrixAccess{access, LinearLayout(offsets.ins(), offsets.outs(), std::move(columns))};
  }

private:
  /// Puts what moves by `column` at a bit of the fragment, if it fits there.
  bool place(uint64_t column, std::string_view in, int bit) {
    auto element = static_cast<uint64_t>(fragment.basis(in, bit, dimName(1)));
    if (element != 0) {
      return column == element;
    }
    if ((column & insideRow) != 0) {
      return false;
    }
    rows[log2Exact(fragment.basis(in, bit, dimName(0)))] = column;
    return true;
  }

  bool placeLanes() {
    for (size_t bit = 0; bit < lanes.size(); ++bit) {
      if (!place(lanes[bit], kLane, static_cast<int>(bit))) {
        return false;
      }
    }
    return true;
  }

  /// The fragment's register bits are the first ones of the layout that fit.
  bool placeRegisters() {
    std::vector<int> &chosen = access.registerBits;
    for (int bit = 0; bit < fragment.inBits(kRegister); ++bit) {
      int at = 0, count = static_cast<int>(registers.size());
      while (at < count &&
             (std::find(chosen.begin(), chosen.end(), at) != chosen.end() || !place(registers[at], kRegister, bit))) {
        ++at;
      }
      if (at == count) {
        return false;
      }
      chosen.push_back(at);
    }
    return true;
  }

  /// Everything else moves by whole rows.
  bool areRowsWhole() const {
    Columns moving = offsets.columnsOf(kWarp);
    for (size_t bit = 0; bit < registers.size(); ++bit) {
      const std::vector<int> &chosen = access.registerBits;
      if (std::find(chosen.begin(), chosen.end(), static_cast<int>(bit)) == chosen.end()) {
        moving.push_back(registers[bit]);
      }
    }
    return std::all_of(moving.begin(), moving.end(), [&](uint64_t column) { return (column & insideRow) == 0; });
  }

  const LinearLayout &offsets, &fragment;
  Columns lanes, registers;
  uint64_t insideRow;
  Columns rows; ///< per bit of the lane that gives an address
  VectorAccess access;
};

} // namespace

std::optional<MatrixAccess> matchMatrixAccess(const LinearLayout &offsets, const LinearLayout &fragment) {
  return Matcher(offsets, fragment).match();
}

} // namespace tilewright::layout
