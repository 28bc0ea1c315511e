// What is left of a kernel that touches memory that the process does not have: a report, and the process.

#ifndef TILEWRIGHT_LIB_EMULATOR_FAULTGUARD_H
#define TILEWRIGHT_LIB_EMULATOR_FAULTGUARD_H

namespace tilewright::emulator {

class Block;

/// While it lives, a fault of the calling thread ends the block's launch, if it happens on the stack of one of its
/// threads. Other faults go to whoever handled them before.
class FaultGuard {
public:
  explicit FaultGuard(Block &block);
  ~FaultGuard();
  FaultGuard(const FaultGuard &) = delete;
  FaultGuard &operator=(const FaultGuard &) = delete;

private:
  Block *outer; ///< one that a signal's handler interrupted, or null
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_EMULATOR_FAULTGUARD_H
