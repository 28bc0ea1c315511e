// A thread's registers to shared memory and back: as few instructions as the two layouts allow.
//
// A plain load or store takes 1 to 16 neighbouring bytes. ldmatrix and stmatrix take up to four words of each
// thread, from rows of 16 bytes that belong to other threads; see MatrixAccess.h for when they fit.

#include "Distribute.h"

#include "tilewright/Hardware/NvidiaInstructions.h"
#include "tilewright/Layout/MatrixAccess.h"
#include "tilewright/Layout/SharedAddresses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::distribute {

using hardware::MatrixMove;
using layout::LinearLayout;

static constexpr int64_t kMaxBytes = 16;
static constexpr int kWordBits = 32;

namespace {

struct LocalAccesses {
  const MatrixMove *move = nullptr; ///< null: plain loads and stores
  layout::VectorAccess access;      ///< which registers each of them takes
  LinearLayout addresses;           ///< (register, lane, warp) -> (offset) in bytes: where the one that begins with a
                                    ///< register finds what this lane has to name
  std::vector<std::vector<int>> groups(const LinearLayout &offsets) const {
    return layout::registersOf(access, offsets.inSize(layout::kRegister));
  }
};

/// What a thread's registers are moved as: words of 32 bits, if narrower elements travel together; else elements.
struct Units {
  int64_t elements; ///< in each
  Type type;
};

} // namespace

/// Whether the row moves elements of this size. Those that do not transpose move words, whatever is in them.
static bool takes(const MatrixMove &row, bool isStore, int elementBits, const hardware::NvidiaInfo &target) {
  bool fits = row.isTransposed ? row.elementBits == elementBits : elementBits <= kWordBits;
  return row.isStore == isStore && (row.targets & target.target) != 0 && fits;
}

static LocalAccesses chooseAccesses(const LocalMove &move, bool isStore) {
  LocalAccesses best;
  best.access = layout::widestAccess(move.offsets, layout::kOffset, kMaxBytes / move.elementBytes);
  best.addresses = move.offsets;
  int elementBits = static_cast<int>(8 * move.elementBytes);
  for (const MatrixMove &row : hardware::matrixMoves()) {
    if (!takes(row, isStore, elementBits, *move.target)) {
      continue;
    }
    MatrixMove scaled = row;
    scaled.elementBits = elementBits;
    auto match = layout::matchMatrixAccess(move.offsets, scaled.fragment());
    if (match && match->registers.elements() > best.access.elements()) {
      best = {&row, match->registers, match->rows};
    }
  }
  best.addresses = layout::inBytes(best.addresses, move.elementBytes);
  return best;
}

