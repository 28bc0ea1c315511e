#include "tilewright/Layout/BankConflicts.h"

#include "tilewright/Layout/Shared.h"

#include "Samples.h"
#include "Simulation.h"

#include "gtest/gtest.h"

namespace tilewright::layout {
namespace {

void expectSimulated(const LinearLayout &offsets, const VectorAccess &access, int elementBits) {
  AccessCost cost = costOfAccess(offsets, access, elementBits, kNvidiaBanks);
  auto [most, fewest] = simulateAccesses(offsets, access, elementBits);
  EXPECT_EQ(cost.wavefronts, most);
  EXPECT_EQ(cost.wavefronts, fewest) << "every access costs the same";
  EXPECT_EQ(cost.isConflictFree(), most == cost.best);
}

TEST(BankConflicts, columnsOfARowMajorTile) {
  LinearLayout rowMajor = swizzled({32, 32}, {1, 0});
  LinearLayout rows = blocked({32, 32}, {{1, 1}, {1, 32}, {1, 1}, {1, 0}});
  LinearLayout columns = blocked({32, 32}, {{1, 1}, {32, 1}, {1, 1}, {1, 0}});
  EXPECT_EQ(costOfAccess(offsetsOf(rows, rowMajor), {}, 32, kNvidiaBanks).wavefronts, 1);
  EXPECT_EQ(costOfAccess(offsetsOf(columns, rowMajor), {}, 32, kNvidiaBanks).wavefronts, 32);
  LinearLayout xored = swizzled({32, 32}, {1, 0}, {1, 1, 32});
  EXPECT_EQ(costOfAccess(offsetsOf(columns, xored), {}, 32, kNvidiaBanks).wavefronts, 1);
  EXPECT_EQ(costOfAccess(offsetsOf(columns, xored), {}, 32, kNvidiaBanks).accesses, 32);
}

TEST(BankConflicts, lanesOfOneWordShareIt) {
  LinearLayout same =
      LinearLayout::fromBases({{"register", {}}, {"lane", {{0}, {0}, {0}, {0}, {0}}}, {"warp", {}}}, {{"offset", 5}});
  EXPECT_EQ(costOfAccess(same, {}, 32, kNvidiaBanks).wavefronts, 1);
}

TEST(BankConflicts, simulatedOnCommonLayouts) {
  for (int elementBits : {8, 16, 32}) {
    for (const LinearLayout &layout : commonLayouts(elementBits)) {
      for (const Swizzle &swizzle : {Swizzle{}, Swizzle{8, 1, 8}, Swizzle{4, 2, 4}, Swizzle{1, 1, 32}}) {
        LinearLayout offsets = offsetsOf(layout, swizzled({64, 64}, {1, 0}, swizzle));
        for (int64_t widest = 1; widest <= 128 / elementBits; widest *= 2) {
          expectSimulated(offsets, widestAccess(offsets, kOffset, widest), elementBits);
        }
      }
    }
  }
}

TEST(BankConflicts, simulatedOnRandomAddresses) {
  Random random(13);
  for (int trial = 0; trial < 1000; ++trial) {
    const SharedMemoryBanks &memory = trial < 500 ? kNvidiaBanks : kAmdBanks;
    int laneBits = log2Exact(memory.lanes);
    int elementBits = 8 << random() % 4, vectorBits = static_cast<int>(random() % (trial % 2 ? 2 : 1));
    Columns columns = {1, 2};
    for (uint64_t column : randomColumns(random, laneBits + 1, 10 - vectorBits)) {
      columns.push_back(column << vectorBits);
    }
    LinearLayout offsets({{"register", 2}, {"lane", laneBits}, {"warp", 1}}, {{"offset", 10}}, columns);
    VectorAccess access;
    if (vectorBits == 1) {
      access.registerBits = {0};
    }
    AccessCost cost = costOfAccess(offsets, access, elementBits, memory);
    std::vector<int64_t> addresses;
    for (int64_t lane = 0; lane < memory.lanes; ++lane) {
      addresses.push_back(offsets({0, lane, 0})[0] * elementBits / 8);
    }
    EXPECT_EQ(cost.wavefronts, simulateWavefronts(addresses, access.elements() * elementBits / 8));
  }
}

} // namespace
} // namespace tilewright::layout
