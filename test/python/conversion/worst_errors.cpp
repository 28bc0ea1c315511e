// Finds the largest errors of compiled functions, in ulps; see worst_errors.py, which compiles both.
//
//   worst_errors f32 LIBRARY FUNCTION LIBRARY64     of every float
//   worst_errors f64 LIBRARY FUNCTION BITS SEED     of 2^BITS doubles, more where errors are large
//   worst_errors pow LIBRARY pow BITS SEED          of 2^BITS pairs of floats
//
// LIBRARY has void run(const T *x, T *out, int64_t n), with two inputs for pow; LIBRARY64 has the same for doubles. A
// line of output has the error and the arguments where it occurs. Floats are compared with doubles, doubles with x87
// extended precision.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace {

template <typename To, typename From> To bitCast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

template <typename T> using Function = T (*)(T);

template <typename T> const std::map<std::string, Function<T>> &references() {
  static const std::map<std::string, Function<T>> table = {
      {"cos", [](T x) { return std::cos(x); }},     {"erf", [](T x) { return std::erf(x); }},
      {"exp", [](T x) { return std::exp(x); }},     {"exp2", [](T x) { return std::exp2(x); }},
      {"expm1", [](T x) { return std::expm1(x); }}, {"log", [](T x) { return std::log(x); }},
      {"log10", [](T x) { return std::log10(x); }}, {"log1p", [](T x) { return std::log1p(x); }},
      {"log2", [](T x) { return std::log2(x); }},   {"rsqrt", [](T x) { return 1 / std::sqrt(x); }},
      {"sin", [](T x) { return std::sin(x); }},     {"tanh", [](T x) { return std::tanh(x); }},
  };
  return table;
}

/// |got - exact| in ulps of the number at `exact`. Denormal numbers have the ulp of the smallest normal one; infinity
/// counts as the successor of the largest number. A NaN on one side or a zero of the wrong sign is an infinite error.
template <typename T, typename Wide> double errorOf(T got, Wide exact) {
  using Limits = std::numeric_limits<T>;
  constexpr double infinite = std::numeric_limits<double>::infinity();
  T rounded = static_cast<T>(exact);
  if (std::isnan(got) || std::isnan(exact)) {
    return std::isnan(got) && std::isnan(exact) ? 0 : infinite;
  }
  if (got == 0 && rounded == 0) {
    return std::signbit(got) == std::signbit(rounded) ? static_cast<double>(std::fabs(exact)) / Limits::denorm_min()
                                                      : infinite;
  }
  Wide beyond = std::ldexp(static_cast<Wide>(1), Limits::max_exponent);
  Wide value = std::clamp(static_cast<Wide>(got), -beyond, beyond);
  exact = std::clamp(exact, -beyond, beyond);
  int exponent = exact == 0 ? Limits::min_exponent : std::ilogb(exact) + 1;
  exponent = std::clamp(exponent, Limits::min_exponent, Limits::max_exponent);
  return static_cast<double>(std::ldexp(std::fabs(value - exact), Limits::digits - exponent));
}

template <typename T> struct Worst {
  double error = -1;
  std::vector<T> at;

  void add(double other, std::initializer_list<T> arguments) {
    if (other > error) {
      error = other;
      at = arguments;
    }
  }
  void print() const {
    std::printf("%.6f", error);
    for (T x : at) {
      std::printf(" %.17g", static_cast<double>(x));
    }
    std::printf("\n");
  }
};

void *findRun(const char *library) {
  void *handle = dlopen(library, RTLD_NOW);
  if (!handle) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(1);
  }
  return dlsym(handle, "run");
}

constexpr int64_t kChunk = 1 << 14;

//===----------------------------------------------------------------------===//
// Every float
//===----------------------------------------------------------------------===//

/// Whether the error is certainly not above `most`, if `nearly` is within a few ulps of a double of the exact result.
/// An ulp is at least 2^-24 of the number.
bool isWithin(double most, float got, double nearly) {
  double size = std::fabs(nearly);
  if (size >= 0x1p129) {
    return got == std::copysign(std::numeric_limits<double>::infinity(), nearly);
  }
  if (size <= 0x1p-151) {
    return got == 0 && std::signbit(got) == std::signbit(nearly) && most > 0.5;
  }
  return std::fabs(got - nearly) <= (most - 0.001) * size * 0x1p-24;
}

