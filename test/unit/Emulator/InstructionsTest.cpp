// The table of instructions, and the lookup of its rows.

#include "tilewright/Emulator/Instruction.h"

#include <string>

#include <gtest/gtest.h>

namespace tilewright::emulator {
namespace {

TEST(Instructions, HaveNamesOfTheirOwn) {
  for (const Instruction *row : instructions()) {
    EXPECT_EQ(findInstruction(row->name), row) << row->name;
    if (row->intrinsic) {
      EXPECT_EQ(findIntrinsic(row->intrinsic), row) << row->intrinsic;
    }
  }
}

TEST(Instructions, SayWhatTheyMeanAndWhere) {
  for (const Instruction *row : instructions()) {
    EXPECT_NE(row->function, nullptr) << row->name;
    EXPECT_NE(std::string_view(row->meaning), "") << row->name;
    EXPECT_NE(std::string_view(row->source), "") << row->name;
  }
}

std::string nameOfIntrinsic(const char *intrinsic) {
  const Instruction *row = findIntrinsic(intrinsic);
  return row ? row->name : "none";
}

TEST(Intrinsics, AreFoundWithTheTypesThatLlvmAppends) {
  EXPECT_EQ(nameOfIntrinsic("llvm.nvvm.shfl.sync.bfly.f32"), "shfl.sync.bfly.b32");
  EXPECT_EQ(nameOfIntrinsic("llvm.nvvm.shfl.sync.bfly.i32"), "shfl.sync.bfly.b32");
  EXPECT_EQ(nameOfIntrinsic("llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3"),
            "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16");
}

TEST(Intrinsics, ThatReturnAPredicateAreOthers) {
  EXPECT_EQ(nameOfIntrinsic("llvm.nvvm.shfl.sync.idx.f32p"), "shfl.sync.idx.b32 d|p");
  EXPECT_EQ(nameOfIntrinsic("llvm.nvvm.shfl.sync.idx.i32p"), "shfl.sync.idx.b32 d|p");
}

TEST(Intrinsics, OfATypeThatChangesTheMeaningAreOthers) {
  EXPECT_EQ(nameOfIntrinsic("llvm.nvvm.ex2.approx.f32"), "ex2.approx.f32");
  EXPECT_EQ(nameOfIntrinsic("llvm.nvvm.ex2.approx.f16"), "none");
  EXPECT_EQ(nameOfIntrinsic("llvm.nvvm.mma.m16n8k16.row.col.f32.f32"),
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
  EXPECT_EQ(nameOfIntrinsic("llvm.nvvm.mma.m16n8k16.row.col.f16.f16"),
            "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16");
}

TEST(Intrinsics, UnknownNamesAreNotFound) {
  EXPECT_EQ(nameOfIntrinsic("llvm.nvvm.tcgen05.fence.before.thread.sync"), "none");
  EXPECT_EQ(nameOfIntrinsic("i32"), "none");
  EXPECT_EQ(nameOfIntrinsic(""), "none");
}

} // namespace
} // namespace tilewright::emulator
