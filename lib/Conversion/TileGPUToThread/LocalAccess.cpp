// Moves between registers and shared memory, with as few instructions as the two layouts allow.
//
// A plain load or store moves 1 to 16 contiguous bytes. ldmatrix and stmatrix move up to four words per thread, in rows
// of 16 bytes whose addresses other lanes provide; see MatrixMove::rowsOf.

#include "TileGPUToThread.h"

#include "tilewright/Layout/SharedAddresses.h"
#include "tilewright/Layout/VectorAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::gpu {

using hardware::MatrixMove;
using layout::LinearLayout;

static constexpr int kWordBits = 32;

namespace {

/// The instructions that move a tile.
struct LocalAccesses {
  const MatrixMove *move = nullptr;        ///< null for plain loads and stores
  std::vector<std::vector<int>> registers; ///< of each instruction
  LinearLayout bytes;                      ///< (register, lane, warp) -> (offset): the address that each lane provides
  std::vector<int> first;                  ///< the first register of `bytes` of each instruction

  int64_t elements() const { return static_cast<int64_t>(registers.front().size()); }
};

/// The unit in which registers are moved: 32-bit words if narrower elements are moved together, otherwise elements.
struct Units {
  int64_t elements; ///< per unit
  Type type;
};

} // namespace

static LocalAccesses plainAccesses(const LocalMove &move) {
  LocalAccesses accesses;
  auto widest = layout::widestAccess(move.offsets, layout::kOffset, move.target->vectorBytes / move.elementBytes);
  accesses.registers = layout::registersOf(widest, move.offsets.inSize(layout::kRegister));
  accesses.bytes = layout::inBytes(move.offsets, move.elementBytes);
  for (const std::vector<int> &group : accesses.registers) {
    accesses.first.push_back(group.front());
  }
  return accesses;
}

/// The tile's register bits that correspond to those of the fragment, in order. A bit that maps to elements within a
/// row must match exactly; for a bit that maps to rows, the first unused bit is taken.
static std::optional<layout::VectorAccess> registersOfFragment(const LinearLayout &offsets,
                                                               const LinearLayout &fragment) {
  layout::Columns registers = offsets.columnsOf(layout::kRegister);
  uint64_t insideRow = fragment.outSize("dim1") - 1;
  layout::VectorAccess result;
  for (int bit = 0; bit < fragment.inBits(layout::kRegister); ++bit) {
    auto element = static_cast<uint64_t>(fragment.basis(layout::kRegister, bit, "dim1"));
    auto fits = [&](int at) {
      bool isPlaced = element ? registers[at] == element : (registers[at] & insideRow) == 0;
      return isPlaced && !llvm::is_contained(result.registerBits, at);
    };
    auto bits = llvm::seq<int>(0, static_cast<int>(registers.size()));
    auto found = llvm::find_if(bits, fits);
    if (found == bits.end()) {
      return std::nullopt;
    }
    result.registerBits.push_back(*found);
  }
  return result;
}

/// The layout with the given register bits first.
static LinearLayout withFirst(const LinearLayout &offsets, const std::vector<int> &bits) {
  layout::Columns registers = offsets.columnsOf(layout::kRegister), columns;
  for (int bit : bits) {
    columns.push_back(registers[bit]);
  }
  for (auto [bit, column] : llvm::enumerate(registers)) {
    if (!llvm::is_contained(bits, static_cast<int>(bit))) {
      columns.push_back(column);
    }
  }
  columns.insert(columns.end(), offsets.columns().begin() + registers.size(), offsets.columns().end());
  return {offsets.ins(), offsets.outs(), std::move(columns)};
}

