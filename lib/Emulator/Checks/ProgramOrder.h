// Whether atomics that release or acquire order what the other threads of their program do.
//
// A program's atomic orders the accesses of all its threads, and one thread executes it: others need a barrier between
// it and theirs. All threads of a program come to the same atomics in the same order, those that execute one with a
// true predicate. So the n-th atomic of one thread is the n-th of all, and says which accesses come before it:
//
//     thread 0   store part[0]   atomic 0: releases
//     thread 7   store part[7]   atomic 0, not executed     its store is not before thread 0's atomic: a barrier is
//     missing
//
// That is found whichever thread runs first. What no thread of the launch writes needs no order: a finding says which
// memory it is about, so that it can be dropped in the end.

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
  /// `memories` is the number of memories that accesses are told apart by.
  ProgramOrder(const VectorClocks &clocks, size_t threads, size_t memories);

  /// A program begins.
  void begin();

  /// An access, or an atomic, that another thread's atomic or access is not ordered with.
  struct Conflict {
    uint32_t thread;
    int32_t site;
    size_t memory;   ///< of the access
    AccessKind kind; ///< of the access, where the other party is one
  };

  /// A thread accesses a memory, not by an atomic that orders.
  std::optional<Conflict> access(uint32_t thread, AccessKind kind, int32_t site, size_t memory);

  /// A thread comes to an atomic that orders, which it executes if it is `active`. One conflict for each memory.
  std::vector<Conflict> pass(uint32_t thread, int32_t site, AtomicOrder order, bool active, size_t memory);

private:
  /// The last access of a memory by a thread. Sequence 0: there was none.
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
    std::vector<std::vector<Last>> before; ///< by thread that has passed: its accesses before
    std::vector<uint64_t> sequences;       ///< by thread that has passed: its last access then
    size_t passed = 0;
  };

  static constexpr size_t kMostPoints =
      64; ///< that one thread may be ahead of another; beyond, older ones are forgotten

  std::optional<Conflict> conflictOf(uint32_t thread, size_t memory, uint64_t own) const;
  std::optional<Conflict> conflictAt(const Point &point, uint64_t number, uint32_t thread, AtomicOrder order,
                                     size_t memory) const;
  void note(uint32_t thread, AccessKind kind, int32_t site, size_t memory);
  void forget();

  const VectorClocks &clocks;
  std::vector<std::vector<Last>> last; // by thread and memory
  std::vector<uint64_t> sequence;      // by thread: accesses
  std::vector<uint64_t> passed;        // by thread: atomics
  std::deque<Point> points;
  uint64_t first = 0; // number of the first of `points`
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_CHECKS_PROGRAMORDER_H
