// Random accesses and asynchronous copies, compared with a model that keeps a state for each byte.

#include "Checks/Races.h"

#include "gtest/gtest.h"

#include <optional>
#include <random>

using namespace tilewright::emulator;

namespace {

constexpr int kBytes = 70;

/// The state of a byte of shared memory.
struct ByteState {
  bool isWritten = false;
  bool isCopied = false; ///< an asynchronous copy that `thread` issued at `site` is in flight
  uint32_t thread = 0;
  int32_t site = 0;
};

struct Model {
  ByteState bytes[kBytes];

  /// Returns the error of the first byte that has one.
  std::optional<Report::Kind> touch(AccessKind kind, int begin, int end, uint32_t thread, int32_t site) {
    std::optional<Report::Kind> wrong;
    for (int at = begin; at < end; ++at) {
      ByteState &byte = bytes[at];
      bool isRead = kind == AccessKind::Read || kind == AccessKind::Atomic;
      if (!wrong && byte.isCopied) {
        wrong = Report::Copy;
      } else if (!wrong && isRead && !byte.isWritten) {
        wrong = Report::Uninitialized;
      }
      byte = {true, kind == AccessKind::Copy, thread, site};
    }
    return wrong;
  }

  void arrive(int begin, int end, uint32_t thread, int32_t site) {
    for (int at = begin; at < end; ++at) {
      bytes[at].isCopied &= bytes[at].thread != thread || bytes[at].site != site;
    }
  }
};

struct Copy {
  int begin, end;
  uint32_t thread;
  int32_t site;
};

} // namespace

TEST(Copies, AsAModelOfEachByteHasThem) {
  Settings settings;
  settings.checkCopies = settings.checkInitialized = true;
  Races races(settings, 8, kBytes);
  int found[2] = {};
  for (int seed = 0; seed < 2000; ++seed) {
    std::mt19937 random(seed);
    auto below = [&](int limit) { return static_cast<int>(random() % limit); };
    Model model;
    std::vector<Copy> copies;
    int width = 1 + below(40), writes = below(10);
    races.begin();
    for (int step = 0; step < 100; ++step) {
      uint32_t thread = below(8);
      int32_t site = below(3);
      int begin = below(kBytes), end = std::min(kBytes, begin + 1 + below(width));
      if (!copies.empty() && below(3) == 0) {
        Copy copy = copies[below(static_cast<int>(copies.size()))];
        races.arrive(copy.thread, copy.site, copy.begin, copy.end - copy.begin);
        model.arrive(copy.begin, copy.end, copy.thread, copy.site);
        continue;
      }
      AccessKind kind = below(10) < writes ? (below(2) ? AccessKind::Write : AccessKind::Copy)
                                           : (below(2) ? AccessKind::Read : AccessKind::Atomic);
      if (kind == AccessKind::Copy) {
        copies.push_back({begin, end, thread, site});
      }
      Finding finding = races.touch(thread, kind, site, MemorySpace::Shared, begin, end - begin);
      std::optional<Report::Kind> expected = model.touch(kind, begin, end, thread, site);
      ASSERT_EQ(finding.isWrong, expected.has_value()) << "seed " << seed << " step " << step;
      if (expected) {
        ASSERT_EQ(finding.kind, *expected) << "seed " << seed << " step " << step;
        ++found[*expected == Report::Copy];
      }
    }
  }
  EXPECT_GT(found[0], 1000);
  EXPECT_GT(found[1], 1000);
}
