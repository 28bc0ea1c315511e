// Counters, compared with requests computed by hand, with a simulation of AMD's banks, and with the layout algebra's
// bank conflicts of random swizzles.

#include "tilewright/Emulator/Counters.h"

#include "tilewright/Hardware/Gpu.h"
#include "tilewright/Layout/BankConflicts.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <set>

namespace tilewright::emulator {
namespace {

constexpr uint64_t kBase = 0x10000; ///< a multiple of every width of memory
constexpr int32_t kSite = 1, kOtherSite = 2;

/// One block of threads, whose accesses are given by a test.
class Counted {
public:
  explicit Counted(int threads = kLanes) : Counted(threads, kLanes, {}) {}

  /// A wave of a GPU of the hardware table.
  explicit Counted(const hardware::GpuInfo &gpu)
      : Counted(gpu.lanesPerWarp, gpu.lanesPerWarp,
                {static_cast<uint64_t>(gpu.transferBytes), gpu.banks, gpu.widestLoadOrder, gpu.joinsPairs}) {}

  Counted(int threads, int warpLanes, const MemoryRules &rules)
      : kernel(kernelOf(threads, warpLanes, rules)), profile(kernel.sites.size()) {
    launch.profile = &profile;
    warps.resize((threads + warpLanes - 1) / warpLanes);
    lanes.resize(warps.size() * warpLanes);
    for (size_t index = 0; index < lanes.size(); ++index) {
      Warp &warp = warps[index / warpLanes];
      warp.index = static_cast<uint32_t>(index / warpLanes);
      lanes[index].index = static_cast<uint32_t>(index);
      lanes[index].lastLane = warpLanes - 1;
      lanes[index].warp = &warp;
      if (index >= static_cast<size_t>(threads)) {
        warp.exited |= laneBit(index % warpLanes);
      }
    }
  }

  void access(int thread, MemorySpace space, uint64_t address, uint32_t bytes, AccessKind kind = AccessKind::Read,
              bool active = true, int32_t site = kSite) {
    counters.access({lanes[thread], site, kind, space, address, bytes, bytes}, active);
  }

  /// A load by all lanes of the first warp, of lane l at kBase + address(l).
  void load(MemorySpace space, uint32_t bytes, const std::function<uint64_t(int)> &address) {
    for (int lane = 0; lane < kLanes; ++lane) {
      access(lane, space, kBase + address(lane), bytes);
    }
  }

  /// Ends the block, and returns the launch's counts at kSite.
  SiteCounts &end() {
    counters.end();
    return profile.sites[kSite];
  }

  static Kernel kernelOf(int threads, int warpLanes, const MemoryRules &rules) {
    Kernel kernel;
    kernel.threads = threads;
    kernel.lanes = warpLanes;
    kernel.memory = rules;
    kernel.sites.resize(3);
    return kernel;
  }

