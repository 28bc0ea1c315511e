// Thread indices, the images of layouts, and helpers for vectors.

#include "TileGPUToThread.h"

#include "tilewright/Hardware/Gpu.h"

#include "tilewright/Layout/Algebra.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::gpu {

using layout::LinearLayout;

ThreadTypes::ThreadTypes() {
  // Conversions are tried in reverse order of registration.
  addConversion([](Type type) { return type; });
  addConversion([](tile::PtrType type) { return LLVM::LLVMPointerType::get(type.getContext(), thread::kGlobalSpace); });
  addConversion([](tile::BytesType type) { return LLVM::LLVMPointerType::get(type.getContext()); });
  addConversion(
      [](tilegpu::BufferType type) { return LLVM::LLVMPointerType::get(type.getContext(), thread::kSharedSpace); });
  addConversion([](tilegpu::TokenType, SmallVectorImpl<Type> &) { return success(); }); // nothing
  addConversion([this](RankedTensorType type) -> std::optional<Type> {
    tilegpu::LayoutAttr layout = tilegpu::getLayout(type);
    if (!layout || layout.isShared()) {
      return Type();
    }
    return VectorType::get(layout.registers(), convertType(type.getElementType()));
  });
}

Value constantI32(Builder &builder, int64_t value) {
  return arith::ConstantIntOp::create(builder, builder.getI32Type(), value);
}

tilegpu::Threads threadsAround(Builder &builder) {
  return tilegpu::threadsOf(builder.getInsertionBlock()->getParentOp());
}

Value laneId(Builder &builder) { return thread::LaneOp::create(builder); }

Value warpId(Builder &builder) { return thread::WarpOp::create(builder); }

Value clearLaneBits(Builder &builder, Value lane, int64_t mask) {
  return arith::AndIOp::create(builder, lane, constantI32(builder, threadsAround(builder).lanes - 1 - mask));
}

Value groupIndex(Builder &builder) {
  OpBuilder::InsertionGuard guard(builder);
  auto function = builder.getInsertionBlock()->getParentOp()->getParentOfType<func::FuncOp>();
  if (!function) {
    function = cast<func::FuncOp>(builder.getInsertionBlock()->getParentOp());
  }
  builder.setInsertionPointToStart(&function.front());
  Value warp = thread::ShuffleOp::create(builder, builder.getI32Type(), thread::ShuffleKind::Index, warpId(builder),
                                         constantI32(builder, 0));
  return arith::ShRUIOp::create(builder, warp,
                                constantI32(builder, layout::log2Exact(hardware::GroupMmaInstruction::kWarps)));
}

Value isFirstThread(Builder &builder, int64_t partition) {
  int64_t first = partition == 0 ? 0 : threadsAround(builder).count();
  return arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, thread::IdOp::create(builder),
                               constantI32(builder, first));
}

Value both(Builder &builder, Value mask, Value exists) {
  return exists ? arith::AndIOp::create(builder, mask, exists).getResult() : mask;
}

/// Bits that move by the same distance share one mask and one shift:
///
///     bases 0b0001, 0b0010, 0b1100     0 bits: index & 0b111, 1 bit: (index & 0b100) << 1
Value linearImage(Builder &builder, Value index, ArrayRef<int64_t> bases, Value sum) {
  std::map<int, int64_t> masks; // by distance
  for (auto [bit, base] : llvm::enumerate(bases)) {
    for (auto rest = static_cast<uint64_t>(base); rest != 0; rest &= rest - 1) {
      masks[llvm::countr_zero(rest) - static_cast<int>(bit)] |= int64_t(1) << bit;
    }
  }
  for (auto [distance, mask] : masks) {
    Value part = arith::AndIOp::create(builder, index, constantI32(builder, mask));
    if (distance > 0) {
      part = arith::ShLIOp::create(builder, part, constantI32(builder, distance));
    } else if (distance < 0) {
      part = arith::ShRUIOp::create(builder, part, constantI32(builder, -distance));
    }
    sum = sum ? Value(arith::XOrIOp::create(builder, sum, part)) : part;
  }
  return sum;
}

Value hasBits(Builder &builder, Value index, int64_t mask) {
  Value set = arith::AndIOp::create(builder, index, constantI32(builder, mask));
  return arith::CmpIOp::create(builder, arith::CmpIPredicate::ne, set, constantI32(builder, 0));
}

SmallVector<Value> threadImages(Builder &builder, const LinearLayout &map) {
  Value lane = laneId(builder), warp = warpId(builder);
  SmallVector<Value> images;
  for (const layout::Dim &out : map.outs()) {
    Value sum;
    for (auto [in, index] : {std::pair(layout::kLane, lane), std::pair(layout::kWarp, warp)}) {
      SmallVector<int64_t> bases;
      for (int bit = 0; bit < map.inBits(in); ++bit) {
        bases.push_back(map.basis(in, bit, out.name));
      }
      sum = linearImage(builder, index, bases, sum);
    }
    images.push_back(sum ? sum : constantI32(builder, 0));
  }
  return images;
}

