// Random small programs, whose races are compared with those of the whole happens-before relation.

#include "Checks/Races.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <bitset>
#include <random>
#include <set>

using namespace tilewright::emulator;

namespace {

constexpr int kBytes = 40; // more than two lines of 16
constexpr int kMostSteps = 120;

struct Step {
  enum Kind { Touch, Synchronize, Release, Acquire };
  Kind kind = Touch;
  uint32_t thread = 0;
  std::vector<uint32_t> threads; ///< of Synchronize
  Deed deed = Deed::Read;
  int begin = 0, end = 0; ///< the bytes of Touch
  uint64_t address = 0;   ///< of Release and Acquire
  bool involves(uint32_t other) const {
    return kind == Synchronize ? std::count(threads.begin(), threads.end(), other) > 0 : thread == other;
  }
};

using Steps = std::bitset<kMostSteps>;

struct Program {
  uint32_t threads = 0;
  std::vector<Step> steps;
};

Program randomProgram(std::mt19937 &random) {
  auto below = [&](int limit) { return static_cast<int>(random() % limit); };
  Program program;
  program.threads = 2 + below(5);
  int synchronisations = below(6), bytes = 1 + below(kBytes), kinds = 1 + below(3), width = 1 + below(16);
  for (int left = 5 + below(kMostSteps - 5); left > 0; --left) {
    Step step;
    step.thread = below(program.threads);
    if (below(20) < synchronisations) {
      step.kind = static_cast<Step::Kind>(1 + below(3));
      step.address = below(2);
      bool all = below(2) == 0;
      for (uint32_t thread = 0; thread < program.threads; ++thread) {
        if (all || below(2) == 0) {
          step.threads.push_back(thread);
        }
      }
    } else {
      step.deed = static_cast<Deed>(below(kinds));
      step.begin = below(bytes);
      step.end = std::min(kBytes, step.begin + 1 + below(width));
    }
    program.steps.push_back(step);
  }
  return program;
}

/// Which steps are before each step: those of the same threads, and what was released to the acquired address; and all
/// that is before these.
std::vector<Steps> happensBefore(const Program &program) {
  std::vector<Steps> before(program.steps.size());
  for (size_t j = 0; j < before.size(); ++j) {
    const Step &later = program.steps[j];
    for (size_t i = 0; i < j; ++i) {
      const Step &step = program.steps[i];
      bool isSameThread = false;
      for (uint32_t thread = 0; thread < program.threads; ++thread) {
        isSameThread |= step.involves(thread) && later.involves(thread);
      }
      bool isAcquired = step.kind == Step::Release && later.kind == Step::Acquire && step.address == later.address;
      if (isSameThread || isAcquired) {
        before[j] |= before[i];
        before[j].set(i);
      }
    }
  }
  return before;
}

struct Oracle {
  explicit Oracle(const Program &program) : program(program), before(happensBefore(program)) {}

  bool isRace(size_t i, size_t j, int byte) const {
    const Step &a = program.steps[i], &b = program.steps[j];
    bool meet = a.kind == Step::Touch && b.kind == Step::Touch && a.begin <= byte && byte < a.end && b.begin <= byte &&
                byte < b.end;
    bool conflict = a.deed == Deed::Write || b.deed == Deed::Write || a.deed != b.deed;
    return meet && conflict && a.thread != b.thread && !before[j][i];
  }
  bool isRace(size_t i, size_t j) const {
    bool result = false;
    for (int byte = 0; byte < kBytes; ++byte) {
      result |= isRace(i, j, byte);
    }
    return result;
  }
  std::set<int> racyBytes() const {
    std::set<int> bytes;
    for (int byte = 0; byte < kBytes; ++byte) {
      for (size_t j = 0; j < before.size(); ++j) {
        for (size_t i = 0; i < j; ++i) {
          if (isRace(i, j, byte)) {
            bytes.insert(byte);
          }
        }
      }
    }
    return bytes;
  }
  /// The first step that races with an earlier one, or the number of steps.
  size_t firstRace() const {
    for (size_t j = 0; j < before.size(); ++j) {
      for (size_t i = 0; i < j; ++i) {
        if (isRace(i, j)) {
          return j;
        }
      }
    }
    return before.size();
  }

  const Program &program;
  std::vector<Steps> before;
};

Settings racesOnly() {
  Settings settings;
  settings.checkRaces = true;
  return settings;
}

/// Runs the program with Races; calls found(step, byte, other step) for each race. The site of an access is its step.
template <typename Found>
void run(Races &races, const Program &program, MemorySpace space, bool byByte, Found &&found) {
  races.begin();
  for (size_t j = 0; j < program.steps.size(); ++j) {
    const Step &step = program.steps[j];
    switch (step.kind) {
    case Step::Touch:
      for (int at = step.begin; at < step.end; at = byByte ? at + 1 : step.end) {
        int bytes = byByte ? 1 : step.end - step.begin;
        Finding finding = races.touch(step.thread, step.deed, static_cast<int32_t>(j), space, at, bytes);
        if (finding.isWrong) {
          found(j, at, static_cast<size_t>(finding.other.site));
        }
      }
      break;
    case Step::Synchronize:
      races.synchronize(step.threads);
      break;
    case Step::Release:
      races.release(step.thread, step.address);
      break;
    case Step::Acquire:
      races.acquire(step.thread, step.address);
      break;
    }
  }
}

class RandomPrograms : public testing::TestWithParam<MemorySpace> {};

} // namespace

