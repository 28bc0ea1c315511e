// atom: atomic read-modify-write operations. They use the host's atomics, because blocks run on several host threads.

#include "Families.h"

#include "tilewright/Emulator/Block.h"
#include "tilewright/Emulator/Checker.h"
#include "tilewright/Runtime/Host/HalfConversion.h"

#include "Slots.h"

#include <algorithm>
#include <cstring>

namespace tilewright::emulator {
namespace {

//===----------------------------------------------------------------------===//
// New values
//===----------------------------------------------------------------------===//

/// `operand` points to the second operand, and the third if there is one.
template <typename T> uint64_t add(uint64_t old, const uint64_t *operand) {
  return bitsInSlot<T>(fromSlot<T>(old) + fromSlot<T>(operand[0]));
}
/// In global memory, where all atomics of the compiler are, atom.add.f32 flushes subnormal numbers.
uint64_t addFloat(uint64_t old, const uint64_t *operand) {
  return toSlot(flush(flush(toFloat(old)) + flush(toFloat(operand[0]))));
}
template <typename T> uint64_t minimum(uint64_t old, const uint64_t *operand) {
  return bitsInSlot<T>(std::min(fromSlot<T>(old), fromSlot<T>(operand[0])));
}
template <typename T> uint64_t maximum(uint64_t old, const uint64_t *operand) {
  return bitsInSlot<T>(std::max(fromSlot<T>(old), fromSlot<T>(operand[0])));
}
uint64_t bitAnd(uint64_t old, const uint64_t *operand) { return old & operand[0]; }
uint64_t bitOr(uint64_t old, const uint64_t *operand) { return old | operand[0]; }
uint64_t bitXor(uint64_t old, const uint64_t *operand) { return old ^ operand[0]; }
uint64_t exchange(uint64_t, const uint64_t *operand) { return operand[0]; }
uint64_t compareExchange(uint64_t old, const uint64_t *operand) { return old == operand[0] ? operand[1] : old; }

double fromBfloat16(uint16_t bits) { return fromSlot<float>(uint64_t(bits) << 16); }

// The sums in double precision are exact, or far enough from a tie that rounding twice gives the same result.
uint16_t addHalf(uint16_t a, uint16_t b) {
  return runtime::toHalf(double(runtime::fromHalf(a)) + double(runtime::fromHalf(b)));
}
uint16_t addBfloat(uint16_t a, uint16_t b) { return runtime::toBfloat16(fromBfloat16(a) + fromBfloat16(b)); }

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

/// An atomic releases or acquires by its own memory order, or by a fence before or after it (PTX ISA 8.7, memory
/// consistency model).
void orderAtomic(Thread &thread, uint64_t address, AtomicOrder order) {
  Block &block = *thread.block;
  if (!block.launch.settings.checkRaces) {
    return;
  }
  if (static_cast<int>(order) & static_cast<int>(AtomicOrder::Acquire)) {
    block.checker->acquire(thread, address);
  } else {
    thread.unfenced.insert(address);
  }
  if (thread.isFenced || static_cast<int>(order) & static_cast<int>(AtomicOrder::Release)) {
    block.checker->release(thread, address);
  }
}

/// Operands: predicate, address, elements, AtomicOrder, and the other operands of each element.
template <typename Word, Change change, int operands = 1>
void atomic(Thread &thread, int32_t site, const uint64_t *in, uint64_t *out) {
  bool active = in[0] & 1;
  auto elements = static_cast<uint32_t>(in[2]);
  uint32_t bytes = elements * sizeof(Word);
  MemorySpace space = thread.block->isShared(in[1]) ? MemorySpace::Shared : MemorySpace::Global;
  auto order = static_cast<AtomicOrder>(in[3]);
  Access access = {thread, site, AccessKind::Atomic, space, in[1], bytes, bytes, order};
  observe(access, active);
  if (order != AtomicOrder::Relaxed) {
    thread.block->checker->pass(access, active);
  }
  std::fill_n(out, elements, 0);
  if (!active) {
    return;
  }
  orderAtomic(thread, in[1], order);
  for (uint32_t i = 0; i < elements; ++i) {
    out[i] = apply<Word, change>(in[1] + i * sizeof(Word), &in[4 + i * operands]);
  }
}

/// An atomic that LLVM's code executes, before it does. Operands: address, bytes, alignment, AtomicOrder, MemorySpace.
/// Lanes that a branch leaves out do not call this, so that the n-th atomic of one thread need not be the n-th of
/// another, and Checker::pass() can't be used.
void beforeAtomic(Thread &thread, int32_t site, const uint64_t *in, uint64_t *) {
  auto bytes = static_cast<uint32_t>(in[1]), alignment = static_cast<uint32_t>(in[2]);
  observe({thread, site, AccessKind::Atomic, static_cast<MemorySpace>(in[4]), in[0], bytes, alignment}, true);
  orderAtomic(thread, in[0], static_cast<AtomicOrder>(in[3]));
}

#define ATOMIC(name, word, change, meaning)                                                                            \
  {"atom." name, nullptr, atomic<word, change>, InstructionClass::Atomic, meaning, "9.7.13.5 atom"}

} // namespace

static constexpr Instruction kAtomicRows[] = {
    ATOMIC("add.u32", uint32_t, add<uint32_t>, "adds"),
    ATOMIC("add.s32", uint32_t, add<uint32_t>, "adds"),
    ATOMIC("add.u64", uint64_t, add<uint64_t>, "adds"),
    ATOMIC("add.f32", uint32_t, addFloat, "adds, rounded to nearest even, without subnormal numbers"),
    ATOMIC("add.f64", uint64_t, add<double>, "adds, rounded to nearest even"),
    ATOMIC("add.noftz.f16", uint16_t, addOf<addHalf>, "adds, rounded to nearest even"),
    ATOMIC("add.noftz.bf16", uint16_t, addOf<addBfloat>, "adds, rounded to nearest even"),
    ATOMIC("add.noftz.f16x2", uint32_t, addPair<addHalf>, "adds each half"),
    ATOMIC("add.noftz.bf16x2", uint32_t, addPair<addBfloat>, "adds each half"),
    ATOMIC("min.u32", uint32_t, minimum<uint32_t>, "takes the smaller one"),
    ATOMIC("min.s32", uint32_t, minimum<int32_t>, "takes the smaller one"),
    ATOMIC("min.u64", uint64_t, minimum<uint64_t>, "takes the smaller one"),
    ATOMIC("min.s64", uint64_t, minimum<int64_t>, "takes the smaller one"),
    ATOMIC("max.u32", uint32_t, maximum<uint32_t>, "takes the larger one"),
    ATOMIC("max.s32", uint32_t, maximum<int32_t>, "takes the larger one"),
    ATOMIC("max.u64", uint64_t, maximum<uint64_t>, "takes the larger one"),
    ATOMIC("max.s64", uint64_t, maximum<int64_t>, "takes the larger one"),
    ATOMIC("and.b32", uint32_t, bitAnd, "and of the bits"),
    ATOMIC("and.b64", uint64_t, bitAnd, "and of the bits"),
    ATOMIC("or.b32", uint32_t, bitOr, "or of the bits"),
    ATOMIC("or.b64", uint64_t, bitOr, "or of the bits"),
    ATOMIC("xor.b32", uint32_t, bitXor, "exclusive or of the bits"),
    ATOMIC("xor.b64", uint64_t, bitXor, "exclusive or of the bits"),
    ATOMIC("exch.b32", uint32_t, exchange, "writes another value"),
    ATOMIC("exch.b64", uint64_t, exchange, "writes another value"),
    {"atom.cas.b16", nullptr, atomic<uint16_t, compareExchange, 2>, InstructionClass::Atomic,
     "writes the third operand if memory has the second", "9.7.13.5 atom"},
    {"atom.cas.b32", nullptr, atomic<uint32_t, compareExchange, 2>, InstructionClass::Atomic,
     "writes the third operand if memory has the second", "9.7.13.5 atom"},
    {"atom.cas.b64", nullptr, atomic<uint64_t, compareExchange, 2>, InstructionClass::Atomic,
     "writes the third operand if memory has the second", "9.7.13.5 atom"},
    {"emulator.atomic", nullptr, beforeAtomic, InstructionClass::Other,
     "checks, counts and orders an atomic that LLVM's code is about to execute", "none"},
};
const Family kAtomicInstructions = kAtomicRows;

#undef ATOMIC

} // namespace tilewright::emulator
