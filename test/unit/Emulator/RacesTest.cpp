// Random small programs, whose races are compared with those of the complete happens-before relation.

#include "Checks/Races.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <bitset>
#include <random>
#include <set>

using namespace tilewright::emulator;

namespace {

constexpr int kBytes = 40; // more than two lines of 16
constexpr int kMostSteps = 300, kMostThreads = 64;

struct Step {
  enum Kind { Touch, Synchronize, Release, Acquire };
  Kind kind = Touch;
  std::bitset<kMostThreads> threads; ///< the threads of the step: one, unless it is Synchronize
  AccessKind access = AccessKind::Read;
  int begin = 0, end = 0; ///< the bytes that Touch accesses
  uint64_t address = 0;   ///< of Release and Acquire

  std::vector<uint32_t> list() const {
    std::vector<uint32_t> numbers;
    for (uint32_t thread = 0; thread < kMostThreads; ++thread) {
      if (threads[thread]) {
        numbers.push_back(thread);
      }
    }
    return numbers;
  }
  uint32_t thread() const { return list().front(); }
};

using Steps = std::bitset<kMostSteps>;

struct Program {
  uint32_t threads = 0;
  std::vector<Step> steps;
};

/// The most threads, steps and bytes of a program, and how many of twenty steps synchronize.
struct Shape {
  int threads = 6, steps = 120, bytes = kBytes, synchronisations = 5;
};

Program randomProgram(std::mt19937 &random, const Shape &shape) {
  auto below = [&](int limit) { return static_cast<int>(random() % limit); };
  Program program;
  program.threads = 2 + below(shape.threads - 1);
  int synchronisations = below(shape.synchronisations + 1), bytes = 1 + below(shape.bytes), width = 1 + below(16);
  int writes = below(4) * below(3), atomics = below(2) ? 0 : 5; // of twenty accesses
  for (int left = 5 + below(shape.steps - 4); left > 0; --left) {
    Step step;
    if (below(20) < synchronisations) {
      step.kind = static_cast<Step::Kind>(1 + below(3));
      step.address = below(2);
    } else {
      int drawn = below(20);
      step.access = drawn < writes             ? AccessKind::Write
                    : drawn < writes + atomics ? AccessKind::Atomic
                                               : AccessKind::Read;
      step.begin = below(bytes);
      step.end = std::min(kBytes, step.begin + 1 + below(width));
    }
    bool all = below(2) == 0;
    for (uint32_t thread = 0; thread < program.threads && step.kind == Step::Synchronize; ++thread) {
      step.threads[thread] = all || below(2) == 0;
    }
    if (step.kind != Step::Synchronize) {
      step.threads.set(below(program.threads));
    }
    program.steps.push_back(step);
  }
  return program;
}

/// For each step the set of steps that happen before it: earlier steps of the same threads, earlier releases of the
/// address that it acquires, and transitively all steps before these.
std::vector<Steps> happensBefore(const Program &program) {
  std::vector<Steps> before(program.steps.size());
  for (size_t j = 0; j < before.size(); ++j) {
    const Step &later = program.steps[j];
    for (size_t i = 0; i < j; ++i) {
      const Step &step = program.steps[i];
      bool isSameThread = (step.threads & later.threads).any();
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
    bool conflict = a.access == AccessKind::Write || b.access == AccessKind::Write || a.access != b.access;
    return meet && conflict && a.threads != b.threads && !before[j][i];
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
        Finding finding = races.touch(step.thread(), step.access, static_cast<int32_t>(j), space, at, bytes);
        if (finding.isWrong) {
          found(j, at, static_cast<size_t>(finding.other.site));
        }
      }
      break;
    case Step::Synchronize:
      races.synchronize(step.list());
      break;
    case Step::Release:
      races.release(step.thread(), step.address);
      break;
    case Step::Acquire:
      races.acquire(step.thread(), step.address);
      break;
    }
  }
}

class RandomPrograms : public testing::TestWithParam<MemorySpace> {};

