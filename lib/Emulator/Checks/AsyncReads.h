// Reads of shared memory by asynchronous instructions: those of wgmma.
//
// Such an instruction may read its operands at any time until its thread has waited for it, so that a write in between
// races with it, whatever barriers there are:
//
//     thread 0   wgmma   barrier           wait
//     thread 9           barrier   write

#ifndef TILEWRIGHT_EMULATOR_CHECKS_ASYNCREADS_H
#define TILEWRIGHT_EMULATOR_CHECKS_ASYNCREADS_H

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace tilewright::emulator {

/// The instruction that reads. Tickets are unique within a program.
struct AsyncReader {
  uint64_t ticket = 0;
  uint32_t thread = 0;
  int32_t site = 0;
};

class AsyncReads {
public:
  static constexpr uint64_t kUnit = 16;

  explicit AsyncReads(uint64_t sharedBytes) : readers((sharedBytes + kUnit - 1) / kUnit) {}
  void begin();

  /// The reader reads the 16 bytes at an offset, which is a multiple of 16.
  void add(const AsyncReader &reader, uint64_t offset);
  /// Some reader in flight of the bytes, or null.
  const AsyncReader *find(uint64_t offset, uint64_t bytes) const;
  /// The thread has waited for the instruction. Returns the offsets that it read.
  std::vector<uint64_t> end(uint64_t ticket);

private:
  std::vector<std::vector<AsyncReader>> readers;               // of each unit
  std::unordered_map<uint64_t, std::vector<uint64_t>> offsets; // of each ticket in flight
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_CHECKS_ASYNCREADS_H
