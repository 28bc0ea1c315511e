// Collective instructions of a warp: shuffles, votes, matches, reductions.

#include "tilewright/Emulator/Block.h"

#include "Families.h"

#include <algorithm>
#include <string>

namespace tilewright::emulator {

/// Calls `each` for every participating lane.
template <typename Each> static void forLanes(const WarpCall &call, Each each) { forEachLane(call.mask, each); }

enum class Shuffle { Up, Down, Bfly, Idx };

/// The lane that a shuffle reads, and whether it is within the range that the last operand allows.
struct Source {
  int lane;
  bool inRange;
};

/// The lowest bits of `clamp` are the limit of the lanes within a segment. Bits 8 to 12 are a mask of the bits of a
/// lane's number that select its segment of the warp.
static Source sourceOf(Shuffle mode, int lane, uint32_t operand, uint32_t clamp) {
  int offset = operand & 31;
  int segment = clamp >> 8 & 31;
  int limit = (lane & segment) | (clamp & 31 & ~segment);
  int from = lane;
  switch (mode) {
  case Shuffle::Up:
    from = lane - offset;
    return {from, from >= limit};
  case Shuffle::Down:
    from = lane + offset;
    break;
  case Shuffle::Bfly:
    from = lane ^ offset;
    break;
  case Shuffle::Idx:
    from = (lane & segment) | (offset & ~segment);
    break;
  }
  return {from, from <= limit};
}

/// 9.7.9.6 shfl.sync. Operands: mask, value, the source's lane or offset, clamp. A lane whose source is out of range
/// gets its own value. PTX does not specify the result if the source does not participate; that is reported, and the
/// lane gets its own value, too.
template <Shuffle mode, bool withPredicate> static void shuffle(const WarpCall &call) {
  forLanes(call, [&](int lane) {
    const uint64_t *in = call.in[lane];
    Source source = sourceOf(mode, lane, static_cast<uint32_t>(in[2]), static_cast<uint32_t>(in[3]));
    int from = source.inRange ? source.lane : lane;
    if (!call.has(from)) {
      call.thread(lane).report(Report::Mask, call.site,
                               "reads lane " + std::to_string(from) + ", which its mask does not name");
      from = lane;
    }
    call.out[lane][0] = static_cast<uint32_t>(call.in[from][1]);
    if (withPredicate) {
      call.out[lane][1] = source.inRange;
    }
  });
}

/// The lanes of a vote whose predicate is true. Operands: mask, predicate.
static uint32_t ballot(const WarpCall &call) {
  uint32_t yes = 0;
  forLanes(call, [&](int lane) { yes |= uint32_t(call.in[lane][1] & 1) << lane; });
  return yes;
}

/// Sets the result of every participating lane.
static void broadcast(const WarpCall &call, uint64_t result) {
  forLanes(call, [&](int lane) { call.out[lane][0] = result; });
}

static void voteAll(const WarpCall &call) { broadcast(call, ballot(call) == call.mask); }
static void voteAny(const WarpCall &call) { broadcast(call, ballot(call) != 0); }
static void voteUni(const WarpCall &call) { broadcast(call, ballot(call) == call.mask || ballot(call) == 0); }
static void voteBallot(const WarpCall &call) { broadcast(call, ballot(call)); }

/// The lanes that have the same value as this one. Operands: mask, value.
template <typename T> static uint32_t lanesLike(const WarpCall &call, int lane) {
  uint32_t alike = 0;
  forLanes(call, [&](int other) {
    alike |= uint32_t(static_cast<T>(call.in[other][1]) == static_cast<T>(call.in[lane][1])) << other;
  });
  return alike;
}

template <typename T> static void matchAny(const WarpCall &call) {
  forLanes(call, [&](int lane) { call.out[lane][0] = lanesLike<T>(call, lane); });
}

template <typename T> static void matchAll(const WarpCall &call) {
  forLanes(call, [&](int lane) {
    bool all = lanesLike<T>(call, lane) == call.mask;
    call.out[lane][0] = all ? call.mask : 0;
    call.out[lane][1] = all;
  });
}

/// Operands: value, mask.
template <typename T, T (*combine)(T, T)> static void reduce(const WarpCall &call) {
  bool first = true;
  T result = 0;
  forLanes(call, [&](int lane) {
    T value = static_cast<T>(static_cast<uint32_t>(call.in[lane][0]));
    result = first ? value : combine(result, value);
    first = false;
  });
  broadcast(call, static_cast<uint32_t>(result));
}

template <typename T> static T add(T a, T b) { return a + b; }
template <typename T> static T least(T a, T b) { return std::min(a, b); }
template <typename T> static T greatest(T a, T b) { return std::max(a, b); }
static uint32_t bitAnd(uint32_t a, uint32_t b) { return a & b; }
static uint32_t bitOr(uint32_t a, uint32_t b) { return a | b; }
static uint32_t bitXor(uint32_t a, uint32_t b) { return a ^ b; }

/// PTX does not specify which lane is elected, but requires that it is always the same one for the same mask.
static void elect(const WarpCall &call) {
  int leader = 0;
  while (!call.has(leader)) {
    ++leader;
  }
  forLanes(call, [&](int lane) {
    call.out[lane][0] = static_cast<uint64_t>(leader);
    call.out[lane][1] = lane == leader;
  });
}

/// The emulator does not run warps in lockstep: all lanes that have not ended are active.
static void activeMask(Thread &thread, int32_t, const uint64_t *, uint64_t *out) {
  out[0] = static_cast<uint32_t>(~thread.warp->exited);
}

template <WarpFunction function, int maskOperand>
static constexpr Instruction row(const char *name, const char *intrinsic, const char *meaning, const char *source) {
  return {name, intrinsic, warpWide<function, maskOperand>, InstructionClass::Warp, meaning, source};
}

template <Shuffle mode, bool withPredicate>
static constexpr Instruction shuffleRow(const char *name, const char *intrinsic, const char *meaning) {
  return row<shuffle<mode, withPredicate>, 0>(name, intrinsic, meaning, "9.7.9.6 shfl.sync");
}

template <typename T, T (*combine)(T, T)>
static constexpr Instruction reduceRow(const char *name, const char *intrinsic, const char *meaning) {
  return row<reduce<T, combine>, 1>(name, intrinsic, meaning, "9.7.13.12 redux.sync");
}

// LLVM's intrinsics that end in p return a predicate too, which PTX writes as d|p.
static constexpr Instruction kWarpRows[] = {
    shuffleRow<Shuffle::Up, false>("shfl.sync.up.b32", "llvm.nvvm.shfl.sync.up",
                                   "the value of the lane at that distance below this one"),
    shuffleRow<Shuffle::Down, false>("shfl.sync.down.b32", "llvm.nvvm.shfl.sync.down",
                                     "the value of the lane at that distance above this one"),
    shuffleRow<Shuffle::Bfly, false>("shfl.sync.bfly.b32", "llvm.nvvm.shfl.sync.bfly",
                                     "the value of the lane whose number differs in these bits"),
    shuffleRow<Shuffle::Idx, false>("shfl.sync.idx.b32", "llvm.nvvm.shfl.sync.idx",
                                    "the value of the lane of this number"),
    shuffleRow<Shuffle::Up, true>("shfl.sync.up.b32 d|p", "llvm.nvvm.shfl.sync.up.p",
                                  "the value of the lane at that distance below this one, and whether there is one"),
    shuffleRow<Shuffle::Down, true>("shfl.sync.down.b32 d|p", "llvm.nvvm.shfl.sync.down.p",
                                    "the value of the lane at that distance above this one, and whether there is one"),
    shuffleRow<Shuffle::Bfly, true>("shfl.sync.bfly.b32 d|p", "llvm.nvvm.shfl.sync.bfly.p",
                                    "the value of the lane whose number differs in these bits, and whether it is one"),
    shuffleRow<Shuffle::Idx, true>("shfl.sync.idx.b32 d|p", "llvm.nvvm.shfl.sync.idx.p",
                                   "the value of the lane of this number, and whether it is one"),

    row<voteAll, 0>("vote.sync.all.pred", "llvm.nvvm.vote.all.sync", "whether the predicate is true in all lanes",
                    "9.7.13.9 vote.sync"),
    row<voteAny, 0>("vote.sync.any.pred", "llvm.nvvm.vote.any.sync", "whether the predicate is true in some lane",
                    "9.7.13.9 vote.sync"),
    row<voteUni, 0>("vote.sync.uni.pred", "llvm.nvvm.vote.uni.sync", "whether the predicate is the same in all lanes",
                    "9.7.13.9 vote.sync"),
    row<voteBallot, 0>("vote.sync.ballot.b32", "llvm.nvvm.vote.ballot.sync", "the lanes whose predicate is true",
                       "9.7.13.9 vote.sync"),
    row<matchAny<uint32_t>, 0>("match.any.sync.b32", "llvm.nvvm.match.any.sync.i32",
                               "the lanes that have the same value as this one", "9.7.13.10 match.sync"),
    row<matchAny<uint64_t>, 0>("match.any.sync.b64", "llvm.nvvm.match.any.sync.i64",
                               "the lanes that have the same value as this one", "9.7.13.10 match.sync"),
    row<matchAll<uint32_t>, 0>("match.all.sync.b32", "llvm.nvvm.match.all.sync.i32p",
                               "the mask and true if all lanes have the same value, else 0 and false",
                               "9.7.13.10 match.sync"),
    row<matchAll<uint64_t>, 0>("match.all.sync.b64", "llvm.nvvm.match.all.sync.i64p",
                               "the mask and true if all lanes have the same value, else 0 and false",
                               "9.7.13.10 match.sync"),

    reduceRow<uint32_t, add>("redux.sync.add.u32", "llvm.nvvm.redux.sync.add", "the sum of the lanes' values"),
    reduceRow<uint32_t, least>("redux.sync.min.u32", "llvm.nvvm.redux.sync.umin",
                               "the least of the lanes' unsigned values"),
    reduceRow<uint32_t, greatest>("redux.sync.max.u32", "llvm.nvvm.redux.sync.umax",
                                  "the greatest of the lanes' unsigned values"),
    reduceRow<int32_t, least>("redux.sync.min.s32", "llvm.nvvm.redux.sync.min",
                              "the least of the lanes' signed values"),
    reduceRow<int32_t, greatest>("redux.sync.max.s32", "llvm.nvvm.redux.sync.max",
                                 "the greatest of the lanes' signed values"),
    reduceRow<uint32_t, bitAnd>("redux.sync.and.b32", "llvm.nvvm.redux.sync.and", "the lanes' values, and-ed"),
    reduceRow<uint32_t, bitOr>("redux.sync.or.b32", "llvm.nvvm.redux.sync.or", "the lanes' values, or-ed"),
    reduceRow<uint32_t, bitXor>("redux.sync.xor.b32", "llvm.nvvm.redux.sync.xor", "the lanes' values, xor-ed"),

    row<elect, 0>("elect.sync", "llvm.nvvm.elect.sync", "one lane's number, and whether it is this one's",
                  "9.7.13.14 elect.sync"),
    {"activemask.b32", "llvm.nvvm.activemask", activeMask, InstructionClass::Warp, "the lanes that have not ended",
     "9.7.13.11 activemask"},
};
const Family kWarpInstructions = kWarpRows;

} // namespace tilewright::emulator
