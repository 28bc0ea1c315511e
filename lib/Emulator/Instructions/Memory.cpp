// Loads and stores in inline assembly, and the functions that instrumented code calls before LLVM's loads and stores.

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
  if (active && !block.checker->access(access)) {
    access.thread.leave();
  }
}

namespace {

MemorySpace spaceOf(const Thread &thread, uint64_t address) {
  return thread.block->isShared(address) ? MemorySpace::Shared : MemorySpace::Global;
}

/// The operands of an access in assembly: predicate, address, bytes of an element, number of elements.
struct VectorOperands {
  explicit VectorOperands(const uint64_t *in)
      : active(in[0] & 1), address(in[1]), elementBytes(static_cast<uint32_t>(in[2])),
        elements(static_cast<uint32_t>(in[3])) {}
  bool active;
  uint64_t address;
  uint32_t elementBytes, elements;

  void observe(Thread &thread, int32_t site, AccessKind kind) const {
    uint32_t bytes = elementBytes * elements;
    KnownPlaces *known = nullptr;
    if (!thread.block->launch.kernel.checked && KnownPlaces::hasEntry(bytes)) {
      known = &thread.places[KnownPlaces::entryOf(bytes, site)];
      if (!active || (known->include(address) && address % bytes == 0)) {
        return;
      }
    }
    MemorySpace space = spaceOf(thread, address);
    emulator::observe({thread, site, kind, space, address, bytes, bytes}, active);
    if (known) {
      *known = thread.block->checker->placesAround(space, address, bytes);
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
      std::memcpy(&out[i], memory + size_t(i) * operands.elementBytes, operands.elementBytes);
    }
  }
}

void store(Thread &thread, int32_t site, const uint64_t *in, uint64_t *) {
  VectorOperands operands(in);
  operands.observe(thread, site, AccessKind::Write);
  auto *memory = reinterpret_cast<char *>(operands.address);
  for (uint32_t i = 0; operands.active && i < operands.elements; ++i) {
    std::memcpy(memory + size_t(i) * operands.elementBytes, &in[4 + i], operands.elementBytes);
  }
}

/// Operands: address, bytes, alignment, an AccessKind and a MemorySpace.
Access accessOf(Thread &thread, int32_t site, const uint64_t *in) {
  return {thread,
          site,
          static_cast<AccessKind>(in[3]),
          static_cast<MemorySpace>(in[4]),
          in[0],
          static_cast<uint32_t>(in[1]),
          static_cast<uint32_t>(in[2])};
}

void access(Thread &thread, int32_t site, const uint64_t *in, uint64_t *) { observe(accessOf(thread, site, in), true); }

/// Operands: those of access(), and the number of the KnownPlaces entry that the code tests before the call.
void accessElsewhere(Thread &thread, int32_t site, const uint64_t *in, uint64_t *) {
  Access access = accessOf(thread, site, in);
  observe(access, true);
  thread.places[in[5]] = thread.block->checker->placesAround(access.space, access.address, access.bytes);
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
     "reads one to four contiguous elements if the predicate is true", "9.7.9.8 ld"},
    {"ld.shared", nullptr, load, InstructionClass::Shared,
     "reads one to four contiguous elements if the predicate is true", "9.7.9.8 ld"},
    {"st.global", nullptr, store, InstructionClass::Global,
     "writes one to four contiguous elements if the predicate is true", "9.7.9.12 st"},
    {"st.shared", nullptr, store, InstructionClass::Shared,
     "writes one to four contiguous elements if the predicate is true", "9.7.9.12 st"},
    {"emulator.count", nullptr, count, InstructionClass::Other,
     "counts the instructions of one class that a basic block is about to execute", "none"},
    {"emulator.access", nullptr, access, InstructionClass::Other, "checks and counts an access before it is made",
     "none"},
    {"emulator.access_elsewhere", nullptr, accessElsewhere, InstructionClass::Other,
     "checks an access of unchecked code outside the known places", "none"},
};
const Family kMemoryInstructions = kMemoryRows;

} // namespace tilewright::emulator
