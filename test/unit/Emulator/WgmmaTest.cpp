// Compares wgmma with matmuls that are computed by loops. Matrices in shared memory are placed by the canonical layouts
// of the PTX ISA, 9.7.15.5.1. Elements are small integers, so that every sum is exact.

#include "MmaTypes.h"
#include "ThreadCode.h"

#include "tilewright/Emulator/Wgmma.h"
#include "tilewright/Layout/Shared.h"

#include <random>
#include <string>

namespace tilewright::emulator {
namespace {

constexpr int kThreads = 128, kM = 64, kMostDepth = 64;
constexpr int64_t kSharedBytes = 160 << 10, kPlaceOfB = 64 << 10;

struct Types {
  const char *name; // the end of the row's
  int k;
  Type a, b, c;

  std::string row() const { return "wgmma.mma_async.sync.aligned.m64nNk" + std::to_string(k) + "." + name; }
  int elementBytes() const { return 32 / k; }
  int perWordC() const { return c == Type::F16 ? 2 : 1; }
};

const Types kTypes[] = {
    {"f32.f16.f16", 16, Type::F16, Type::F16, Type::F32},     {"f16.f16.f16", 16, Type::F16, Type::F16, Type::F16},
    {"f32.bf16.bf16", 16, Type::BF16, Type::BF16, Type::F32}, {"f32.tf32.tf32", 8, Type::TF32, Type::TF32, Type::F32},
    {"f32.e4m3.e4m3", 32, Type::E4M3, Type::E4M3, Type::F32}, {"f32.e4m3.e5m2", 32, Type::E4M3, Type::E5M2, Type::F32},
    {"f32.e5m2.e4m3", 32, Type::E5M2, Type::E4M3, Type::F32}, {"f32.e5m2.e5m2", 32, Type::E5M2, Type::E5M2, Type::F32},
    {"f16.e4m3.e4m3", 32, Type::E4M3, Type::E4M3, Type::F16}, {"f16.e4m3.e5m2", 32, Type::E4M3, Type::E5M2, Type::F16},
    {"f16.e5m2.e4m3", 32, Type::E5M2, Type::E4M3, Type::F16}, {"f16.e5m2.e5m2", 32, Type::E5M2, Type::E5M2, Type::F16},
    {"s32.s8.s8", 32, Type::S8, Type::S8, Type::S32},         {"s32.s8.u8", 32, Type::S8, Type::U8, Type::S32},
    {"s32.u8.s8", 32, Type::U8, Type::S8, Type::S32},         {"s32.u8.u8", 32, Type::U8, Type::U8, Type::S32},
};

//===----------------------------------------------------------------------===//
// Matrices in shared memory
//===----------------------------------------------------------------------===//

/// A swizzle's code in a descriptor, and its size; 16 bytes: none.
struct SwizzleMode {
  uint64_t code;
  int bytes;
};
constexpr SwizzleMode kSwizzles[] = {{0, 16}, {1, 128}, {2, 64}, {3, 32}};

uint64_t descriptorOf(uint64_t start, uint64_t leading, uint64_t stride, SwizzleMode swizzle) {
  return start >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | swizzle.code << 62;
}

/// An extent of a layout, and the distance of its elements in bytes.
struct Mode {
  int extent, stride;
};
using Modes = std::vector<Mode>;

int offsetIn(const Modes &modes, int index) {
  int offset = 0;
  for (const Mode &mode : modes) {
    offset += index % mode.extent * mode.stride;
    index /= mode.extent;
  }
  return offset;
}

/// A canonical layout with gaps between its parts, which the descriptor's offsets span.
struct Placement {
  Modes mn, k;
  uint64_t leading, stride;
  SwizzleMode swizzle;
  uint64_t start;

