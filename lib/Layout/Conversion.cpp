#include "tilewright/Layout/Conversion.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace tilewright::layout {

static int sumOfSet(const std::vector<int> &values, uint64_t bits) {
  int sum = 0;
  for (; bits != 0; bits &= bits - 1) {
    sum ^= values[__builtin_ctzll(bits)];
  }
  return sum;
}

static bool allZero(const std::vector<int> &values) {
  return std::all_of(values.begin(), values.end(), [](int value) { return value == 0; });
}

bool RegisterMove::isIdentity() const {
  for (size_t reg = 0; reg < base.size(); ++reg) {
    if (base[reg] != static_cast<int>(reg)) {
      return false;
    }
  }
  return allZero(xorMasks);
}

int RegisterMove::sourceOf(int reg, uint64_t thread) const { return base[reg] ^ sumOfSet(xorMasks, thread); }

bool LaneMove::isButterfly() const {
  for (int bit = 0; bit < static_cast<int>(lanes.size()); ++bit) {
    if (lanes[bit] != (bit < laneBits ? 1 << bit : 0)) {
      return false;
    }
  }
  return true;
}

int LaneMove::sourceOf(int reg, uint64_t thread) const { return xorMasks[reg] ^ sumOfSet(lanes, thread); }

int ConversionPlan::shuffles() const {
  if (!shuffle.isButterfly()) {
    return static_cast<int>(shuffle.xorMasks.size());
  }
  return static_cast<int>(shuffle.xorMasks.size() - std::count(shuffle.xorMasks.begin(), shuffle.xorMasks.end(), 0));
}

int ConversionPlan::selects() const {
  int count = 0;
  for (const RegisterMove *move : {&before, &after}) {
    count += static_cast<int>(move->base.size() *
                              (move->xorMasks.size() - std::count(move->xorMasks.begin(), move->xorMasks.end(), 0)));
  }
  return count;
}

namespace {

/// For each bit of the result, the register and lane bits of the source with its elements. The warp and block are those
/// of the result itself.
struct Lookup {
  Columns registersOfRegisters, lanesOfRegisters; ///< per register bit of the result
  Columns registersOfThreads, lanesOfThreads;     ///< per thread bit: lane, warp, block
};

/// The bits of the source that a warp can access, registers below lanes.
class Source {
public:
  explicit Source(const LinearLayout &layout)
      : registerBits(layout.inBits(kRegister)), registers(layout.columnsOf(kRegister)) {
    local = registers;
    Columns lanes = layout.columnsOf(kLane);
    local.insert(local.end(), lanes.begin(), lanes.end());
    ofRegisters.addAll(registers);
    ofWarp.addAll(local);
  }

  /// The bits that map to `element`, only register bits if possible.
  std::optional<uint64_t> find(uint64_t element) const {
    std::optional<uint64_t> found = ofRegisters.express(element);
    return found ? found : ofWarp.express(element);
  }

  std::optional<uint64_t> findInRegisters(uint64_t element) const { return ofRegisters.express(element); }

  uint64_t registersOf(uint64_t bits) const { return bits & ((uint64_t(1) << registerBits) - 1); }
  uint64_t lanesOf(uint64_t bits) const { return bits >> registerBits; }
  uint64_t lane(int bit) const { return uint64_t(1) << (registerBits + bit); }

  /// Combinations of bits that map to zero, i.e. replicas.
  Columns replicas() const { return kernel(local); }

  int registerBits;
  Columns registers;

private:
  Columns local;
  Span ofRegisters, ofWarp;
};

} // namespace

static Columns threadColumns(const LinearLayout &layout) {
  Columns threads;
  for (std::string_view in : {kLane, kWarp, kBlock}) {
    Columns columns = layout.columnsOf(in);
    threads.insert(threads.end(), columns.begin(), columns.end());
  }
  return threads;
}