SmallVector<SmallVector<int64_t>> registerImages(const LinearLayout &map) {
  SmallVector<SmallVector<int64_t>> images;
  for (int64_t reg = 0; reg < map.inSize(layout::kRegister); ++reg) {
    LinearLayout::Point image = map.unpackOut(map.apply(uint64_t(reg) << map.inStart(layout::kRegister)));
    images.emplace_back(image.begin(), image.end());
  }
  return images;
}

bool areDisjoint(const LinearLayout &map, StringRef dim) {
  uint64_t registers = 0, threads = 0;
  for (const layout::Dim &in : map.ins()) {
    for (int bit = 0; bit < in.bits; ++bit) {
      (in.name == layout::kRegister ? registers : threads) |= map.basis(in.name, bit, dim.str());
    }
  }
  return (registers & threads) == 0;
}

Value combineImages(Builder &builder, Value image, int64_t offset, bool disjoint) {
  if (offset == 0) {
    return image;
  }
  Value constant = constantI32(builder, offset);
  return disjoint ? arith::AddIOp::create(builder, image, constant, arith::IntegerOverflowFlags::nsw).getResult()
                  : arith::XOrIOp::create(builder, image, constant).getResult();
}

Value asWords(Builder &builder, Value value) {
  auto type = cast<VectorType>(value.getType());
  int64_t bits = type.getNumElements() * type.getElementTypeBitWidth();
  return vector::BitCastOp::create(builder, VectorType::get(bits / 32, builder.getI32Type()), value);
}

SmallVector<Value> unpack(Builder &builder, Value vector) {
  SmallVector<Value> elements;
  for (int64_t i = 0, size = cast<VectorType>(vector.getType()).getNumElements(); i < size; ++i) {
    elements.push_back(vector::ExtractOp::create(builder, vector, i));
  }
  return elements;
}

Value pack(Builder &builder, ArrayRef<Value> elements) {
  auto type = VectorType::get(elements.size(), elements.front().getType());
  return vector::FromElementsOp::create(builder, type, elements);
}

bool isZero(Value value) {
  if (auto splat = value.getDefiningOp<vector::BroadcastOp>()) {
    value = splat.getSource();
  }
  return matchPattern(value, m_Zero()) || matchPattern(value, m_PosZeroFloat());
}

Value asVector(Builder &builder, Value value) {
  if (!value || isa<VectorType>(value.getType())) {
    return value;
  }
  return vector::BroadcastOp::create(builder, VectorType::get(1, value.getType()), value);
}

Value selectRegisters(Builder &builder, Value vector, ArrayRef<int64_t> order) {
  auto type = cast<VectorType>(vector.getType());
  bool same = order.size() == size_t(type.getNumElements());
  for (auto [index, source] : llvm::enumerate(order)) {
    same &= int64_t(index) == source;
  }
  if (same) {
    return vector;
  }
  // Folding a shuffle of a constant reads all elements, for each slice.
  if (order.size() == 1) {
    return pack(builder, vector::ExtractOp::create(builder, vector, order.front()).getResult());
  }
  // vector.shuffle does not support pointers.
  if (isa<LLVM::LLVMPointerType>(type.getElementType())) {
    SmallVector<Value> elements = unpack(builder, vector), chosen;
    llvm::transform(order, std::back_inserter(chosen), [&](int64_t index) { return elements[index]; });
    return pack(builder, chosen);
  }
  return vector::ShuffleOp::create(builder, vector, vector, order);
}

Value ownsElements(Builder &builder, const LinearLayout &map) {
  std::vector<uint64_t> copies = layout::freeBits(map);
  Value owns;
  for (auto [in, bits] : llvm::zip_equal(map.ins(), copies)) {
    if (bits == 0 || in.name == layout::kRegister) {
      continue;
    }
    Value index = in.name == layout::kLane ? laneId(builder) : warpId(builder);
    Value set = arith::AndIOp::create(builder, index, constantI32(builder, int64_t(bits)));
    Value first = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, set, constantI32(builder, 0));
    owns = owns ? arith::AndIOp::create(builder, owns, first).getResult() : first;
  }
  return owns;
}

/// LLVM has no 8-bit float types.
Type memoryType(Type element) {
  bool isByte = element.isInteger(1) || (isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 8);
  return isByte ? IntegerType::get(element.getContext(), 8) : element;
}

Value toMemory(Builder &builder, Value value) {
  auto type = cast<VectorType>(value.getType());
  VectorType inMemory = type.clone(memoryType(type.getElementType()));
  if (inMemory == type) {
    return value;
  }
  return isa<FloatType>(type.getElementType()) ? arith::BitcastOp::create(builder, inMemory, value).getResult()
                                               : arith::ExtUIOp::create(builder, inMemory, value).getResult();
}

Value fromMemory(Builder &builder, Value value, Type element) {
  auto type = cast<VectorType>(value.getType());
  if (type.getElementType() == element) {
    return value;
  }
  if (isa<FloatType>(element)) {
    return arith::BitcastOp::create(builder, type.clone(element), value);
  }
  Value zero = arith::ConstantOp::create(builder, builder.getZeroAttr(type));
  return arith::CmpIOp::create(builder, arith::CmpIPredicate::ne, value, zero);
}

} // namespace tilewright::gpu
