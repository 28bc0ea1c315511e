#include "tilewright/Emulator/WarpGroup.h"

#include "tilewright/Emulator/Block.h"

#include <string>

namespace tilewright::emulator {

static void report(const WarpCall &call, std::string message, uint32_t otherWarp, int32_t otherSite) {
  Report report{Report::WarpGroup, std::move(message)};
  report.site = call.site;
  report.otherThread = static_cast<int32_t>(otherWarp * kLanes);
  report.otherSite = otherSite;
  call.thread(0).report(std::move(report));
}

/// What two warps do differently in one step; empty if nothing.
static std::string differenceOf(const Block &block, const GroupStep &step, const GroupStep &other, uint32_t warp) {
  std::string of = "warp " + std::to_string(warp) + " of its group";
  if (step.instruction != other.instruction || step.site != other.site) {
    return "reaches this instruction where " + of + " reaches the one at " +
           block.launch.kernel.sites[other.site].describe();
  }
  static constexpr const char *names[] = {"n", "form", "scale-d", "descriptor of B", "descriptor of A"};
  for (size_t i = 0; i < step.operands.size(); ++i) {
    if (step.operands[i] != other.operands[i]) {
      return std::string("has another ") + names[i] + " than " + of;
    }
  }
  return "";
}

void WarpGroup::enter(const WarpCall &call, const GroupStep &step) {
  Block &block = *call.warp->block;
  uint32_t warp = call.warp->index;
  if (isWrong) {
    return;
  }
  if ((warp / kWarps + 1) * kWarps > block.warps.size()) {
    isWrong = true;
    return report(call,
                  "is executed by a warp group, which is four warps of which the first is a multiple of four, but the "
                  "block has " +
                      std::to_string(block.warps.size()) + " warps",
                  warp, step.site);
  }
  uint64_t index = executed[warp % kWarps]++ - dropped;
  if (index == entries.size()) {
    entries.push_back({step, warp});
    return;
  }
  Entry &entry = entries[index];
  std::string difference = differenceOf(block, step, entry.step, entry.warp);
  if (!difference.empty()) {
    isWrong = true;
    return report(call, difference, entry.warp, entry.step.site);
  }
  if (++entry.entered == kWarps) {
    entries.pop_front();
    ++dropped;
  }
}

void WarpGroup::end(Block &block, uint32_t firstWarp) {
  if (isWrong || entries.empty()) {
    return;
  }
  const Entry &entry = entries.front();
  uint32_t missing = 0;
  while (executed[missing] > dropped) {
    ++missing;
  }
  Report report{Report::WarpGroup, "warp " + std::to_string(firstWarp + missing) +
                                       " of its group ended without executing this instruction"};
  report.site = report.otherSite = entry.step.site;
  report.otherThread = static_cast<int32_t>((firstWarp + missing) * kLanes);
  block.threads[static_cast<size_t>(entry.warp) * kLanes].report(std::move(report));
}

} // namespace tilewright::emulator