  Kernel kernel;
  Settings settings;
  Launch launch{kernel, settings};
  Profile profile;
  Counters counters{launch};
  std::vector<Warp> warps;
  std::vector<Thread> lanes;
};

void expectCounts(const MemoryCounts &counts, int64_t requests, int64_t bytes, int64_t transfers, int64_t ideal) {
  EXPECT_EQ(counts.requests, requests) << "requests";
  EXPECT_EQ(counts.bytes, bytes) << "bytes";
  EXPECT_EQ(counts.transfers, transfers) << "transfers";
  EXPECT_EQ(counts.ideal, ideal) << "ideal";
}

void expectGlobal(uint32_t bytes, const std::function<uint64_t(int)> &address, int64_t sectors, int64_t ideal) {
  Counted block;
  block.load(MemorySpace::Global, bytes, address);
  expectCounts(block.end().globalLoads, 1, 32 * bytes, sectors, ideal);
}

void expectShared(uint32_t bytes, const std::function<uint64_t(int)> &address, int64_t wavefronts, int64_t ideal) {
  Counted block;
  block.load(MemorySpace::Shared, bytes, address);
  expectCounts(block.end().sharedLoads, 1, 32 * bytes, wavefronts, ideal);
}

//===- Global memory ----------------------------------------------------===//

TEST(CountersGlobal, coalesced) {
  expectGlobal(1, [](int lane) { return lane; }, 1, 1);
  expectGlobal(4, [](int lane) { return 4 * lane; }, 4, 4);
  expectGlobal(16, [](int lane) { return 16 * lane; }, 16, 16);
}

TEST(CountersGlobal, theOrderOfLanesDoesNotMatter) {
  expectGlobal(4, [](int lane) { return 4 * (lane ^ 21); }, 4, 4);
}

TEST(CountersGlobal, stridedLanesTouchASectorEach) {
  expectGlobal(4, [](int lane) { return 8 * lane; }, 8, 4);
  expectGlobal(4, [](int lane) { return 128 * lane; }, 32, 4);
  expectGlobal(4, [](int lane) { return 4096 * (31 - lane); }, 32, 4);
}

TEST(CountersGlobal, misalignedByFourBytes) {
  expectGlobal(4, [](int lane) { return 4 + 4 * lane; }, 5, 4);
  expectGlobal(16, [](int lane) { return 4 + 16 * lane; }, 17, 16);
}

TEST(CountersGlobal, lanesThatOverlapShareTheirBytes) {
  expectGlobal(4, [](int) { return 64; }, 1, 1);
  expectGlobal(8, [](int lane) { return 4 * lane; }, 5, 5);
  expectGlobal(4, [](int lane) { return lane % 2 * 4096; }, 2, 1);
}

//===- Shared memory ----------------------------------------------------===//

TEST(CountersShared, everyBankOnce) {
  expectShared(1, [](int lane) { return lane; }, 1, 1);
  expectShared(2, [](int lane) { return 2 * lane; }, 1, 1);
  expectShared(4, [](int lane) { return 4 * lane; }, 1, 1);
  expectShared(4, [](int lane) { return 132 * lane; }, 1, 1);
  expectShared(4, [](int lane) { return 4 * (lane ^ 13); }, 1, 1);
}

TEST(CountersShared, lanesOfOneWordShareIt) {
  expectShared(4, [](int) { return 8; }, 1, 1);
  expectShared(1, [](int lane) { return lane % 4; }, 1, 1);
  expectShared(2, [](int lane) { return 128 * (lane / 16) + 2 * (lane % 2); }, 2, 1);
}

TEST(CountersShared, conflicts) {
  expectShared(4, [](int lane) { return 8 * lane; }, 2, 1);
  expectShared(4, [](int lane) { return 128 * lane; }, 32, 1);
  expectShared(4, [](int lane) { return 4 * (lane % 31) + 128 * (lane / 31); }, 2, 1);
}

TEST(CountersShared, wideAccessesAreServedInParts) {
  expectShared(8, [](int lane) { return 8 * lane; }, 2, 2);
  expectShared(8, [](int lane) { return 16 * lane; }, 4, 2);
  expectShared(16, [](int lane) { return 16 * lane; }, 4, 4);
  expectShared(16, [](int lane) { return 128 * lane; }, 32, 4);
  // Each half accesses every bank once, although both begin at bank 0.
  expectShared(8, [](int lane) { return 8 * (lane % 16) + 4096 * (lane / 16); }, 2, 2);
  // Conflicts in the first half only.
  expectShared(8, [](int lane) { return lane < 16 ? 128 * lane : 8 * lane; }, 17, 2);
}

TEST(CountersShared, aBroadcastOfWideWordsTakesHalvesTogether) {
  expectShared(16, [](int) { return 32; }, 2, 2);
  expectShared(8, [](int) { return 32; }, 1, 1);
}

TEST(CountersShared, pairsOfLanesAreServedTogether) {
  expectShared(16, [](int lane) { return 16 * (lane / 2); }, 2, 2);
  expectShared(16, [](int lane) { return 16 * (lane % 2); }, 2, 2);
  expectShared(16, [](int lane) { return 16 * (lane / 4); }, 2, 2);
}

TEST(CountersShared, aBulkCopyIsOfOneLane) {
  Counted block;
  block.access(0, MemorySpace::Shared, kBase, 1024, AccessKind::Write);
  expectCounts(block.end().sharedStores, 1, 1024, 8, 8);
}

TEST(CountersShared, rowsOfMatrices) {
  Counted block;
  std::vector<uint64_t> addresses(32);
  for (int row = 0; row < 32; ++row) { // rows of 128 bytes: the first half swizzled, the second not
    addresses[row] = kBase + 128 * row + (row < 16 ? 16 * (row % 8) : 0);
  }
  block.counters.rows(kSite, AccessKind::Read, addresses.data(), 32);
  block.counters.rows(kSite, AccessKind::Write, addresses.data(), 8);
  SiteCounts counts = block.end();
  expectCounts(counts.sharedLoads, 1, 512, 1 + 1 + 8 + 8, 4);
  expectCounts(counts.sharedStores, 1, 128, 1, 1);
}

//===- AMD's memories ---------------------------------------------------===//

/// The lanes that LDS serves at a time in a load of 16 bytes, as documented: the same of the upper half follow.
constexpr int kGroups[4][8] = {{0, 1, 2, 3, 20, 21, 22, 23},
                               {4, 5, 6, 7, 16, 17, 18, 19},
                               {8, 9, 10, 11, 28, 29, 30, 31},
                               {12, 13, 14, 15, 24, 25, 26, 27}};

/// The lanes of each phase of an access, written out.
std::vector<std::vector<int>> phasesOf(const hardware::GpuInfo &gpu, uint32_t bytes, AccessKind kind) {
  std::vector<std::vector<int>> phases;
  bool isCdna32 = gpu.lanesPerWarp == 64 && gpu.banks == 32;
  if (isCdna32 && bytes == 16 && kind == AccessKind::Read) {
    for (int half : {0, 32}) {
      for (const auto &group : kGroups) {
        std::vector<int> &phase = phases.emplace_back();
        for (int lane : group) {
          phase.push_back(lane + half);
        }
      }
    }
    return phases;
  }
  int together = std::min<int>(gpu.lanesPerWarp, gpu.banks * 4 / static_cast<int>(std::max(bytes, 4u)));
  for (int lane = 0; lane < gpu.lanesPerWarp; ++lane) {
    if (lane % together == 0) {
      phases.emplace_back();
    }
    phases.back().push_back(lane);
  }
  return phases;
}

/// The phases with conflicts, and without.
std::pair<int64_t, int64_t> simulate(const hardware::GpuInfo &gpu, uint32_t bytes, AccessKind kind,
                                     const std::vector<uint64_t> &addresses) {
  int64_t taken = 0, ideal = 0;
  for (const std::vector<int> &phase : phasesOf(gpu, bytes, kind)) {
    std::map<uint64_t, std::set<uint64_t>> wordsOfBank;
    std::set<uint64_t> words;
    for (int lane : phase) {
      for (uint32_t byte = 0; byte < bytes; ++byte) {
        uint64_t word = (addresses[lane] + byte) / 4;
        wordsOfBank[word % gpu.banks].insert(word);
        words.insert(word);
      }
    }
    size_t most = 0;
    for (const auto &[bank, found] : wordsOfBank) {
      most = std::max(most, found.size());
    }
    taken += static_cast<int64_t>(most);
    ideal += (static_cast<int64_t>(words.size()) + gpu.banks - 1) / gpu.banks;
  }
  return {taken, ideal};
}

TEST(CountersOfAmd, sharedAccessesAgainstASimulation) {
  std::mt19937 random(16);
  std::set<int64_t> seen;
  for (int trial = 0; trial < 2000; ++trial) {
    const char *names[] = {"gfx90a", "gfx942", "gfx950", "gfx1100"};
    const hardware::GpuInfo &gpu = *hardware::lookupGpu(names[trial % 4]);
    uint32_t bytes = 1u << random() % 5;
    AccessKind kind = random() % 2 ? AccessKind::Read : AccessKind::Write;
    std::vector<uint64_t> addresses;
    uint64_t stride = random() % 64, range = 1 + random() % 256;
    for (int lane = 0; lane < gpu.lanesPerWarp; ++lane) {
      addresses.push_back(kBase + bytes * (trial % 3 ? stride * lane % 1024 : random() % range));
    }
    Counted block(gpu);
    for (int lane = 0; lane < gpu.lanesPerWarp; ++lane) {
      block.access(lane, MemorySpace::Shared, addresses[lane], bytes, kind);
    }
    const SiteCounts &counts = block.end();
    auto [taken, ideal] = simulate(gpu, bytes, kind, addresses);
    int64_t all = int64_t(bytes) * gpu.lanesPerWarp;
    expectCounts(kind == AccessKind::Read ? counts.sharedLoads : counts.sharedStores, 1, all, taken, ideal);
    seen.insert(taken);
  }
  EXPECT_GE(seen.size(), 20u) << "accesses with and without conflicts are among them";
}

TEST(CountersOfAmd, addressesThatConflictOnlyInTheGroupsOfLoads) {
  // A load serves lanes 20 to 23, which are in the banks of lanes 0 to 3, together with them; a store does not.
  auto address = [](int lane) { return 16 * (lane % 4 + 4 * (lane / 4 % 2 ^ lane / 16 % 2)) + 128 * (lane / 8 * 2); };
  for (AccessKind kind : {AccessKind::Read, AccessKind::Write}) {
    Counted block(*hardware::lookupGpu("gfx942"));
    for (int lane = 0; lane < 64; ++lane) {
      block.access(lane, MemorySpace::Shared, kBase + address(lane), 16, kind);
    }
    const SiteCounts &counts = block.end();
    EXPECT_EQ(counts.sharedLoads.transfers, kind == AccessKind::Read ? 16 : 0);
    EXPECT_EQ(counts.sharedStores.transfers, kind == AccessKind::Read ? 0 : 8);
  }
}

TEST(CountersOfAmd, linesOfGlobalMemory) {
  auto lines = [](const char *name, uint32_t bytes, const std::function<uint64_t(int)> &address) {
    const hardware::GpuInfo &gpu = *hardware::lookupGpu(name);
    Counted block(gpu);
    for (int lane = 0; lane < gpu.lanesPerWarp; ++lane) {
      block.access(lane, MemorySpace::Global, kBase + address(lane), bytes);
    }
    const MemoryCounts &counts = block.end().globalLoads;
    return std::pair(counts.transfers, counts.ideal);
  };
  auto contiguous = [](int lane) { return 16 * lane; };
  EXPECT_EQ(lines("gfx90a", 16, contiguous), std::pair(int64_t(16), int64_t(16)));
  EXPECT_EQ(lines("gfx942", 16, contiguous), std::pair(int64_t(8), int64_t(8)));
  EXPECT_EQ(lines("gfx1100", 16, contiguous), std::pair(int64_t(4), int64_t(4)));
  EXPECT_EQ(lines("gfx942", 4, [](int lane) { return 4 + 4 * lane; }), std::pair(int64_t(3), int64_t(2)));
  EXPECT_EQ(lines("gfx942", 4, [](int lane) { return 4096 * (63 - lane); }), std::pair(int64_t(64), int64_t(2)));
}

//===- Requests from lanes ----------------------------------------------===//

TEST(CountersRequests, inactiveLanesAskForNothing) {
  Counted block;
  for (int lane = 0; lane < kLanes; ++lane) {
    block.access(lane, MemorySpace::Global, kBase + 4 * lane, 4, AccessKind::Write, lane < 10);
    block.access(lane, MemorySpace::Shared, 0, 4, AccessKind::Read, false);
  }
  SiteCounts counts = block.end();
  expectCounts(counts.globalStores, 1, 40, 2, 2);
  expectCounts(counts.sharedLoads, 0, 0, 0, 0);
}

TEST(CountersRequests, inALoopEachIterationIsOne) {
  // Each lane executes all its iterations before the next lane starts.
  Counted block;
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int iteration = 0; iteration < 100; ++iteration) {
      block.access(lane, MemorySpace::Shared, kBase + 4 * lane * (1 + iteration % 2), 4);
    }
  }
  expectCounts(block.end().sharedLoads, 100, 12800, 50 + 50 * 2, 100);
}

