#include "tilewright/Layout/Table.h"

#include "tilewright/Layout/Shared.h"

#include "Samples.h"

#include "gtest/gtest.h"

namespace tilewright::layout {
namespace {

LinearLayout squares() { return blocked({4, 4}, {{2, 2}, {2, 2}, {1, 1}, {1, 0}}); }

TEST(Table, threads) {
  EXPECT_EQ(threadTable(squares()), "    r0   r1   r2   r3\n"
                                    "T0  0,0  0,1  1,0  1,1\n"
                                    "T1  0,2  0,3  1,2  1,3\n"
                                    "T2  2,0  2,1  3,0  3,1\n"
                                    "T3  2,2  2,3  3,2  3,3\n");
}

TEST(Table, tile) {
  EXPECT_EQ(tileTable(squares()), "   0     1     2     3\n"
                                  "0  T0:0  T0:1  T1:0  T1:1\n"
                                  "1  T0:2  T0:3  T1:2  T1:3\n"
                                  "2  T2:0  T2:1  T3:0  T3:1\n"
                                  "3  T2:2  T2:3  T3:2  T3:3\n");
}

TEST(Table, copiesAreCounted) {
  EXPECT_EQ(tileTable(blocked({1, 2}, {{1, 1}, {1, 4}, {1, 2}, {1, 0}})), "   0       1\n"
                                                                          "0  T0:0+3  T1:0+3\n");
}

TEST(Table, blocksAndLeadingDimensions) {
  LinearLayout layout =
      splitOverBlocks(blocked({1, 1, 2}, {{1, 1, 1}, {1, 1, 2}, {1, 1, 1}, {2, 1, 0}}), {2, 1, 1}, {2, 1, 0});
  EXPECT_EQ(tileTable(layout), "at 0,0,0\n"
                               "   0        1\n"
                               "0  B0.T0:0  B0.T1:0\n"
                               "at 1,0,0\n"
                               "   0        1\n"
                               "0  B1.T0:0  B1.T1:0\n");
}

TEST(Table, shared) {
  LinearLayout layout = swizzled({2, 4}, {1, 0}, {2, 1, 2});
  EXPECT_EQ(offsetTable(layout, 4), "   0    1    2    3\n"
                                    "0  0,0  0,1  0,2  0,3\n"
                                    "4  1,2  1,3  1,0  1,1\n");
  EXPECT_EQ(tileTable(layout), "   0  1  2  3\n"
                               "0  0  1  2  3\n"
                               "1  6  7  4  5\n");
}

} // namespace
} // namespace tilewright::layout
