#include "tilewright/Dialect/TileGPU/Transforms/ScheduledOps.h"

#include "tilewright/Layout/Shared.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright::tilegpu {

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

std::string tileText(ArrayRef<int64_t> shape, Type element) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (int64_t size : shape) {
    stream << size << 'x';
  }
  if (isa<tile::PtrType>(element)) {
    stream << "ptr";
  } else {
    stream << element;
  }
  return text;
}

static std::string tileText(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile ? tileText(tile.getShape(), tile.getElementType()) : tileText({}, type);
}

/// Whether the buffer has a layout that TMA writes and wgmma reads.
static bool hasNvmmaSwizzle(BufferType buffer, int swizzleBytes) {
  ArrayRef<int64_t> shape = buffer.getShape();
  int64_t bytes = buffer.getElementBytes();
  for (bool transposed : {false, true}) {
    bool fits = shape.size() == 2 && shape[transposed ? 0 : 1] * bytes >= swizzleBytes;
    if (fits && buffer.getLayout().getMap() ==
                    layout::nvmmaShared(layout::Shape(shape), static_cast<int>(8 * bytes), swizzleBytes, transposed)) {
      return true;
    }
  }
  return false;
}

std::string swizzleText(BufferType buffer) {
  for (int bytes : {128, 64, 32}) {
    if (hasNvmmaSwizzle(buffer, bytes)) {
      return std::to_string(bytes) + "-byte swizzle";
    }
  }
  bool isPlain = llvm::all_of(buffer.getLayout().getMap().columns(),
                              [](uint64_t column) { return column == 0 || llvm::isPowerOf2_64(column); });
  return isPlain ? "no swizzle" : "xor swizzle";
}

//===----------------------------------------------------------------------===//
// Dots
//===----------------------------------------------------------------------===//

static std::string operandText(Value operand, bool isTransposed) {
  auto buffer = dyn_cast<BufferType>(operand.getType());
  if (!buffer) {
    return "registers";
  }
  return "shared memory, " + swizzleText(buffer) + (isTransposed ? ", transposed" : "");
}

/// The columns that one instruction computes: those of a group's part, at most as many as an instruction can. Those of
/// a transposed result are its rows.
static int64_t columnsOf(GroupMmaOp op) {
  constexpr int64_t kMostColumns = 256;
  int along = op.getTransposedC() ? 0 : 1;
  const layout::LinearLayout &map = mapOf(op.getResult());
  int64_t groups = 1;
  for (int bit = 0; bit < map.inBits(layout::kWarp); ++bit) {
    groups *= map.basis(layout::kWarp, bit, layout::dimName(along)) != 0 ? 2 : 1;
  }
  return std::min(cast<RankedTensorType>(op.getType()).getDimSize(along) / groups, kMostColumns);
}

/// Batch, M, N and K.
static std::array<int64_t, 4> sizesOf(Type result, ArrayRef<int64_t> a) {
  ArrayRef<int64_t> c = cast<RankedTensorType>(result).getShape();
  return {c.size() == 3 ? c[0] : 1, c[c.size() - 2], c.back(), a.back()};
}

static ArrayRef<int64_t> shapeOf(Value operand) {
  auto buffer = dyn_cast<BufferType>(operand.getType());
  return buffer ? buffer.getShape() : cast<RankedTensorType>(operand.getType()).getShape();
}

static std::string sizesText(std::array<int64_t, 4> sizes) {
  auto [batch, m, n, k] = sizes;
  std::string matrix = std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
  return batch == 1 ? matrix : std::to_string(batch) + "x" + matrix;
}

static std::pair<std::string, DotInstructions> describe(GroupMmaOp op) {
  SmallVector<int64_t> a(shapeOf(op.getA()));
  if (op.getTransposedA()) {
    std::swap(a[0], a[1]);
  }
  auto sizes = sizesOf(op.getType(), a);
  const hardware::GroupMmaInstruction &row = *hardware::lookupGroupMma(op.getInstruction());
  int64_t columns = columnsOf(op);
  auto [shape, types] = op.getInstruction().split('k');
  DotInstructions dot;
  dot.unit = "wgmma";
  dot.instruction = (shape + "n" + Twine(columns) + "k" + types).str();
  dot.issued = sizes[1] * sizes[2] / (hardware::GroupMmaInstruction::kRows * columns) * (sizes[3] / row.k);
  dot.products = sizes[1] * sizes[2] * sizes[3];
  dot.elementBits = hardware::bitsOf(row.a);
  dot.a = operandText(op.getA(), op.getTransposedA());
  dot.b = operandText(op.getB(), op.getTransposedB() != op.getTransposedC());
  if (op.getTransposedC()) { // computes B^T A^T
    std::swap(dot.a, dot.b);
  }
  return {sizesText(sizes), dot};
}

static std::pair<std::string, DotInstructions> describe(MmaOp op) {
  auto sizes = sizesOf(op.getType(), shapeOf(op.getA()));
  auto [batch, m, n, k] = sizes;
  const hardware::MmaInstruction &row = *hardware::lookupMma(op.getInstruction());
  layout::MmaShape unit = row.shape;
  DotInstructions dot;
  dot.unit = "mma.sync";
  dot.products = batch * m * n * k;
  dot.elementBits = row.a().element == hardware::ElementType::F64 ? 0 : hardware::bitsOf(row.a().element);
  dot.instruction = op.getInstruction().str();
  dot.issued = batch * llvm::divideCeil(m, unit.m) * llvm::divideCeil(n, unit.n) * llvm::divideCeil(k, unit.k);
  dot.a = dot.b = "registers";
  return {sizesText(sizes), dot};
}

