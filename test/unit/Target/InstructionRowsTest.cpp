// Checks the tables of lib/Hardware with the assembler: every row must assemble for its targets, and for no others.

#include "NvptxSamples.h"

#include "tilewright/Hardware/Gpu.h"
#include "tilewright/Hardware/NvidiaInstructions.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <map>

namespace tilewright::hardware {
namespace {

using cuda::AssembleOptions;
using nvptx::findAssemblers;

using layout::kRegister;
using layout::Operand;

/// "{%r0,%r1,...}", with as many registers as a thread's elements fill.
std::string registers(const layout::LinearLayout &fragment, ElementType type) {
  int64_t bits = type == ElementType::F64 ? 64 : 32, count = fragment.inSize(kRegister) * bitsOf(type) / bits;
  std::string prefix = type == ElementType::F64 ? "%d" : type == ElementType::F32 ? "%f" : "%r", list;
  for (int64_t i = 0; i < count; ++i) {
    list += (i > 0 ? "," : "") + prefix + std::to_string(i);
  }
  return "{" + list + "}";
}

std::string name(ElementType type) { return "." + std::string(nameOf(type)); }

std::string text(const MmaInstruction &mma) {
  auto [m, n, k] = mma.shape;
  std::string c = registers(mma.c().fragment, mma.c().element);
  return "mma.sync.aligned.m" + std::to_string(m) + "n" + std::to_string(n) + "k" + std::to_string(k) + ".row.col" +
         name(mma.c().element) + name(mma.a().element) + name(mma.b().element) + name(mma.c().element) + " " + c + "," +
         registers(mma.a().fragment, mma.a().element) + "," + registers(mma.b().fragment, mma.b().element) + "," + c +
         ";";
}

std::string text(const WgmmaInstruction &wgmma, int64_t n) {
  std::string signs = wgmma.accumulator == ElementType::S32 ? "" : ",1,1";
  return "wgmma.mma_async.sync.aligned.m64n" + std::to_string(n) + "k" + std::to_string(wgmma.k) +
         name(wgmma.accumulator) + name(wgmma.a) + name(wgmma.b) + " " +
         registers(wgmma.operand(Operand::C, n), wgmma.accumulator) + "," +
         registers(wgmma.operand(Operand::A, n), wgmma.a) + ",%l0,p" + signs + (wgmma.takesTransposed ? ",0;" : ";");
}

std::string text(const MatrixMove &move) {
  ElementType type = move.elementBits == 16 ? ElementType::F16 : ElementType::S8;
  std::string words = registers(move.fragment(), type);
  return std::string(move.isStore ? "st" : "ld") + "matrix.sync.aligned." + std::string(move.shape) + ".x" +
         std::to_string(move.count) + (move.isTransposed ? ".trans" : "") + ".shared.b" +
         std::to_string(move.elementBits) + " " + (move.isStore ? "[%l0]," + words : words + ",[%l0]") + ";";
}

std::string text(const AsyncCopy &copy) {
  return std::string("cp.async.") + (copy.bypassesL1 ? "cg" : "ca") + ".shared.global [%l0],[%l1]," +
         std::to_string(copy.bytes) + ";";
}

std::string text(const AtomicAdd &add) {
  int64_t bits = bitsOf(add.type), words = std::max<int64_t>(1, add.elements * bits / (bits == 64 ? 64 : 32));
  std::string prefix = bits == 16 ? (add.elements == 1 ? "%h" : "%r") : bits == 32 ? "%f" : "%d", list;
  for (int64_t i = 0; i < words; ++i) {
    list += (i > 0 ? "," : "") + prefix + std::to_string(i);
  }
  std::string values = words > 1 ? "{" + list + "}" : list;
  return std::string("atom.acq_rel.gpu.global.add") + (bits == 16 ? ".noftz" : "") +
         (words > 1 ? ".v" + std::to_string(words) : "") + name(add.type) + (prefix == "%r" ? "x2" : "") + " " +
         values + ",[%l0]," + values + ";";
}

std::string text(const PairConversion &cvt) {
  std::string pair = name(cvt.narrow) + "x2";
  return "cvt.rn.satfinite" + pair + ".f32 %h0,%f0,%f1; cvt.rn.f16x2" + pair + " %r0,%h0;";
}

struct Instruction {
  std::string text;
  NvidiaTargets targets;
  int ptxVersion;
};

std::vector<Instruction> instructions() {
  std::vector<Instruction> all;
  for (const auto &mma : mmaInstructions()) {
    all.push_back({text(mma), mma.targets, mma.ptxVersion});
  }
  for (const WgmmaInstruction &wgmma : wgmmaInstructions()) {
    for (int64_t n : {8, 64, 256}) {
      all.push_back({text(wgmma, n), wgmma.targets, wgmma.ptxVersion});
    }
  }
  for (const auto &move : matrixMoves()) {
    all.push_back({text(move), move.targets, 0});
  }
  for (const auto &copy : asyncCopies()) {
    all.push_back({text(copy), copy.targets, 0});
  }
  for (const auto &add : atomicAdds()) {
    all.push_back({text(add), add.targets, add.ptxVersion});
  }
  for (const auto &cvt : pairConversions()) {
    all.push_back({text(cvt), cvt.targets, cvt.ptxVersion});
  }
  return all;
}

class InstructionRows : public testing::Test {
protected:
  void SetUp() override {
    SKIP_WITHOUT_ASSEMBLER(found);
    options = found;
  }