/// Runs a program's accesses byte by byte. Expects that each race that is found is one, and that races are found at
/// exactly the bytes that have one. Returns whether there are any.
bool expectSameBytes(Races &races, const Program &program, MemorySpace space) {
  Oracle oracle(program);
  std::set<int> bytes;
  run(races, program, space, /*byByte=*/true, [&](size_t step, int byte, size_t other) {
    EXPECT_TRUE(oracle.isRace(other, step, byte)) << "step " << step << " byte " << byte;
    bytes.insert(byte);
  });
  std::set<int> expected = oracle.racyBytes();
  EXPECT_EQ(bytes, expected);
  return !expected.empty();
}

} // namespace

TEST_P(RandomPrograms, RaceOnTheSameBytes) {
  Settings settings = racesOnly();
  int racy = 0;
  constexpr int kPrograms = 4000;
  for (int seed = 0; seed < kPrograms && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    Program program = randomProgram(random, {});
    Races races(settings, program.threads, kBytes);
    racy += expectSameBytes(races, program, GetParam());
  }
  EXPECT_GT(racy, kPrograms / 10);
  EXPECT_LT(racy, kPrograms * 9 / 10);
}

TEST_P(RandomPrograms, OfManyThreadsRaceOnTheSameBytes) {
  Settings settings = racesOnly();
  for (int seed = 0; seed < 1000 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    Program program = randomProgram(random, {kMostThreads, kMostSteps, /*bytes=*/2, /*synchronisations=*/2});
    Races races(settings, program.threads, kBytes);
    expectSameBytes(races, program, GetParam());
  }
}

TEST_P(RandomPrograms, KnowNothingOfThoseBefore) {
  Settings settings = racesOnly();
  constexpr uint32_t kThreads = 6; // for all programs; threads that a program does not use reach no barrier
  Races races(settings, kThreads, kBytes);
  for (int seed = 0; seed < 2000 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    expectSameBytes(races, randomProgram(random, {}), GetParam());
  }
}

