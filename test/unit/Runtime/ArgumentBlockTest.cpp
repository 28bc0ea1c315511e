#include "tilewright/Runtime/ArgumentBlock.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

namespace tilewright::runtime {
namespace {

struct alignas(64) TensorMap {
  uint8_t bytes[128];
};

TensorMap makeMap(uint8_t first) {
  TensorMap map;
  std::iota(std::begin(map.bytes), std::end(map.bytes), first);
  return map;
}

bool isAligned(const void *address, size_t bytes) { return reinterpret_cast<uintptr_t>(address) % bytes == 0; }

TEST(ArgumentBlockTest, HoldsSlotsInOrder) {
  ArgumentBlock block;
  for (uint64_t i = 0; i < 100; ++i) {
    block.push_back(3 * i);
    EXPECT_TRUE(isAligned(block.data(), 64));
  }
  ASSERT_EQ(block.size(), 100u);
  for (uint64_t i = 0; i < 100; ++i) {
    EXPECT_EQ(block[i], 3 * i);
  }
  EXPECT_EQ(block.leaves().size(), 100u);
}

TEST(ArgumentBlockTest, AlignsStructures) {
  // For each number of slots before the structure, on the stack and on the heap.
  for (size_t before = 0; before < 70; ++before) {
    ArgumentBlock block;
    for (size_t i = 0; i < before; ++i) {
      block.push_back(i + 1);
    }
    TensorMap map = makeMap(static_cast<uint8_t>(before));
    block.append(&map, sizeof(map), alignof(TensorMap));
    block.push_back(99);
    ASSERT_EQ(block.structures().size(), 1u);
    size_t slot = block.structures()[0].slot;
    EXPECT_EQ(slot, (before + 7) / 8 * 8);
    EXPECT_EQ(block.structures()[0].slots, 16u);
    EXPECT_TRUE(isAligned(&block[slot], 64));
    EXPECT_EQ(std::memcmp(&block[slot], &map, sizeof(map)), 0);
    EXPECT_EQ(block[slot + 16], 99u);
    EXPECT_EQ(block.size(), slot + 17);
    for (size_t i = 0; i < before; ++i) {
      EXPECT_EQ(block[i], i + 1);
    }
    std::vector<size_t> leaves = block.leaves();
    ASSERT_EQ(leaves.size(), before + 2);
    EXPECT_EQ(leaves[before], slot);
    EXPECT_EQ(leaves[before + 1], slot + 16);
  }
}

TEST(ArgumentBlockTest, PutsSmallStructuresSideBySide) {
  ArgumentBlock block;
  uint64_t pair[] = {1, 2};
  block.append(pair, 16, 8);
  block.append(pair, 16, 16);
  block.append(pair, 16, 8);
  EXPECT_EQ(block.size(), 6u);
  EXPECT_EQ(block.leaves(), (std::vector<size_t>{0, 2, 4}));
}

TEST(ArgumentBlockTest, HiddenSlotsPrecedeTheArguments) {
  for (size_t hidden : {0, 1, 7, 8, 65}) {
    ArgumentBlock first;
    TensorMap map = makeMap(5);
    first.push_back(42);
    first.append(&map, sizeof(map), 64);
    ArgumentBlock block(first, hidden);
    for (size_t i = 0; i < hidden; ++i) {
      EXPECT_EQ(block.hidden(i), 0u);
      block.hidden(i) = 1000 + i;
    }
    EXPECT_TRUE(isAligned(block.data(), 64));
    EXPECT_EQ(block[0], 42u);
    EXPECT_EQ(std::memcmp(&block[8], &map, sizeof(map)), 0);
    EXPECT_EQ(block.leaves(), (std::vector<size_t>{0, 8}));
    for (size_t i = 0; i < hidden; ++i) {
      EXPECT_EQ(block.data()[-1 - static_cast<ptrdiff_t>(i)], 1000 + i);
    }
  }
}

TEST(ArgumentBlockTest, RejectsWhatItCannotHold) {
  EXPECT_TRUE(ArgumentBlock::canHold(128, 64));
  EXPECT_TRUE(ArgumentBlock::canHold(64, 64));
  EXPECT_TRUE(ArgumentBlock::canHold(8, 8));
  EXPECT_FALSE(ArgumentBlock::canHold(0, 8));
  EXPECT_FALSE(ArgumentBlock::canHold(136, 8));
  EXPECT_FALSE(ArgumentBlock::canHold(192, 64));
  EXPECT_FALSE(ArgumentBlock::canHold(96, 64));
  EXPECT_FALSE(ArgumentBlock::canHold(12, 4));
  EXPECT_FALSE(ArgumentBlock::canHold(128, 128));
  EXPECT_FALSE(ArgumentBlock::canHold(24, 24));
  EXPECT_FALSE(ArgumentBlock::canHold(8, 0));
}

} // namespace
} // namespace tilewright::runtime
