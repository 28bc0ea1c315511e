// Loads and stores that are written as assembly, and what the code of a checked kernel calls before its own ones.

#include "Families.h"

#include "tilewright/Emulator/Block.h"
#include "tilewright/Emulator/Checker.h"
#include "tilewright/Emulator/Counters.h"

#include <cstring>

namespace tilewright::emulator {

void observe(const Access &access, bool active) {
  Block &block = *access.thread.block;
  if (block.counters) {
    block.counters->access(access, active);
  }
  if (active && block.checker && !block.checker->access(access)) {
    access.thread.leave();
  }
}

namespace {

MemorySpace spaceOf(const Thread &thread, uint64_t address) {
  return thread.block->isShared(address) ? MemorySpace::Shared : MemorySpace::Global;
}

/// Operands of assembly: predicate, address, bytes of an element, elements.
struct VectorOperands {
  explicit VectorOperands(const uint64_t *in)
      : active(in[0] & 1), address(in[1]), elementBytes(static_cast<uint32_t>(in[2])),
        elements(static_cast<uint32_t>(in[3])) {}
  bool active;
  uint64_t address;
  uint32_t elementBytes, elements;

  void observe(Thread &thread, int32_t site, AccessKind kind) const {
    if (thread.block->checker || thread.block->counters) {
      uint32_t bytes = elementBytes * elements;
      emulator::observe({thread, site, kind, spaceOf(thread, address), address, bytes, bytes}, active);
    }
  }
};

void load(Thread &thread, int32_t site, const uint64_t *in, uint64_t *out) {
  VectorOperands operands(in);
  operands.observe(thread, site, AccessKind::Read);
  auto *memory = reinterpret_cast<const char *>(operands.address);
  for (uint32_t i = 0; i < operands.elements; ++i) {
    out[i] = 0;
    if (operands.active) {
      std::memcpy(&out[i], memory + i * operands.elementBytes, operands.elementBytes);
    }
  }
}

void store(Thread &thread, int32_t site, const uint64_t *in, uint64_t *) {
  VectorOperands operands(in);
  operands.observe(thread, site, AccessKind::Write);
  auto *memory = reinterpret_cast<char *>(operands.address);
  for (uint32_t i = 0; operands.active && i < operands.elements; ++i) {
    std::memcpy(memory + i * operands.elementBytes, &in[4 + i], operands.elementBytes);
  }
}

/// Operands: address, bytes, alignment, and an AccessKind.
void access(Thread &thread, int32_t site, const uint64_t *in, uint64_t *) {
  auto kind = static_cast<AccessKind>(in[3]);
  observe(
      {thread, site, kind, spaceOf(thread, in[0]), in[0], static_cast<uint32_t>(in[1]), static_cast<uint32_t>(in[2])},
      true);
}

/// Operands: class, number.
void count(Thread &thread, int32_t site, const uint64_t *in, uint64_t *) {
  if (Counters *counters = thread.block->counters.get()) {
    counters->count(thread, site, static_cast<InstructionClass>(in[0]), static_cast<int64_t>(in[1]));
  }
}

} // namespace

static constexpr Instruction kMemoryRows[] = {
    {"ld.global", nullptr, load, InstructionClass::Global,
     "reads one to four elements next to each other, if the predicate is true", "9.7.9.8 ld"},
    {"ld.shared", nullptr, load, InstructionClass::Shared,
     "reads one to four elements next to each other, if the predicate is true", "9.7.9.8 ld"},
    {"st.global", nullptr, store, InstructionClass::Global,
     "writes one to four elements next to each other, if the predicate is true", "9.7.9.12 st"},
    {"st.shared", nullptr, store, InstructionClass::Shared,
     "writes one to four elements next to each other, if the predicate is true", "9.7.9.12 st"},
    {"emulator.count", nullptr, count, InstructionClass::Other,
     "tells how many instructions of a class the code of a checked kernel is about to execute", "none"},
    {"emulator.access", nullptr, access, InstructionClass::Other,
     "tells of an access that the code of a checked kernel is about to make", "none"},
};
const Family kMemoryInstructions = kMemoryRows;

} // namespace tilewright::emulator