/// None if the instruction's rows are not contiguous in shared memory.
static std::optional<LocalAccesses> matrixAccesses(const LocalMove &move, const MatrixMove &row) {
  int elementBits = static_cast<int>(8 * move.elementBytes);
  std::optional<MatrixMove> scaled = row.of(elementBits);
  auto access = scaled ? registersOfFragment(move.offsets, scaled->fragment()) : std::nullopt;
  auto rows = access ? row.rowsOf(withFirst(move.offsets, access->registerBits), elementBits) : std::nullopt;
  if (!rows) {
    return std::nullopt;
  }
  int perRow = scaled->elementsPerRow();
  auto widest = layout::widestAccess(*rows, layout::kOffset, perRow);
  bool isInOrder = llvm::equal(widest.registerBits, llvm::seq<int>(0, layout::log2Exact(perRow)));
  LocalAccesses accesses;
  accesses.move = &row;
  accesses.registers = layout::registersOf(*access, move.offsets.inSize(layout::kRegister));
  accesses.bytes = layout::inBytes(*rows, move.elementBytes);
  for (size_t piece = 0; piece < accesses.registers.size(); ++piece) {
    accesses.first.push_back(static_cast<int>(piece) * perRow);
  }
  return isInOrder ? std::optional(accesses) : std::nullopt;
}

/// The accesses that move most registers per instruction.
static LocalAccesses chooseAccesses(const LocalMove &move, bool isStore) {
  LocalAccesses best = plainAccesses(move);
  for (const MatrixMove *row : move.target->matrixMoves) {
    if (row->isStore == isStore && !move.isOwn) {
      auto accesses = matrixAccesses(move, *row);
      best = accesses && accesses->elements() > best.elements() ? *accesses : best;
    }
  }
  return best;
}

SmallVector<Value> emitSharedAddresses(Builder &builder, Value base, const LinearLayout &bytes,
                                       const std::vector<int> &registers, int64_t start) {
  layout::SharedAddresses plan = layout::planAddresses(bytes, registers, start);
  Value thread = threadImages(builder, bytes).front();
  SmallVector<Value> bases, addresses;
  for (int64_t xorMask : plan.xorMasks) {
    bases.push_back(LLVM::GEPOp::create(builder, base.getType(), builder.getI8Type(), base,
                                        combineImages(builder, thread, xorMask, /*disjoint=*/false)));
  }
  for (const layout::SharedAddresses::Address &address : plan.addresses) {
    addresses.push_back(address.immediate == 0
                            ? bases[address.base]
                            : LLVM::GEPOp::create(builder, base.getType(), builder.getI8Type(), bases[address.base],
                                                  LLVM::GEPArg(static_cast<int32_t>(address.immediate)))
                                  .getResult());
  }
  return addresses;
}

static Units unitsOf(Type element, int64_t elementBytes, const LocalAccesses &accesses) {
  int64_t elements = std::clamp<int64_t>(kWordBits / (8 * elementBytes), 1, accesses.elements());
  unsigned bits = static_cast<unsigned>(8 * elementBytes * elements);
  bool isWord = accesses.move || elements > 1;
  return {elements, isWord ? IntegerType::get(element.getContext(), bits) : element};
}

static SmallVector<int64_t> registersInOrder(const LocalAccesses &accesses) {
  SmallVector<int64_t> order;
  for (const std::vector<int> &group : accesses.registers) {
    order.append(group.begin(), group.end());
  }
  return order;
}

/// `order` as an order of units, if it keeps the elements of each unit together.
static std::optional<SmallVector<int64_t>> orderOfUnits(ArrayRef<int64_t> order, int64_t elements) {
  SmallVector<int64_t> units;
  for (size_t i = 0; i < order.size(); ++i) {
    int64_t inside = static_cast<int64_t>(i) % elements;
    if (inside == 0) {
      units.push_back(order[i] / elements);
    }
    if (order[i] != units.back() * elements + inside) {
      return std::nullopt;
    }
  }
  return units;
}

static Value castTo(Builder &builder, VectorType type, Value value) {
  return value.getType() == type ? value : vector::BitCastOp::create(builder, type, value).getResult();
}

