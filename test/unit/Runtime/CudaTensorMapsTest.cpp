// Encoding of tensor maps by the driver, and the maps that are kept.

#include "FakeCuda.h"

#include "tilewright/Runtime/Cuda/TensorMaps.h"

#include <algorithm>
#include <cstring>
#include <thread>
#include <vector>

namespace tilewright::runtime::cuda {
namespace {

using CudaTensorMapsTest = FakeCudaTest;

TensorMap matrix(uint64_t address = 0x7f0000001000) {
  TensorMap map;
  map.type = DataType::FP16;
  map.rank = 3;
  map.address = address;
  map.extents = {512, 1024, 7};
  map.strides = {0, 1024, 1 << 20};
  map.box = {32, 64, 2};
  map.swizzle = BoxSwizzle::Bytes64;
  return map;
}

std::array<uint64_t, 16> wordsOf(const EncodedTensorMap &encoded) {
  std::array<uint64_t, 16> words;
  std::memcpy(words.data(), encoded.bytes.data(), sizeof words);
  return words;
}

/// The number of calls of the driver.
int encodings() {
  std::string text = report(), name = "\"cuTensorMapEncodeTiled\": ";
  size_t at = text.find(name);
  return at == std::string::npos ? 0 : std::atoi(text.c_str() + at + name.size());
}

TEST_F(CudaTensorMapsTest, ThePartsOfAMap) {
  Platform platform(FAKE_CUDA_LIBRARY);
  TensorMapEncoder encoder(platform.devices()[1]);
  EncodedTensorMap encoded;
  ASSERT_EQ(encoder.encode(matrix(), encoded), "");
  std::array<uint64_t, 16> words = {0x50414d454b4146,
                                    0x7f0000001000,
                                    6 | 3 << 8 | 2 << 16,
                                    512,
                                    1024,
                                    7,
                                    0,
                                    0,
                                    1024,
                                    1 << 20,
                                    0,
                                    0,
                                    32 | uint64_t(64) << 32,
                                    2,
                                    0,
                                    0};
  EXPECT_EQ(wordsOf(encoded), words);
  EXPECT_EQ(currentDevice(), -1);
}

TEST_F(CudaTensorMapsTest, EveryTypeRankSwizzleAndFill) {
  Platform platform(FAKE_CUDA_LIBRARY);
  TensorMapEncoder encoder(platform.devices()[0]);
  // By DataType: signed integers have no types of 8 and 16 bits, and floats of 8 bits are bytes.
  const std::pair<DataType, uint64_t> types[] = {
      {DataType::I1, 0},       {DataType::I8, 0},       {DataType::I16, 1},   {DataType::I32, 3},
      {DataType::I64, 5},      {DataType::U8, 0},       {DataType::U16, 1},   {DataType::U32, 2},
      {DataType::U64, 4},      {DataType::FP8E4NV, 0},  {DataType::FP8E5, 0}, {DataType::FP8E4B8, 0},
      {DataType::FP8E5B16, 0}, {DataType::FP8E4B15, 0}, {DataType::FP16, 6},  {DataType::BF16, 9},
      {DataType::FP32, 7},     {DataType::FP64, 8}};
  for (auto [type, number] : types) {
    for (unsigned rank = 1; rank <= TensorMap::kMaxRank; ++rank) {
      for (auto swizzle : {BoxSwizzle::None, BoxSwizzle::Bytes32, BoxSwizzle::Bytes64, BoxSwizzle::Bytes128}) {
        for (auto fill : {BoxFill::Zeros, BoxFill::NaN}) {
          TensorMap map;
          map.type = type;
          map.rank = rank;
          map.address = 4096;
          map.swizzle = swizzle;
          map.fill = fill;
          for (unsigned i = 0; i < rank; ++i) {
            map.extents[i] = 3 + i;
            map.strides[i] = i == 0 ? 0 : 64 * i;
            map.box[i] = i == 0 ? 32 / bytesOf(type) : 2;
          }
          if (invalid(map)) {
            EXPECT_EQ(fill, BoxFill::NaN);
            continue;
          }
          EncodedTensorMap encoded;
          ASSERT_EQ(encoder.encode(map, encoded), "") << nameOf(type) << rank;
          uint64_t code = swizzle == BoxSwizzle::None      ? 0
                          : swizzle == BoxSwizzle::Bytes32 ? 1
                          : swizzle == BoxSwizzle::Bytes64 ? 2
                                                           : 3;
          EXPECT_EQ(wordsOf(encoded)[2], number | rank << 8 | code << 16 | uint64_t(fill) << 24);
        }
      }
    }
  }
}

TEST_F(CudaTensorMapsTest, MapsAreEncodedOnce) {
  Platform platform(FAKE_CUDA_LIBRARY);
  TensorMapEncoder encoder(platform.devices()[0]);
  EncodedTensorMap first, encoded;
  ASSERT_EQ(encoder.encode(matrix(), first), "");
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(encoder.encode(matrix(), encoded), "");
    EXPECT_EQ(wordsOf(encoded), wordsOf(first));
  }
  EXPECT_EQ(encodings(), 1);
}

TEST_F(CudaTensorMapsTest, EveryPartDistinguishesMaps) {
  Platform platform(FAKE_CUDA_LIBRARY);
  TensorMapEncoder encoder(platform.devices()[0]);
  std::vector<TensorMap> maps(9, matrix());
  maps[1].address += 16;
  maps[2].extents[2] = 8;
  maps[3].strides[2] += 16;
  maps[4].box[1] = 8;
  maps[5].swizzle = BoxSwizzle::Bytes128;
  maps[6].fill = BoxFill::NaN;
  maps[7].type = DataType::BF16;
  maps[8].rank = 2;
  maps[8].extents[2] = maps[8].strides[2] = maps[8].box[2] = 0;
  std::vector<std::array<uint64_t, 16>> all;
  for (int time = 0; time < 2; ++time) {
    for (const TensorMap &map : maps) {
      EncodedTensorMap encoded;
      ASSERT_EQ(encoder.encode(map, encoded), "");
      all.push_back(wordsOf(encoded));
    }
  }
  EXPECT_TRUE(std::equal(all.begin(), all.begin() + 9, all.begin() + 9));
  std::sort(all.begin(), all.begin() + 9);
  EXPECT_EQ(std::unique(all.begin(), all.begin() + 9), all.begin() + 9);
}

TEST_F(CudaTensorMapsTest, ItKeepsFewMaps) {
  Platform platform(FAKE_CUDA_LIBRARY);
  TensorMapEncoder encoder(platform.devices()[0]);
  constexpr int kMany = 1000;
  for (int time = 0; time < 2; ++time) {
    for (int i = 0; i < kMany; ++i) {
      EncodedTensorMap encoded;
      ASSERT_EQ(encoder.encode(matrix(4096 + 256 * i), encoded), "");
      EXPECT_EQ(wordsOf(encoded)[1], 4096u + 256 * i);
    }
  }
  // A set that is used in turn has lost what it is asked for.
  EXPECT_GE(encodings(), 2 * kMany - static_cast<int>(TensorMapEncoder::kSets * TensorMapEncoder::kWays));
  // Fewer maps than are kept stay, unless all are in few sets.
  configure("");
  for (int time = 0; time < 3; ++time) {
    for (int i = 0; i < 8; ++i) {
      EncodedTensorMap encoded;
      ASSERT_EQ(encoder.encode(matrix(4096 + 256 * i), encoded), "");
    }
  }
  EXPECT_LE(encodings(), 12);
}

TEST_F(CudaTensorMapsTest, FailuresNameTheValues) {
  configure("cuTensorMapEncodeTiled=1*1");
  Platform platform(FAKE_CUDA_LIBRARY);
  TensorMapEncoder encoder(platform.devices()[1]);
  EncodedTensorMap encoded;
  EXPECT_EQ(
      encoder.encode(matrix(), encoded),
      "cuda:1: cuTensorMapEncodeTiled: CUDA_ERROR_INVALID_VALUE (invalid argument); the tensor map is 32 x 64 x 2 "
      "of 512 x 1024 x 7 fp16 at 0x7f0000001000, strides 1024, 1048576, swizzle 64");
  // The failure is not kept.
  EXPECT_EQ(encoder.encode(matrix(), encoded), "");
  EXPECT_EQ(currentDevice(), -1);
}

TEST_F(CudaTensorMapsTest, TheStandInRefusesWhatTheHardwareDoes) {
  Platform platform(FAKE_CUDA_LIBRARY);
  TensorMapEncoder encoder(platform.devices()[0]);
  EncodedTensorMap encoded;
  TensorMap map = matrix(0x7f0000001008);
  EXPECT_TRUE(contains(encoder.encode(map, encoded), "CUDA_ERROR_INVALID_VALUE"));
  map = matrix();
  map.extents[0] = 0;
  EXPECT_TRUE(contains(encoder.encode(map, encoded), "CUDA_ERROR_INVALID_VALUE"));
  map = matrix();
  map.box[0] = 64;
  EXPECT_TRUE(contains(encoder.encode(map, encoded), "CUDA_ERROR_INVALID_VALUE"));
}

TEST_F(CudaTensorMapsTest, AnOldDriver) {
  // This one has a state of its own, in which its version is that of the stand-in.
  Platform platform(OLD_FAKE_CUDA_LIBRARY);
  ASSERT_EQ(platform.problem(), "");
  TensorMapEncoder encoder(platform.devices()[0]);
  EncodedTensorMap encoded;
  EXPECT_EQ(encoder.encode(matrix(), encoded),
            "cuda:0: the driver, that of CUDA 12.8, has no cuTensorMapEncodeTiled; that of CUDA 12.0 is the first that "
            "has it");
}

TEST_F(CudaTensorMapsTest, ALostDevice) {
  configure("cuTensorMapEncodeTiled=700");
  Platform platform(FAKE_CUDA_LIBRARY);
  TensorMapEncoder encoder(platform.devices()[0]);
  EncodedTensorMap encoded;
  EXPECT_TRUE(contains(encoder.encode(matrix(), encoded), "cuda:0 is lost to this process"));
}

TEST_F(CudaTensorMapsTest, SeveralThreads) {
  Platform platform(FAKE_CUDA_LIBRARY);
  TensorMapEncoder encoder(platform.devices()[0]);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 2000; ++i) {
        uint64_t address = 4096 + 16 * static_cast<uint64_t>(i * (thread + 1) % 150);
        EncodedTensorMap encoded;
        wrong += !encoder.encode(matrix(address), encoded).empty() || wordsOf(encoded)[1] != address;
      }
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  EXPECT_EQ(wrong, 0);
}

} // namespace
} // namespace tilewright::runtime::cuda
