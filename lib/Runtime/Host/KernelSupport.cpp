// Functions that compiled kernels call. tl.device_print prints lines like Triton's:
//
//     pid (1, 0, 0) idx (0, 3) sum: 0.25

#include "tilewright/Runtime/Host/KernelSupport.h"

#include "tilewright/Runtime/AccessChecks.h"
#include "tilewright/Runtime/Host/HalfConversion.h"

#include <atomic>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace tilewright::runtime {

namespace {

/// A parsed format string, such as "f32[2,16] sum: ".
struct Format {
  char kind;
  unsigned bytes = 0;
  std::vector<int64_t> shape;
  const char *text;
};

Format parse(const char *format) {
  Format result;
  result.kind = *format++;
  char *at = const_cast<char *>(format);
  if (result.kind != '-') {
    result.bytes = std::strtol(format, &at, 10) / 8;
    while (*at++ != ']') { // steps over '[' and ','
      if (*at != ']') {
        result.shape.push_back(std::strtoll(at, &at, 10));
      }
    }
  }
  result.text = at + 1;
  return result;
}

/// Appends the shortest text that reads as the same value. It always has a point or an exponent, unless it is not
/// finite.
template <typename Float> void writeFloat(std::string &line, const void *element) {
  Float value;
  std::memcpy(&value, element, sizeof value);
  if (std::isnan(value)) {
    line += "nan";
    return;
  }
  char digits[32];
  char *end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  line.append(digits, end);
  if (std::isfinite(value) && std::string(digits, end).find_first_of(".e") == std::string::npos) {
    line += ".0";
  }
}

void writeElement(std::string &line, const Format &format, const char *element) {
  if (format.kind == 'f') {
    return format.bytes == 4 ? writeFloat<float>(line, element) : writeFloat<double>(line, element);
  }
  uint64_t bits = 0;
  std::memcpy(&bits, element, format.bytes);
  if (format.kind == 'x') {
    char digits[24];
    std::snprintf(digits, sizeof digits, "0x%0*llx", int(2 * format.bytes), static_cast<unsigned long long>(bits));
    line += digits;
    return;
  }
  unsigned unused = 64 - 8 * format.bytes;
  line += format.kind == 'u' ? std::to_string(bits) : std::to_string(static_cast<int64_t>(bits << unused) >> unused);
}

void writeIndex(std::string &line, const std::vector<int64_t> &shape, int64_t linear) {
  std::string index;
  for (size_t dim = shape.size(); dim-- > 0; linear /= shape[dim]) {
    index.insert(0, std::to_string(linear % shape[dim]) + (dim + 1 < shape.size() ? ", " : ""));
  }
  line += "idx (" + index + ") ";
}

std::atomic<bool> unflushed{false};

void print(const char *text, int32_t x, int32_t y, int32_t z, const void *elements) {
  Format format = parse(text);
  std::string program = "pid (" + std::to_string(x) + ", " + std::to_string(y) + ", " + std::to_string(z) + ") ";
  std::string lines;
  if (format.kind == '-') {
    lines = program + format.text + "\n";
  } else {
    int64_t count = 1;
    for (int64_t size : format.shape) {
      count *= size;
    }
    for (int64_t i = 0; i < count; ++i) {
      lines += program;
      writeIndex(lines, format.shape, i);
      lines += format.text;
      writeElement(lines, format, static_cast<const char *>(elements) + i * format.bytes);
      lines += '\n';
    }
  }
  // A single call locks the stream once, so that lines of other threads do not come in between.
  std::fwrite(lines.data(), 1, lines.size(), stdout);
  unflushed.store(true, std::memory_order_relaxed);
}

//===----------------------------------------------------------------------===//
// Bounds checks
//===----------------------------------------------------------------------===//

int32_t mayAccess(AccessChecks *checks, int64_t program, int32_t site, const uint64_t *addresses, uint64_t first,
                  const uint8_t *mask, int64_t count) {
  return checks->mayAccess(program, site, addresses, first, mask, count);
}

//===----------------------------------------------------------------------===//
// 16-bit floats, for processors without instructions for them
//===----------------------------------------------------------------------===//

/// The ABI passes and returns a 16-bit float in element 0 of a vector register.
typedef uint16_t HalfRegister __attribute__((vector_size(16)));

HalfRegister inRegister(uint16_t bits) { return HalfRegister{bits}; }

float extendHalf(HalfRegister half) { return fromHalf(half[0]); }
HalfRegister truncateToHalf(float wide) { return inRegister(toHalf(wide)); }
HalfRegister truncateDoubleToHalf(double wide) { return inRegister(toHalf(wide)); }
HalfRegister truncateToBfloat16(float wide) { return inRegister(toBfloat16(wide)); }
HalfRegister truncateDoubleToBfloat16(double wide) { return inRegister(toBfloat16(wide)); }

} // namespace

const SupportFunction supportFunctions[] = {
    {"tilewright_print", reinterpret_cast<void *>(&print)},
    {"tilewright_may_access", reinterpret_cast<void *>(&mayAccess)},
    {"__extendhfsf2", reinterpret_cast<void *>(&extendHalf)},
    {"__truncsfhf2", reinterpret_cast<void *>(&truncateToHalf)},
    {"__truncdfhf2", reinterpret_cast<void *>(&truncateDoubleToHalf)},
    {"__truncsfbf2", reinterpret_cast<void *>(&truncateToBfloat16)},
    {"__truncdfbf2", reinterpret_cast<void *>(&truncateDoubleToBfloat16)},
    {nullptr, nullptr},
};

void flushPrinted() {
  if (unflushed.load(std::memory_order_relaxed) && unflushed.exchange(false)) {
    std::fflush(stdout);
  }
}

} // namespace tilewright::runtime