TEST_P(RandomPrograms, RaceOnTheSameBytes) {
  Settings settings = racesOnly();
  int racy = 0, clean = 0;
  for (int seed = 0; seed < 4000; ++seed) {
    std::mt19937 random(seed);
    Program program = randomProgram(random);
    Oracle oracle(program);
    std::set<int> bytes;
    Races races(settings, program.threads, kBytes);
    run(races, program, GetParam(), /*byByte=*/true, [&](size_t step, int byte, size_t other) {
      EXPECT_TRUE(oracle.isRace(other, step, byte)) << "seed " << seed << " step " << step;
      bytes.insert(byte);
    });
    std::set<int> expected = oracle.racyBytes();
    ASSERT_EQ(bytes, expected) << "seed " << seed;
    ++(expected.empty() ? clean : racy);
  }
  EXPECT_GT(racy, 400);
  EXPECT_GT(clean, 400);
}

TEST_P(RandomPrograms, RaceFirstAtTheSameWideAccess) {
  Settings settings = racesOnly();
  for (int seed = 0; seed < 4000; ++seed) {
    std::mt19937 random(seed);
    Program program = randomProgram(random);
    Oracle oracle(program);
    size_t first = program.steps.size();
    Races races(settings, program.threads, kBytes);
    run(races, program, GetParam(), /*byByte=*/false, [&](size_t step, int, size_t other) {
      EXPECT_TRUE(oracle.isRace(other, step)) << "seed " << seed << " step " << step;
      first = std::min(first, step);
    });
    ASSERT_EQ(first, oracle.firstRace()) << "seed " << seed;
  }
}

TEST_P(RandomPrograms, KnowNothingOfThoseBefore) {
  Settings settings = racesOnly();
  Races races(settings, 6, kBytes);
  for (int seed = 0; seed < 2000; ++seed) {
    std::mt19937 random(seed);
    Program program = randomProgram(random);
    program.threads = 6; // as many for all: those that do nothing are not part of any barrier
    Oracle oracle(program);
    std::set<int> bytes;
    run(races, program, GetParam(), /*byByte=*/true, [&](size_t, int byte, size_t) { bytes.insert(byte); });
    ASSERT_EQ(bytes, oracle.racyBytes()) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Memories, RandomPrograms, testing::Values(MemorySpace::Shared, MemorySpace::Global),
                         [](const auto &info) { return info.param == MemorySpace::Shared ? "Shared" : "Global"; });

/// All of 1024 threads read the same bytes, as they do with a scalar; each of them is remembered.
TEST(Races, EveryReaderOfManyIsRemembered) {
  Settings settings = racesOnly();
  for (uint32_t late : {0u, 1u, 517u, 1023u}) {
    Races races(settings, 1024, 16);
    races.begin();
    for (uint32_t thread = 0; thread < 1024; ++thread) {
      races.touch(thread, Deed::Read, 1, MemorySpace::Shared, 4, 4);
    }
    // Whoever writes knows of all readers but one.
    for (uint32_t thread = 0; thread < 1024; ++thread) {
      if (thread != late) {
        races.release(thread, 0);
      }
    }
    const uint32_t writer = 3;
    races.acquire(writer, 0);
    Finding finding = races.touch(writer, Deed::Write, 2, MemorySpace::Shared, 4, 4);
    EXPECT_TRUE(finding.isWrong);
    EXPECT_EQ(finding.other.thread, late);
    EXPECT_EQ(finding.other.deed(), Deed::Read);
  }
}

/// More pages than the table has entries at first, all of which keep what they remember.
TEST(Races, ManyPagesOfGlobalMemory) {
  Settings settings = racesOnly();
  Races races(settings, 2, 0);
  races.begin();
  constexpr uint64_t kStride = 12345;
  for (int block = 0; block < 3; ++block) {
    for (uint64_t i = 0; i < 1000; ++i) {
      EXPECT_FALSE(races.touch(0, Deed::Write, static_cast<int32_t>(i), MemorySpace::Global, i * kStride, 4).isWrong);
    }
    for (uint64_t i = 0; i < 1000; ++i) {
      Finding finding = races.touch(1, Deed::Read, 0, MemorySpace::Global, i * kStride + 3, 4);
      EXPECT_TRUE(finding.isWrong);
      EXPECT_EQ(finding.other.site, static_cast<int32_t>(i));
    }
    races.synchronize({0, 1});
  }
}
