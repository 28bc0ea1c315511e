#include "tilewright/Target/Host/Host.h"

#include <gtest/gtest.h>

using namespace tilewright::host;

TEST(HostTarget, TheHostIsTheDefault) {
  auto target = parseTarget("cpu");
  ASSERT_TRUE(bool(target));
  EXPECT_EQ(target->key(), getHost().key());
}

TEST(HostTarget, LevelsStandForVectorInstructions) {
  auto avx2 = parseTarget("cpu:avx2"), avx512 = parseTarget("cpu:avx512");
  ASSERT_TRUE(bool(avx2) && bool(avx512));
  EXPECT_NE(avx2->features.find("+avx2"), std::string::npos);
  EXPECT_EQ(avx2->features.find("+avx512f"), std::string::npos);
  EXPECT_NE(avx512->features.find("+avx512f"), std::string::npos);
}

TEST(HostTarget, UnknownProcessorsAreNamed) {
  auto target = parseTarget("cpu:abacus");
  ASSERT_FALSE(bool(target));
  EXPECT_NE(llvm::toString(target.takeError()).find("unknown processor 'abacus'"), std::string::npos);
}
