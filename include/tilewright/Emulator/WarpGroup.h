// The check that the four warps of a warp group execute the same wgmma instructions, with the same descriptors.
//
// Each warp has executed a sequence of them. The steps that all four have executed are dropped.

#ifndef TILEWRIGHT_EMULATOR_WARPGROUP_H
#define TILEWRIGHT_EMULATOR_WARPGROUP_H

#include <array>
#include <cstdint>
#include <deque>

namespace tilewright::emulator {

class Block;
struct WarpCall;

/// An instruction that a warp group executes, with the operands that its threads have in common.
struct GroupStep {
  int32_t site = 0;
  const void *instruction = nullptr; ///< the same for the same row
  std::array<uint64_t, 5> operands = {};
};

class WarpGroup {
public:
  static constexpr uint32_t kWarps = 4;

  /// A warp of the group executes a step. Reports it if another warp has executed another one in its place.
  void enter(const WarpCall &call, const GroupStep &step);

  /// Must be called when the program has ended. Reports a step that some warps have executed and others have not.
  void end(Block &block, uint32_t firstWarp);

private:
  struct Entry {
    GroupStep step;
    uint32_t warp;        ///< of the block, that entered first
    uint32_t entered = 1; ///< the number of warps
  };

  std::deque<Entry> entries;
  uint64_t dropped = 0; // entries before the first in the list
  std::array<uint64_t, kWarps> executed = {};
  bool isWrong = false; // after an error, later steps are not compared
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_WARPGROUP_H
