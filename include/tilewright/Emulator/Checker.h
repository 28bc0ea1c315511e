// Checks the memory accesses of a block's threads.

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
  uint32_t alignment; ///< that the instruction requires, in bytes
  AtomicOrder order = AtomicOrder::Relaxed;
};

/// Each Block has its own Checker. Bounds and alignment are always checked, the rest as Settings says. Errors are
/// reported by Thread::report, with both accesses if two are involved.
class Checker {
public:
  explicit Checker(Launch &launch);
  ~Checker();

  /// Called before a program runs: its shared memory is uninitialized, and no thread has accessed global memory.
  void begin(Block &block);

  /// Checks an access, and returns whether it may be performed. An access that is out of bounds or misaligned must not
  /// be; all other errors are only reported.
  bool access(const Access &access);

  /// The addresses near `address` at which an access of `bytes` bytes is in bounds; empty if one at `address` is not.
  KnownPlaces placesAround(MemorySpace space, uint64_t address, uint32_t bytes) const;

  /// A thread issues an asynchronous copy; later it waits for the copy, which has completed then. In between no thread
  /// may access the bytes that the copy writes. issue() returns whether the copy may be performed.
  bool issue(Thread &thread, const AsyncCopy &copy);
  void arrive(Thread &thread, const AsyncCopy &copy);

  /// Checks 16 bytes of shared memory that an asynchronous instruction reads; later the thread waits for the
  /// instruction with this ticket. In between no thread may write the bytes. readAsync() returns whether they may be
  /// read.
  bool readAsync(const Access &access, uint64_t ticket);
  void endReads(Thread &thread, int32_t site, uint64_t ticket);

  /// A thread issues a copy of a box; issueLoad() and issueStore() return whether it may be performed. The bytes of a
  /// load count as in flight until a thread has waited for its phase of the barrier, which calls see(); those that a
  /// store reads until endReads(), and those that it writes until endStore().
  bool issueLoad(Thread &thread, const BoxLoad &load, const TransactionBarrier &barrier);
  bool issueStore(Thread &thread, const BoxStore &store);
  void endStore(Thread &thread, const BoxStore &store);

  /// A thread has waited for a phase of a barrier: what was released to its key, and copies that completed the phase or
  /// earlier ones, are ordered before what it does from now on.
  void see(Thread &thread, TransactionBarrier &barrier, uint64_t phase);
  /// No thread waits for the phase with this key any more.
  void forget(uint64_t key);

  /// A thread executes a proxy fence, which asynchronous instructions need to read what threads wrote.
  void fenceProxy(Thread &thread);

  /// Orders everything that these threads did so far before everything that they do from now on.
  void synchronize(const std::vector<Thread *> &threads);
  void synchronize(const WarpCall &call);
  /// The same for accesses of one memory space.
  void synchronize(const std::vector<Thread *> &threads, MemorySpace space);

  /// A thread reaches an atomic that releases or acquires, and executes it if it is `active`. Must be called after
  /// access().
  void pass(const Access &atomic, bool active);

  /// release() orders what the thread did so far before what threads do after a later acquire() of the same address.
  void release(Thread &thread, uint64_t address);
  void acquire(Thread &thread, uint64_t address);
  /// The same for accesses of one memory space.
  void release(Thread &thread, uint64_t address, MemorySpace space);
  void acquire(Thread &thread, uint64_t address, MemorySpace space);

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_CHECKER_H
