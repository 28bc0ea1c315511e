#include "tilewright/Runtime/TensorMap.h"

#include "gtest/gtest.h"

#include <random>
#include <set>

using namespace tilewright::runtime;

/// 64 x 32 elements of 1024 x 512.
static TensorMap matrix(DataType type = DataType::FP16) {
  TensorMap map;
  map.type = type;
  map.rank = 2;
  map.address = 0x7f0000001000;
  map.extents = {512, 1024};
  map.strides = {0, 512 * uint64_t(bytesOf(type))};
  map.box = {32, 64};
  return map;
}

/// Whether the reason why the map is invalid has the text; "" for a valid map.
static testing::AssertionResult isInvalid(const TensorMap &map, std::string_view text) {
  auto reason = invalid(map);
  if (!reason) {
    return testing::AssertionFailure() << "the map is valid";
  }
  return reason->find(text) != std::string::npos ? testing::AssertionSuccess() : testing::AssertionFailure() << *reason;
}

TEST(TensorMap, CountsTheBytesOfABox) {
  EXPECT_EQ(matrix().boxBytes(), 64u * 32 * 2);
  EXPECT_EQ(matrix(DataType::FP64).boxBytes(), 64u * 32 * 8);
}

TEST(TensorMap, BoxesBeginWhereThePatternOfTheSwizzleDoes) {
  TensorMap map = matrix();
  EXPECT_EQ(map.boxAlignment(), 128u);
  map.swizzle = BoxSwizzle::Bytes32;
  EXPECT_EQ(map.boxAlignment(), 256u);
  map.swizzle = BoxSwizzle::Bytes64;
  EXPECT_EQ(map.boxAlignment(), 512u);
  map.swizzle = BoxSwizzle::Bytes128;
  EXPECT_EQ(map.boxAlignment(), 1024u);
}

TEST(TensorMap, TakesWhatHardwareTakes) {
  EXPECT_EQ(invalid(matrix()), std::nullopt);
  TensorMap map = matrix(DataType::BF16);
  map.fill = BoxFill::NaN;
  map.extents = {uint64_t(1) << 32, uint64_t(1) << 32};
  map.strides[1] = (uint64_t(1) << 40) - 16;
  map.box = {256, 256};
  EXPECT_EQ(invalid(map), std::nullopt);
}

TEST(TensorMap, StridesMayBeTransposedOrOverlap) {
  TensorMap map = matrix();
  map.rank = 4;
  map.extents = {512, 8, 8, 8};
  map.strides = {0, 4096, 1024, 0};
  map.box = {32, 1, 1, 1};
  EXPECT_EQ(invalid(map), std::nullopt);
}

TEST(TensorMap, Ranks) {
  TensorMap map = matrix();
  map.rank = 0;
  EXPECT_TRUE(isInvalid(map, "from 1 to 5 dimensions, and this one 0"));
  map.rank = 6;
  EXPECT_TRUE(isInvalid(map, "this one 6"));
}

TEST(TensorMap, Addresses) {
  TensorMap map = matrix();
  map.address += 8;
  EXPECT_TRUE(isInvalid(map, "the address must be a multiple of 16"));
  map = matrix();
  map.strides[1] += 2;
  EXPECT_TRUE(
      isInvalid(map, "the stride of dimension 1 must be a multiple of 16 bytes and less than 2^40, and is 1026"));
  map.strides[1] = uint64_t(1) << 40;
  EXPECT_TRUE(isInvalid(map, "the stride of dimension 1"));
}

TEST(TensorMap, Extents) {
  TensorMap map = matrix();
  map.extents[1] = 0;
  EXPECT_TRUE(isInvalid(map, "the extent of dimension 1 must be from 1 to 2^32, and is 0"));
  map.extents[1] = (uint64_t(1) << 32) + 1;
  EXPECT_TRUE(isInvalid(map, "the extent of dimension 1"));
  map = matrix();
  map.box[1] = 0;
  EXPECT_TRUE(isInvalid(map, "the box's extent of dimension 1 must be from 1 to 256, and is 0"));
  map.box[1] = 257;
  EXPECT_TRUE(isInvalid(map, "and is 257"));
}