/// The expansion in double precision is fast and selects the floats for which the C library is called.
void searchFloats(void *address, void *addressOfDoubles, Function<double> reference) {
  auto run = reinterpret_cast<void (*)(const float *, float *, int64_t)>(address);
  auto runDoubles = reinterpret_cast<void (*)(const double *, double *, int64_t)>(addressOfDoubles);
  std::vector<float> x(kChunk), out(kChunk);
  std::vector<double> wide(kChunk), nearly(kChunk);
  Worst<float> worst;
  for (int64_t first = 0; first < int64_t(1) << 32; first += kChunk) {
    for (int64_t i = 0; i < kChunk; ++i) {
      x[i] = bitCast<float>(static_cast<uint32_t>(first + i));
      wide[i] = x[i];
    }
    run(x.data(), out.data(), kChunk);
    runDoubles(wide.data(), nearly.data(), kChunk);
    for (int64_t i = 0; i < kChunk; ++i) {
      if (!isWithin(worst.error, out[i], nearly[i])) {
        worst.add(errorOf<float, double>(out[i], reference(wide[i])), {x[i]});
      }
    }
  }
  worst.print();
}

//===----------------------------------------------------------------------===//
// Doubles
//===----------------------------------------------------------------------===//

/// The doubles that share sign, exponent and eight bits of the significand are a bin; errors vary little within one.
class DoubleSearch {
public:
  DoubleSearch(void *address, Function<long double> reference, uint64_t seed)
      : run(reinterpret_cast<void (*)(const double *, double *, int64_t)>(address)), reference(reference),
        bins(size_t(1) << 20, 0.0F), random(seed) {}

  void search(int bits) {
    int64_t share = int64_t(1) << (bits - 2);
    tryHard();
    sampleBins(share >> 20);
    sampleNearOne(share);
    // Two passes, because more samples in the worst bins may change which bins are worst.
    for (int64_t count : {int64_t(1) << 12, int64_t(1) << 6}) {
      sampleWorstBins(count, share / count);
    }
    flush();
    worst.print();
  }

private:
  static uint64_t binOf(double x) { return bitCast<uint64_t>(x) >> 44; }

  void flush() {
    x.resize((x.size() + 15) / 16 * 16, 1.0); // whole vectors
    out.resize(x.size());
    run(x.data(), out.data(), static_cast<int64_t>(x.size()));
    for (size_t i = 0; i < x.size(); ++i) {
      double error = errorOf<double, long double>(out[i], reference(x[i]));
      worst.add(error, {x[i]});
      bins[binOf(x[i])] = std::max(bins[binOf(x[i])], static_cast<float>(error));
    }
    x.clear();
  }

  void add(double value) {
    x.push_back(value);
    if (x.size() == kChunk) {
      flush();
    }
  }

  void addNeighbors(double value, int64_t distance) {
    for (int64_t i = -distance; i <= distance; ++i) {
      add(bitCast<double>(bitCast<uint64_t>(value) + i));
      add(-bitCast<double>(bitCast<uint64_t>(value) + i));
    }
  }

