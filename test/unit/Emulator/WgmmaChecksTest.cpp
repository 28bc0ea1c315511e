// The checks of wgmma: registers and shared memory in flight, proxy fences, descriptors, and the warps of a group.
//
// The kernels multiply 64 x 16 ones by 16 x 8 ones, so that each wgmma adds 16 to the accumulators.

#include "CheckerFixture.h"
#include "ThreadCode.h"

#include "tilewright/Emulator/Wgmma.h"

namespace tilewright::emulator {
namespace {

constexpr int kBytesOfA = 64 * 32, kBytesOfB = 8 * 32, kSharedBytes = kBytesOfA + kBytesOfB;
constexpr int kRegisters = 4; // of accumulators of 64 x 8 floats
constexpr uint64_t kSwizzle32 = uint64_t(3) << 62;

/// What a thread keeps across its waits.
struct Lane {
  uint64_t in[wgmma::kAccumulators + 4 * kRegisters], out[4 * kRegisters];
  uint64_t sums[2][kRegisters]; // two sets of accumulators
};
Lane lanes[256];
unsigned char source[16]; // of asynchronous copies

/// The instructions of one thread. The first argument of each is its line.
class Steps {
public:
  explicit Steps(Thread &thread) : thread(thread), lane(lanes[thread.index]) { lane = Lane(); }

  uint32_t warp() const { return thread.index / kLanes; }
  uint32_t index() const { return thread.index; }
  uint64_t address(uint64_t offset) const { return reinterpret_cast<uint64_t>(thread.shared) + offset; }

  /// Writes ones of 16 bits.
  void write(int line, uint64_t offset) {
    uint64_t in[] = {address(offset), 16, 16, static_cast<uint64_t>(AccessKind::Write),
                     static_cast<uint64_t>(MemorySpace::Shared)};
    perform(thread, "emulator.access", line, in);
    for (int i = 0; i < 8; ++i) {
      uint16_t one = 0x3c00;
      std::memcpy(thread.shared + offset + 2 * i, &one, 2);
    }
  }
  /// Each thread writes a part of A and B.
  void fill(int line) {
    for (uint64_t at = 16 * thread.index; at < kSharedBytes && thread.index < 128; at += 16 * 128) {
      write(line, at);
    }
  }
  void copy(int line, uint64_t offset) {
    uint64_t in[] = {address(offset), reinterpret_cast<uint64_t>(source)};
    perform(thread, "cp.async.ca.shared.global.16", line, in);
  }
  void waitForCopies(int line) { perform(thread, "cp.async.wait_all", line); }
  void fenceProxy(int line) { perform(thread, "fence.proxy.async", line); }
  void barrier(int line) {
    uint64_t number = 0;
    perform(thread, "barrier.cta.sync.aligned.all", line, &number);
  }
  void fence(int line) { perform(thread, "wgmma.fence.sync.aligned", line); }
  void commit(int line) { perform(thread, "wgmma.commit_group.sync.aligned", line); }

  /// Adds to a set of accumulators.
  void multiply(int line, int set = 0) { multiply(line, set, descriptorOf(kBytesOfA)); }
  void multiply(int line, int set, uint64_t descriptorOfB, uint64_t form = 0) {
    uint64_t in[] = {8, form, scaleD, descriptorOfB, descriptorOf(0), 0, 0, 0};
    std::copy(std::begin(in), std::end(in), lane.in);
    std::copy_n(lane.sums[set], kRegisters, lane.in + wgmma::kAccumulators);
    perform(thread, "wgmma.mma_async.sync.aligned.m64nNk16.f32.f16.f16", line, lane.in, lane.out);
    std::copy_n(lane.out, kRegisters, lane.sums[set]);
  }
  /// A descriptor of rows of 32 bytes with a swizzle of 32 bytes.
  uint64_t descriptorOf(uint64_t offset) const {
    return (address(offset) & 0x3ffff) >> 4 | uint64_t(256 >> 4) << 32 | kSwizzle32;
  }

