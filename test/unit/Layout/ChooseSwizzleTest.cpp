#include "tilewright/Layout/ChooseSwizzle.h"

#include "tilewright/Layout/Shared.h"

#include "Samples.h"
#include "Simulation.h"

#include "gtest/gtest.h"

namespace tilewright::layout {
namespace {

/// Register bits of both layouts: vectors of these can be free of conflicts.
int64_t commonVector(const LinearLayout &left, const LinearLayout &right, int elementBits) {
  int64_t elements = 1;
  Columns registers = right.columnsOf(kRegister);
  for (uint64_t column : left.columnsOf(kRegister)) {
    bool isCommon = std::count(registers.begin(), registers.end(), column) != 0;
    elements *= isCommon && 2 * elements * elementBits <= 128 ? 2 : 1;
  }
  return elements;
}

/// Wavefronts of a layout's accesses without conflicts.
int64_t wavefrontsWithout(const LinearLayout &layout, int64_t vector, int elementBits) {
  return layout.inSize(kRegister) / vector * std::max<int64_t>(1, vector * elementBits / 32);
}

/// Every element has its own offset, the costs match the simulated hardware, and are no more than those of
/// conflict-free vectors of `vector` elements.
void expectGood(const LinearLayout &write, const LinearLayout &read, int elementBits, bool isUnit) {
  SwizzleChoice choice = chooseSwizzle(write, read, elementBits, kNvidiaBanks);
  ASSERT_TRUE(choice.shared.isInjective());
  LinearLayout from = dropRepeatedRegisters(write), to = dropRepeatedRegisters(read);
  LinearLayout writeOffsets = offsetsOf(from, choice.shared), readOffsets = offsetsOf(to, choice.shared);
  for (uint64_t x = 0; x < uint64_t(1) << writeOffsets.totalInBits(); ++x) {
    ASSERT_EQ(choice.shared.apply(writeOffsets.apply(x)), from.apply(x));
  }
  for (uint64_t x = 0; x < uint64_t(1) << readOffsets.totalInBits(); ++x) {
    ASSERT_EQ(choice.shared.apply(readOffsets.apply(x)), to.apply(x));
  }
  EXPECT_EQ(simulateAccesses(writeOffsets, choice.writeVector, elementBits).first, choice.write.wavefronts);
  EXPECT_EQ(simulateAccesses(readOffsets, choice.readVector, elementBits).first, choice.read.wavefronts);
  int64_t vector = isUnit ? commonVector(from, to, elementBits) : 1;
  EXPECT_LE(choice.total(), wavefrontsWithout(from, vector, elementBits) + wavefrontsWithout(to, vector, elementBits));
}

TEST(ChooseSwizzle, commonPairsCostNoConflicts) {
  for (int elementBits : {8, 16, 32, 64}) {
    std::vector<LinearLayout> layouts = commonLayouts(std::min(elementBits, 32));
    for (size_t i = 0; i < layouts.size(); i += 2) {
      for (size_t j = i % 3; j < layouts.size(); j += 3) {
        expectGood(layouts[i], layouts[j], elementBits, true);
        ASSERT_FALSE(testing::Test::HasFailure()) << layouts[i].toString() << layouts[j].toString() << elementBits;
      }
    }
  }
}

TEST(ChooseSwizzle, randomPairsCostNoConflicts) {
  Random random(14);
  for (int trial = 0; trial < 300; ++trial) {
    int elementBits = 8 << random() % 4;
    LinearLayout write = randomDistributed(random, 5, 5, 5, 2, trial % 2, trial % 3);
    LinearLayout read = randomDistributed(random, 5, 5, 5, 2, trial % 2, trial % 4);
    expectGood(write, read, elementBits, trial % 2);
    ASSERT_FALSE(testing::Test::HasFailure()) << write.toString() << read.toString() << elementBits;
  }
}

TEST(ChooseSwizzle, aTransposeIsWideOnOneSide) {
  LinearLayout rows = blocked({64, 64}, {{1, 8}, {4, 8}, {4, 1}, {1, 0}});
  LinearLayout columns = blocked({64, 64}, {{8, 1}, {8, 4}, {1, 4}, {0, 1}});
  SwizzleChoice choice = chooseSwizzle(rows, columns, 16, kNvidiaBanks);
  EXPECT_EQ(choice.writeVector.elements(), 8);
  EXPECT_EQ(choice.write.total(), 4 * 4);
  EXPECT_EQ(choice.read.total(), 32);
}

TEST(ChooseSwizzle, sameVectorsAreUsedByBoth) {
  LinearLayout wide = blocked({64, 64}, {{1, 8}, {4, 8}, {4, 1}, {1, 0}});
  LinearLayout tall = blocked({64, 64}, {{1, 8}, {32, 1}, {1, 4}, {1, 0}});
  SwizzleChoice choice = chooseSwizzle(wide, tall, 16, kNvidiaBanks);
  EXPECT_EQ(choice.writeVector.elements(), 8);
  EXPECT_EQ(choice.readVector.elements(), 8);
  EXPECT_EQ(choice.total(), 2 * 64 * 64 * 2 / 128 / 4); // 128 bytes a wavefront, per warp
}

TEST(ChooseSwizzle, eachBlockOfAClusterHasItsOwn) {
  LinearLayout write = splitOverBlocks(blocked({32, 32}, {{1, 4}, {4, 8}, {4, 1}, {1, 0}}), {2, 1}, {1, 0});
  LinearLayout read = splitOverBlocks(blocked({32, 32}, {{4, 1}, {8, 4}, {4, 1}, {0, 1}}), {2, 1}, {1, 0});
  SwizzleChoice choice = chooseSwizzle(write, read, 32, kNvidiaBanks);
  EXPECT_EQ(choice.shared.inSize(kOffset), 32 * 32);
  EXPECT_TRUE(choice.write.isConflictFree() && choice.read.isConflictFree());
}

} // namespace
} // namespace tilewright::layout