  Placement(SwizzleMode swizzle, bool isTransposed, int elementBytes, uint64_t start) : swizzle(swizzle), start(start) {
    constexpr int kRest = 1 << 20;
    int size = elementBytes, perChunk = 16 / size, width = swizzle.bytes;
    bool isPlain = swizzle.bytes == 16;
    if (!isTransposed) {
      leading = isPlain ? 20480 : 0x3fff0; // not used with a swizzle
      stride = 8 * width + 1024 * (isPlain ? 0 : 1) + (isPlain ? 256 : 0);
      mn = {{8, width}, {kRest, static_cast<int>(stride)}};
      k = {{perChunk, size}, {kRest, isPlain ? static_cast<int>(leading) : 16}};
      return;
    }
    leading = isPlain ? 20480 : 3072;
    stride = isPlain ? 256 : 13312;
    mn = {{width / size, size}, {kRest, static_cast<int>(isPlain ? stride : leading)}};
    k = {{8, width}, {kRest, static_cast<int>(isPlain ? leading : stride)}};
  }

  int64_t addressOf(int row, int depth) const {
    int64_t address = static_cast<int64_t>(start) + offsetIn(mn, row) + offsetIn(k, depth);
    return swizzle.bytes == 16 ? address : address ^ ((address / 128 % (swizzle.bytes / 16)) * 16);
  }
  uint64_t descriptor() const { return descriptorOf(start, leading, stride, swizzle); }
};

//===----------------------------------------------------------------------===//
// Executing
//===----------------------------------------------------------------------===//

struct Form {
  bool registersA = false, transposedA = false, transposedB = false, accumulates = true;
  int signA = 1, signB = 1;

  uint64_t bits() const {
    return (registersA ? wgmma::kRegistersA : 0) | (transposedA ? wgmma::kTransposedA : 0) |
           (transposedB ? wgmma::kTransposedB : 0) | (signA < 0 ? wgmma::kNegatedA : 0) |
           (signB < 0 ? wgmma::kNegatedB : 0);
  }
};

/// The matrices of a product, and the operands of each thread.
struct Product {
  Types types;
  int n;
  Form form;
  int a[kM][kMostDepth], b[wgmma::kMostN][kMostDepth], c[kM][wgmma::kMostN];
  std::vector<unsigned char> shared = std::vector<unsigned char>(kSharedBytes, 0xee);
  uint64_t matrixA = 0, matrixB = 0;

  Product(const Types &types, int n, const Form &form, int depth = 0) : types(types), n(n), form(form) {
    std::mt19937 random(n * 31 + types.k);
    auto fill = [&](auto &matrix, int rows, int columns, Type type) {
      for (int row = 0; row < rows; ++row) {
        for (int column = 0; column < columns; ++column) {
          int value = static_cast<int>(random() % 7) - 3;
          matrix[row][column] = type == Type::S8   ? static_cast<int8_t>(random())
                                : type == Type::U8 ? static_cast<uint8_t>(random())
                                                   : value;
        }
      }
    };
    fill(a, kM, depth ? depth : types.k, types.a);
    fill(b, n, depth ? depth : types.k, types.b);
    fill(c, kM, n, types.c);
  }

  void place(int64_t address, Type type, int value) {
    ASSERT_LE(address + types.elementBytes(), kSharedBytes);
    uint64_t bits = bitsOf(type, value);
    std::memcpy(&shared[address], &bits, types.elementBytes());
  }
  void place(const Placement &placeA, const Placement &placeB) {
    for (int depth = 0; depth < types.k; ++depth) {
      for (int row = 0; row < kM && !form.registersA; ++row) {
        place(placeA.addressOf(row, depth), types.a, a[row][depth]);
      }
      for (int column = 0; column < n; ++column) {
        place(placeB.addressOf(column, depth), types.b, b[column][depth]);
      }
    }
    matrixA = placeA.descriptor();
    matrixB = placeB.descriptor();
  }

  int registers() const { return n / 2 / types.perWordC(); }

