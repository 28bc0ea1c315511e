// Computes how many instructions the warps of a block execute from the counts of their threads.
//
// A warp executes an instruction once for all lanes that reach it together. The emulator counts the instructions of
// each lane; the largest count is taken as that of the warp:
//
//     every lane 3 times                  3
//     lane 0 alone, 100 times           100
//     lanes 0-15 3, lanes 16-31 5         5   (8 if they were two branches: a lower bound where lanes diverge)

#ifndef TILEWRIGHT_LIB_EMULATOR_COUNTERS_INSTRUCTIONCOUNTS_H
#define TILEWRIGHT_LIB_EMULATOR_COUNTERS_INSTRUCTIONCOUNTS_H

#include "tilewright/Emulator/Counters.h"

namespace tilewright::emulator {

class InstructionCounts {
public:
  InstructionCounts(size_t sites, int threads, int lanes);

  void count(uint32_t thread, size_t site, InstructionClass kind, int64_t instructions) {
    int32_t &row = rowOf[site * kInstructionClasses + static_cast<size_t>(kind)];
    if (row < 0) {
      row = addRow(site, kind);
    }
    counts[row * width + thread] += instructions;
  }

  /// Adds the warps' instructions to the sites' counts, and resets them.
  void finish(std::vector<SiteCounts> &sites);

private:
  /// A site and class that occur. Only few of all combinations do.
  struct Row {
    size_t site;
    InstructionClass kind;
  };

  int32_t addRow(size_t site, InstructionClass kind);

  size_t lanesOfWarp;
  size_t width; ///< the number of threads, rounded up to whole warps
  std::vector<int32_t> rowOf;
  std::vector<Row> rows;
  std::vector<int64_t> counts; ///< by row and thread
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_EMULATOR_COUNTERS_INSTRUCTIONCOUNTS_H
