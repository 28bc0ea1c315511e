// The tensor maps that launches make: their values, and every reason for which a launch can't make one.

#include "tilewright/Runtime/TensorMapParameters.h"

#include "gtest/gtest.h"

#include <random>

using namespace tilewright::runtime;

namespace {

constexpr uint64_t kAddress = 0x7f0000001000;
/// x, rows, columns: the slots 0, 1 and 2.
const std::vector<uint64_t> kSlots = {kAddress, 1024, 512};

/// Boxes of 64 x 32 fp16 of x[rows, columns]; step 4 is free.
std::vector<RangeStep> stepsOfMatrix(RangeStep extra = {RangeOp::Constant, 64, 0, 0}) {
  return {{RangeOp::Argument, 64, 2},
          {RangeOp::Argument, 64, 1},
          {RangeOp::Constant, 64, 2, 2},
          {RangeOp::Multiply, 64, 0, 2},
          extra};
}

TensorMapParameter matrix() {
  TensorMapParameter map;
  map.type = DataType::FP16;
  map.rank = 2;
  map.extents = {0, 1};
  map.strides = {0, 3};
  map.box = {32, 64};
  map.swizzle = BoxSwizzle::Bytes64;
  return map;
}

TensorMapParameters one(const TensorMapParameter &map, std::vector<RangeStep> steps = stepsOfMatrix()) {
  return {LaunchConditions(std::move(steps)), {map}};
}

/// The map after encoding and decoding of its description.
TensorMap make(const TensorMapParameters &parameters, const std::vector<uint64_t> &slots, int32_t grid = 1) {
  std::vector<int64_t> words = parameters.encode();
  auto decoded = TensorMapParameters::decode(words.data(), words.size());
  TensorMap map;
  if (!decoded || decoded->slotCount() > slots.size()) {
    ADD_FAILURE() << "it can't be decoded";
    return map;
  }
  auto refusal = decoded->make(slots.data(), *Grid::make({grid, 1, 1}), &map);
  EXPECT_FALSE(refusal) << refusal->reason;
  return map;
}

testing::AssertionResult refuses(const TensorMapParameters &parameters, const std::vector<uint64_t> &slots,
                                 std::string_view reason, int32_t grid = 1) {
  TensorMap maps[TensorMapParameters::kMaxMaps];
  if (auto problem = parameters.problem()) {
    return testing::AssertionFailure() << *problem;
  }
  auto refusal = parameters.make(slots.data(), *Grid::make({grid, 1, 1}), maps);
  if (!refusal) {
    return testing::AssertionFailure() << "it makes " << describe(maps[0]);
  }
  return refusal->reason.find(reason) != std::string::npos ? testing::AssertionSuccess()
                                                           : testing::AssertionFailure() << refusal->reason;
}

TEST(TensorMapParameters, ComputeTheMapFromArguments) {
  TensorMap map = make(one(matrix()), kSlots);
  EXPECT_EQ(map.type, DataType::FP16);
  EXPECT_EQ(map.rank, 2u);
  EXPECT_EQ(map.address, kAddress);
  EXPECT_EQ(map.extents, (std::array<uint64_t, 5>{512, 1024}));
  EXPECT_EQ(map.strides, (std::array<uint64_t, 5>{0, 1024}));
  EXPECT_EQ(map.box, (std::array<uint32_t, 5>{32, 64}));
  EXPECT_EQ(map.swizzle, BoxSwizzle::Bytes64);
  EXPECT_EQ(map.fill, BoxFill::Zeros);
}

TEST(TensorMapParameters, EveryRankAndType) {
  for (unsigned rank = 1; rank <= TensorMap::kMaxRank; ++rank) {
    for (auto type = DataType::I1; type <= DataType::FP64; type = DataType(unsigned(type) + 1)) {
      std::vector<RangeStep> steps;
      TensorMapParameter parameter;
      parameter.type = type;
      parameter.rank = rank;
      parameter.slot = 10;
      std::vector<uint64_t> slots(11, kAddress);
      for (unsigned i = 0; i < rank; ++i) {
        parameter.extents[i] = 2 * i;
        parameter.strides[i] = 2 * i + 1;
        parameter.box[i] = i == 0 ? 16 : i + 1;
        steps.push_back({RangeOp::Argument, 64, 2 * i});
        steps.push_back({RangeOp::Argument, 64, 2 * i + 1});
        slots[2 * i] = 100 + i;
        slots[2 * i + 1] = 1600 * (i + 1);
      }
      TensorMap map = make(one(parameter, steps), slots);
      EXPECT_EQ(map.type, type);
      EXPECT_EQ(map.rank, rank);
      for (unsigned i = 0; i < rank; ++i) {
        EXPECT_EQ(map.extents[i], 100 + i);
        EXPECT_EQ(map.strides[i], i == 0 ? 0 : 1600 * (i + 1));
      }
    }
  }
}

TEST(TensorMapParameters, OffsetsMoveTheAddress) {
  for (int64_t offset : {0, 16, -4096, 1 << 30}) {
    TensorMapParameter map = matrix();
    map.offset = 4;
    EXPECT_EQ(make(one(map, stepsOfMatrix({RangeOp::Constant, 64, offset, offset})), kSlots).address,
              kAddress + offset);
  }
}

TEST(TensorMapParameters, TheLastExtentsThatFit) {
  constexpr uint64_t kMost = uint64_t(1) << 32;
  EXPECT_EQ(make(one(matrix()), {kAddress, kMost, kMost}).extents[0], kMost);
  EXPECT_TRUE(refuses(one(matrix()), {kAddress, kMost + 1, 512}, "dimension 1 must be from 1 to 2^32"));
  EXPECT_TRUE(refuses(one(matrix()), {kAddress, 512, kMost + 8}, "dimension 0 must be from 1 to 2^32"));
}

TEST(TensorMapParameters, EachReasonOfARefusal) {
  EXPECT_TRUE(refuses(one(matrix()), {kAddress + 8, 1024, 512}, "address must be a multiple of 16"));
  EXPECT_TRUE(refuses(one(matrix()), {0, 1024, 512}, "the address is null"));
  EXPECT_TRUE(refuses(one(matrix()), {kAddress, 0, 512}, "dimension 1 must be from 1 to 2^32, and is 0"));
  EXPECT_TRUE(refuses(one(matrix()), {0, 0, 0}, "null"));
  EXPECT_TRUE(refuses(one(matrix()), {kAddress, 1024, 511}, "stride of dimension 1 must be a multiple of 16"));
  EXPECT_TRUE(refuses(one(matrix()), {kAddress, uint64_t(-5), 512}, "extent of dimension 1 is negative: -5"));
  EXPECT_TRUE(refuses(one(matrix()), {kAddress, 1024, uint64_t(1) << 63}, "extent of dimension 0 is negative"));
  TensorMapParameter map = matrix();
  map.strides[1] = 4;
  RangeStep negative = {RangeOp::Constant, 64, -1024, -1024}, far = {RangeOp::Constant, 64, int64_t(1) << 40, 0};
  far.rhs = far.lhs;
  EXPECT_TRUE(refuses(one(map, stepsOfMatrix(negative)), kSlots, "stride of dimension 1 is negative: -1024"));
  EXPECT_TRUE(refuses(one(map, stepsOfMatrix(far)), kSlots, "less than 2^40, and is 1099511627776"));
  map = matrix();
  map.offset = 4;
  EXPECT_TRUE(refuses(one(map, stepsOfMatrix({RangeOp::Constant, 64, 8, 8})), kSlots, "address must be a multiple"));
}

TEST(TensorMapParameters, ValuesThatAreNotOneNumber) {
  TensorMapParameter map = matrix();
  map.extents[1] = 4;
  RangeStep program = {RangeOp::ProgramId, 32, 0};
  EXPECT_TRUE(refuses(one(map, stepsOfMatrix(program)), kSlots, "extent of dimension 1 is not known", 2));
  map = matrix();
  map.offset = 4;
  EXPECT_TRUE(refuses(one(map, stepsOfMatrix(program)), kSlots, "the offset of the address is not known", 2));
  EXPECT_EQ(make(one(map, stepsOfMatrix(program)), kSlots, 1).address, kAddress); // the only program is number 0
}

TEST(TensorMapParameters, ProductsThatWrapAreNotKnown) {
  std::vector<RangeStep> steps = stepsOfMatrix();
  for (RangeStep &step : steps) {
    step.bits = 32;
  }
  constexpr uint64_t kLast = (uint64_t(1) << 30) - 8;
  EXPECT_EQ(make(one(matrix(), steps), {kAddress, 1, kLast}).strides[1], 2 * kLast);
  EXPECT_TRUE(refuses(one(matrix(), steps), {kAddress, 1, kLast + 8}, "stride of dimension 1 is not known"));
  // An argument has the bits of its own width.
  EXPECT_EQ(make(one(matrix(), steps), {kAddress, 1, 512 | uint64_t(7) << 32}).extents[0], 512u);
}

TEST(TensorMapParameters, ChecksAmongTheSteps) {
  std::vector<RangeStep> steps = stepsOfMatrix({RangeOp::CheckNonNegative, 64, 1});
  EXPECT_EQ(make(one(matrix(), steps), kSlots).extents[1], 1024u);
  EXPECT_TRUE(refuses(one(matrix(), steps), {kAddress, uint64_t(-1), 512}, "condition"));
  TensorMapParameter map = matrix();
  map.extents[0] = 4;
  EXPECT_NE(one(map, steps).problem(), std::nullopt);
}

TEST(TensorMapParameters, TheRefusedMapIsNamed) {
  TensorMapParameter second = matrix();
  second.slot = 1;
  TensorMapParameters both(LaunchConditions(stepsOfMatrix()), {matrix(), second});
  TensorMap maps[2];
  std::vector<uint64_t> slots = {kAddress, 1032, 512};
  auto refusal = both.make(slots.data(), *Grid::make({1, 1, 1}), maps);
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->map, 1u);
}