  /// Register `word` of A of a thread, from the figures of 9.7.15.5.1.1.
  uint64_t wordOfA(int thread, int word) const {
    int perWord = 4 / types.elementBytes(), lane = thread % 32;
    int row = thread / 32 * 16 + lane / 4 + word % 2 * 8;
    uint64_t slot = 0;
    for (int part = 0; part < perWord; ++part) {
      int depth = word / 2 * 4 * perWord + lane % 4 * perWord + part;
      slot |= bitsOf(types.a, a[row][depth]) << part * (32 / perWord);
    }
    return slot;
  }

  /// The accumulators of a thread, from the figures of D.
  Slots accumulators(int thread) const {
    Slots slots(registers());
    for (int i = 0; i < n / 2; ++i) {
      int lane = thread % 32, row = thread / 32 * 16 + lane / 4 + i / 2 % 2 * 8;
      int column = i / 4 * 8 + lane % 4 * 2 + i % 2;
      slots[i / types.perWordC()] |= bitsOf(types.c, c[row][column]) << (types.perWordC() == 2 ? i % 2 * 16 : 0);
    }
    return slots;
  }

  Slots operands(int thread, uint64_t base) const {
    uint64_t window = base % (1 << 18) >> 4;
    Slots slots = {
        static_cast<uint64_t>(n), form.bits(), form.accumulates, matrixB + window, matrixA + window, 0, 0, 0};
    for (int word = 0; word < wgmma::kWordsOfA && form.registersA; ++word) {
      slots[wgmma::kA + word] = wordOfA(thread, word);
    }
    Slots more = accumulators(thread);
    slots.insert(slots.end(), more.begin(), more.end());
    return slots;
  }

  /// The registers of all threads after the wgmma.
  std::vector<Slots> execute(std::vector<Report> &reports) const {
    std::vector<Slots> in(kThreads), out(kThreads, Slots(registers(), 0x123456789));
    std::string row = types.row();
    reports = runThreads(kThreads, kSharedBytes, {}, [&](Thread &thread) {
      if (thread.index == 0) {
        std::copy(shared.begin(), shared.end(), thread.shared);
      }
      in[thread.index] = operands(static_cast<int>(thread.index), reinterpret_cast<uint64_t>(thread.shared));
      perform(thread, row.c_str(), 1, in[thread.index].data(), out[thread.index].data());
    });
    return out;
  }

