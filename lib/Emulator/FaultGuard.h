// Turns memory faults of a kernel into reports, so that the process survives them.

#ifndef TILEWRIGHT_LIB_EMULATOR_FAULTGUARD_H
#define TILEWRIGHT_LIB_EMULATOR_FAULTGUARD_H

namespace tilewright::emulator {

class Block;

/// While it exists, a fault on the calling host thread ends the block's launch if it happens on the stack of one of the
/// block's threads. All other faults go to the previous signal handler.
class FaultGuard {
public:
  explicit FaultGuard(Block &block);
  ~FaultGuard();
  FaultGuard(const FaultGuard &) = delete;
  FaultGuard &operator=(const FaultGuard &) = delete;

private:
  Block *outer; ///< the block that this one interrupts, if it was launched from a signal handler; otherwise null
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_EMULATOR_FAULTGUARD_H
