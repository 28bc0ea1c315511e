#include "tilewright/Runtime/DataType.h"

#include "gtest/gtest.h"

using namespace tilewright::runtime;

TEST(DataType, EveryNameLeadsBack) {
  for (int i = 0; i <= static_cast<int>(DataType::FP64); ++i) {
    auto type = static_cast<DataType>(i);
    EXPECT_EQ(dataTypeFromName(nameOf(type)), type);
  }
}

TEST(DataType, OtherNames) {
  EXPECT_EQ(dataTypeFromName("torch.float16"), DataType::FP16);
  EXPECT_EQ(dataTypeFromName("bfloat16"), DataType::BF16);
  EXPECT_EQ(dataTypeFromName("u1"), DataType::I1);
  EXPECT_EQ(dataTypeFromName("torch.float8_e4m3fn"), DataType::FP8E4NV);
  EXPECT_EQ(dataTypeFromName("tl.float8e5"), DataType::FP8E5);
  EXPECT_EQ(dataTypeFromName("torch.float8_e4m3fnuz"), DataType::FP8E4B8);
  EXPECT_EQ(dataTypeFromName("float8e4b8"), DataType::FP8E4B8);
  EXPECT_EQ(dataTypeFromName("torch.float8_e5m2fnuz"), DataType::FP8E5B16);
  EXPECT_EQ(dataTypeFromName("float8e4b15"), DataType::FP8E4B15);
  EXPECT_FALSE(dataTypeFromName("float8"));
  EXPECT_FALSE(dataTypeFromName("torch.float8_e8m0fnu"));
  EXPECT_FALSE(dataTypeFromName("complex64"));
  EXPECT_FALSE(dataTypeFromName(""));
}

TEST(DataType, FromDLPack) {
  EXPECT_EQ(dataTypeFromDLPack(2, 32), DataType::FP32);
  EXPECT_EQ(dataTypeFromDLPack(4, 16), DataType::BF16);
  EXPECT_EQ(dataTypeFromDLPack(6, 8), DataType::I1);
  EXPECT_EQ(dataTypeFromDLPack(1, 8), DataType::U8);
  EXPECT_FALSE(dataTypeFromDLPack(5, 64));
  EXPECT_EQ(dataTypeFromDLPack(11, 8), DataType::FP8E4B8);
  EXPECT_FALSE(dataTypeFromDLPack(255, 8));
  EXPECT_FALSE(dataTypeFromDLPack(0, 4));
}

TEST(DataType, FromArrayKind) {
  EXPECT_EQ(dataTypeFromArrayKind('f', 2), DataType::FP16);
  EXPECT_EQ(dataTypeFromArrayKind('u', 8), DataType::U64);
  EXPECT_EQ(dataTypeFromArrayKind('b', 1), DataType::I1);
  EXPECT_FALSE(dataTypeFromArrayKind('c', 8));
  EXPECT_FALSE(dataTypeFromArrayKind('f', 16));
  EXPECT_FALSE(dataTypeFromArrayKind('V', 2));
}