  void sampleBin(uint64_t bin, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      add(bitCast<double>(bin << 44 | (random() & ((uint64_t(1) << 44) - 1))));
    }
  }

  /// Numbers whose reduced arguments are small, the ends of the intervals of approximations, and numbers where results
  /// overflow, underflow or reach their limits.
  void tryHard() {
    const long double halfPi = 1.57079632679489661923132169163975144L, ln2 = 0.693147180559945309417232121458176568L;
    for (int64_t k = 1; k < 1 << 18; ++k) {
      addNeighbors(static_cast<double>(k * halfPi), 2);
    }
    for (int64_t k = 1; k < int64_t(1) << 52; k += 1 + (k >> 12)) {
      addNeighbors(static_cast<double>(k * halfPi), 1);
    }
    for (int64_t k = 1; k < 1200; ++k) {
      for (long double step : {ln2, ln2 / 2, 1.0L, 0.5L, 0.25L, 0.1L, 1 / 64.0L}) {
        addNeighbors(static_cast<double>(k * step), 32);
      }
      addNeighbors(std::ldexp(1.0, static_cast<int>(k) - 600), 32);
      addNeighbors(std::ldexp(1.4142135623730951, static_cast<int>(k) - 600), 32);
    }
    for (double edge :
         {0x1.6ac5b262ca1ffp+849, 709.782712893384, 745.1332191019412, 1e5, 0x1p53, 0x1p1023, 0x1p-1022, 0x1p-1074,
          5.9215871957945077, 27.226017111108366, 22.0, 0.0, std::numeric_limits<double>::infinity()}) {
      addNeighbors(edge, edge == 0 ? 0 : 4096);
    }
  }

  void sampleBins(int64_t each) {
    for (uint64_t bin = 0; bin < bins.size(); ++bin) {
      sampleBin(bin, std::max<int64_t>(each, 1));
    }
  }

  void sampleNearOne(int64_t count) {
    std::uniform_real_distribution<double> everyday(-50, 50), small(-2, 2);
    for (int64_t i = 0; i < count; i += 2) {
      add(everyday(random));
      add(small(random));
    }
  }

  void sampleWorstBins(int64_t count, int64_t each) {
    flush();
    std::vector<uint32_t> order(bins.size());
    for (size_t i = 0; i < order.size(); ++i) {
      order[i] = static_cast<uint32_t>(i);
    }
    std::partial_sort(order.begin(), order.begin() + count, order.end(),
                      [&](uint32_t a, uint32_t b) { return bins[a] > bins[b]; });
    for (int64_t i = 0; i < count; ++i) {
      sampleBin(order[i], each);
    }
  }

  void (*run)(const double *, double *, int64_t);
  Function<long double> reference;
  std::vector<float> bins;
  std::vector<double> x, out;
  Worst<double> worst;
  std::mt19937_64 random;
};

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

void searchPowers(void *address, int bits, uint64_t seed) {
  auto run = reinterpret_cast<void (*)(const float *, const float *, float *, int64_t)>(address);
  std::vector<float> x(kChunk), y(kChunk), out(kChunk);
  Worst<float> worst;
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> exponents(-150, 129);
  for (int64_t first = 0; first < int64_t(1) << bits; first += kChunk) {
    for (int64_t i = 0; i < kChunk; ++i) {
      uint64_t pair = random();
      x[i] = bitCast<float>(static_cast<uint32_t>(pair));
      y[i] = bitCast<float>(static_cast<uint32_t>(pair >> 32));
      if (i % 4 != 0) { // a finite power, real if the base is negative
        y[i] = static_cast<float>(exponents(random) / std::log2(std::fabs(static_cast<double>(x[i]))));
        y[i] = x[i] < 0 ? std::round(y[i]) : y[i];
      }
      if (i % 4 == 1) { // bases near one
        x[i] = bitCast<float>(0x3f800000 + static_cast<int32_t>(pair % 0x20000) - 0x10000);
        y[i] = static_cast<float>(exponents(random) / std::log2(static_cast<double>(x[i])));
      }
    }
    run(x.data(), y.data(), out.data(), kChunk);
    for (int64_t i = 0; i < kChunk; ++i) {
      worst.add(errorOf<float, double>(out[i], std::pow(static_cast<double>(x[i]), static_cast<double>(y[i]))),
                {x[i], y[i]});
    }
  }
  worst.print();
}

} // namespace

int main(int count, char **arguments) {
  std::string kind = count > 1 ? arguments[1] : "";
  if (count != (kind == "f32" ? 5 : 6)) {
    std::fprintf(stderr, "its arguments are at the head of its source\n");
    return 2;
  }
  std::string name = arguments[3];
  void *run = findRun(arguments[2]);
  if (kind == "f32") {
    searchFloats(run, findRun(arguments[4]), references<double>().at(name));
    return 0;
  }
  int bits = std::atoi(arguments[4]);
  uint64_t seed = std::strtoull(arguments[5], nullptr, 10);
  if (kind == "pow") {
    searchPowers(run, bits, seed);
  } else {
    DoubleSearch(run, references<long double>().at(name), seed).search(bits);
  }
  return 0;
}