TEST(CountersRequests, lanesComeInAnyOrder) {
  std::vector<int> order(kLanes * 20);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(5));
  Counted block;
  std::array<int, kLanes> iterations = {};
  for (int entry : order) {
    int lane = entry % kLanes, iteration = iterations[lane]++;
    block.access(lane, MemorySpace::Global, kBase + 4096 * iteration + 4 * lane, 4);
  }
  expectCounts(block.end().globalLoads, 20, 20 * 128, 20 * 4, 20 * 4);
}

TEST(CountersRequests, lanesThatDivergeMakeARequestWithoutTheOthers) {
  Counted block;
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int iteration = 0; iteration < (lane < 8 ? 3 : 1); ++iteration) {
      block.access(lane, MemorySpace::Global, kBase + 1024 * iteration + 4 * lane, 4);
    }
  }
  expectCounts(block.end().globalLoads, 3, 128 + 2 * 32, 4 + 2, 4 + 2);
}

TEST(CountersRequests, noRequestWaitsForLanesThatHaveExited) {
  Counted block;
  block.warps[0].exited = 0xffff0000;
  for (int iteration = 0; iteration < 1000; ++iteration) {
    for (int lane = 0; lane < 16; ++lane) {
      block.access(lane, MemorySpace::Global, kBase + 1024 * iteration + 4 * lane, 4);
    }
  }
  expectCounts(block.end().globalLoads, 1000, 64000, 2000, 2000);
}