  /// Computes the result in `c`, of the part of A and B that starts at `begin`.
  void multiply(int begin = 0) {
    for (int row = 0; row < kM; ++row) {
      for (int column = 0; column < n; ++column) {
        int64_t sum = form.accumulates ? c[row][column] : 0;
        for (int depth = begin; depth < begin + types.k; ++depth) {
          sum += int64_t(form.signA * form.signB) * a[row][depth] * b[column][depth];
        }
        c[row][column] = static_cast<int>(sum);
      }
    }
  }
};

void expectProduct(Product &product, int begin = 0) {
  std::vector<Report> reports;
  std::vector<Slots> results = product.execute(reports);
  EXPECT_TRUE(reports.empty()) << reports.front().message;
  product.multiply(begin);
  for (int thread = 0; thread < kThreads; ++thread) {
    ASSERT_EQ(results[thread], product.accumulators(thread)) << "thread " << thread;
  }
}

void expectProduct(const Types &types, int n, const Form &form, SwizzleMode a, SwizzleMode b) {
  SCOPED_TRACE(types.row() + " n=" + std::to_string(n) + " form " + std::to_string(form.bits()) + " swizzles " +
               std::to_string(a.bytes) + ", " + std::to_string(b.bytes));
  auto product = std::make_unique<Product>(types, n, form);
  product->place({a, form.transposedA, types.elementBytes(), 0},
                 {b, form.transposedB, types.elementBytes(), kPlaceOfB});
  expectProduct(*product);
}

TEST(Wgmma, MultipliesEveryType) {
  for (const Types &types : kTypes) {
    for (int n : {8, 16, 24, 64, 96, 128, 256}) {
      expectProduct(types, n, {}, kSwizzles[1], kSwizzles[1]);
      expectProduct(types, n, {.registersA = true}, kSwizzles[1], kSwizzles[1]);
    }
  }
}

TEST(Wgmma, ReadsEveryLayout) {
  for (const Types &types : {kTypes[0], kTypes[2], kTypes[3], kTypes[4], kTypes[12]}) {
    int mostMajors = types.elementBytes() == 2 ? 2 : 1;
    for (int majors = 0; majors < mostMajors * mostMajors; ++majors) {
      for (SwizzleMode a : kSwizzles) {
        for (SwizzleMode b : kSwizzles) {
          expectProduct(types, 96, {.transposedA = majors % 2 == 1, .transposedB = majors / 2 == 1}, a, b);
        }
      }
    }
  }
}

TEST(Wgmma, TransposesBWhileAIsInRegisters) {
  for (SwizzleMode b : kSwizzles) {
    expectProduct(kTypes[0], 136, {.registersA = true, .transposedB = true}, b, b);
  }
}

TEST(Wgmma, IgnoresAccumulators) {
  for (const Types &types : kTypes) {
    expectProduct(types, 40, {.accumulates = false}, kSwizzles[1], kSwizzles[2]);
  }
}

TEST(Wgmma, NegatesOperands) {
  for (const Types &types : {kTypes[0], kTypes[1], kTypes[2], kTypes[3], kTypes[5]}) {
    expectProduct(types, 16, {.signA = -1}, kSwizzles[1], kSwizzles[1]);
    expectProduct(types, 16, {.signB = -1}, kSwizzles[1], kSwizzles[1]);
    expectProduct(types, 16, {.registersA = true, .signA = -1, .signB = -1}, kSwizzles[1], kSwizzles[1]);
  }
}

/// The tiles that the compiler stores, 64 deep, of which the descriptors select 16.
TEST(Wgmma, ReadsSlicesOfTheCompilersLayouts) {
  constexpr int kDepth = 64, kN = 128;
  for (SwizzleMode swizzle : kSwizzles) {
    for (bool isTransposed : {false, true}) {
      for (int begin = 0; begin < kDepth; begin += 16) {
        SCOPED_TRACE(std::to_string(swizzle.bytes) + " at " + std::to_string(begin));
        Form form = {.transposedA = isTransposed, .transposedB = isTransposed};
        auto product = std::make_unique<Product>(kTypes[0], kN, form, kDepth);
        auto place = [&](auto &matrix, int rows, int64_t at) {
          layout::LinearLayout tile = layout::nvmmaShared({rows, kDepth}, 16, swizzle.bytes, isTransposed);
          for (int64_t offset = 0; offset < rows * kDepth; ++offset) {
            auto point = tile({offset});
            product->place(at + offset * 2, Type::F16, matrix[point[0]][point[1]]);
          }
          uint64_t width = swizzle.bytes, column = (isTransposed ? kDepth : rows) * width;
          uint64_t start = isTransposed ? begin * width : begin * 2 / width * column + begin * 2 % width;
          uint64_t leading = column, stride = 8 * width;
          return descriptorOf(at + start, isTransposed && width == 16 ? stride : leading,
                              isTransposed && width == 16 ? leading : stride, swizzle);
        };
        product->matrixA = place(product->a, kM, 0);
        product->matrixB = place(product->b, kN, kPlaceOfB);
        expectProduct(*product, begin);
      }
    }
  }
}

TEST(WgmmaTable, HasATestOfEveryProduct) {
  for (const Instruction *row : instructions()) {
    if (std::string_view(row->name).substr(0, 16) == "wgmma.mma_async.") {
      EXPECT_TRUE(std::any_of(std::begin(kTypes), std::end(kTypes), [&](const Types &types) {
        return row->name == types.row();
      })) << row->name;
    }
  }
}

} // namespace
} // namespace tilewright::emulator