TEST_P(RandomPrograms, RaceFirstAtTheSameWideAccess) {
  Settings settings = racesOnly();
  for (int seed = 0; seed < 4000; ++seed) {
    std::mt19937 random(seed);
    Program program = randomProgram(random, {});
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

INSTANTIATE_TEST_SUITE_P(Memories, RandomPrograms, testing::Values(MemorySpace::Shared, MemorySpace::Global),
                         [](const auto &info) { return info.param == MemorySpace::Shared ? "Shared" : "Global"; });

/// 1024 threads read the same bytes, as they do with a scalar. Each reader is recorded.
TEST(Races, EveryReaderOfManyIsRemembered) {
  Settings settings = racesOnly();
  for (uint32_t late : {0u, 1u, 517u, 1023u}) {
    Races races(settings, 1024, 16);
    races.begin();
    for (uint32_t thread = 0; thread < 1024; ++thread) {
      races.touch(thread, AccessKind::Read, 1, MemorySpace::Shared, 4, 4);
    }
    // The writer is ordered after all readers but one.
    for (uint32_t thread = 0; thread < 1024; ++thread) {
      if (thread != late) {
        races.release(thread, 0);
      }
    }
    const uint32_t writer = 3;
    races.acquire(writer, 0);
    Finding finding = races.touch(writer, AccessKind::Write, 2, MemorySpace::Shared, 4, 4);
    EXPECT_TRUE(finding.isWrong);
    EXPECT_EQ(finding.other.thread, late);
    EXPECT_EQ(finding.other.kind(), AccessKind::Read);
  }
}

namespace {

/// Four bytes that many threads access.
struct Word {
  Settings settings = racesOnly();
  Races races{settings, 256, 16};

  Word() { races.begin(); }
  Finding touch(uint32_t thread, AccessKind kind) { return races.touch(thread, kind, 0, MemorySpace::Shared, 0, 4); }
  /// Orders what `before` did so far before what `after` does from now on.
  void order(uint32_t before, uint32_t after) {
    races.release(before, before);
    races.acquire(after, before);
  }
};

/// Enough other threads that the list of events is compacted.
constexpr uint32_t kMostOthers = 100, kFirst = 200, kSecond = 201, kThird = 202;

} // namespace

TEST(Races, ReadDoesNotReplaceAtomicsBeforeIt) {
  for (uint32_t others = 1; others < kMostOthers; ++others) {
    Word word;
    for (uint32_t thread = 0; thread < others; ++thread) {
      word.touch(thread, AccessKind::Atomic);
      word.order(thread, kFirst);
    }
    EXPECT_FALSE(word.touch(kFirst, AccessKind::Read).isWrong);
    EXPECT_TRUE(word.touch(kSecond, AccessKind::Read).isWrong) << others;
  }
}

TEST(Races, LaterReadOfAThreadIsNotForgotten) {
  for (uint32_t others = 1; others < kMostOthers; ++others) {
    Word word;
    word.touch(kFirst, AccessKind::Read);
    word.order(kFirst, kSecond);
    for (uint32_t thread = 0; thread < others; ++thread) {
      word.touch(thread, AccessKind::Read);
      word.order(thread, kSecond);
      if (thread == others / 2) {
        word.touch(kFirst, AccessKind::Read);
      }
    }
    Finding finding = word.touch(kSecond, AccessKind::Write);
    EXPECT_TRUE(finding.isWrong) << others;
    EXPECT_EQ(finding.other.thread, kFirst);
  }
}

TEST(Races, AtomicOfAThreadIsKeptBesideItsRead) {
  for (uint32_t others = 1; others < kMostOthers; ++others) {
    Word word;
    for (uint32_t thread = 0; thread < others; ++thread) {
      word.touch(thread, AccessKind::Read);
      word.order(thread, kFirst);
    }
    word.touch(kFirst, AccessKind::Read);
    word.order(kFirst, kSecond);
    EXPECT_FALSE(word.touch(kFirst, AccessKind::Atomic).isWrong);
    EXPECT_FALSE(
        word.touch(kSecond, AccessKind::Atomic).isWrong); // is ordered after all reads, and does not race with atomics
    word.order(kSecond, kThird);
    Finding finding = word.touch(kThird, AccessKind::Read);
    EXPECT_TRUE(finding.isWrong) << others;
    EXPECT_EQ(finding.other.thread, kFirst);
  }
}

/// More pages than the table has entries at first. The events of all pages are kept.
TEST(Races, ManyPagesOfGlobalMemory) {
  Settings settings = racesOnly();
  Races races(settings, 2, 0);
  races.begin();
  constexpr uint64_t kStride = 12345;
  for (int block = 0; block < 3; ++block) {
    for (uint64_t i = 0; i < 1000; ++i) {
      EXPECT_FALSE(
          races.touch(0, AccessKind::Write, static_cast<int32_t>(i), MemorySpace::Global, i * kStride, 4).isWrong);
    }
    for (uint64_t i = 0; i < 1000; ++i) {
      Finding finding = races.touch(1, AccessKind::Read, 0, MemorySpace::Global, i * kStride + 3, 4);
      EXPECT_TRUE(finding.isWrong);
      EXPECT_EQ(finding.other.site, static_cast<int32_t>(i));
    }
    races.synchronize({0, 1});
  }
}

/// After forget() a page is not found by its number, since its memory may belong to another page.
TEST(Races, PagesAreForgottenWithABarrier) {
  Settings settings = racesOnly();
  Races races(settings, 2, 0);
  races.begin();
  races.touch(0, AccessKind::Write, 1, MemorySpace::Global, 0, 4);
  races.synchronize({0, 1});
  races.touch(0, AccessKind::Write, 2, MemorySpace::Global, 0, 4);
  EXPECT_FALSE(races.touch(1, AccessKind::Write, 3, MemorySpace::Global, 1 << 20, 4).isWrong);
  EXPECT_TRUE(races.touch(1, AccessKind::Write, 3, MemorySpace::Global, 0, 4).isWrong);
}