//===----------------------------------------------------------------------===//
// Descriptions that are wrong
//===----------------------------------------------------------------------===//

testing::AssertionResult isWrong(const TensorMapParameters &parameters, std::string_view text) {
  auto problem = parameters.problem();
  std::vector<int64_t> words = parameters.encode();
  if (TensorMapParameters::decode(words.data(), words.size())) {
    return testing::AssertionFailure() << "it can be decoded";
  }
  return problem && problem->find(text) != std::string::npos
             ? testing::AssertionSuccess()
             : testing::AssertionFailure() << problem.value_or("it is right");
}

TEST(TensorMapParameters, WrongDescriptions) {
  auto changed = [](auto change) {
    TensorMapParameter map = matrix();
    change(map);
    return one(map);
  };
  EXPECT_TRUE(isWrong(changed([](auto &map) { map.rank = 0; }), "1 to 5 dimensions"));
  EXPECT_TRUE(isWrong(changed([](auto &map) { map.slot = -1; }), "slot"));
  EXPECT_TRUE(isWrong(changed([](auto &map) { map.offset = 5; }), "the offset is step 5"));
  EXPECT_TRUE(isWrong(changed([](auto &map) { map.extents[1] = -1; }), "an extent is step -1"));
  EXPECT_TRUE(isWrong(changed([](auto &map) { map.strides[1] = 99; }), "a stride is step 99"));
  EXPECT_TRUE(isWrong(changed([](auto &map) { map.box[1] = 257; }), "from 1 to 256"));
  EXPECT_TRUE(isWrong(changed([](auto &map) { map.box[0] = 4; }), "multiple of 16"));
  EXPECT_TRUE(isWrong(changed([](auto &map) { map.box[0] = 64; }), "swizzle"));
  EXPECT_TRUE(isWrong(changed([](auto &map) {
                        map.type = DataType::I16;
                        map.fill = BoxFill::NaN;
                      }),
                      "NaN"));
  EXPECT_TRUE(isWrong({LaunchConditions(stepsOfMatrix()), std::vector(17, matrix())}, "at most 16 tensor maps"));
  std::vector<RangeStep> many(257, {RangeOp::Constant, 64, 1, 1});
  EXPECT_TRUE(isWrong(one(matrix(), many), "at most 256 steps"));
}

