#include "tilewright/Runtime/Grid.h"

#include "gtest/gtest.h"

using namespace tilewright::runtime;

TEST(Grid, CountsPrograms) {
  auto grid = Grid::make({2, 3, 5});
  ASSERT_TRUE(grid);
  EXPECT_EQ(grid->programs, 30);
}

TEST(Grid, LimitOfAnAxis) {
  EXPECT_TRUE(Grid::make({INT32_MAX, 1, 1}));
  EXPECT_FALSE(Grid::make({int64_t(INT32_MAX) + 1, 1, 1}));
  EXPECT_FALSE(Grid::make({1, -1, 1}));
}

TEST(Grid, LimitOfTheProduct) {
  EXPECT_TRUE(Grid::make({INT32_MAX, INT32_MAX, 1}));
  EXPECT_TRUE(Grid::make({INT32_MAX, INT32_MAX, 2}));
  EXPECT_FALSE(Grid::make({INT32_MAX, INT32_MAX, 3}));
}

TEST(Grid, ZeroIsAnEmptyGridHoweverLargeTheOthers) {
  auto grid = Grid::make({INT32_MAX, INT32_MAX, 0});
  ASSERT_TRUE(grid);
  EXPECT_EQ(grid->programs, 0);
  auto first = Grid::make({0, INT32_MAX, INT32_MAX});
  ASSERT_TRUE(first);
  EXPECT_EQ(first->programs, 0);
}