/// The source bits for a lane bit, with the element in the lane itself if possible.
static std::optional<uint64_t> findForLane(const Source &source, int bit, uint64_t own, uint64_t wanted) {
  if (std::optional<uint64_t> found = source.findInRegisters(own ^ wanted)) {
    return *found | source.lane(bit);
  }
  return source.find(wanted);
}

/// None if elements come from other warps.
static std::optional<Lookup> lookUp(const LinearLayout &from, const LinearLayout &to, const Source &source) {
  Lookup lookup;
  Columns wanted = to.columnsOf(kRegister);
  bool isWithinWarp = true;
  for (size_t bit = 0; bit < wanted.size(); ++bit) {
    bool isSame = bit < source.registers.size() && source.registers[bit] == wanted[bit];
    std::optional<uint64_t> found = isSame ? uint64_t(1) << bit : source.find(wanted[bit]);
    isWithinWarp &= found.has_value();
    lookup.registersOfRegisters.push_back(source.registersOf(found.value_or(0)));
    lookup.lanesOfRegisters.push_back(source.lanesOf(found.value_or(0)));
  }
  Columns own = threadColumns(from);
  wanted = threadColumns(to);
  assert(own.size() == wanted.size() && "both layouts have the same threads");
  int lanes = from.inBits(kLane);
  for (int bit = 0; bit < static_cast<int>(wanted.size()); ++bit) {
    std::optional<uint64_t> found =
        bit < lanes ? findForLane(source, bit, own[bit], wanted[bit]) : source.find(own[bit] ^ wanted[bit]);
    isWithinWarp &= found.has_value();
    lookup.registersOfThreads.push_back(source.registersOf(found.value_or(0)));
    lookup.lanesOfThreads.push_back(source.lanesOf(found.value_or(0)));
  }
  return isWithinWarp ? std::optional(lookup) : std::nullopt;
}

static bool crossesBlocks(const LinearLayout &from, const LinearLayout &to) {
  Span ofBlock;
  for (std::string_view in : {kRegister, kLane, kWarp}) {
    ofBlock.addAll(from.columnsOf(in));
  }
  for (std::string_view in : {kRegister, kLane, kWarp}) {
    for (uint64_t column : to.columnsOf(in)) {
      if (!ofBlock.contains(column)) {
        return true;
      }
    }
  }
  Columns own = from.columnsOf(kBlock), wanted = to.columnsOf(kBlock);
  for (size_t bit = 0; bit < own.size(); ++bit) {
    if (!ofBlock.contains(own[bit] ^ wanted[bit])) {
      return true;
    }
  }
  return false;
}

/// Computes the xor masks of registers `after` the shuffle, per lane bit, such that two lanes that need different
/// registers of one lane get them in different shuffles. May change `lookup` to use other replicas.
///
/// Thread t needs register G t of lane Q t. If Q v = 0 but G v is not, lanes t and t ^ v need two registers of the same
/// lane in one shuffle. So v has to map to another lane: that of a replica, or that of another register, which is
/// shuffled instead. If there is none, all lanes get both registers, one of them in an additional register.
static Columns separate(const Source &source, Lookup &lookup, int lanes) {
  Columns after(lookup.lanesOfThreads.size(), 0);
  auto laneOf = [&](int t) { return lookup.lanesOfThreads[t] ^ multiply(lookup.lanesOfRegisters, after[t]); };
  auto registerOf = [&](int t) {
    return lookup.registersOfThreads[t] ^ multiply(lookup.registersOfRegisters, after[t]);
  };
  while (true) {
    Columns sourceLanes, registers;
    for (int t = 0; t < lanes; ++t) {
      sourceLanes.push_back(laneOf(t));
      registers.push_back(registerOf(t));
    }
    Columns clashes = kernel(sourceLanes);
    auto clash = std::find_if(clashes.begin(), clashes.end(), [&](uint64_t v) { return multiply(registers, v) != 0; });
    if (clash == clashes.end()) {
      return after;
    }
    int bit = 63 - __builtin_clzll(*clash);
    Span reached(sourceLanes);
    Columns replicas = source.replicas();
    auto replica = std::find_if(replicas.begin(), replicas.end(),
                                [&](uint64_t v) { return !reached.contains(source.lanesOf(v)); });
    if (replica != replicas.end()) {
      lookup.registersOfThreads[bit] ^= source.registersOf(*replica);
      lookup.lanesOfThreads[bit] ^= source.lanesOf(*replica);
      continue;
    }
    const Columns &others = lookup.lanesOfRegisters;
    auto other = std::find_if(others.begin(), others.end(), [&](uint64_t lane) { return !reached.contains(lane); });
    after[bit] ^= uint64_t(1) << (other - others.begin());
    if (other == others.end()) {
      lookup.registersOfRegisters.push_back(multiply(registers, *clash));
      lookup.lanesOfRegisters.push_back(0);
    }
  }
}