TEST(TensorMapParameters, NoMaps) {
  EXPECT_TRUE(TensorMapParameters().encode().empty());
  auto none = TensorMapParameters::decode(nullptr, 0);
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->empty());
}

TEST(TensorMapParameters, DamagedWordsAreRefusedOrMeanSomething) {
  const std::vector<int64_t> words = one(matrix()).encode();
  for (size_t count = 1; count < words.size(); ++count) {
    EXPECT_FALSE(TensorMapParameters::decode(words.data(), count)) << count;
  }
  std::mt19937_64 random(testing::UnitTest::GetInstance()->random_seed());
  int64_t values[] = {-1, 0, 1, 6, 18, 255, 256, INT64_MAX, INT64_MIN};
  for (int i = 0; i < 20000; ++i) {
    std::vector<int64_t> damaged = words;
    damaged[random() % damaged.size()] = values[random() % std::size(values)];
    if (auto decoded = TensorMapParameters::decode(damaged.data(), damaged.size())) {
      std::vector<uint64_t> slots(3, kAddress);
      TensorMap maps[TensorMapParameters::kMaxMaps];
      if (decoded->slotCount() <= slots.size() && !decoded->make(slots.data(), *Grid::make({1, 1, 1}), maps)) {
        EXPECT_EQ(invalid(maps[0]), std::nullopt);
      }
    }
  }
}

} // namespace
