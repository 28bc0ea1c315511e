#include "tilewright/Runtime/PrintBuffer.h"

#include <cstdio>
#include <cstring>
#include <memory>

namespace tilewright::runtime {

//===----------------------------------------------------------------------===//
// Formats
//===----------------------------------------------------------------------===//

/// Formats one conversion of a format, such as "%lld".
static std::string convert(const std::string &conversion, const std::function<uint64_t(int bytes)> &next) {
  char text[400];
  char kind = conversion.back();
  if (kind == '%') {
    return "%";
  }
  if (std::strchr("eEfFgG", kind)) {
    uint64_t bits = next(sizeof(double));
    double value;
    std::memcpy(&value, &bits, sizeof value);
    std::snprintf(text, sizeof text, conversion.c_str(), value);
  } else if (kind == 's') {
    return reinterpret_cast<const char *>(next(sizeof(const char *)));
  } else if (conversion.find('l') != std::string::npos || kind == 'p') {
    std::snprintf(text, sizeof text, conversion.c_str(), static_cast<long long>(next(sizeof(long long))));
  } else {
    std::snprintf(text, sizeof text, conversion.c_str(), static_cast<int>(next(sizeof(int))));
  }
  return text;
}

std::string formatText(const std::string &format, const std::function<uint64_t(int bytes)> &next) {
  std::string text;
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      text += format[i];
      continue;
    }
    size_t end = format.find_first_of("diouxXceEfFgGsp%", i + 1);
    if (end == std::string::npos) {
      break;
    }
    text += convert(format.substr(i, end - i + 1), next);
    i = end;
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

void PrintBuffer::use(void *memory) {
  std::lock_guard<std::mutex> lock(mutex);
  std::memset(memory, 0, kBytes);
  words = static_cast<uint64_t *>(memory);
  words[kPrintSize] = kRingWords;
}

std::string PrintBuffer::takeLine(uint64_t begin, uint64_t header) {
  uint64_t count = header & UINT32_MAX, texts = header >> 32;
  std::string format;
  for (uint64_t i = 1; i <= texts; ++i) {
    const uint64_t word = ring(begin + i);
    format.append(reinterpret_cast<const char *>(&word), sizeof word);
  }
  uint64_t at = begin + 1 + texts;
  std::string line = formatText(format.c_str(), [&](int) { return ring(at++); });
  for (uint64_t i = 0; i < count; ++i) {
    ring(begin + i) = 0; // any word can be the header of a later line
  }
  return line;
}

std::string PrintBuffer::take() {
  std::lock_guard<std::mutex> lock(mutex);
  std::string text;
  if (!words) {
    return text;
  }
  uint64_t printed = words[kPrintPrinted], taken = __atomic_load_n(&words[kPrintTaken], __ATOMIC_ACQUIRE);
  while (printed < taken) {
    uint64_t header = __atomic_load_n(&ring(printed), __ATOMIC_ACQUIRE);
    if (header == 0) {
      break; // the code is writing it
    }
    text += takeLine(printed, header);
    printed += header & UINT32_MAX;
    __atomic_store_n(&words[kPrintPrinted], printed, __ATOMIC_RELEASE);
  }
  if (uint64_t lost = __atomic_exchange_n(&words[kPrintLost], 0, __ATOMIC_RELAXED)) {
    text += std::to_string(lost) + " more lines were printed than the buffer can hold\n";
  }
  return text;
}

//===----------------------------------------------------------------------===//
// The host's buffer
//===----------------------------------------------------------------------===//

void *hostPrintWords = nullptr;

PrintBuffer &hostPrintBuffer() {
  // Never freed, because the code's variable is its address.
  static PrintBuffer &buffer = *[] {
    auto *made = new PrintBuffer();
    made->use(new uint64_t[PrintBuffer::kBytes / sizeof(uint64_t)]);
    hostPrintWords = made->memory();
    return made;
  }();
  return buffer;
}

} // namespace tilewright::runtime
