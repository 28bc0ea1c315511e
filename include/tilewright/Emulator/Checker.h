// Looks for what a block's threads do wrong with memory.

#ifndef TILEWRIGHT_EMULATOR_CHECKER_H
#define TILEWRIGHT_EMULATOR_CHECKER_H

#include "tilewright/Emulator/AccessKind.h"
#include "tilewright/Emulator/Block.h"

#include <memory>

namespace tilewright::emulator {

/// An access of one thread that is about to be performed.
struct Access {
  Thread &thread;
  int32_t site;
  AccessKind kind;
  MemorySpace space;
  uint64_t address;
  uint32_t bytes;
  uint32_t alignment; ///< that the instruction asks for, in bytes
  AtomicOrder order = AtomicOrder::Relaxed;
};

/// One for each Block that runs; blocks of a launch do not share it. Bounds and alignment are always checked, the rest
/// as Settings say. What is wrong is reported by Thread::report, with
/// both parties where there are two.
class Checker {
public:
  explicit Checker(Launch &launch);
  ~Checker();

  /// A block is about to run: nothing is known of its shared memory, and nobody has touched global memory.
  void begin(Block &block);

  /// Whether the access may be performed: what is out of bounds or misaligned may not. Everything else is reported
  /// only.
  bool access(const Access &access);

  /// The places around an address that may be accessed in so many bytes; none where the address itself may not.
  KnownPlaces placesAround(MemorySpace space, uint64_t address, uint32_t bytes) const;

  /// An asynchronous copy is issued by a thread, and later has arrived as far as this thread is concerned. Between the
  /// two nobody may touch what it writes. The first returns whether the copy may be performed.
  bool issue(Thread &thread, const AsyncCopy &copy);
  void arrive(Thread &thread, const AsyncCopy &copy);

  /// All that these threads did before is ordered before all that they do from now on.
  void synchronize(const std::vector<Thread *> &threads);
  void synchronize(const WarpCall &call);

  /// The thread comes to an atomic that releases or acquires, which it executes if it is `active`, after access().
  void pass(const Access &atomic, bool active);

  /// What the thread did before is ordered before what those do that acquire the address from now on.
  void release(Thread &thread, uint64_t address);
  void acquire(Thread &thread, uint64_t address);

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_CHECKER_H
