// Lines that code for AMD's GPUs prints. The hardware has no function for it, so the code writes each line's format and
// arguments into a ring of words in host memory that the device can access, and the host prints them later.
//
//     word 0        words that lines have taken since the beginning; the code adds to it by compare-and-swap
//     word 1        words that the host has printed since the beginning
//     word 2        lines that were lost because the ring was full
//     word 3        words of the ring, a power of two
//     word 8 on     the ring
//
// A line is a header, the format's text in words, and a word for each argument. The header has the number of words of
// the line in bits 0 to 31, and those of the text in bits 32 to 63. It is written last: until then it is zero. The code
// finds the words' address in its variable `tilewright_prints`, which is null if nothing prints the lines.

#ifndef TILEWRIGHT_RUNTIME_PRINTBUFFER_H
#define TILEWRIGHT_RUNTIME_PRINTBUFFER_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

namespace tilewright::runtime {

constexpr const char *kPrintBufferVariable = "tilewright_prints";

enum PrintBufferWord : unsigned { kPrintTaken, kPrintPrinted, kPrintLost, kPrintSize, kPrintRing = 8 };

/// The text that C's printf makes of a format. `next` returns the next argument of 4 or 8 bytes.
std::string formatText(const std::string &format, const std::function<uint64_t(int bytes)> &next);

/// The host's side of a ring, whose memory belongs to others.
class PrintBuffer {
public:
  static constexpr size_t kRingWords = 1 << 19, kBytes = (kPrintRing + kRingWords) * sizeof(uint64_t);

  /// Clears the memory, of kBytes.
  void use(void *memory);
  void *memory() const { return words; }
  /// Returns the lines that are complete, and removes them. Reports lost ones by a line of its own.
  std::string take();

private:
  uint64_t &ring(uint64_t word) { return words[kPrintRing + word % kRingWords]; }
  std::string takeLine(uint64_t begin, uint64_t header);

  std::mutex mutex;
  uint64_t *words = nullptr;
};

/// The buffer of code that the host executes in place of a GPU.
PrintBuffer &hostPrintBuffer();
/// What `tilewright_prints` is there.
extern void *hostPrintWords;

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_PRINTBUFFER_H
