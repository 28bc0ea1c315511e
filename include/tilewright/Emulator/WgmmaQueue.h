// The wgmmas of a warp that are in flight, and the values of their accumulators.
//
// With the check of registers, a wgmma returns marks instead of its results: bits that name the instruction, the
// register and the lane, and that are NaN in accumulators of floats. A copy of a register has its mark.
//
//     wgmma 7              returns marks (7, 0), (7, 1), ...
//     wgmma 8              finds these marks as its accumulators: continues with the results of 7, returns (8, 0), ...
//     wgmma.wait_group 0   returns the results of 8 for its marks
//
// A mark that an ordinary instruction reads is an accumulator in flight.

#ifndef TILEWRIGHT_EMULATOR_WGMMAQUEUE_H
#define TILEWRIGHT_EMULATOR_WGMMAQUEUE_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace tilewright::emulator {

struct WarpCall;

/// What the bits of an accumulator's register are, which determines the marks.
enum class RegisterKind : uint8_t { Float, Halves, Integer };

/// The instruction and the sizes of a wgmma. Those of the same shape may use the same accumulators without a fence.
struct WgmmaShape {
  const void *instruction = nullptr;
  int n = 0;
  int registers = 0;
  RegisterKind kind = RegisterKind::Float;
  bool operator==(const WgmmaShape &other) const { return instruction == other.instruction && n == other.n; }
};

struct Flight {
  uint64_t ticket = 0;
  int32_t site = 0;
  WgmmaShape shape;
  bool isDone = false;          ///< the warp has waited for it
  bool isOverwritten = false;   ///< a later wgmma uses its accumulators
  std::vector<uint32_t> values; ///< of register r and lane l at r * 32 + l; empty if registers are not checked

  uint32_t value(int index, int lane) const { return values[index * 32 + lane]; }
  uint32_t mark(int index, int lane) const;
};

/// A register of a flight; no flight: none.
struct FlightRegister {
  Flight *flight = nullptr;
  int index = 0;
};

class WgmmaQueue {
public:
  /// A wgmma is issued. The reference is valid until the next call.
  Flight &issue(uint64_t ticket, int32_t site, const WgmmaShape &shape);
  void commit();
  /// Completes all but the last `left` groups, and returns their flights' tickets and sites.
  std::vector<Flight> complete(uint64_t left);

  /// The flight that all lanes have a mark of in operand `slot`. `likely` is tried first.
  FlightRegister find(const WarpCall &call, int slot, FlightRegister likely);
  /// The flight of which the lane has a mark.
  FlightRegister find(int lane, uint32_t bits);
  /// Whether the operands from `slot` on are the results of a wgmma that has completed.
  bool areResults(const WarpCall &call, int slot, const WgmmaShape &shape) const;
  bool empty() const { return flights.empty(); }

  bool isFenced = false; ///< whether a wgmma.fence was executed after the last wait
  int32_t lastWait = 0;  ///< its site
  uint64_t issued = 0;   ///< the number of wgmmas

private:
  static constexpr size_t kMostDone = 8; // completed flights that are kept, since their marks may still be in use

  void dropDone();

  std::deque<Flight> flights;   // the completed ones first
  std::vector<uint64_t> groups; // the number of flights in each committed group in flight
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_WGMMAQUEUE_H
