// What atomics make of an old value and their operands, and how they change memory: by the host's atomics, because
// blocks run on several host threads.

#ifndef TILEWRIGHT_LIB_EMULATOR_INSTRUCTIONS_ATOMICVALUES_H
#define TILEWRIGHT_LIB_EMULATOR_INSTRUCTIONS_ATOMICVALUES_H

#include "Slots.h"

#include "tilewright/Runtime/Host/HalfConversion.h"

#include <algorithm>

namespace tilewright::emulator {

//===----------------------------------------------------------------------===//
// New values
//===----------------------------------------------------------------------===//

/// `operand` points to the second operand, and the third if there is one.
template <typename T> uint64_t add(uint64_t old, const uint64_t *operand) {
  return bitsInSlot<T>(fromSlot<T>(old) + fromSlot<T>(operand[0]));
}
/// In global memory, where all atomics of the compiler are, atom.add.f32 flushes subnormal numbers.
inline uint64_t addFloat(uint64_t old, const uint64_t *operand) {
  return toSlot(flush(flush(toFloat(old)) + flush(toFloat(operand[0]))));
}
template <typename T> uint64_t minimum(uint64_t old, const uint64_t *operand) {
  return bitsInSlot<T>(std::min(fromSlot<T>(old), fromSlot<T>(operand[0])));
}
template <typename T> uint64_t maximum(uint64_t old, const uint64_t *operand) {
  return bitsInSlot<T>(std::max(fromSlot<T>(old), fromSlot<T>(operand[0])));
}
inline uint64_t bitAnd(uint64_t old, const uint64_t *operand) { return old & operand[0]; }
inline uint64_t bitOr(uint64_t old, const uint64_t *operand) { return old | operand[0]; }
inline uint64_t bitXor(uint64_t old, const uint64_t *operand) { return old ^ operand[0]; }
inline uint64_t exchange(uint64_t, const uint64_t *operand) { return operand[0]; }
inline uint64_t compareExchange(uint64_t old, const uint64_t *operand) { return old == operand[0] ? operand[1] : old; }

inline double fromBfloat16(uint16_t bits) { return fromSlot<float>(uint64_t(bits) << 16); }

// The sums in double precision are exact, or far enough from a tie that rounding twice gives the same result.
inline uint16_t addHalf(uint16_t a, uint16_t b) {
  return runtime::toHalf(double(runtime::fromHalf(a)) + double(runtime::fromHalf(b)));
}
inline uint16_t addBfloat(uint16_t a, uint16_t b) { return runtime::toBfloat16(fromBfloat16(a) + fromBfloat16(b)); }

template <uint16_t (*addOne)(uint16_t, uint16_t)> uint64_t addOf(uint64_t old, const uint64_t *operand) {
  return addOne(static_cast<uint16_t>(old), static_cast<uint16_t>(operand[0]));
}
template <uint16_t (*addOne)(uint16_t, uint16_t)> uint64_t addPair(uint64_t old, const uint64_t *operand) {
  uint32_t high = addOne(static_cast<uint16_t>(old >> 16), static_cast<uint16_t>(operand[0] >> 16));
  return high << 16 | addOf<addOne>(old & 0xffff, operand);
}

//===----------------------------------------------------------------------===//
// Atomic updates
//===----------------------------------------------------------------------===//

using Change = uint64_t (*)(uint64_t old, const uint64_t *operands);

template <typename Word, Change change> uint64_t apply(uint64_t address, const uint64_t *operands) {
  auto *memory = reinterpret_cast<Word *>(address);
  Word old = __atomic_load_n(memory, __ATOMIC_SEQ_CST);
  while (!__atomic_compare_exchange_n(memory, &old, static_cast<Word>(change(old, operands)), /*weak=*/true,
                                      __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
  }
  return old;
}

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_EMULATOR_INSTRUCTIONS_ATOMICVALUES_H
