#include "WgmmaIssue.h"

#include "SharedMatrix.h"

#include "tilewright/Emulator/Checker.h"
#include "tilewright/Emulator/Wgmma.h"

#include <algorithm>
#include <string>

namespace tilewright::emulator {
namespace {

bool has(const WarpCall &call, wgmma::Form form) { return (call.in[0][wgmma::kForm] & form) != 0; }

std::string placeOf(const Block &block, int32_t site) { return block.launch.kernel.sites[site].describe(); }

void report(const WarpCall &call, Report::Kind kind, std::string message, int32_t otherSite = 0) {
  Report report{kind, std::move(message)};
  report.site = call.site;
  report.otherSite = otherSite;
  report.otherThread = otherSite ? static_cast<int32_t>(call.thread(0).index) : -1;
  call.thread(0).report(std::move(report));
}

//===----------------------------------------------------------------------===//
// Operands that the threads have in common
//===----------------------------------------------------------------------===//

void checkLanes(const WarpCall &call) {
  int last = has(call, wgmma::kRegistersA) ? wgmma::kB : wgmma::kA;
  for (int lane = 1; lane < kLanes; ++lane) {
    for (int slot = wgmma::kScaleD; slot <= last; ++slot) {
      if (call.in[lane][slot] != call.in[0][slot]) {
        const char *name = slot == wgmma::kScaleD ? "scale-d"
                           : slot == wgmma::kB    ? "descriptor of B"
                                                  : "descriptor of A";
        return report(call, Report::WarpGroup,
                      "lane " + std::to_string(lane) + " has another " + name + " than lane 0");
      }
    }
  }
}

void checkDescriptor(const WarpCall &call, const SharedMatrix &matrix, const char *name) {
  std::string its = std::string("its descriptor of ") + name;
  if (matrix.hasUnknownBits()) {
    return report(call, Report::Fault, its + " has bits that are not in a field of a matrix descriptor");
  }
  if (matrix.isSwizzled() && matrix.baseOffset() != 0) {
    return report(call, Report::Fault, its + " has a base offset, which the emulator does not support");
  }
  if (!matrix.startsAtPattern()) {
    uint64_t base = reinterpret_cast<uint64_t>(call.warp->block->shared);
    uint64_t offset = (matrix.start() - base) % SharedMatrix::kWindow;
    std::string row = std::to_string(matrix.rowBytes()), pattern = std::to_string(matrix.patternBytes());
    report(call, Report::Alignment,
           its + " starts at shared+" + std::to_string(offset) + ", which is not in the first " + row +
               " bytes after a multiple of " + pattern + ", where the pattern of its swizzle begins");
  }
}

void enter(const WarpCall &call, const WgmmaTraits &traits) {
  const uint64_t *in = call.in[0];
  GroupStep step = {call.site, reinterpret_cast<const void *>(traits.compute), {in[0], in[1], in[2], in[3]}};
  step.operands[4] = has(call, wgmma::kRegistersA) ? 0 : in[wgmma::kA];
  call.warp->block->groups[call.warp->index / WarpGroup::kWarps].enter(call, step);
  checkLanes(call);
  bool isTransposedA = has(call, wgmma::kTransposedA), isTransposedB = has(call, wgmma::kTransposedB);
  checkDescriptor(call, {in[wgmma::kB], isTransposedB, traits.elementBytes}, "B");
  if (!has(call, wgmma::kRegistersA)) {
    checkDescriptor(call, {in[wgmma::kA], isTransposedA, traits.elementBytes}, "A");
  }
}

//===----------------------------------------------------------------------===//
// Accumulators
//===----------------------------------------------------------------------===//

/// The operands of a wgmma, with results for the marks of its accumulators.
struct Operands {
  WarpCall call;
  std::vector<uint64_t> in, out;

