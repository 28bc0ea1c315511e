#include "tilewright/Hardware/NvidiaInstructions.h"

#include "tilewright/Layout/Algebra.h"

#include "NvidiaTargets.h"

namespace tilewright::hardware {

using namespace layout;

static LinearLayout row(std::string_view in, int64_t size) { return LinearLayout::identity(in, dimName(0), size); }
static LinearLayout element(std::string_view in, int64_t size) { return LinearLayout::identity(in, dimName(1), size); }

// The thread that holds each element of a matrix (elements of a row from left to right):
//
//     m8n8                m8n8 transposed       m16n16 transposed     m16n8 transposed (stores)
//     T0 T0 T1 T1 ..      T0 T4 T8 ..           T0 T4 .. T28 | T0 ..  T0 T4 .. T28 | T0 T4 ..
//     T4 T4 T5 T5 ..      T0 T4 T8 ..           T0 T4 ..     | word   T0 T4 ..     | upper half
//     ..                  T1 T5 T9 ..           T0 T4 ..     | 1      T1 T5 ..     | of the word
//                         T1 T5 T9 ..           T0 T4 ..     |        T1 T5 ..     |
//                         ..                    T1 T5 ..              ..
LinearLayout MatrixMove::fragment() const {
  LinearLayout matrices = row(kRegister, count);
  if (!isTransposed) {
    int64_t word = 32 / elementBits;
    return unitTile(2) * element(kRegister, word) * element(kLane, 4) * row(kLane, 8) * matrices;
  }
  // Consecutive rows in one lane, four lanes along rows and eight along elements, then the halves of wide rows.
  LinearLayout down = row(kRegister, rows / 4) * row(kLane, 4) * element(kLane, 8);
  return unitTile(2) * down * element(kRegister, elementsPerRow() / 8) * matrices;
}

std::string MatrixMove::name() const {
  return std::string(shape) + ".x" + std::to_string(count) + (isTransposed ? ".trans" : "") + ".b" +
         std::to_string(elementBits);
}

std::string MatrixMove::intrinsic() const {
  return std::string("llvm.nvvm.") + (isStore ? "st" : "ld") + "matrix.sync.aligned." + name();
}

std::optional<MatrixMove> MatrixMove::of(int bitsOfElement) const {
  if (bitsOfElement > 32 || (isTransposed && bitsOfElement != elementBits)) {
    return std::nullopt;
  }
  MatrixMove move = *this;
  move.elementBits = bitsOfElement;
  return move;
}

std::optional<LinearLayout> MatrixMove::rowsOf(const LinearLayout &tile, int bitsOfElement) const {
  std::optional<MatrixMove> move = of(bitsOfElement);
  if (!move) {
    return std::nullopt;
  }
  LinearLayout part = move->fragment();
  Columns registers = tile.columnsOf(kRegister), lanes = tile.columnsOf(kLane);
  size_t used = part.inBits(kRegister), inRow = part.outBits(dimName(1)), rowBits = part.outBits(dimName(0));
  if (registers.size() < used || lanes.size() != static_cast<size_t>(part.inBits(kLane))) {
    return std::nullopt;
  }
  // Each register or lane bit of the fragment is one bit of the row's index or of the position in the row.
  Columns ofRow(inRow), ofLanes(lanes.size());
  for (int bit = 0; bit < part.totalInBits(); ++bit) {
    uint64_t element = bit < static_cast<int>(used) ? registers[bit] : lanes[bit - used];
    size_t place = __builtin_ctzll(part.columns()[bit]);
    (place < rowBits ? ofLanes[place] : ofRow[place - rowBits]) = element;
  }
  Columns columns = ofRow;
  columns.insert(columns.end(), registers.begin() + used, registers.end());
  std::vector<Dim> ins = tile.ins();
  ins.front().bits = static_cast<int>(columns.size());
  for (const Columns &rest : {ofLanes, tile.columnsOf(kWarp), tile.columnsOf(kBlock)}) {
    columns.insert(columns.end(), rest.begin(), rest.end());
  }
  return LinearLayout(std::move(ins), tile.outs(), std::move(columns));
}

const NvidiaTable<MatrixMove> &matrixMoves() {
  static const NvidiaTable<MatrixMove> table = {
      // store, shape, count, transposed, bits, rows
      {{false, "m8n8", 1, false, 16, 8}, kAll},        {{false, "m8n8", 2, false, 16, 8}, kAll},
      {{false, "m8n8", 4, false, 16, 8}, kAll},        {{false, "m8n8", 1, true, 16, 8}, kAll},
      {{false, "m8n8", 2, true, 16, 8}, kAll},         {{false, "m8n8", 4, true, 16, 8}, kAll},
      {{false, "m16n16", 1, true, 8, 16}, kBlackwell}, {{false, "m16n16", 2, true, 8, 16}, kBlackwell},

      {{true, "m8n8", 1, false, 16, 8}, kFrom90},      {{true, "m8n8", 2, false, 16, 8}, kFrom90},
      {{true, "m8n8", 4, false, 16, 8}, kFrom90},      {{true, "m8n8", 1, true, 16, 8}, kFrom90},
      {{true, "m8n8", 2, true, 16, 8}, kFrom90},       {{true, "m8n8", 4, true, 16, 8}, kFrom90},
      {{true, "m16n8", 1, true, 8, 8}, kBlackwell},    {{true, "m16n8", 2, true, 8, 8}, kBlackwell},
      {{true, "m16n8", 4, true, 8, 8}, kBlackwell},
  };
  return table;
}

const NvidiaTable<AsyncCopy> &asyncCopies() {
  static const NvidiaTable<AsyncCopy> table = {
      {{4, false}, kAll},
      {{8, false}, kAll},
      {{16, false}, kAll},
      {{16, true}, kAll},
  };
  return table;
}

const NvidiaTable<AtomicAdd> &atomicAdds() {
  constexpr ElementType F16 = ElementType::F16, BF16 = ElementType::BF16, F32 = ElementType::F32,
                        F64 = ElementType::F64;
  static const NvidiaTable<AtomicAdd> table = {
      {{F32, 1}, kAll},        {{F64, 1}, kAll},        {{F16, 1}, kAll},         {{F16, 2}, kAll},
      {{BF16, 1}, kFrom90},    {{BF16, 2}, kFrom90},    {{F32, 2}, kFrom90, 81},  {{F32, 4}, kFrom90, 81},
      {{F16, 4}, kFrom90, 81}, {{F16, 8}, kFrom90, 81}, {{BF16, 4}, kFrom90, 81}, {{BF16, 8}, kFrom90, 81},
  };
  return table;
}

} // namespace tilewright::hardware