static std::vector<int> images(const Columns &columns) {
  std::vector<int> values(size_t(1) << columns.size());
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<int>(multiply(columns, i));
  }
  return values;
}

static std::vector<int> toInts(const Columns &columns) { return {columns.begin(), columns.end()}; }

/// The three moves of a lookup:
///     after    register r of thread t is q = r ^ A t
///     shuffle  q comes from lane N q ^ Q t, where N = lanes of registers, Q = lanes of threads ^ N A
///     before   in that lane it is register P q ^ B (its thread), with B Q = G, so that
///              lookup(r, t) = (P q ^ B (N q ^ Q t), N q ^ Q t)
static void splitIntoMoves(const Lookup &lookup, const Columns &after, int lanes, ConversionPlan &plan) {
  Columns sourceLanes, registers; // Q and G
  for (size_t t = 0; t < after.size(); ++t) {
    sourceLanes.push_back(lookup.lanesOfThreads[t] ^ multiply(lookup.lanesOfRegisters, after[t]));
    registers.push_back(lookup.registersOfThreads[t] ^ multiply(lookup.registersOfRegisters, after[t]));
  }
  Columns before;
  for (uint64_t requesters : pseudoInverse(Columns(sourceLanes.begin(), sourceLanes.begin() + lanes), lanes)) {
    before.push_back(multiply(registers, requesters));
  }
  Columns beforeOfLanes = before;
  for (size_t t = lanes; t < after.size(); ++t) {
    before.push_back(registers[t] ^ multiply(beforeOfLanes, sourceLanes[t]));
  }
  Columns base;
  for (size_t bit = 0; bit < lookup.registersOfRegisters.size(); ++bit) {
    base.push_back(lookup.registersOfRegisters[bit] ^ multiply(beforeOfLanes, lookup.lanesOfRegisters[bit]));
  }
  plan.before = {images(base), toInts(before)};
  plan.shuffle = {images(lookup.lanesOfRegisters), toInts(sourceLanes), lanes};
  plan.after = {std::vector<int>(uint64_t(1) << base.size()), toInts(after)};
  std::iota(plan.after.base.begin(), plan.after.base.end(), 0);
}

ConversionPlan planConversion(const LinearLayout &from, const LinearLayout &to) {
  assert(from.outs() == to.outs() && "both layouts are of the same tile");
  ConversionPlan plan;
  Source source(from);
  int lanes = from.inBits(kLane);
  std::optional<Lookup> lookup = lookUp(from, to, source);
  if (!lookup) {
    plan.kind = crossesBlocks(from, to) ? ConversionKind::Cluster : ConversionKind::Shared;
    return plan;
  }
  Columns after = separate(source, *lookup, lanes);
  splitIntoMoves(*lookup, after, lanes, plan);
  plan.after.base.resize(to.inSize(kRegister));
  plan.kind = ConversionKind::Lanes;
  bool keepsLanes = plan.shuffle.isButterfly() && allZero(plan.shuffle.xorMasks);
  if (keepsLanes) {
    bool isSame = plan.before.isIdentity() && from.inBits(kRegister) == to.inBits(kRegister);
    plan.kind = isSame && plan.after.isIdentity() ? ConversionKind::None : ConversionKind::Registers;
  }
  return plan;
}

} // namespace tilewright::layout