static std::pair<std::string, DotInstructions> describe(tile::DotOp op) {
  auto sizes = sizesOf(op.getType(), shapeOf(op.getA()));
  auto [batch, m, n, k] = sizes;
  DotInstructions dot;
  dot.unit = "fma";
  dot.issued = llvm::divideCeil(batch * m * n * k, threadsOf(op).lanes);
  dot.a = dot.b = "registers";
  return {sizesText(sizes), dot};
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

bool isShown(LoopLikeOpInterface loop) {
  return !isMemoryEffectFree(loop) || llvm::any_of(loop->getOperandTypes(), llvm::IsaPred<RankedTensorType>) ||
         loop->walk([&](Operation *op) {
               bool hasTile = llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
               return hasTile ? WalkResult::interrupt() : WalkResult::advance();
             })
             .wasInterrupted();
}

/// The kind and the tile of an operation that a report shows; an empty kind for others.
static std::pair<StringRef, std::string> kindOf(Operation *op, bool isAhead) {
  using Kind = std::pair<StringRef, std::string>;
  return llvm::TypeSwitch<Operation *, Kind>(op)
      .Case([&](tile::LoadOp load) { return Kind{isAhead ? "copy" : "load", tileText(load.getType())}; })
      .Case([](tile::StoreOp store) { return Kind{"store", tileText(store.getValue().getType())}; })
      .Case([](BoxStoreOp store) {
        BufferType buffer = store.getBuffer().getType();
        return Kind{store.getReduction() ? "box atomic" : "box store",
                    tileText(buffer.getShape(), buffer.getElementType())};
      })
      .Case<tile::AtomicRMWOp, tile::AtomicCASOp, tile::AtomicPollOp>(
          [](Operation *atomic) { return Kind{"atomic", tileText(atomic->getResult(0).getType())}; })
      .Case([](tile::ReduceOp reduce) { return Kind{"reduction", tileText(reduce->getOperand(0).getType())}; })
      .Case([](tile::ScanOp scan) { return Kind{"scan", tileText(scan->getOperand(0).getType())}; })
      .Case([](LocalLoadOp load) { return Kind{"shared load", tileText(load.getType())}; })
      .Case([&](LocalStoreOp store) {
        bool isCopy = isAhead && store.getSrc().getDefiningOp<tile::LoadOp>();
        return isCopy ? Kind() : Kind{"shared store", tileText(store.getSrc().getType())};
      })
      .Case([](LoopLikeOpInterface loop) { return isShown(loop) ? Kind{"loop", ""} : Kind(); })
      .Default([](Operation *) { return Kind(); });
}

static void add(std::vector<ScheduledOp> &ops, ScheduledOp op) {
  for (ScheduledOp &other : ops) {
    bool isSame = other.kind == op.kind && other.at == op.at && other.tile == op.tile && other.position == op.position;
    bool hasSameDot = other.dot.has_value() == op.dot.has_value() &&
                      (!op.dot || (other.dot->instruction == op.dot->instruction && other.dot->unit == op.dot->unit));
    if (isSame && hasSameDot) {
      other.count += op.count;
      return;
    }
  }
  ops.push_back(std::move(op));
}

/// The bytes of global memory that a load or a store accesses without a mask.
static int64_t globalBytes(Operation *op) {
  auto bytes = [](Type type) {
    auto tile = dyn_cast<RankedTensorType>(type);
    return (tile ? tile.getNumElements() : 1) * bytesOf(tile ? tile.getElementType() : type);
  };
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case([&](tile::LoadOp load) { return bytes(load.getType()); })
      .Case([&](tile::StoreOp store) { return bytes(store.getValue().getType()); })
      .Case([](BoxStoreOp store) { return store.getBuffer().getType().getBytes(); })
      .Default([](Operation *) { return 0; });
}

static void addOp(Operation *op, ScheduleAttr position, std::vector<ScheduledOp> &ops) {
  std::optional<std::pair<std::string, DotInstructions>> dot;
  llvm::TypeSwitch<Operation *>(op).Case<GroupMmaOp, MmaOp, tile::DotOp>(
      [&](auto product) { dot = describe(product); });
  if (dot) {
    return add(ops, {"dot", op->getLoc(), dot->first, position, dot->second});
  }
  auto [kind, tile] = kindOf(op, position && position.getStage() == 0);
  if (!kind.empty()) {
    add(ops, {kind.str(), op->getLoc(), tile, position, std::nullopt, 1, globalBytes(op)});
  }
}

std::vector<ScheduledOp> scheduledOpsOf(Block &body) {
  std::vector<ScheduledOp> ops;
  for (Operation &top : body) {
    auto position = top.getAttrOfType<ScheduleAttr>(TileGPUDialect::kScheduleAttr);
    top.walk<WalkOrder::PreOrder>([&](Operation *op) {
      addOp(op, position, ops);
      bool isLeaf = isa<LoopLikeOpInterface, tile::ReduceOp, tile::ScanOp>(op);
      return isLeaf ? WalkResult::skip() : WalkResult::advance();
    });
  }
  return ops;
}

} // namespace tilewright::tilegpu
