// Prints a layout as a table, or the steps that convert one layout into another.

#include "Parse.h"

#include "tilewright/Hardware/Gpu.h"
#include "tilewright/Layout/ChooseSwizzle.h"
#include "tilewright/Layout/Conversion.h"
#include "tilewright/Layout/Table.h"

#include <cstdio>
#include <set>

namespace tilewright::layout {

static constexpr const char *kHelp =
    R"(tilewright-layout LAYOUT [OPTIONS]             prints a layout
tilewright-layout LAYOUT to LAYOUT [OPTIONS]   prints how to convert the first into the second

Layouts of tiles in registers:
  blocked SIZE THREADS WARPS ORDER   sizes per thread, threads per warp, warps per program, and the dimensions,
                                     the fastest first: blocked 1,4 8,4 4,1 1,0
  mma16x8 a|b|c                      operand of mma.sync m16n8, with 32 bytes along K
  wgmma a | wgmma c N                operand of wgmma m64nN
  slice DIM LAYOUT                   LAYOUT without one dimension, as after a reduction
Layouts of tiles in shared memory:
  swizzled VEC PERPHASE MAXPHASE     rows whose groups of VEC elements are exchanged (1 1 1: no exchange)
  nvmma BYTES                        the layout that TMA writes and wgmma reads, swizzled by 16, 32, 64 or 128 bytes

Options:
  --shape R,C       the shape of the tile (default: what the layout covers; 16,64 in shared memory)
  --warps M,N       warps of mma16x8 and wgmma (default: 1,1)
  --bits N          bits of an element (default: 16)
  --view threads    a row per thread, a column per register, coordinates in the cells (default for registers)
  --view tile       the tile, thread:register or offset in the cells
  --view offsets    shared memory in rows of 128 bytes, coordinates in the cells (default for shared memory)
  --view bases      the coordinates of each power of two
)";

static bool isShared(const LinearLayout &layout) { return layout.ins().front().name == kOffset; }

static std::string print(const LinearLayout &layout, const Options &options) {
  View view = options.view;
  if (view == View::Default) {
    view = isShared(layout) ? View::Offsets : View::Threads;
  }
  if (isShared(layout) ? view == View::Threads : view == View::Offsets) {
    throw UsageError("--view threads is for registers, --view offsets for shared memory");
  }
  switch (view) {
  case View::Tile:
    return tileTable(layout);
  case View::Offsets:
    return offsetTable(layout, std::min(layout.inSize(kOffset), int64_t(1024) / options.bits));
  case View::Bases:
    return layout.toString();
  default:
    return threadTable(layout);
  }
}

static std::string describe(const AccessCost &cost, const VectorAccess &vector) {
  return std::to_string(cost.accesses) + " of " + std::to_string(vector.elements()) + " elements, " +
         std::to_string(cost.wavefronts) + " wavefronts each (best " + std::to_string(cost.best) + ")\n";
}

/// The steps of the conversion, one per line.
static std::string convert(const LinearLayout &from, const LinearLayout &to, const Options &options) {
  ConversionPlan plan = planConversion(from, to);
  switch (plan.kind) {
  case ConversionKind::None:
    return "nothing to do\n";
  case ConversionKind::Registers:
    return "registers only: " + std::to_string(plan.selects()) + " selects\n";
  case ConversionKind::Lanes: {
    std::set<int> xorMasks(plan.shuffle.xorMasks.begin(), plan.shuffle.xorMasks.end());
    std::string text = "lanes: " + std::to_string(plan.shuffles()) + " shuffles, " + std::to_string(plan.selects()) +
                       " selects\n  " + (plan.shuffle.isButterfly() ? "butterfly" : "indexed") + ", lane ^";
    for (int xorMask : xorMasks) {
      text += " " + std::to_string(xorMask);
    }
    return text + "\n";
  }
  case ConversionKind::Shared: {
    SwizzleChoice choice = chooseSwizzle(from, to, options.bits, hardware::gpus().front().sharedMemory());
    return "shared memory, a warp writes and reads:\n  write " + describe(choice.write, choice.writeVector) +
           "  read  " + describe(choice.read, choice.readVector) + choice.shared.toString();
  }
  case ConversionKind::Cluster:
    return "shared memory of other thread blocks\n";
  }
  return "";
}

static std::string run(const std::vector<std::string> &arguments) {
  Options options;
  std::vector<std::string> words = parseOptions(arguments, options);
  size_t at = 0;
  LinearLayout layout = parseLayout(words, at, options);
  if (at == words.size()) {
    return print(layout, options);
  }
  if (words[at++] != "to") {
    throw UsageError("too many words: '" + words[at - 1] + "'");
  }
  LinearLayout other = parseLayout(words, at, options);
  if (at != words.size()) {
    throw UsageError("too many words: '" + words[at] + "'");
  }
  if (isShared(layout) || isShared(other) || layout.outs() != other.outs()) {
    throw UsageError("both layouts must be of registers and of the same tile shape; set it with --shape");
  }
  if (layout.inBits(kLane) != other.inBits(kLane) || layout.inBits(kWarp) != other.inBits(kWarp)) {
    throw UsageError("both layouts must have the same number of lanes and warps");
  }
  return convert(layout, other, options);
}

} // namespace tilewright::layout

int main(int argc, char **argv) {
  using namespace tilewright::layout;
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h") {
    std::fputs(kHelp, stdout);
    return arguments.empty() ? 2 : 0;
  }
  try {
    std::fputs(run(arguments).c_str(), stdout);
  } catch (const UsageError &error) {
    std::fprintf(stderr, "tilewright-layout: %s (see --help)\n", error.what());
    return 2;
  }
  return 0;
}
