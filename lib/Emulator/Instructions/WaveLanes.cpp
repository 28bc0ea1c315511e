// Instructions of AMD's GPUs that move values between the lanes of a wave.
//
// They have no mask: the lanes that execute them together take part (Thread::meet). What a lane reads from one that
// does not take part is documented, zero or the old value, but no kernel of the compiler wants it, so that it is
// reported.

#include "Families.h"

#include "tilewright/Emulator/Block.h"

#include <optional>
#include <string>

namespace tilewright::emulator {
namespace {

constexpr int kRow = 16; ///< lanes of a row, within which DPP moves values

int lanesOf(const WarpCall &call) { return static_cast<int>(call.warp->lanes); }

void reportInactive(const WarpCall &call, int lane, int from) {
  call.thread(lane).report(Report::Mask, call.site,
                           "reads lane " + std::to_string(from) + ", which does not execute the instruction");
}

/// The value of operand `operand` of lane `from`; `otherwise`, and a report, if it is not active.
uint64_t read(const WarpCall &call, int lane, int from, int operand, uint64_t otherwise) {
  if (!call.has(from)) {
    reportInactive(call, lane, from);
    return otherwise;
  }
  return call.in[from][operand];
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

void setAll(const WarpCall &call, uint64_t result) {
  forEachLane(call.mask, [&](int lane) { call.out[lane][0] = result; });
}

int firstOf(const WarpCall &call) { return __builtin_ctzll(call.mask); }

void readFirstLane(const WarpCall &call) { setAll(call, call.in[firstOf(call)][0]); }

/// Operands: value, lane. The lane is in a scalar register.
void readLane(const WarpCall &call) {
  int first = firstOf(call), from = static_cast<int>(call.in[first][1] % lanesOf(call));
  setAll(call, read(call, first, from, 0, 0));
}

/// Operands: value, lane, old value.
void writeLane(const WarpCall &call) {
  const uint64_t *scalars = call.in[firstOf(call)];
  uint64_t to = scalars[1] % lanesOf(call);
  forEachLane(call.mask,
              [&](int lane) { call.out[lane][0] = static_cast<uint64_t>(lane) == to ? scalars[0] : call.in[lane][2]; });
}

/// Operand: predicate.
void ballot(const WarpCall &call) {
  LaneMask yes = 0;
  forEachLane(call.mask, [&](int lane) { yes |= call.in[lane][0] & 1 ? laneBit(lane) : 0; });
  setAll(call, yes);
}

//===----------------------------------------------------------------------===//
// By the hardware of LDS
//===----------------------------------------------------------------------===//

/// Addresses count bytes of a register of each lane, and wrap.
int laneAt(const WarpCall &call, uint64_t address) { return static_cast<int>(address / 4 % lanesOf(call)); }

/// Operands: address, value.
void backwardPermute(const WarpCall &call) {
  forEachLane(call.mask, [&](int lane) {
    call.out[lane][0] = read(call, lane, laneAt(call, static_cast<uint32_t>(call.in[lane][0])), 1, 0);
  });
}

/// Operands: address, value. A lane to which several write gets the value of the last one, and one to which none writes
/// gets zero.
void forwardPermute(const WarpCall &call) {
  setAll(call, 0);
  forEachLane(call.mask, [&](int lane) {
    int to = laneAt(call, static_cast<uint32_t>(call.in[lane][0]));
    if (call.has(to)) {
      call.out[to][0] = call.in[lane][1];
    }
  });
}

/// The lane that ds_swizzle reads: by four pairs of bits for each four lanes, or by three masks of five bits.
std::optional<int> swizzled(int lane, uint64_t offset) {
  if ((offset & 0xff00) == 0x8000) {
    return (lane & ~3) | static_cast<int>(offset >> (2 * (lane & 3)) & 3);
  }
  if (offset & 0x8000) {
    return std::nullopt; // rotations and the pattern of an FFT
  }
  int mask = offset & 31, set = offset >> 5 & 31, change = offset >> 10 & 31;
  return (lane & ~31) | (((lane & mask) | set) ^ change);
}

/// Operands: value, offset.
void swizzle(const WarpCall &call) {
  forEachLane(call.mask, [&](int lane) {
    std::optional<int> from = swizzled(lane, call.in[lane][1]);
    if (!from) {
      call.thread(lane).fail(Report::Fault, call.site,
                             "the emulator does not have the pattern " + std::to_string(call.in[lane][1] & 0xffff) +
                                 " of ds_swizzle_b32");
    }
    call.out[lane][0] = read(call, lane, *from, 0, 0);
  });
}

//===----------------------------------------------------------------------===//
// Data-parallel primitives (DPP)
//===----------------------------------------------------------------------===//

/// The lane that DPP reads. `isKnown` is false for a control that does not exist; the lane is negative if there is
/// none.
struct Source {
  bool isKnown;
  int lane;
};

Source inRow(int lane, int place) { return {true, place >= 0 && place < kRow ? lane / kRow * kRow + place : -1}; }

Source dppSource(int lane, uint64_t control, int lanes) {
  int place = lane % kRow, amount = control & 15;
  if (control < 0x100) {
    return {true, (lane & ~3) | static_cast<int>(control >> (2 * (lane & 3)) & 3)};
  }
  switch (control) {
  case 0x130: // wave_shl
    return {true, lane + 1 < lanes ? lane + 1 : -1};
  case 0x134: // wave_rol
    return {true, (lane + 1) % lanes};
  case 0x138: // wave_shr
    return {true, lane - 1};
  case 0x13c: // wave_ror
    return {true, (lane + lanes - 1) % lanes};
  case 0x140: // row_mirror
    return inRow(lane, kRow - 1 - place);
  case 0x141: // row_half_mirror
    return inRow(lane, place ^ 7);
  case 0x142: // row_bcast15: the last lane of the previous row
    return {true, lane / kRow * kRow - 1};
  case 0x143: // row_bcast31: lane 31, for the rows of the other half
    return {true, lane >= 32 ? 31 : -1};
  default:
    break;
  }
  switch (control & ~uint64_t(15)) {
  case 0x100: // row_shl
    return inRow(lane, amount ? place + amount : -1);
  case 0x110: // row_shr
    return inRow(lane, amount ? place - amount : -1);
  case 0x120: // row_ror
    return inRow(lane, (place + kRow - amount) % kRow);
  case 0x150: // row_newbcast, row_share
    return inRow(lane, amount);
  case 0x160: // row_xmask
    return inRow(lane, place ^ amount);
  default:
    return {false, -1};
  }
}

/// Operands: old value, value, control, rows and banks of four lanes that are written, whether zero replaces what is
/// not there, instead of the old value.
void updateDpp(const WarpCall &call) {
  forEachLane(call.mask, [&](int lane) {
    const uint64_t *in = call.in[lane];
    Source source = dppSource(lane, in[2], lanesOf(call));
    if (!source.isKnown) {
      call.thread(lane).fail(Report::Fault, call.site, "DPP has no control " + std::to_string(in[2]));
    }
    uint64_t old = in[0], missing = in[5] & 1 ? 0 : old;
    bool isWritten = in[3] >> (lane / kRow) & 1 && in[4] >> (lane % kRow / 4) & 1;
    call.out[lane][0] = !isWritten ? old : source.lane < 0 ? missing : read(call, lane, source.lane, 1, missing);
  });
}

/// Operands: old value, value, places in the row for the lanes 0 to 7 and 8 to 15, whether inactive lanes are read, and
/// whether zero replaces what is not there. `otherRow`: the row is the other one of two.
template <bool otherRow> void permuteRow(const WarpCall &call) {
  forEachLane(call.mask, [&](int lane) {
    const uint64_t *in = call.in[lane];
    int place = lane % kRow, row = lane / kRow ^ (otherRow ? 1 : 0);
    auto from = static_cast<int>(in[place < 8 ? 2 : 3] >> (4 * (place % 8)) & 15);
    call.out[lane][0] = read(call, lane, row * kRow + from, 1, in[5] & 1 ? 0 : in[0]);
  });
}

/// Operands: two values. The odd groups of `lanes` lanes of the first are exchanged with the even ones of the second.
template <int lanes> void swapGroups(const WarpCall &call) {
  forEachLane(call.mask, [&](int lane) {
    bool isOdd = lane / lanes & 1;
    call.out[lane][0] = isOdd ? read(call, lane, lane ^ lanes, 1, 0) : call.in[lane][0];
    call.out[lane][1] = isOdd ? call.in[lane][1] : read(call, lane, lane ^ lanes, 0, 0);
  });
}

template <WarpFunction function>
constexpr Instruction row(const char *name, const char *intrinsic, const char *meaning, const char *source) {
  return {name, intrinsic, waveWide<function>, InstructionClass::Warp, meaning, source, /*needsPlace=*/true};
}

constexpr const char *kDpp = "CDNA 3 ISA, 6.2 DPP; RDNA 3 ISA, 6.5 DPP", *kDs = "CDNA 3 ISA, 12.13 LDS";

} // namespace

static constexpr Instruction kRows[] = {
    row<readFirstLane>("v_readfirstlane_b32", "llvm.amdgcn.readfirstlane", "the value of the first active lane",
                       "CDNA 3 ISA, 12.8 VOP1"),
    row<readLane>("v_readlane_b32", "llvm.amdgcn.readlane", "the value of one lane", "CDNA 3 ISA, 12.11 VOP3"),
    row<writeLane>("v_writelane_b32", "llvm.amdgcn.writelane", "another value for one lane", "CDNA 3 ISA, 12.11 VOP3"),
    row<ballot>("ballot", "llvm.amdgcn.ballot", "the active lanes whose predicate is true",
                "LLVM AMDGPUUsage, LLVM IR Intrinsics"),
    row<backwardPermute>("ds_bpermute_b32", "llvm.amdgcn.ds.bpermute", "the value of the lane at the address", kDs),
    row<forwardPermute>("ds_permute_b32", "llvm.amdgcn.ds.permute", "the value of the lane that has this one's address",
                        kDs),
    row<swizzle>("ds_swizzle_b32", "llvm.amdgcn.ds.swizzle",
                 "the value of the lane whose number three masks or four pairs of bits give", kDs),
    row<updateDpp>("v_mov_b32_dpp", "llvm.amdgcn.update.dpp", "the value of a lane of the same row, or of a row before",
                   kDpp),
    row<permuteRow<false>>("v_permlane16_b32", "llvm.amdgcn.permlane16", "the value of a lane of the same row",
                           "RDNA 3 ISA, 16.12 VOP3"),
    row<permuteRow<true>>("v_permlanex16_b32", "llvm.amdgcn.permlanex16",
                          "the value of a lane of the other one of two rows", "RDNA 3 ISA, 16.12 VOP3"),
    row<swapGroups<16>>("v_permlane16_swap_b32", "llvm.amdgcn.permlane16.swap",
                        "two registers, of which one's odd rows and the other's even rows are exchanged",
                        "CDNA 4 ISA, VOP1"),
    row<swapGroups<32>>("v_permlane32_swap_b32", "llvm.amdgcn.permlane32.swap",
                        "two registers, of which one's second half and the other's first half are exchanged",
                        "CDNA 4 ISA, VOP1"),
};
const Family kWaveLaneInstructions = kRows;

} // namespace tilewright::emulator