  Operands(const WarpCall &original, const WgmmaShape &shape)
      : call(original), width(wgmma::kAccumulators + shape.registers), results(shape.registers) {
    in.resize(kLanes * width);
    out.resize(kLanes * results);
    for (int lane = 0; lane < kLanes; ++lane) {
      std::copy_n(original.in[lane], width, &in[lane * width]);
      call.in[lane] = &in[lane * width];
      call.out[lane] = &out[lane * results];
    }
  }
  void set(int index, const Flight &flight, int from) {
    for (int lane = 0; lane < kLanes; ++lane) {
      in[lane * width + wgmma::kAccumulators + index] = flight.value(from, lane);
    }
  }
  uint32_t result(int index, int lane) const { return static_cast<uint32_t>(out[lane * results + index]); }

private:
  size_t width, results;
};

/// How the accumulators of a wgmma relate to the wgmmas before it.
struct Origin {
  Flight *flight = nullptr; ///< whose results they are, with none missing and none exchanged
  Flight *wrong = nullptr;  ///< whose results they are in part, exchanged, or no longer
};

Origin takeAccumulators(const WarpCall &call, const WgmmaShape &shape, Operands &operands) {
  WgmmaQueue &queue = call.warp->wgmmas;
  FlightRegister likely;
  Origin origin;
  if (call.in[0][wgmma::kScaleD] == 0) { // they are not read, and may have any contents
    return origin;
  }
  int marked = 0;
  for (int index = 0; index < shape.registers; ++index) {
    FlightRegister found = queue.find(call, wgmma::kAccumulators + index, likely);
    if (!found.flight) {
      continue;
    }
    operands.set(index, *found.flight, found.index);
    ++marked;
    Flight *first = origin.flight ? origin.flight : found.flight;
    bool isOther = found.flight != first || found.index != index || found.flight->isOverwritten ||
                   (!found.flight->isDone && !(found.flight->shape == shape));
    origin.flight = first;
    origin.wrong = isOther ? found.flight : origin.wrong;
    likely = {found.flight, found.index + 1};
  }
  if (marked > 0 && marked < shape.registers) {
    origin.wrong = origin.flight;
  }
  return origin;
}

/// wgmma.fence must stand between other accesses of registers and a wgmma, except that the accumulators of a wgmma may
/// be used by another one of the same shape.
void checkFence(const WarpCall &call, const WgmmaShape &shape, const Origin &origin) {
  WgmmaQueue &queue = call.warp->wgmmas;
  bool isChain = origin.flight || queue.areResults(call, wgmma::kAccumulators, shape);
  if (queue.isFenced || (isChain && !has(call, wgmma::kRegistersA))) {
    return;
  }
  queue.isFenced = true; // so that the error is reported once
  std::string message = "there is no wgmma.fence between this wgmma and ";
  message += queue.lastWait ? "the wait at " + placeOf(*call.warp->block, queue.lastWait) +
                                  ", after which other instructions may access its registers"
                            : std::string("the instructions before it, which may access its registers");
  report(call, Report::Register, message, queue.lastWait);
}

void reportInFlight(const WarpCall &call, const Flight &flight) {
  std::string message = "uses registers of the wgmma at " + placeOf(*call.warp->block, flight.site);
  message += flight.isOverwritten ? ", which a later wgmma has overwritten"
                                  : ", which is in flight, as other accumulators than that wgmma has";
  report(call, Report::Register, message, flight.site);
}

} // namespace

void issueWgmma(const WarpCall &call, const WgmmaTraits &traits) {
  Block &block = *call.warp->block;
  WgmmaQueue &queue = call.warp->wgmmas;
  ++queue.issued;
  enter(call, traits);
  const Settings &settings = block.launch.settings;
  if (!block.launch.kernel.checked || (!settings.checkRaces && !settings.checkCopies)) {
    return traits.compute(call);
  }
  int n = static_cast<int>(call.in[0][wgmma::kN]);
  int registers = traits.kind == RegisterKind::Halves ? n / 4 : n / 2;
  WgmmaShape shape = {reinterpret_cast<const void *>(traits.compute), n, registers, traits.kind};
  if (!settings.checkCopies) {
    queue.issue(ticketOf(*call.warp), call.site, shape);
    return traits.compute(call);
  }
  Operands operands(call, shape);
  Origin origin = takeAccumulators(call, shape, operands);
  checkFence(call, shape, origin);
  // With scale-d = 0 the accumulators are not read, and may be any value, such as an old mark.
  bool isRead = (call.in[0][wgmma::kScaleD] & 1) != 0;
  if (isRead && origin.wrong) {
    reportInFlight(call, *origin.wrong);
  }
  if (isRead && origin.flight) {
    origin.flight->isOverwritten = true;
  }
  traits.compute(operands.call);
  Flight &flight = queue.issue(ticketOf(*call.warp), call.site, shape);
  for (int index = 0; index < registers; ++index) {
    for (int lane = 0; lane < kLanes; ++lane) {
      flight.values.push_back(operands.result(index, lane));
      call.out[lane][index] = flight.mark(index, lane);
    }
  }
}

void enterGroup(const WarpCall &call, const void *instruction, uint64_t operand) {
  GroupStep step = {call.site, instruction, {operand}};
  call.warp->block->groups[call.warp->index / WarpGroup::kWarps].enter(call, step);
}

void completeWgmmas(const WarpCall &call, uint64_t left) {
  WgmmaQueue &queue = call.warp->wgmmas;
  for (const Flight &flight : queue.complete(left)) {
    call.warp->block->checker->endReads(call.thread(0), flight.site, flight.ticket);
  }
  queue.isFenced = false;
  queue.lastWait = call.site;
}

void settleRegisters(const WarpCall &call) {
  WgmmaQueue &queue = call.warp->wgmmas;
  FlightRegister likely;
  bool waitsForAll = call.in[0][0] == 0;
  for (uint64_t i = 0; i < call.in[0][1]; ++i) {
    FlightRegister found = queue.find(call, static_cast<int>(2 + i), likely);
    bool isUngrouped = found.flight && !found.flight->isDone && waitsForAll;
    bool isResult = isUngrouped || (found.flight && found.flight->isDone);
    for (int lane = 0; lane < kLanes; ++lane) {
      call.out[lane][i] = isResult ? found.flight->value(found.index, lane) : call.in[lane][2 + i];
    }
    if (isUngrouped) {
      report(call, Report::Register,
             "does not wait for the wgmma at " + placeOf(*call.warp->block, found.flight->site) +
                 ", because there is no wgmma.commit_group after it",
             found.flight->site);
    } else if (found.flight && found.flight->isOverwritten) {
      reportInFlight(call, *found.flight);
    }
    likely = {found.flight, found.index + 1};
  }
}

void readRegister(Thread &thread, int32_t site, const uint64_t *in, uint64_t *out) {
  out[0] = in[0];
  FlightRegister found = thread.warp->wgmmas.find(static_cast<int>(thread.lane()), static_cast<uint32_t>(in[0]));
  if (!found.flight) {
    return;
  }
  out[0] = found.flight->value(found.index, static_cast<int>(thread.lane()));
  if (!found.flight->isDone || found.flight->isOverwritten) {
    const std::string place = placeOf(*thread.block, found.flight->site);
    Report report{Report::Register, "reads an accumulator of the wgmma at " + place + ", which is in flight"};
    report.site = site;
    report.otherThread = static_cast<int32_t>(thread.index);
    report.otherSite = found.flight->site;
    thread.report(std::move(report));
  }
}

} // namespace tilewright::emulator