/// Splits a vector into units, in the order of accesses.
static SmallVector<Value> toUnits(Builder &builder, Value value, ArrayRef<int64_t> order, const Units &units) {
  auto type = VectorType::get(order.size() / units.elements, units.type);
  auto whole = orderOfUnits(order, units.elements);
  SmallVector<Value> inOrder =
      unpack(builder, castTo(builder, type, whole ? value : selectRegisters(builder, value, order)));
  if (!whole) {
    return inOrder;
  }
  SmallVector<Value> result;
  llvm::transform(*whole, std::back_inserter(result), [&](int64_t unit) { return inOrder[unit]; });
  return result;
}

/// The inverse of toUnits.
static Value fromUnits(Builder &builder, VectorType type, ArrayRef<Value> pieces, ArrayRef<int64_t> order,
                       const Units &units) {
  if (auto whole = orderOfUnits(order, units.elements)) {
    SmallVector<Value> sorted(pieces.size());
    for (auto [unit, piece] : llvm::zip_equal(*whole, pieces)) {
      sorted[unit] = piece;
    }
    return castTo(builder, type, pack(builder, sorted));
  }
  SmallVector<int64_t> inverse(order.size());
  for (auto [place, reg] : llvm::enumerate(order)) {
    inverse[reg] = static_cast<int64_t>(place);
  }
  return selectRegisters(builder, castTo(builder, type, pack(builder, pieces)), inverse);
}

Value emitLocalLoad(Builder &builder, Value base, VectorType type, const LocalMove &move) {
  LocalAccesses accesses = chooseAccesses(move, /*isStore=*/false);
  SmallVector<int64_t> order = registersInOrder(accesses);
  auto inMemory = type.clone(memoryType(type.getElementType()));
  Units units = unitsOf(inMemory.getElementType(), move.elementBytes, accesses);
  int64_t count = accesses.elements() / units.elements;
  auto bytes = static_cast<unsigned>(accesses.elements() * move.elementBytes);
  SmallVector<Value> pieces;
  int64_t start = move.start * move.elementBytes;
  for (Value address : emitSharedAddresses(builder, base, accesses.bytes, accesses.first, start)) {
    if (const MatrixMove *matrix = accesses.move) {
      SmallVector<Type> words(count, units.type);
      llvm::append_range(pieces, thread::LoadMatrixOp::create(builder, words, matrix->name(), address).getWords());
    } else {
      auto part = VectorType::get(count, units.type);
      pieces.append(unpack(builder, LLVM::LoadOp::create(builder, part, address, bytes)));
    }
  }
  Value loaded = fromUnits(builder, inMemory, pieces, order, units);
  return fromMemory(builder, loaded, type.getElementType());
}

void emitLocalStore(Builder &builder, Value value, Value base, const LocalMove &move) {
  // If several threads hold the same elements, only the owner stores them: only it has the result of an atomic.
  Value owner = ownsElements(builder, move.offsets);
  OpBuilder::InsertionGuard guard(builder);
  if (owner) {
    auto branch = scf::IfOp::create(builder, owner, /*withElseRegion=*/false);
    builder.setInsertionPointToStart(branch.thenBlock());
  }
  LocalAccesses accesses = owner ? plainAccesses(move) : chooseAccesses(move, /*isStore=*/true);
  SmallVector<int64_t> order = registersInOrder(accesses);
  value = toMemory(builder, value);
  Units units = unitsOf(cast<VectorType>(value.getType()).getElementType(), move.elementBytes, accesses);
  size_t count = accesses.elements() / units.elements;
  auto bytes = static_cast<unsigned>(accesses.elements() * move.elementBytes);
  SmallVector<Value> pieces = toUnits(builder, value, order, units);
  ArrayRef<Value> rest = pieces;
  for (Value address : emitSharedAddresses(builder, base, accesses.bytes, accesses.first)) {
    if (const MatrixMove *matrix = accesses.move) {
      thread::StoreMatrixOp::create(builder, matrix->name(), address, rest.take_front(count));
    } else {
      LLVM::StoreOp::create(builder, pack(builder, rest.take_front(count)), address, bytes);
    }
    rest = rest.drop_front(count);
  }
}

} // namespace tilewright::gpu
