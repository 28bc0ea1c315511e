// Checks that atomics that release or acquire order the accesses of all threads of their program.
//
// In the language an atomic of a program orders the accesses of all its threads, but only one thread executes it: the
// accesses of the other threads need a barrier between them and the atomic. All threads of a program reach the same
// atomics in the same order; the predicate is false for the threads that do not execute it. So the n-th atomic of one
// thread is the n-th of every thread, which tells which accesses come before it:
//
//     thread 0   store part[0]   atomic 0: releases
//     thread 7   store part[7]   atomic 0, not executed     its store does not happen before thread 0's atomic:
//                                                           a barrier is missing
//
// Threads that meet at a barrier of the block have passed the same atomics, even if one of them has executed some in a
// loop that the others do not enter, as `atomic_poll` does.
//
// The error is found no matter which thread runs first. Memory that no thread of the launch writes needs no order: each
// conflict names its memory, so that it can be dropped at the end of the launch.

#ifndef TILEWRIGHT_EMULATOR_CHECKS_PROGRAMORDER_H
#define TILEWRIGHT_EMULATOR_CHECKS_PROGRAMORDER_H

#include "Shadow.h"
#include "VectorClocks.h"
#include "tilewright/Emulator/Instruction.h"

#include <deque>
#include <optional>

namespace tilewright::emulator {

class ProgramOrder {
public:
  /// `memories` is the number of memories, which are tracked separately.
  ProgramOrder(const VectorClocks &clocks, size_t threads, size_t memories);

  /// Must be called before a program runs.
  void begin();

  /// The other side of an atomic and an access that are not ordered.
  struct Conflict {
    uint32_t thread;
    int32_t site;
    size_t memory;   ///< of the access
    AccessKind kind; ///< of the access, or Atomic
  };

  /// A thread accesses a memory, but not by an atomic that releases or acquires.
  std::optional<Conflict> access(uint32_t thread, AccessKind kind, int32_t site, size_t memory);

  /// A thread reaches an atomic that releases or acquires, and executes it if it is `active`. Returns at most one
  /// conflict for each memory, and one of the atomic's own access.
  std::vector<Conflict> pass(uint32_t thread, int32_t site, AtomicOrder order, bool active, size_t memory);

  /// All threads meet at a barrier.
  void converge(const std::vector<uint32_t> &threads);

private:
  /// The last access of a memory by a thread. If sequence is 0, there was none.
  struct Last {
    Time time = 0;
    uint64_t sequence = 0;
    int32_t site = 0;
    AccessKind kind = AccessKind::Read;
  };
  struct Execution {
    uint32_t thread;
    int32_t site;
    AtomicOrder order;
    Time time;
  };
  /// An atomic of the program.
  struct Point {
    std::vector<Execution> executions;
    std::vector<std::vector<Last>> before; ///< by thread that has passed it: its last accesses before the atomic
    std::vector<uint64_t> sequences;       ///< by thread that has passed it: its sequence number at the atomic
    size_t passed = 0;
  };

  /// The number of atomics by which one thread may be ahead of another; older ones are dropped.
  static constexpr size_t kMostPoints = 64;

  std::optional<Conflict> conflictOf(uint32_t thread, size_t memory, uint64_t own) const;
  std::optional<Conflict> conflictAt(const Point &point, uint64_t number, uint32_t thread, AtomicOrder order,
                                     size_t memory) const;
  void note(uint32_t thread, AccessKind kind, int32_t site, size_t memory);
  void passUntil(uint32_t thread, uint64_t number);
  void forget();

  const VectorClocks &clocks;
  std::vector<std::vector<Last>> last; // by thread and memory
  std::vector<uint64_t> sequence;      // by thread: the number of its accesses
  std::vector<uint64_t> passed;        // by thread: the number of atomics that it has passed
  std::deque<Point> points;
  uint64_t first = 0; // number of the first of `points`
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_CHECKS_PROGRAMORDER_H
