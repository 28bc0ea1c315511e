// atom: atomic read-modify-write operations. They use the host's atomics, because blocks run on several host threads.

#include "AtomicValues.h"
#include "Families.h"

#include "tilewright/Emulator/Block.h"
#include "tilewright/Emulator/Checker.h"

#include <algorithm>

namespace tilewright::emulator {
namespace {

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