TEST(TensorMap, Lines) {
  TensorMap map = matrix();
  map.box[0] = 12;
  EXPECT_TRUE(isInvalid(map, "a multiple of 16 bytes, and those of a box of 12 x 64 fp16 have 24"));
  map.box[0] = 64;
  map.swizzle = BoxSwizzle::Bytes64;
  EXPECT_TRUE(isInvalid(map, "at most the swizzle's 64 bytes, and those of a box of 64 x 64 fp16 have 128"));
  map.swizzle = BoxSwizzle::Bytes128;
  EXPECT_EQ(invalid(map), std::nullopt);
}

TEST(TensorMap, OnlyFloatsAreFilledWithNaN) {
  for (DataType type : {DataType::I32, DataType::U8, DataType::FP8E5}) {
    TensorMap map = matrix(type);
    EXPECT_EQ(invalid(map), std::nullopt);
    map.fill = BoxFill::NaN;
    EXPECT_TRUE(isInvalid(map, "can be filled with NaN")) << nameOf(type);
  }
}

TEST(TensorMap, SwizzlesPermuteTheirPattern) {
  for (BoxSwizzle swizzle : {BoxSwizzle::None, BoxSwizzle::Bytes32, BoxSwizzle::Bytes64, BoxSwizzle::Bytes128}) {
    std::set<uint64_t> found;
    for (uint64_t offset = 0; offset < 1024; ++offset) {
      uint64_t result = swizzled(swizzle, offset);
      EXPECT_EQ(result / 128, offset / 128);
      EXPECT_EQ(result % 16, offset % 16);
      found.insert(result);
    }
    EXPECT_EQ(found.size(), 1024u);
  }
}

TEST(TensorMap, SwizzlesXorBits) {
  EXPECT_EQ(swizzled(BoxSwizzle::None, 0x3f0), 0x3f0u);
  EXPECT_EQ(swizzled(BoxSwizzle::Bytes32, 0x380), 0x390u);
  EXPECT_EQ(swizzled(BoxSwizzle::Bytes64, 0x380), 0x3b0u);
  EXPECT_EQ(swizzled(BoxSwizzle::Bytes128, 0x380), 0x3f0u);
  EXPECT_EQ(swizzled(BoxSwizzle::Bytes128, 0x2a4), 0x2f4u);
  EXPECT_EQ(swizzled(BoxSwizzle::Bytes128, 0x400), 0x400u);
}

TEST(TensorMap, DecodesWhatItEncodes) {
  std::mt19937_64 random(7);
  for (unsigned rank = 1; rank <= TensorMap::kMaxRank; ++rank) {
    TensorMap map = matrix(DataType::BF16);
    map.rank = rank;
    map.address = random() & ~uint64_t(15);
    map.swizzle = BoxSwizzle::Bytes64;
    map.fill = BoxFill::NaN;
    map.extents = map.strides = {};
    map.box = {};
    for (unsigned i = 0; i < rank; ++i) {
      map.extents[i] = (random() >> 32) + 1;
      map.strides[i] = i == 0 ? 0 : random() >> 24 & ~uint64_t(15);
      map.box[i] = 1 + random() % 256;
    }
    EXPECT_EQ(decode(encode(map).bytes.data()), map);
  }
}

TEST(TensorMap, DetectsGarbage) {
  EncodedTensorMap encoded = encode(matrix());
  EXPECT_EQ(decode(EncodedTensorMap().bytes.data()), std::nullopt);
  for (size_t i = 0; i < EncodedTensorMap::kBytes; ++i) {
    EncodedTensorMap changed = encoded;
    changed.bytes[i] ^= std::byte(1);
    EXPECT_EQ(decode(changed.bytes.data()), std::nullopt) << i;
  }
  // The bytes need not be aligned.
  std::array<std::byte, EncodedTensorMap::kBytes + 1> moved{};
  std::copy(encoded.bytes.begin(), encoded.bytes.end(), moved.begin() + 1);
  EXPECT_EQ(decode(moved.data() + 1), matrix());
}
