// Copies of boxes: which element of an array lands where in shared memory, and comes from where. The formulas are those
// of CUDA's documentation of tensor maps, written element by element.

#include "BoxSteps.h"

#include "tilewright/Layout/Shared.h"

#include <random>

namespace tilewright::emulator {
namespace {

using runtime::BoxFill;
using runtime::BoxSwizzle;
using runtime::DataType;
using runtime::TensorMap;

constexpr uint64_t kBox = 1024; // its offset in shared memory, behind the barrier

/// Runs a copy of one box, and gives the block's shared memory to `check` after the wait.
std::vector<Report> load(const TensorMap &map, const std::vector<int32_t> &at, CopyTime time,
                         const std::function<void(const unsigned char *)> &check) {
  Settings settings = everything();
  settings.copies = time;
  runtime::EncodedTensorMap encoded = encode(map);
  return runThreads(32, kBox + static_cast<int64_t>(map.boxBytes()), settings, [&](Thread &thread) {
    BoxSteps steps(thread);
    if (steps.index() == 0) {
      steps.init(1, 0);
      steps.fence(2);
      steps.expect(3, 0, map.boxBytes());
      steps.copy(4, kBox, encoded, at, 0);
      steps.wait(5, 0, 0);
      check(steps.shared() + kBox);
    }
  });
}

/// Stores a box whose bytes `fill` writes, or combines it with memory by the operation of this name.
std::vector<Report> store(const TensorMap &map, const std::vector<int32_t> &at, CopyTime time,
                          const std::function<void(unsigned char *)> &fill, const std::string &reduction = "") {
  Settings settings = everything();
  settings.copies = time;
  runtime::EncodedTensorMap encoded = encode(map);
  return runThreads(32, kBox + static_cast<int64_t>(map.boxBytes()), settings, [&](Thread &thread) {
    BoxSteps steps(thread);
    if (steps.index() == 0) {
      fill(steps.shared() + kBox);
      steps.write(1, kBox, static_cast<uint32_t>(map.boxBytes()));
      steps.fenceProxy(2);
      if (reduction.empty()) {
        steps.store(3, encoded, at, kBox);
      } else {
        steps.reduce(3, reduction, encoded, at, kBox);
      }
      steps.commit(4);
      steps.waitStores(5, 0);
    }
  });
}

uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}
float floatOf(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

void expectNone(const std::vector<Report> &reports) {
  for (const Report &report : reports) {
    ADD_FAILURE() << "line " << report.site << ": " << report.message;
  }
}

/// An array of elements that count from 1, with `rank` dimensions of random extents, and a box of it.
struct Case {
  TensorMap map;
  std::vector<unsigned char> bytes;
  std::vector<int32_t> at;

  Case(std::mt19937 &random, unsigned rank, DataType type, BoxSwizzle swizzle) {
    auto between = [&](int low, int high) { return low + static_cast<int>(random() % (high - low + 1)); };
    unsigned size = bytesOf(type), span = static_cast<unsigned>(swizzle);
    map.type = type;
    map.rank = rank;
    map.swizzle = swizzle;
    uint64_t total = 0;
    for (unsigned i = 0; i < rank; ++i) {
      map.extents[i] = between(1, i == 0 ? 100 : 5);
      map.box[i] = i == 0 ? (span ? span / size : 16 / size * between(1, 4)) : between(1, i == 1 ? 20 : 3);
      map.strides[i] = i == 0 ? 0 : total;
      uint64_t bytesOfDimension = i == 0 ? map.extents[0] * size : map.extents[i] * total;
      total = (bytesOfDimension + 15) / 16 * 16 + 16 * uint64_t(between(0, 2));
      at.push_back(between(-static_cast<int>(map.box[i]) - 1, static_cast<int>(map.extents[i]) + 1));
    }
    bytes.resize(total + 16);
    for (size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = static_cast<unsigned char>(random());
    }
    map.address = (reinterpret_cast<uint64_t>(bytes.data()) + 15) / 16 * 16;
  }

  /// Calls visit(offset in the box without the swizzle, address or null) for each element of the box. A store writes
  /// all elements of each 16 bytes of a line that has one in the array at its end.
  template <typename Visit> void forElements(bool isStore, Visit &&visit) const {
    int64_t size = bytesOf(map.type), width = map.box[0];
    for (int64_t number = 0; number < static_cast<int64_t>(map.boxBytes()) / size; ++number) {
      int64_t rest = number, address = static_cast<int64_t>(map.address);
      bool isInside = true;
      for (unsigned i = 0; i < map.rank; ++i) {
        int64_t place = rest % map.box[i], index = at[i] + place, end = static_cast<int64_t>(map.extents[i]);
        rest /= map.box[i];
        if (isStore && i == 0 && end > at[0]) {
          end = at[0] + std::min(((end - at[0]) * size + 15) / 16 * 16 / size, width);
          isInside &= at[0] + width > 0;
        }
        isInside &= index >= 0 && index < end;
        address += index * (i == 0 ? size : static_cast<int64_t>(map.strides[i]));
      }
      visit(static_cast<uint64_t>(number * size), isInside ? reinterpret_cast<unsigned char *>(address) : nullptr);
    }
  }

  /// From the definition of the swizzle, on bits of the address.
  uint64_t place(uint64_t offset) const {
    switch (map.swizzle) {
    case BoxSwizzle::None:
      return offset;
    case BoxSwizzle::Bytes32:
      return offset ^ (offset >> 7 & 1) << 4;
    case BoxSwizzle::Bytes64:
      return offset ^ (offset >> 7 & 3) << 4;
    case BoxSwizzle::Bytes128:
      return offset ^ (offset >> 7 & 7) << 4;
    }
    return 0;
  }
};

void forCases(const std::function<void(Case &, CopyTime)> &check) {
  std::mt19937 random(3);
  for (BoxSwizzle swizzle : {BoxSwizzle::None, BoxSwizzle::Bytes32, BoxSwizzle::Bytes64, BoxSwizzle::Bytes128}) {
    for (DataType type : {DataType::U8, DataType::FP16, DataType::FP32, DataType::FP64}) {
      for (unsigned rank = 1; rank <= TensorMap::kMaxRank; ++rank) {
        Case one(random, rank, type, swizzle);
        SCOPED_TRACE(describe(one.map));
        ASSERT_EQ(invalid(one.map), std::nullopt);
        check(one, rank % 2 ? CopyTime::Early : CopyTime::Late);
      }
    }
  }
}

TEST(Boxes, AreLoadedElementByElement) {
  int inside = 0, outside = 0;
  forCases([&](Case &one, CopyTime time) {
    uint64_t size = bytesOf(one.map.type);
    expectNone(load(one.map, one.at, time, [&](const unsigned char *box) {
      one.forElements(/*isStore=*/false, [&](uint64_t offset, const unsigned char *element) {
        unsigned char zeros[8] = {};
        ASSERT_EQ(std::memcmp(box + one.place(offset), element ? element : zeros, size), 0) << offset;
        ++(element ? inside : outside);
      });
    }));
  });
  EXPECT_GT(inside, 500);
  EXPECT_GT(outside, 1000);
}

TEST(Boxes, AreStoredElementByElement) {
  forCases([&](Case &one, CopyTime time) {
    std::vector<unsigned char> expected = one.bytes, box(one.map.boxBytes());
    uint64_t shift = reinterpret_cast<uint64_t>(one.bytes.data());
    std::mt19937 random(5);
    std::generate(box.begin(), box.end(), [&] { return static_cast<unsigned char>(random()); });
    one.forElements(/*isStore=*/true, [&](uint64_t offset, const unsigned char *element) {
      if (element) {
        uint64_t at = reinterpret_cast<uint64_t>(element) - shift;
        std::memcpy(expected.data() + at, box.data() + one.place(offset), bytesOf(one.map.type));
      }
    });
    expectNone(
        store(one.map, one.at, time, [&](unsigned char *shared) { std::memcpy(shared, box.data(), box.size()); }));
    EXPECT_EQ(one.bytes, expected);
  });
}

/// What the operation makes of two elements of four bytes.
uint32_t combined(const std::string &kind, DataType type, uint32_t old, uint32_t operand) {
  if (kind == "and") {
    return old & operand;
  }
  if (kind == "or") {
    return old | operand;
  }
  if (kind == "xor") {
    return old ^ operand;
  }
  return type == DataType::FP32 ? bitsOf(floatOf(old) + floatOf(operand)) : old + operand;
}

TEST(Boxes, AreReducedElementByElement) {
  for (const std::string kind : {"add", "and", "or", "xor"}) {
    forCases([&](Case &one, CopyTime time) {
      if (bytesOf(one.map.type) != 4) {
        return;
      }
      one.map.type = kind == "add" ? one.map.type : DataType::I32;
      std::vector<unsigned char> expected = one.bytes, box(one.map.boxBytes());
      uint64_t shift = reinterpret_cast<uint64_t>(one.bytes.data());
      std::mt19937 random(5);
      std::generate(box.begin(), box.end(), [&] { return static_cast<unsigned char>(random() % 64); }); // no NaN
      one.forElements(/*isStore=*/true, [&](uint64_t offset, const unsigned char *element) {
        if (element) {
          uint32_t old, operand;
          std::memcpy(&old, element, 4);
          std::memcpy(&operand, box.data() + one.place(offset), 4);
          uint32_t value = combined(kind, one.map.type, old, operand);
          std::memcpy(expected.data() + (reinterpret_cast<uint64_t>(element) - shift), &value, 4);
        }
      });
      expectNone(store(
          one.map, one.at, time, [&](unsigned char *shared) { std::memcpy(shared, box.data(), box.size()); }, kind));
      EXPECT_EQ(one.bytes, expected) << kind;
    });
  }
}

TEST(Boxes, AddHalvesAndSubnormalNumbers) {
  auto sum = [](DataType type, uint32_t old, uint32_t operand) {
    alignas(16) uint32_t memory[4] = {old, old, old, old};
    TensorMap map;
    map.type = type;
    map.rank = 1;
    map.address = reinterpret_cast<uint64_t>(memory);
    map.extents[0] = sizeof(memory) / bytesOf(type);
    map.box[0] = static_cast<uint32_t>(map.extents[0]);
    auto fill = [&](unsigned char *box) { std::fill_n(reinterpret_cast<uint32_t *>(box), 4, operand); };
    expectNone(store(map, {0}, CopyTime::Late, fill, "add"));
    EXPECT_EQ(memory[3], memory[0]);
    return memory[0];
  };
  EXPECT_EQ(sum(DataType::FP16, 0x3c004000, 0x40003c01), 0x42004200); // 1 + 2, and 2 + 1.001: a tie, to even
  EXPECT_EQ(sum(DataType::FP16, 0x00010001, 0x00010002), 0x00020003); // subnormal numbers
  EXPECT_EQ(sum(DataType::BF16, 0x3f804000, 0x40003f80), 0x40404040);
  EXPECT_EQ(sum(DataType::FP32, 1, 2), 3u); // subnormal numbers, unlike atom.add.f32
  EXPECT_EQ(sum(DataType::I32, 0xffffffff, 2), 1u);
}

TEST(Boxes, AreFilledWithNaN) {
  for (DataType type : {DataType::FP16, DataType::BF16, DataType::FP32, DataType::FP64}) {
    alignas(16) unsigned char bytes[64] = {};
    TensorMap map;
    map.type = type;
    map.rank = 1;
    map.address = reinterpret_cast<uint64_t>(bytes);
    map.extents[0] = 64 / bytesOf(type);
    map.box[0] = 32 / bytesOf(type);
    map.fill = BoxFill::NaN;
    // The first half of the box lies in front of the array.
    expectNone(load(map, {-16 / static_cast<int>(bytesOf(type))}, CopyTime::Late, [&](const unsigned char *box) {
      double wide;
      float single;
      std::memcpy(&wide, box, 8);
      std::memcpy(&single, box, 4);
      if (type == DataType::FP64) {
        EXPECT_NE(wide, wide);
      } else if (type == DataType::FP32) {
        EXPECT_NE(single, single);
      } else {
        unsigned exponent = type == DataType::FP16 ? 0x7c00 : 0x7f80, bits = box[0] | box[1] << 8;
        EXPECT_EQ(bits & exponent, exponent);
        EXPECT_NE(bits & ~exponent & 0x7fff, 0u);
      }
      EXPECT_EQ(std::vector<unsigned char>(box + 16, box + 32), std::vector<unsigned char>(16, 0));
    }));
  }
}

/// wgmma reads what `nvmmaShared` describes.
TEST(Boxes, LandWhereMatrixInstructionsReadThem) {
  constexpr int rows = 32;
  for (int span : {32, 64, 128}) {
    for (DataType type : {DataType::U8, DataType::FP16, DataType::FP32}) {
      int size = static_cast<int>(bytesOf(type)), columns = span / size;
      alignas(16) static unsigned char bytes[rows * 128];
      for (int i = 0; i < rows * span; ++i) {
        bytes[i] = static_cast<unsigned char>(i * 7 + i / 256);
      }
      TensorMap map;
      map.type = type;
      map.rank = 2;
      map.address = reinterpret_cast<uint64_t>(bytes);
      map.extents = {static_cast<uint64_t>(columns), rows};
      map.strides[1] = static_cast<uint64_t>(span);
      map.box = {static_cast<uint32_t>(columns), rows};
      map.swizzle = static_cast<BoxSwizzle>(span);
      layout::LinearLayout layout = layout::nvmmaShared({rows, columns}, 8 * size, span);
      expectNone(load(map, {0, 0}, CopyTime::Early, [&](const unsigned char *box) {
        for (int row = 0; row < rows; ++row) {
          for (int column = 0; column < columns; ++column) {
            int64_t place = layout::offsetOf({row, column}, layout) * size;
            ASSERT_EQ(std::memcmp(box + place, bytes + row * span + column * size, size), 0) << row << ", " << column;
          }
        }
      }));
    }
  }
}

/// A late copy completes although a thread could still run: it only waits.
TEST(Boxes, MayBePolledFor) {
  alignas(16) unsigned char bytes[256];
  std::memset(bytes, 7, sizeof bytes);
  TensorMap map;
  map.type = DataType::U8;
  map.rank = 1;
  map.address = reinterpret_cast<uint64_t>(bytes);
  map.extents[0] = map.box[0] = 256;
  runtime::EncodedTensorMap encoded = encode(map);
  Settings settings = everything();
  settings.maxSteps = 1000;
  for (uint64_t seed = 0; seed < 4; ++seed) {
    settings.seed = seed;
    expectNone(runThreads(64, kBox + 256, settings, [&](Thread &thread) {
      BoxSteps steps(thread);
      if (steps.index() == 0) {
        steps.init(1, 0);
        steps.fence(2);
      }
      steps.barrier(3);
      if (steps.index() == 0) {
        steps.expect(4, 0, 256);
        steps.copy(5, kBox, encoded, {0}, 0);
      }
      steps.poll(6, 0, 0);
      steps.read(7, kBox);
      EXPECT_EQ(steps.shared()[kBox + 255], 7);
    }));
  }
}

/// Extreme coordinates overflow nothing.
TEST(Boxes, MayBeFarOutside) {
  alignas(16) unsigned char bytes[64];
  std::memset(bytes, 1, sizeof bytes);
  TensorMap map;
  map.type = DataType::U8;
  map.rank = 2;
  map.address = reinterpret_cast<uint64_t>(bytes);
  map.extents = {16, 4};
  map.strides[1] = 16;
  map.box = {32, 2};
  for (int32_t far : {INT32_MIN, INT32_MAX}) {
    for (const std::vector<int32_t> &at : {std::vector<int32_t>{far, 0}, {0, far}, {far, far}}) {
      expectNone(load(map, at, CopyTime::Early, [&](const unsigned char *box) {
        EXPECT_EQ(std::vector<unsigned char>(box, box + 64), std::vector<unsigned char>(64, 0));
      }));
      expectNone(store(map, at, CopyTime::Late, [](unsigned char *box) { std::memset(box, 2, 64); }));
      EXPECT_EQ(std::vector<unsigned char>(bytes, bytes + 64), std::vector<unsigned char>(64, 1));
    }
  }
}

} // namespace
} // namespace tilewright::emulator
