// The lines of tl.device_print, which are like Triton's:
//
//     pid (1, 0, 0) idx (0, 3) sum: 0.25

#include "tilewright/Runtime/Host/Printing.h"

#include <algorithm>
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

/// A part of a line: a text, or the conversion of an operand.
struct Part {
  std::string text;
  char kind = 0; ///< 'f', 'i' or 'u'; 0 for a text
  unsigned bytes = 0;
  std::string modifiers; ///< flags, width and precision
  char letter = 0;       ///< 0 for the shortest text of a float
};

struct Line {
  bool hasElements = false, hasMask = false;
  std::vector<int64_t> shape;
  std::vector<Part> parts;
};

/// Reads a conversion, such as "f32:8.3f;", and returns what follows it.
const char *parseConversion(const char *at, Part &part) {
  part.kind = *at++;
  char *end = nullptr;
  part.bytes = std::strtol(at, &end, 10) / 8;
  at = end + 1;
  const char *stop = std::strchr(at, ';');
  part.modifiers.assign(at, stop);
  if (!part.modifiers.empty() && std::isalpha(static_cast<unsigned char>(part.modifiers.back()))) {
    part.letter = part.modifiers.back();
    part.modifiers.pop_back();
  }
  return stop + 1;
}

std::vector<Part> parseParts(const char *at) {
  std::vector<Part> parts(1);
  while (*at != '\0') {
    if (at[0] == '%' && at[1] != '%') {
      parts.emplace_back();
      at = parseConversion(at + 1, parts.back());
      parts.emplace_back();
      continue;
    }
    at += *at == '%';
    parts.back().text += *at++;
  }
  return parts;
}

Line parse(const char *format) {
  Line line;
  const char *at = format + 1;
  if (*format == '[') {
    line.hasElements = true;
    while (*at != ']') {
      char *end = nullptr;
      line.shape.push_back(std::strtoll(at, &end, 10));
      at = *end == ',' ? end + 1 : end;
    }
    ++at;
    line.hasMask = *at == '?';
    at += line.hasMask;
  }
  line.parts = parseParts(at + 1);
  return line;
}

/// The shortest text that reads as the same value. It always has a point or an exponent, unless it is not finite.
template <typename Float> std::string shortest(Float value) {
  if (std::isnan(value)) {
    return "nan";
  }
  char digits[32];
  std::string text(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  return std::isfinite(value) && text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

template <typename Value> void writeFormatted(std::string &line, const Part &part, const char *length, Value value) {
  char text[400];
  std::string specifier = "%" + part.modifiers + length + part.letter;
  std::snprintf(text, sizeof text, specifier.c_str(), value);
  line += text;
}

template <typename Float> void writeFloat(std::string &line, const Part &part, const char *element) {
  Float value;
  std::memcpy(&value, element, sizeof value);
  if (part.letter != 0) {
    return writeFormatted(line, part, "", static_cast<double>(value));
  }
  char text[400];
  std::snprintf(text, sizeof text, ("%" + part.modifiers + "s").c_str(), shortest(value).c_str());
  line += text;
}

void writeElement(std::string &line, const Part &part, const char *element) {
  if (part.kind == 'f') {
    return part.bytes == 4 ? writeFloat<float>(line, part, element) : writeFloat<double>(line, part, element);
  }
  uint64_t bits = 0;
  std::memcpy(&bits, element, part.bytes);
  unsigned unused = 64 - 8 * part.bytes;
  if (part.kind == 'i') {
    return writeFormatted(line, part, "ll", static_cast<long long>(bits << unused) >> unused);
  }
  writeFormatted(line, part, "ll", static_cast<unsigned long long>(bits));
}

void writeIndex(std::string &line, const std::vector<int64_t> &shape, int64_t linear) {
  std::string index;
  for (size_t dim = shape.size(); dim-- > 0; linear /= shape[dim]) {
    index.insert(0, std::to_string(linear % shape[dim]) + (dim + 1 < shape.size() ? ", " : ""));
  }
  line += "idx (" + index + ") ";
}

/// Writes the line of element `i`, or that without elements.
void writeLine(std::string &lines, const Line &line, const void *const *operands, int64_t i) {
  for (const Part &part : line.parts) {
    if (part.kind == 0) {
      lines += part.text;
    } else {
      writeElement(lines, part, static_cast<const char *>(*operands++) + i * part.bytes);
    }
  }
  lines += '\n';
}

std::atomic<bool> unflushed{false};

} // namespace

void print(const char *format, int32_t x, int32_t y, int32_t z, const void *const *operands) {
  Line line = parse(format);
  std::string program = "pid (" + std::to_string(x) + ", " + std::to_string(y) + ", " + std::to_string(z) + ") ";
  const auto *mask = line.hasMask ? static_cast<const uint8_t *>(*operands++) : nullptr;
  int64_t count = 1;
  for (int64_t size : line.shape) {
    count *= size;
  }
  std::string lines;
  for (int64_t i = 0; i < count; ++i) {
    if (mask && mask[i] == 0) {
      continue;
    }
    lines += program;
    if (line.hasElements) {
      writeIndex(lines, line.shape, i);
    }
    writeLine(lines, line, operands, i);
  }
  // A single call locks the stream once, so that lines of other threads do not come in between.
  std::fwrite(lines.data(), 1, lines.size(), stdout);
  unflushed.store(true, std::memory_order_relaxed);
}

void flushPrinted() {
  if (unflushed.load(std::memory_order_relaxed) && unflushed.exchange(false)) {
    std::fflush(stdout);
  }
}

} // namespace tilewright::runtime