TEST(CountersRequests, lanesThatAreTooFarBehindAreStillCounted) {
  constexpr int kFar = 100000;
  Counted block;
  for (int lane : {0, 1}) {
    for (int iteration = 0; iteration < kFar; ++iteration) {
      block.access(lane, MemorySpace::Global, kBase + 4 * lane, 4);
    }
  }
  const MemoryCounts &counts = block.end().globalLoads;
  EXPECT_EQ(counts.bytes, 2 * 4 * kFar);
  EXPECT_GT(counts.requests, kFar) << "some that would have been one request are not";
  EXPECT_LT(counts.requests, 2 * kFar) << "some are";
}

TEST(CountersRequests, warpsSitesWidthsAndKindsAreApart) {
  Counted block(64);
  for (int thread = 0; thread < 64; ++thread) {
    uint64_t address = kBase + 4 * thread;
    block.access(thread, MemorySpace::Global, address, 4);
    block.access(thread, MemorySpace::Global, address, 2);
    block.access(thread, MemorySpace::Global, address, 4, AccessKind::Write);
    block.access(thread, MemorySpace::Global, address, 4, AccessKind::Atomic);
    block.access(thread, MemorySpace::Shared, address, 4);
    block.access(thread, MemorySpace::Global, address, 4, AccessKind::Read, true, kOtherSite);
  }
  SiteCounts counts = block.end();
  expectCounts(counts.globalLoads, 4, 256 + 128, 16, 8 + 4);
  expectCounts(counts.globalStores, 4, 512, 16, 16);
  expectCounts(counts.sharedLoads, 2, 256, 2, 2);
  expectCounts(block.profile.sites[kOtherSite].globalLoads, 2, 256, 8, 8);
}

