// Transaction barriers (mbarriers), and the copies of boxes between global and shared memory.
//
// A copy to shared memory completes at some time after it was issued: at once, or when no thread of the block could
// continue without it. Then its barrier counts its bytes. In both cases the bytes count as written only for threads
// that have waited for the barrier's phase:
//
//     thread 0   init 1, fence   expect 512, copy ...... 512 bytes arrive: phase 0 completes
//     thread 1                   wait for phase 0 ........................................... reads the box

#ifndef TILEWRIGHT_EMULATOR_BOXES_H
#define TILEWRIGHT_EMULATOR_BOXES_H

#include "tilewright/Runtime/TensorMap.h"

#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

namespace tilewright::emulator {

class Block;
struct Thread;

/// How a copy from shared memory combines elements with those of global memory.
enum class BoxReduction { Add, And, Or, Xor };

/// One copy of a box, in either direction.
struct BoxCopy {
  uint32_t thread = 0; ///< that issued it
  int32_t site = 0;
  runtime::TensorMap map;
  std::array<int32_t, runtime::TensorMap::kMaxRank> coordinates{};
  uint64_t shared = 0;                   ///< an address in shared memory
  std::optional<BoxReduction> reduction; ///< of a copy from shared memory; none if it stores
};

/// A copy to shared memory, which completes a phase of a barrier.
struct BoxLoad {
  BoxCopy copy;
  uint64_t barrier = 0; ///< its address
  uint64_t phase = 0;
};

/// A copy from shared memory.
struct BoxStore {
  BoxCopy copy;
  uint64_t ticket = 0;              ///< of its reads of shared memory
  bool isRead = false;              ///< whether its thread has waited until it has read shared memory
  std::vector<unsigned char> bytes; ///< that it has read; empty if it has already written them
};

struct TransactionBarrier {
  static constexpr int64_t kMost = (1 << 20) - 1; ///< arrivals of a phase, and bytes that it can expect
  static constexpr uint64_t kBytes = 8;

  uint64_t address = 0;
  uint32_t arrivals = 0; ///< of a phase
  int64_t pending = 0;   ///< arrivals that the current phase lacks
  int64_t bytes = 0;     ///< bytes that the current phase lacks; below zero, copies completed before they were expected
  uint64_t phase = 0;
  uint64_t number = 0;   ///< of the program's barriers, in the order in which they were initialized
  uint32_t thread = 0;   ///< that initialized it
  int32_t site = 0;      ///< where
  bool isFenced = false; ///< whether copies see it
  std::vector<Thread *> waiting;
  std::vector<BoxLoad> unseen; ///< copies that have completed phases for which no thread has waited yet

  /// Identifies what is ordered before the waits for a phase, within a program. It is not an address.
  uint64_t key(uint64_t ofPhase) const { return uint64_t(1) << 63 | (number & 0x7fffff) << 40 | (ofPhase & kPhases); }
  static constexpr uint64_t kPhases = (uint64_t(1) << 40) - 1;
};

/// The transaction barriers of a running program and the copies to shared memory in flight.
class TransactionBarriers {
public:
  void clear();

  /// The barrier at an address, or null. Pointers stay valid until the barrier is erased.
  TransactionBarrier *find(uint64_t address);
  TransactionBarrier &insert(TransactionBarrier barrier);
  void erase(uint64_t address) { barriers.erase(address); }
  /// A thread executes a fence: copies see the barriers that it has initialized.
  void fence(uint32_t thread);

  /// An arrival, and bytes that copies have written.
  void arrive(Block &block, Thread &thread, int32_t site, TransactionBarrier &barrier, int64_t count);
  void issue(Block &block, BoxLoad load);
  /// Completes a copy in flight, if there is one: the first one, or a random one.
  bool completeOne(Block &block, std::mt19937_64 *random);

  /// Calls visit(const BoxLoad &) for the copies for which no thread has waited.
  template <typename Visit> void forUnseen(Visit &&visit) const {
    for (const BoxLoad &load : inFlight) {
      visit(load);
    }
    for (const auto &[address, barrier] : barriers) {
      for (const BoxLoad &load : barrier.unseen) {
        visit(load);
      }
    }
  }

private:
  void complete(Block &block, const BoxLoad &load);

  std::unordered_map<uint64_t, TransactionBarrier> barriers; // by address
  uint64_t initialized = 0;
  std::vector<BoxLoad> inFlight;
};

/// "phase 0 of the barrier at shared+16, which lacks 1 of 2 arrivals and 512 bytes"; or, if copies have already written
/// more bytes than arrivals expect, "lacks 1 of 2 arrivals that expects 512 bytes".
std::string describe(const Block &block, const TransactionBarrier &barrier);

/// The store has read shared memory, and then it has written global memory.
void endStoreReads(Thread &thread, BoxStore &store);
void endStore(Thread &thread, const BoxStore &store);

/// Reports copies in flight when a thread, or the program, ends.
void endStoresOf(Thread &thread);
void reportUnseen(Block &block);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_BOXES_H