/// One pointer per access.
static SmallVector<Value> emitAddresses(Builder &builder, Value base, const LocalAccesses &accesses,
                                        const std::vector<std::vector<int>> &groups) {
  std::vector<int> first;
  for (const std::vector<int> &group : groups) {
    first.push_back(group.front());
  }
  layout::SharedAddresses plan = layout::planAddresses(accesses.addresses, first);
  Value thread = threadImages(builder, accesses.addresses).front();
  SmallVector<Value> bases, addresses;
  for (int64_t flip : plan.flips) {
    bases.push_back(LLVM::GEPOp::create(builder, base.getType(), builder.getI8Type(), base,
                                        combineImages(builder, thread, flip, /*disjoint=*/false)));
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
  int64_t elements = std::clamp<int64_t>(kWordBits / (8 * elementBytes), 1, accesses.access.elements());
  unsigned bits = static_cast<unsigned>(8 * elementBytes * elements);
  bool isWord = accesses.move || elements > 1;
  return {elements, isWord ? IntegerType::get(element.getContext(), bits) : element};
}

/// The registers in the order in which accesses take them.
static SmallVector<int64_t> flatten(const std::vector<std::vector<int>> &groups) {
  SmallVector<int64_t> order;
  for (const std::vector<int> &group : groups) {
    order.append(group.begin(), group.end());
  }
  return order;
}

/// `order` as an order of units, if it leaves units whole.
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

/// The units of a vector, in the order of accesses.
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

/// And back.
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

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

static NVVM::LdStMatrixShapeAttr shapeAttr(Builder &builder, const MatrixMove &move) {
  StringRef text = move.shape; // m8n8
  int m = 0, n = 0;
  text.consume_front("m");
  text.consumeInteger(10, m);
  text.consume_front("n");
  text.consumeInteger(10, n);
  return NVVM::LdStMatrixShapeAttr::get(builder.getContext(), m, n);
}

static NVVM::MMALayoutAttr layoutAttr(Builder &builder, const MatrixMove &move) {
  return NVVM::MMALayoutAttr::get(builder.getContext(),
                                  move.isTransposed ? NVVM::MMALayout::col : NVVM::MMALayout::row);
}

static NVVM::LdStMatrixEltTypeAttr elementAttr(Builder &builder, const MatrixMove &move) {
  return NVVM::LdStMatrixEltTypeAttr::get(builder.getContext(), move.elementBits == 8 ? NVVM::LdStMatrixEltType::B8
                                                                                      : NVVM::LdStMatrixEltType::B16);
}

static SmallVector<Value> emitMatrixLoad(Builder &builder, const MatrixMove &move, Value address, int64_t words) {
  Type word = builder.getI32Type();
  Type result =
      words == 1 ? word : LLVM::LLVMStructType::getLiteral(builder.getContext(), SmallVector<Type>(words, word));
  Value loaded =
      NVVM::LdMatrixOp::create(builder, result, address, builder.getI32IntegerAttr(move.count),
                               layoutAttr(builder, move), shapeAttr(builder, move), elementAttr(builder, move));
  if (words == 1) {
    return {loaded};
  }
  SmallVector<Value> pieces;
  for (int64_t i = 0; i < words; ++i) {
    pieces.push_back(LLVM::ExtractValueOp::create(builder, loaded, i));
  }
  return pieces;
}

Value emitLocalLoad(Builder &builder, Value base, VectorType type, const LocalMove &move) {
  LocalAccesses accesses = chooseAccesses(move, /*isStore=*/false);
  std::vector<std::vector<int>> groups = accesses.groups(move.offsets);
  auto inMemory = type.clone(memoryType(type.getElementType()));
  Units units = unitsOf(inMemory.getElementType(), move.elementBytes, accesses);
  int64_t count = accesses.access.elements() / units.elements;
  auto bytes = static_cast<unsigned>(accesses.access.elements() * move.elementBytes);
  SmallVector<Value> pieces;
  for (Value address : emitAddresses(builder, base, accesses, groups)) {
    pieces.append(accesses.move ? emitMatrixLoad(builder, *accesses.move, address, count)
                                : unpack(builder, LLVM::LoadOp::create(builder, VectorType::get(count, units.type),
                                                                       address, bytes)));
  }
  Value loaded = fromUnits(builder, inMemory, pieces, flatten(groups), units);
  return fromMemory(builder, loaded, type.getElementType());
}

void emitLocalStore(Builder &builder, Value value, Value base, const LocalMove &move) {
  LocalAccesses accesses = chooseAccesses(move, /*isStore=*/true);
  std::vector<std::vector<int>> groups = accesses.groups(move.offsets);
  value = toMemory(builder, value);
  Units units = unitsOf(cast<VectorType>(value.getType()).getElementType(), move.elementBytes, accesses);
  size_t count = accesses.access.elements() / units.elements;
  auto bytes = static_cast<unsigned>(accesses.access.elements() * move.elementBytes);
  SmallVector<Value> pieces = toUnits(builder, value, flatten(groups), units);
  ArrayRef<Value> rest = pieces;
  for (Value address : emitAddresses(builder, base, accesses, groups)) {
    if (const MatrixMove *matrix = accesses.move) {
      NVVM::StMatrixOp::create(builder, address, rest.take_front(count), layoutAttr(builder, *matrix),
                               shapeAttr(builder, *matrix), elementAttr(builder, *matrix));
    } else {
      LLVM::StoreOp::create(builder, pack(builder, rest.take_front(count)), address, bytes);
    }
    rest = rest.drop_front(count);
  }
}

} // namespace tilewright::distribute
