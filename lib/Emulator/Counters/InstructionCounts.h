// How many instructions the warps of a block execute, from those of their threads.
//
// A warp executes an instruction once for all lanes that come to it together. What is known is how many each lane
// executes; the lane with the most says how many its warp does:
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
  InstructionCounts(size_t sites, int threads);

  void count(uint32_t thread, size_t site, InstructionClass kind, int64_t instructions) {
    int32_t &row = rowOf[site * kInstructionClasses + static_cast<size_t>(kind)];
    if (row < 0) {
      row = addRow(site, kind);
    }
    counts[row * width + thread] += instructions;
  }

  /// Adds the warps' instructions to the sites' counts, and begins from zero.
  void finish(std::vector<SiteCounts> &sites);

private:
  /// A site and class that occur: few of all that there could be.
  struct Row {
    size_t site;
    InstructionClass kind;
  };

  int32_t addRow(size_t site, InstructionClass kind);

  size_t width; ///< threads, in whole warps
  std::vector<int32_t> rowOf;
  std::vector<Row> rows;
  std::vector<int64_t> counts; ///< of each thread, for each row
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_EMULATOR_COUNTERS_INSTRUCTIONCOUNTS_H