TEST(CountersRequests, aBlockOfFewerThreadsThanAWarp) {
  Counted block(4);
  for (int thread = 0; thread < 4; ++thread) {
    block.access(thread, MemorySpace::Global, kBase + 4 * thread, 4);
    block.access(thread, MemorySpace::Global, kBase + 64 * thread, 4);
  }
  expectCounts(block.end().globalLoads, 2, 32, 1 + 4, 1 + 1);
}

TEST(CountersRequests, aSiteThatIsNotKnownIsNumberZero) {
  Counted block;
  block.access(0, MemorySpace::Global, kBase, 4, AccessKind::Read, true, 77);
  block.access(0, MemorySpace::Global, kBase, 4, AccessKind::Write, true, -1);
  block.counters.end();
  expectCounts(block.profile.sites[0].globalLoads, 1, 4, 1, 1);
  expectCounts(block.profile.sites[0].globalStores, 1, 4, 1, 1);
}

TEST(CountersRequests, blocksAddUp) {
  Counted block;
  for (int program = 0; program < 3; ++program) {
    block.load(MemorySpace::Global, 4, [](int lane) { return 4 * lane; });
    block.access(7, MemorySpace::Global, kBase, 4); // begins a request that no other lane takes part in
    block.counters.count(block.lanes[0], kSite, InstructionClass::Matrix, 1);
    block.counters.end();
  }
  SiteCounts &counts = block.profile.sites[kSite];
  expectCounts(counts.globalLoads, 6, 3 * 132, 3 * 5, 3 * 5);
  EXPECT_EQ(counts.instructions[static_cast<int>(InstructionClass::Matrix)], 3);
}

//===- Instructions -----------------------------------------------------===//

int64_t instructionsOf(const SiteCounts &counts, InstructionClass kind) {
  return counts.instructions[static_cast<int>(kind)];
}