  /// Waits, and passes the sets up to `sets`.
  void wait(int line, uint64_t groups, int sets = 1) {
    lane.in[0] = groups;
    lane.in[1] = static_cast<uint64_t>(sets) * kRegisters;
    std::copy_n(lane.sums[0], sets * kRegisters, lane.in + 2);
    perform(thread, "wgmma.wait_group.sync.aligned with registers", line, lane.in, lane.out);
    std::copy_n(lane.out, sets * kRegisters, lane.sums[0]);
  }

  /// An ordinary instruction reads an accumulator.
  float use(int line, int set = 0, int index = 0) {
    uint64_t value;
    perform(thread, "emulator.register", line, &lane.sums[set][index], &value);
    return floatOf(value);
  }
  /// Whether wgmmas read their accumulators.
  uint64_t scaleD = 1;
  uint64_t &sum(int set, int index) { return lane.sums[set][index]; }

  /// What precedes the first wgmma of a correct kernel.
  void begin() {
    fill(1);
    fenceProxy(2);
    barrier(3);
    fence(4);
  }

private:
  Thread &thread;
  Lane &lane;
};

using Program = std::function<void(Steps &)>;

std::vector<Report> run(const Program &program, int threads = 128, uint64_t seed = 0) {
  Settings settings = everything();
  settings.seed = seed;
  return runThreads(threads, kSharedBytes, settings, [&](Thread &thread) {
    Steps steps(thread);
    program(steps);
  });
}

/// Whatever the order of the threads, there are no findings.
void expectNothing(const Program &program, int threads = 128) {
  for (uint64_t seed = 0; seed < 5; ++seed) {
    for (const Report &report : run(program, threads, seed)) {
      ADD_FAILURE() << "seed " << seed << ", line " << report.site << ": " << report.message;
    }
  }
}

/// Whatever the order of the threads, there is a finding of one kind at these lines, and none of another kind.
Report expectFinding(Report::Kind kind, int line, int otherLine, const Program &program, int threads = 128) {
  Report last{};
  for (uint64_t seed = 0; seed < 5; ++seed) {
    std::vector<Report> reports = run(program, threads, seed);
    bool isFound = false;
    for (const Report &report : reports) {
      EXPECT_EQ(nameOf(report.kind), std::string(nameOf(kind))) << report.message;
      bool isHere = (report.site == line && report.otherSite == otherLine) ||
                    (report.site == otherLine && report.otherSite == line);
      isFound |= isHere;
      last = isHere ? report : last;
    }
    EXPECT_TRUE(isFound) << "seed " << seed << ": " << (reports.empty() ? "nothing" : reports.front().message);
  }
  return last;
}

//===----------------------------------------------------------------------===//
// Accumulators
//===----------------------------------------------------------------------===//

TEST(WgmmaRegisters, HaveTheirResultsAfterTheWait) {
  float sum = 0;
  expectNothing([&](Steps &thread) {
    thread.begin();
    thread.multiply(10);
    thread.multiply(11);
    thread.commit(12);
    thread.wait(13, 0);
    sum = thread.use(14, 0, 3);
  });
  EXPECT_EQ(sum, 32);
}

TEST(WgmmaRegisters, AreReadInFlight) {
  Report report = expectFinding(Report::Register, 12, 10, [](Steps &thread) {
    thread.begin();
    thread.multiply(10);
    thread.commit(11);
    EXPECT_EQ(thread.use(12), 16);
    thread.wait(13, 0);
  });
  EXPECT_EQ(report.message, "reads an accumulator of the wgmma at kernel.py:10, which is in flight");
}

TEST(WgmmaRegisters, AreMarkedWithNaN) {
  for (int set = 0; set < 2; ++set) {
    run([&](Steps &thread) {
      thread.begin();
      thread.multiply(10, set);
      EXPECT_NE(floatOf(thread.sum(set, 0)), floatOf(thread.sum(set, 0)));
      EXPECT_NE(thread.sum(set, 0), thread.sum(set, 1));
    });
  }
}

TEST(WgmmaRegisters, OfTheLastGroupMayStayInFlight) {
  float sums[2] = {};
  expectNothing([&](Steps &thread) {
    thread.begin();
    thread.multiply(10, 0);
    thread.commit(11);
    thread.multiply(12, 1);
    thread.commit(13);
    thread.wait(14, 1, 2);
    sums[0] = thread.use(15, 0);
    thread.wait(16, 0, 2);
    sums[1] = thread.use(17, 1);
  });
  EXPECT_EQ(sums[0], 16);
  EXPECT_EQ(sums[1], 16);
}

TEST(WgmmaRegisters, OfTheLastGroupAreReadTooEarly) {
  expectFinding(Report::Register, 15, 12, [](Steps &thread) {
    thread.begin();
    thread.multiply(10, 0);
    thread.commit(11);
    thread.multiply(12, 1);
    thread.commit(13);
    thread.wait(14, 1, 2);
    thread.use(15, 1);
    thread.wait(16, 0, 2);
  });
}

TEST(WgmmaRegisters, WithoutAGroupAreNotWaitedFor) {
  Report report = expectFinding(Report::Register, 12, 11, [](Steps &thread) {
    thread.begin();
    thread.commit(10);
    thread.multiply(11);
    thread.wait(12, 0);
    EXPECT_EQ(thread.use(13), 16);
  });
  EXPECT_EQ(report.message, "does not wait for the wgmma at kernel.py:11, because there is no wgmma.commit_group after "
                            "it");
}

TEST(WgmmaRegisters, StayInFlightAcrossIterations) {
  float sum = 0;
  expectNothing([&](Steps &thread) {
    thread.begin();
    for (int i = 0; i < 40; ++i) {
      thread.multiply(10);
      thread.commit(11);
      thread.wait(12, 1);
    }
    thread.wait(13, 0);
    sum = thread.use(14);
  });
  EXPECT_EQ(sum, 640);
}

TEST(WgmmaRegisters, OfManyWgmmasComplete) {
  float sums[2] = {};
  expectNothing([&](Steps &thread) {
    thread.begin();
    for (int i = 0; i < 20; ++i) {
      thread.multiply(10, 0);
    }
    for (int i = 0; i < 20; ++i) {
      thread.multiply(11, 1);
    }
    thread.commit(12);
    thread.wait(13, 0, 2);
    sums[0] = thread.use(14, 0);
    sums[1] = thread.use(14, 1);
  });
  EXPECT_EQ(sums[0], 320);
  EXPECT_EQ(sums[1], 320);
}

TEST(WgmmaRegisters, MayBeAnythingWithoutAScale) {
  float sums[2] = {};
  expectNothing([&](Steps &thread) {
    thread.begin();
    thread.multiply(10, 0);
    thread.sum(1, 0) = thread.sum(0, 2); // an undefined value, which the wgmma does not read
    thread.scaleD = 0;
    thread.multiply(11, 1);
    thread.scaleD = 1;
    thread.multiply(12, 1);
    thread.commit(13);
    thread.wait(14, 0, 2);
    sums[0] = thread.use(15, 0);
    sums[1] = thread.use(15, 1);
  });
  EXPECT_EQ(sums[0], 16);
  EXPECT_EQ(sums[1], 32);
}

TEST(WgmmaRegisters, AreExchangedInFlight) {
  Report report = expectFinding(Report::Register, 11, 10, [](Steps &thread) {
    thread.begin();
    thread.multiply(10);
    std::swap(thread.sum(0, 0), thread.sum(0, 2));
    thread.multiply(11);
    thread.commit(12);
    thread.wait(13, 0);
  });
  EXPECT_EQ(report.message, "uses registers of the wgmma at kernel.py:10, which is in flight, as other accumulators "
                            "than that wgmma has");
}

TEST(WgmmaRegisters, AreReplacedInPart) {
  expectFinding(Report::Register, 11, 10, [](Steps &thread) {
    thread.begin();
    thread.multiply(10);
    thread.sum(0, 1) = 0;
    thread.multiply(11);
    thread.commit(12);
    thread.wait(13, 0);
  });
}

TEST(WgmmaRegisters, AreWaitedForAfterALaterWgmmaOverwroteThem) {
  expectFinding(Report::Register, 13, 10, [](Steps &thread) {
    thread.begin();
    thread.multiply(10);
    uint64_t copy = thread.sum(0, 0);
    thread.multiply(11);
    thread.commit(12);
    thread.sum(1, 0) = copy;
    thread.wait(13, 0, 2);
  });
}

//===----------------------------------------------------------------------===//
// wgmma.fence
//===----------------------------------------------------------------------===//

TEST(WgmmaFence, IsMissingBeforeTheFirst) {
  expectFinding(Report::Register, 10, 0, [](Steps &thread) {
    thread.fill(1);
    thread.fenceProxy(2);
    thread.barrier(3);
    thread.multiply(10);
    thread.commit(11);
    thread.wait(12, 0);
  });
}

TEST(WgmmaFence, IsMissingAfterOtherInstructions) {
  Report report = expectFinding(Report::Register, 13, 12, [](Steps &thread) {
    thread.begin();
    thread.multiply(10);
    thread.commit(11);
    thread.wait(12, 0);
    thread.sum(0, 1) = slotOf(1.0f);
    thread.multiply(13);
    thread.commit(14);
    thread.wait(15, 0);
  });
  EXPECT_EQ(report.message, "there is no wgmma.fence between this wgmma and the wait at kernel.py:12, after which "
                            "other instructions may access its registers");
}

TEST(WgmmaFence, IsMissingBeforeRegistersOfA) {
  expectFinding(Report::Register, 13, 12, [](Steps &thread) {
    thread.begin();
    thread.multiply(10);
    thread.commit(11);
    thread.wait(12, 0);
    thread.multiply(13, 0, thread.descriptorOf(kBytesOfA), wgmma::kRegistersA);
    thread.commit(14);
    thread.wait(15, 0);
  });
}

TEST(WgmmaFence, IsNotNeededByAccumulatorsThatOnlyWgmmasAccess) {
  expectNothing([](Steps &thread) {
    thread.begin();
    thread.multiply(10);
    thread.commit(11);
    thread.wait(12, 0);
    thread.multiply(13);
    thread.commit(14);
    thread.wait(15, 0);
  });
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

TEST(WgmmaReads, OfWritesWithoutAProxyFence) {
  Report report = expectFinding(Report::Proxy, 10, 1, [](Steps &thread) {
    thread.fill(1);
    thread.barrier(3);
    thread.fence(4);
    thread.multiply(10);
    thread.commit(11);
    thread.wait(12, 0);
  });
  EXPECT_NE(report.message.find("wrote at kernel.py:1, with no fence.proxy.async between them"), std::string::npos)
      << report.message;
}

TEST(WgmmaReads, OfWritesAfterTheProxyFence) {
  expectFinding(Report::Proxy, 10, 2, [](Steps &thread) {
    thread.fenceProxy(1);
    thread.fill(2);
    thread.barrier(3);
    thread.fence(4);
    thread.multiply(10);
    thread.commit(11);
    thread.wait(12, 0);
  });
}

TEST(WgmmaReads, AfterAProxyFenceOfTheReader) {
  expectNothing([](Steps &thread) {
    thread.fill(1);
    thread.barrier(2);
    thread.fenceProxy(3);
    thread.fence(4);
    thread.multiply(10);
    thread.commit(11);
    thread.wait(12, 0);
  });
}

TEST(WgmmaReads, AfterProxyFencesOfTheReaderBeforeTheBarrier) {
  expectFinding(
      Report::Proxy, 10, 1,
      [](Steps &thread) {
        if (thread.index() >= 128) { // the second group writes, and the first one fences
          for (uint64_t at = 16 * (thread.index() - 128); at < kSharedBytes; at += 16 * 128) {
            thread.write(1, at);
          }
        } else {
          thread.fenceProxy(2);
        }
        thread.barrier(3);
        if (thread.index() < 128) {
          thread.fence(4);
          thread.multiply(10);
          thread.commit(11);
          thread.wait(12, 0);
        }
      },
      256);
}

TEST(WgmmaReads, AfterProxyFencesOfTheWritersBehindTheBarrier) {
  expectFinding(Report::Proxy, 10, 1, [](Steps &thread) {
    thread.fill(1);
    thread.barrier(2);
    if (thread.index() % kLanes != 0) {
      thread.fenceProxy(3);
    }
    thread.fence(4);
    thread.multiply(10);
    thread.commit(11);
    thread.wait(12, 0);
  });
}

TEST(WgmmaReads, OfCopiesWithoutAProxyFence) {
  // The first bytes of B, which fill() would give to thread 0, are copied by thread 40.
  for (bool isFenced : {false, true}) {
    auto fixed = [&](Steps &thread) {
      if (thread.index() == 0) {
        thread.write(1, 0);
      } else {
        thread.fill(1);
      }
      if (thread.index() == 40) {
        thread.copy(2, kBytesOfA);
        thread.fenceProxy(3);
        thread.waitForCopies(4);
      }
      if (isFenced || thread.index() != 40) {
        thread.fenceProxy(5);
      }
      thread.barrier(6);
      thread.fence(7);
      thread.multiply(10);
      thread.commit(11);
      thread.wait(12, 0);
    };
    if (isFenced) {
      expectNothing(fixed);
    } else {
      expectFinding(Report::Proxy, 10, 2, fixed);
    }
  }
}

TEST(WgmmaReads, AreOverwrittenInFlight) {
  Report report = expectFinding(Report::Race, 13, 10, [](Steps &thread) {
    thread.begin();
    thread.multiply(10);
    thread.commit(11);
    thread.barrier(12);
    if (thread.index() == 77) {
      thread.write(13, kBytesOfA + 32);
    }
    thread.barrier(14);
    thread.wait(15, 0);
  });
  EXPECT_NE(report.message.find("reads and which that thread has not waited for"), std::string::npos) << report.message;
}

TEST(WgmmaReads, AreOverwrittenByACopyInFlight) {
  expectFinding(Report::Race, 13, 10, [](Steps &thread) {
    thread.begin();
    thread.multiply(10);
    thread.commit(11);
    thread.barrier(12);
    if (thread.index() == 5) {
      thread.copy(13, 64);
    }
    thread.barrier(14);
    thread.wait(15, 0);
    thread.waitForCopies(16);
  });
}

TEST(WgmmaReads, AreOverwrittenAfterAWaitWithoutABarrier) {
  expectFinding(Report::Race, 13, 10, [](Steps &thread) {
    thread.begin();
    thread.multiply(10);
    thread.commit(11);
    thread.wait(12, 0);
    if (thread.index() == 77) {
      thread.write(13, kBytesOfA + 32);
    }
  });
}

TEST(WgmmaReads, AreOverwrittenBeforeTheWaitOfAnEarlierGroup) {
  expectFinding(Report::Race, 15, 12, [](Steps &thread) {
    thread.begin();
    thread.multiply(10, 0);
    thread.commit(11);
    thread.multiply(12, 1);
    thread.commit(13);
    thread.wait(14, 1, 2);
    thread.barrier(16);
    if (thread.index() == 77) {
      thread.write(15, kBytesOfA + 32);
    }
    thread.barrier(17);
    thread.wait(18, 0, 2);
  });
}

TEST(WgmmaReads, MayBeOverwrittenAfterTheWaitAndABarrier) {
  expectNothing([](Steps &thread) {
    thread.begin();
    for (int i = 0; i < 3; ++i) {
      thread.multiply(10);
      thread.commit(11);
      thread.wait(12, 0);
      thread.barrier(13);
      thread.fill(14);
      thread.fenceProxy(15);
      thread.barrier(16);
      thread.fence(17);
    }
  });
}

TEST(WgmmaReads, OfMemoryThatWasNotWritten) {
  expectFinding(Report::Uninitialized, 10, 0, [](Steps &thread) {
    if (thread.index() != 3) {
      thread.fill(1);
    }
    thread.fenceProxy(2);
    thread.barrier(3);
    thread.fence(4);
    thread.multiply(10);
    thread.commit(11);
    thread.wait(12, 0);
  });
}

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

std::string messageOfDescriptor(Report::Kind kind, const std::function<uint64_t(Steps &)> &descriptor) {
  return expectFinding(kind, 10, 0,
                       [&](Steps &thread) {
                         thread.begin();
                         thread.multiply(10, 0, descriptor(thread));
                         thread.commit(11);
                         thread.wait(12, 0);
                       })
      .message;
}

TEST(WgmmaDescriptors, StartBetweenTheRowsOfASwizzle) {
  EXPECT_EQ(
      messageOfDescriptor(Report::Alignment, [](Steps &thread) { return thread.descriptorOf(32); }),
      "its descriptor of B starts at shared+32, which is not in the first 32 bytes after a multiple of 256, where "
      "the pattern of its swizzle begins");
}

TEST(WgmmaDescriptors, ReachBeyondSharedMemory) {
  std::string message =
      messageOfDescriptor(Report::Bounds, [](Steps &thread) { return thread.descriptorOf(kSharedBytes); });
  EXPECT_NE(message.find("reads 16 bytes at shared+2304, right after the end of shared memory"), std::string::npos)
      << message;
}

TEST(WgmmaDescriptors, HaveABaseOffset) {
  EXPECT_EQ(messageOfDescriptor(Report::Fault,
                                [](Steps &thread) { return thread.descriptorOf(kBytesOfA) | uint64_t(1) << 49; }),
            "its descriptor of B has a base offset, which the emulator does not support");
}

TEST(WgmmaDescriptors, HaveBitsOfNoField) {
  for (int bit : {14, 15, 30, 31, 46, 48, 52, 61}) {
    EXPECT_EQ(messageOfDescriptor(Report::Fault,
                                  [&](Steps &thread) { return thread.descriptorOf(kBytesOfA) | uint64_t(1) << bit; }),
              "its descriptor of B has bits that are not in a field of a matrix descriptor");
  }
}

//===----------------------------------------------------------------------===//
// Warp groups
//===----------------------------------------------------------------------===//

TEST(WarpGroups, HaveOneDescriptor) {
  Report report = expectFinding(Report::WarpGroup, 10, 10, [](Steps &thread) {
    thread.begin();
    thread.multiply(10, 0, thread.descriptorOf(thread.warp() == 2 ? 0 : kBytesOfA));
    thread.commit(11);
    thread.wait(12, 0);
  });
  EXPECT_NE(report.message.find("has another descriptor of B than warp"), std::string::npos) << report.message;
}

TEST(WarpGroups, HaveLanesWithOneDescriptor) {
  Report report = expectFinding(Report::WarpGroup, 10, 0, [](Steps &thread) {
    thread.begin();
    thread.multiply(10, 0, thread.descriptorOf(thread.index() % kLanes == 9 ? 0 : kBytesOfA));
    thread.commit(11);
    thread.wait(12, 0);
  });
  EXPECT_EQ(report.message, "lane 9 has another descriptor of B than lane 0");
}

TEST(WarpGroups, HaveFourWarps) {
  expectFinding(Report::WarpGroup, 10, 10, [](Steps &thread) {
    thread.begin();
    if (thread.warp() != 3) {
      thread.multiply(10);
    }
  });
}

TEST(WarpGroups, DoNotEndWithTheBlock) {
  Report report = expectFinding(Report::WarpGroup, 4, 4, [](Steps &thread) { thread.fence(4); }, 192);
  EXPECT_NE(report.message.find("but the block has 6 warps"), std::string::npos) << report.message;
}

TEST(WarpGroups, ReachTheSameInstructions) {
  expectFinding(Report::WarpGroup, 10, 20, [](Steps &thread) {
    thread.begin();
    thread.multiply(thread.warp() == 1 ? 20 : 10);
    thread.commit(11);
    thread.wait(12, 0);
  });
}

TEST(WarpGroups, AreIndependent) {
  expectNothing(
      [](Steps &thread) {
        thread.begin();
        if (thread.index() >= 128) {
          thread.multiply(10);
          thread.commit(11);
          thread.wait(12, 0);
        }
      },
      256);
}

} // namespace
} // namespace tilewright::emulator
