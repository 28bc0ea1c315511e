#include "tilewright/Emulator/WgmmaQueue.h"

#include "tilewright/Emulator/Block.h"

#include <algorithm>

namespace tilewright::emulator {

/// A hash of three numbers (the finalizer of SplitMix64).
static uint64_t mix(uint64_t ticket, int index, int lane) {
  uint64_t x = (ticket << 16 | static_cast<uint64_t>(index) << 5 | static_cast<uint64_t>(lane)) + 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

uint32_t Flight::mark(int index, int lane) const {
  auto hash = static_cast<uint32_t>(mix(ticket, index, lane));
  switch (shape.kind) {
  case RegisterKind::Float:
    return (hash & ~1u) | 0x7fc00000; // a quiet NaN other than the one that instructions return
  case RegisterKind::Halves:
    return (hash & ~0x10001u) | 0x7e007e00;
  case RegisterKind::Integer:
    return hash;
  }
  return hash;
}

Flight &WgmmaQueue::issue(uint64_t ticket, int32_t site, const WgmmaShape &shape) {
  dropDone();
  Flight &flight = flights.emplace_back();
  flight.ticket = ticket;
  flight.site = site;
  flight.shape = shape;
  return flight;
}

void WgmmaQueue::commit() {
  uint64_t uncommitted = 0;
  for (const Flight &flight : flights) {
    uncommitted += !flight.isDone;
  }
  for (uint64_t group : groups) {
    uncommitted -= group;
  }
  groups.push_back(uncommitted);
}

std::vector<Flight> WgmmaQueue::complete(uint64_t left) {
  std::vector<Flight> completed;
  auto next = std::find_if(flights.begin(), flights.end(), [](const Flight &flight) { return !flight.isDone; });
  while (groups.size() > left) {
    for (uint64_t i = 0; i < groups.front(); ++i, ++next) {
      next->isDone = true;
      completed.push_back({next->ticket, next->site, next->shape});
    }
    groups.erase(groups.begin());
  }
  return completed;
}

/// Must not be called before the wait that completes the flights has replaced their marks.
void WgmmaQueue::dropDone() {
  auto isUseless = [](const Flight &flight) { return flight.isDone && flight.isOverwritten; };
  flights.erase(std::remove_if(flights.begin(), flights.end(), isUseless), flights.end());
  auto done = static_cast<size_t>(
      std::count_if(flights.begin(), flights.end(), [](const Flight &flight) { return flight.isDone; }));
  for (; done > kMostDone; --done) {
    flights.pop_front();
  }
}

static bool isMark(const WarpCall &call, int slot, const Flight &flight, int index) {
  if (flight.values.empty() || index >= flight.shape.registers) {
    return false;
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    if (static_cast<uint32_t>(call.in[lane][slot]) != flight.mark(index, lane)) {
      return false;
    }
  }
  return true;
}

FlightRegister WgmmaQueue::find(const WarpCall &call, int slot, FlightRegister likely) {
  if (likely.flight && isMark(call, slot, *likely.flight, likely.index)) {
    return likely;
  }
  for (auto flight = flights.rbegin(); flight != flights.rend(); ++flight) {
    for (int index = 0; index < flight->shape.registers; ++index) {
      if (isMark(call, slot, *flight, index)) {
        return {&*flight, index};
      }
    }
  }
  return {};
}

FlightRegister WgmmaQueue::find(int lane, uint32_t bits) {
  for (Flight &flight : flights) {
    for (int index = 0; index < flight.shape.registers && !flight.values.empty(); ++index) {
      if (flight.mark(index, lane) == bits) {
        return {&flight, index};
      }
    }
  }
  return {};
}

bool WgmmaQueue::areResults(const WarpCall &call, int slot, const WgmmaShape &shape) const {
  return std::any_of(flights.begin(), flights.end(), [&](const Flight &flight) {
    if (!flight.isDone || flight.isOverwritten || flight.values.empty() || !(flight.shape == shape)) {
      return false;
    }
    for (int index = 0; index < shape.registers; ++index) {
      for (int lane = 0; lane < kLanes; ++lane) {
        if (static_cast<uint32_t>(call.in[lane][slot + index]) != flight.value(index, lane)) {
          return false;
        }
      }
    }
    return true;
  });
}

} // namespace tilewright::emulator