TEST(CountersInstructions, ofAllLanesAreOneOfTheWarp) {
  Counted block(96);
  for (Thread &thread : block.lanes) {
    block.counters.count(thread, kSite, InstructionClass::Float, 2);
    block.counters.count(thread, kSite, InstructionClass::Float, 3);
    block.counters.count(thread, kSite, InstructionClass::Integer, 1);
    block.counters.count(thread, kOtherSite, InstructionClass::Float, 7);
  }
  SiteCounts counts = block.end();
  EXPECT_EQ(instructionsOf(counts, InstructionClass::Float), 3 * 5);
  EXPECT_EQ(instructionsOf(counts, InstructionClass::Integer), 3);
  EXPECT_EQ(instructionsOf(counts, InstructionClass::Special), 0);
  EXPECT_EQ(instructionsOf(block.profile.sites[kOtherSite], InstructionClass::Float), 3 * 7);
}

TEST(CountersInstructions, theLaneWithTheMostCounts) {
  Counted block(64);
  for (int turn = 0; turn < 100; ++turn) {
    block.counters.count(block.lanes[5], kSite, InstructionClass::Integer, 1);
  }
  block.counters.count(block.lanes[6], kSite, InstructionClass::Integer, 30);
  block.counters.count(block.lanes[40], kSite, InstructionClass::Integer, 1);
  EXPECT_EQ(instructionsOf(block.end(), InstructionClass::Integer), 100 + 1);
}

TEST(CountersInstructions, barriersAreCountedByThemselvesToo) {
  Counted block(64);
  for (Thread &thread : block.lanes) {
    block.counters.count(thread, kSite, InstructionClass::Barrier, 1);
  }
  SiteCounts counts = block.end();
  EXPECT_EQ(counts.barriers, 2);
  EXPECT_EQ(instructionsOf(counts, InstructionClass::Barrier), 2);
}

//===- The compiler's algebra -------------------------------------------===//

/// The addresses of a random linear layout, and thus a swizzled one, for accesses of 2^vectorBits elements.
layout::LinearLayout randomOffsets(std::mt19937 &random, int vectorBits, int laneBits) {
  layout::Columns columns;
  for (int bit = 0; bit < vectorBits; ++bit) {
    columns.push_back(uint64_t(1) << bit);
  }
  for (int lane = 0; lane < laneBits; ++lane) {
    columns.push_back((random() & 0xff) << vectorBits);
  }
  return {{{"register", vectorBits}, {"lane", laneBits}}, {{"offset", 8 + vectorBits}}, columns};
}

TEST(CountersAgainstAlgebra, randomSwizzledLayouts) {
  std::mt19937 random(3);
  std::set<int64_t> seen;
  for (int trial = 0; trial < 2000; ++trial) {
    const char *names[] = {"sm_80", "gfx942", "gfx1100"};
    const hardware::GpuInfo &gpu = *hardware::lookupGpu(names[trial % 3]);
    AccessKind kind = random() % 2 ? AccessKind::Read : AccessKind::Write;
    bool isLoad = kind == AccessKind::Read;
    int elementBits = 8 << random() % 4, vectorBits = static_cast<int>(random() % 5);
    uint32_t bytes = elementBits / 8 << vectorBits;
    layout::LinearLayout offsets = randomOffsets(random, vectorBits, gpu.lanesPerWarp == 64 ? 6 : 5);
    // The algebra does not model that lanes with equal addresses are served together.
    bool pairs = gpu.joinsPairs && (offsets({0, 1})[0] == 0 || offsets({0, 2})[0] == 0);
    if (bytes > 16 || (bytes > 4 && pairs)) {
      continue;
    }
    layout::AccessCost cost =
        layout::costOfAccess(offsets, layout::widestAccess(offsets, layout::kOffset, 1 << vectorBits), elementBits,
                             gpu.sharedMemory(), isLoad);
    Counted block(gpu);
    for (int lane = 0; lane < gpu.lanesPerWarp; ++lane) {
      block.access(lane, MemorySpace::Shared, kBase + offsets({0, lane})[0] * elementBits / 8, bytes, kind);
    }
    const SiteCounts &site = block.end();
    const MemoryCounts &counts = isLoad ? site.sharedLoads : site.sharedStores;
    EXPECT_EQ(counts.transfers, cost.wavefronts) << "trial " << trial << "\n" << offsets.toString();
    EXPECT_EQ(counts.ideal, cost.best) << "trial " << trial;
    seen.insert(counts.transfers);
  }
  EXPECT_GE(seen.size(), 5u) << "layouts with and without conflicts are among them";
}

} // namespace
} // namespace tilewright::emulator