  /// The assembler's error; empty if the code assembles.
  std::string assemble(const NvidiaInfo &info, int ptxVersion, const std::string &body) {
    std::string ptx =
        ".version " + std::to_string(ptxVersion / 10) + "." + std::to_string(ptxVersion % 10) + "\n.target " +
        std::string(info.name) + "\n.address_size 64\n.visible .entry k() {\n" +
        ".reg .b32 %r<256>; .reg .f32 %f<256>;\n.reg .f64 %d<32>; .reg .b64 %l<2>; .reg .b16 %h<2>; .reg .pred p;\n" +
        body + "ret;\n}\n";
    auto cubin = cuda::assemble(ptx, info, options);
    return cubin ? "" : llvm::toString(cubin.takeError());
  }

  AssembleOptions options;
};

TEST_F(InstructionRows, AssembleForTheirTargets) {
  for (const NvidiaInfo &info : nvidiaTargets()) {
    std::map<int, std::string> bodies; // by the PTX version they need
    for (const Instruction &instruction : instructions()) {
      if (instruction.targets & info.target) {
        bodies[std::max(info.ptxVersion, instruction.ptxVersion)] += instruction.text + "\n";
      }
    }
    for (const auto &[ptxVersion, body] : bodies) {
      EXPECT_EQ(assemble(info, ptxVersion, body), "") << info.name << " with PTX " << ptxVersion;
    }
  }
}

TEST_F(InstructionRows, AssembleForNoOther) {
  constexpr int newest = 90;
  for (const NvidiaInfo &info : nvidiaTargets()) {
    for (const Instruction &instruction : instructions()) {
      bool isSmallest =
          instruction.text.find("wgmma") == std::string::npos || instruction.text.find("m64n8k") != std::string::npos;
      if (!(instruction.targets & info.target) && isSmallest) {
        EXPECT_NE(assemble(info, newest, instruction.text + "\n"), "") << info.name << " has " << instruction.text;
      }
    }
  }
}

TEST_F(InstructionRows, CopiesOfBoxesAssembleWhereTheTargetHasThem) {
  constexpr int newest = 90;
  const std::vector<std::string> texts = {
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r0],[%l0,{%r1,%r2}],[%r3];",
      "cp.async.bulk.tensor.5d.global.shared::cta.tile.bulk_group [%l0,{%r1,%r2,%r3,%r4,%r5}],[%r0];",
      "mbarrier.arrive.expect_tx.shared::cta.b64 _,[%r0],%r1;",
      "mbarrier.try_wait.parity.shared::cta.b64 p,[%r0],%r1;",
      "fence.mbarrier_init.release.cluster;",
      "cp.async.bulk.wait_group.read 0;",
      "prefetch.tensormap [%l0];",
  };
  for (const NvidiaInfo &info : nvidiaTargets()) {
    bool copiesBoxes = lookupGpu(info.name)->copiesBoxes;
    for (const std::string &text : texts) {
      EXPECT_EQ(assemble(info, copiesBoxes ? info.ptxVersion : newest, text + "\n").empty(), copiesBoxes)
          << info.name << ", " << text;
    }
  }
}

} // namespace
} // namespace tilewright::hardware
