// Special registers of a thread, and nanosleep.

#include "Families.h"

#include "tilewright/Emulator/Block.h"

#include <chrono>

namespace tilewright::emulator {
namespace {

template <int axis> void threadId(Thread &thread, int32_t, const uint64_t *, uint64_t *out) {
  out[0] = axis == 0 ? thread.index : 0;
}

template <int axis> void blockSize(Thread &thread, int32_t, const uint64_t *, uint64_t *out) {
  out[0] = axis == 0 ? thread.block->threads.size() : 1;
}

template <int axis> void blockId(Thread &thread, int32_t, const uint64_t *, uint64_t *out) {
  out[0] = static_cast<uint32_t>(thread.block->program[axis]);
}

template <int axis> void gridSize(Thread &thread, int32_t, const uint64_t *, uint64_t *out) {
  out[0] = static_cast<uint32_t>(thread.block->launch.grid[axis]);
}

void laneId(Thread &thread, int32_t, const uint64_t *, uint64_t *out) { out[0] = thread.lane(); }

void warpSize(Thread &, int32_t, const uint64_t *, uint64_t *out) { out[0] = kLanes; }

uint64_t nanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void clock32(Thread &, int32_t, const uint64_t *, uint64_t *out) { out[0] = static_cast<uint32_t>(nanoseconds()); }

void clock64(Thread &, int32_t, const uint64_t *, uint64_t *out) { out[0] = nanoseconds(); }

/// An emulated GPU has one multiprocessor.
template <uint64_t value> void constant(Thread &, int32_t, const uint64_t *, uint64_t *out) { out[0] = value; }

void warpId(Thread &thread, int32_t, const uint64_t *, uint64_t *out) { out[0] = thread.index / kLanes; }

/// Grids never overlap: those that this one depends on have ended, and others start after it.
void controlDependency(Thread &, int32_t, const uint64_t *, uint64_t *) {}

void nanosleep(Thread &thread, int32_t, const uint64_t *, uint64_t *) { thread.yield(); }

} // namespace

static constexpr Instruction kRegisterRows[] = {
    {"%tid.x", "llvm.nvvm.read.ptx.sreg.tid.x", threadId<0>, InstructionClass::Other,
     "the thread's number in its block", "10.1 %tid"},
    {"%tid.y", "llvm.nvvm.read.ptx.sreg.tid.y", threadId<1>, InstructionClass::Other, "zero: blocks have one axis",
     "10.1 %tid"},
    {"%tid.z", "llvm.nvvm.read.ptx.sreg.tid.z", threadId<2>, InstructionClass::Other, "zero: blocks have one axis",
     "10.1 %tid"},
    {"%ntid.x", "llvm.nvvm.read.ptx.sreg.ntid.x", blockSize<0>, InstructionClass::Other, "threads of a block",
     "10.2 %ntid"},
    {"%ntid.y", "llvm.nvvm.read.ptx.sreg.ntid.y", blockSize<1>, InstructionClass::Other, "one", "10.2 %ntid"},
    {"%ntid.z", "llvm.nvvm.read.ptx.sreg.ntid.z", blockSize<2>, InstructionClass::Other, "one", "10.2 %ntid"},
    {"%laneid", "llvm.nvvm.read.ptx.sreg.laneid", laneId, InstructionClass::Other, "the thread's number in its warp",
     "10.3 %laneid"},
    {"WARP_SZ", "llvm.nvvm.read.ptx.sreg.warpsize", warpSize, InstructionClass::Other, "threads of a warp",
     "4.5.4 WARP_SZ"},
    {"%ctaid.x", "llvm.nvvm.read.ptx.sreg.ctaid.x", blockId<0>, InstructionClass::Other,
     "the program's place in the grid", "10.6 %ctaid"},
    {"%ctaid.y", "llvm.nvvm.read.ptx.sreg.ctaid.y", blockId<1>, InstructionClass::Other,
     "the program's place in the grid", "10.6 %ctaid"},
    {"%ctaid.z", "llvm.nvvm.read.ptx.sreg.ctaid.z", blockId<2>, InstructionClass::Other,
     "the program's place in the grid", "10.6 %ctaid"},
    {"%nctaid.x", "llvm.nvvm.read.ptx.sreg.nctaid.x", gridSize<0>, InstructionClass::Other, "programs along an axis",
     "10.7 %nctaid"},
    {"%nctaid.y", "llvm.nvvm.read.ptx.sreg.nctaid.y", gridSize<1>, InstructionClass::Other, "programs along an axis",
     "10.7 %nctaid"},
    {"%nctaid.z", "llvm.nvvm.read.ptx.sreg.nctaid.z", gridSize<2>, InstructionClass::Other, "programs along an axis",
     "10.7 %nctaid"},
    {"%clock", "llvm.nvvm.read.ptx.sreg.clock", clock32, InstructionClass::Other,
     "the low bits of a count that grows: nanoseconds of the host", "10.22 %clock"},
    {"%clock64", "llvm.nvvm.read.ptx.sreg.clock64", clock64, InstructionClass::Other,
     "a count that grows: nanoseconds of the host", "10.24 %clock64"},
    {"%globaltimer", "llvm.nvvm.read.ptx.sreg.globaltimer", clock64, InstructionClass::Other, "nanoseconds",
     "10.28 %globaltimer"},
    {"%warpid", "llvm.nvvm.read.ptx.sreg.warpid", warpId, InstructionClass::Other, "the warp's number in its block",
     "10.4 %warpid"},
    {"%smid", "llvm.nvvm.read.ptx.sreg.smid", constant<0>, InstructionClass::Other, "zero: there is one multiprocessor",
     "10.8 %smid"},
    {"%nsmid", "llvm.nvvm.read.ptx.sreg.nsmid", constant<1>, InstructionClass::Other,
     "one: there is one multiprocessor", "10.9 %nsmid"},
    {"griddepcontrol.wait", "llvm.nvvm.griddepcontrol.wait", controlDependency, InstructionClass::Control,
     "does nothing: the grids that this one depends on have ended", "9.7.13.13 griddepcontrol"},
    {"griddepcontrol.launch_dependents", "llvm.nvvm.griddepcontrol.launch.dependents", controlDependency,
     InstructionClass::Control, "does nothing: dependent grids start after this one", "9.7.13.13 griddepcontrol"},
    {"nanosleep.u32", "llvm.nvvm.nanosleep", nanosleep, InstructionClass::Control,
     "lets other threads run, but does not wait for the given time", "9.7.13.4 nanosleep"},
};
const Family kRegisterInstructions = kRegisterRows;

} // namespace tilewright::emulator
