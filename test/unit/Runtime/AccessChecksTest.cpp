#include "tilewright/Runtime/AccessChecks.h"

#include "gtest/gtest.h"

using namespace tilewright::runtime;

namespace {

const std::vector<AccessSite> sites = {{"reads", 4, true, "k.py", 3, 1}, {"writes", 8, false, "k.py", 4, 1}};

AccessChecks makeChecks(bool known = true) {
  return AccessChecks(sites, {{100, 100}, {0, 0}, {300, 100}}, {{"x", 100, 200}, {"y", 300, 400}}, known);
}

} // namespace

TEST(AccessChecks, ConsecutiveElements) {
  AccessChecks checks = makeChecks();
  EXPECT_TRUE(checks.mayAccess(0, 0, nullptr, 100, nullptr, 25));
  EXPECT_TRUE(checks.mayAccess(0, 0, nullptr, 5000, nullptr, 0));
  EXPECT_FALSE(checks.mayAccess(7, 0, nullptr, 100, nullptr, 26));
  ASSERT_EQ(checks.sortedReports().size(), 1u);
  EXPECT_EQ(checks.sortedReports()[0].address, 200u);
  EXPECT_EQ(checks.describe(checks.sortedReports()[0]),
            "reads 4 bytes at x+100, right after the end of x, which has 100 bytes");
}

TEST(AccessChecks, MasksAndAddresses) {
  AccessChecks checks = makeChecks();
  uint64_t addresses[] = {100, 396, 0, 304};
  uint8_t mask[] = {1, 1, 0, 1};
  EXPECT_TRUE(checks.mayAccess(0, 0, addresses, 0, mask, 4));
  EXPECT_FALSE(checks.mayAccess(0, 0, addresses, 0, nullptr, 4));
  uint8_t none[26] = {};
  EXPECT_TRUE(checks.mayAccess(0, 0, nullptr, 190, none, 26));
}

TEST(AccessChecks, MemoryOfUnknownSize) {
  AccessChecks strict = makeChecks(), open = makeChecks(false);
  EXPECT_FALSE(strict.mayAccess(0, 0, nullptr, 5000, nullptr, 1));
  EXPECT_TRUE(open.mayAccess(0, 0, nullptr, 5000, nullptr, 1));
  // The pointers of this site come from integers.
  EXPECT_TRUE(strict.mayAccess(0, 1, nullptr, 5000, nullptr, 1));
  EXPECT_FALSE(strict.mayAccess(0, 1, nullptr, 196, nullptr, 1));
}

TEST(AccessChecks, OneReportOfASite) {
  AccessChecks checks = makeChecks();
  for (int64_t program : {9, 2, 5}) {
    EXPECT_FALSE(checks.mayAccess(program, 0, nullptr, 200, nullptr, 1));
  }
  EXPECT_FALSE(checks.mayAccess(4, 1, nullptr, 398, nullptr, 1));
  std::vector<AccessReport> reports = checks.sortedReports();
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_EQ(reports[0].program, 2);
  EXPECT_EQ(reports[1].site, 1);
  EXPECT_EQ(checks.suppressed(), 2);
}

TEST(AccessChecks, HiddenSlots) {
  AccessChecks checks = makeChecks();
  uint64_t before[AccessChecks::kHiddenSlots];
  checks.fillHidden(before);
  const auto *slots = reinterpret_cast<const AccessChecks::SlotMemory *>(before[0]);
  EXPECT_EQ(slots[2].begin, 300u);
  EXPECT_EQ(slots[2].size, 100u);
  EXPECT_EQ(before[1], reinterpret_cast<uint64_t>(&checks));
}
