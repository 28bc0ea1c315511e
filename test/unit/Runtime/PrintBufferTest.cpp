#include "tilewright/Runtime/PrintBuffer.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

using namespace tilewright::runtime;

namespace {

class PrintBufferTest : public testing::Test {
protected:
  PrintBufferTest() : words(PrintBuffer::kBytes / sizeof(uint64_t)) { buffer.use(words.data()); }

  uint64_t &ring(uint64_t word) { return words[kPrintRing + word % PrintBuffer::kRingWords]; }

  /// Takes the words of a line and writes it, without its header, as code does. Returns the header and its place.
  std::pair<uint64_t, uint64_t> begin(const std::string &format, const std::vector<uint64_t> &arguments) {
    uint64_t texts = (format.size() + 7) / 8, at = words[kPrintTaken];
    std::vector<uint64_t> line(texts);
    std::memcpy(line.data(), format.data(), format.size());
    line.insert(line.end(), arguments.begin(), arguments.end());
    for (size_t i = 0; i < line.size(); ++i) {
      ring(at + 1 + i) = line[i];
    }
    words[kPrintTaken] += line.size() + 1;
    return {texts << 32 | (line.size() + 1), at};
  }

  void print(const std::string &format, const std::vector<uint64_t> &arguments) {
    auto [header, at] = begin(format, arguments);
    ring(at) = header;
  }

  std::vector<uint64_t> words;
  PrintBuffer buffer;
};

uint64_t bitsOf(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

} // namespace

TEST_F(PrintBufferTest, LinesAreFormattedInOrder) {
  print("%d%% of %u\n", {uint32_t(-7), 4000000000});
  print("12345678", {});
  print("%lld %.3g 0x%016llx\n", {uint64_t(-1) << 40, bitsOf(0.25), 0xabc});
  EXPECT_EQ(buffer.take(), "-7% of 4000000000\n12345678-1099511627776 0.25 0x0000000000000abc\n");
  EXPECT_EQ(buffer.take(), "");
  EXPECT_EQ(words[kPrintPrinted], words[kPrintTaken]);
}

TEST_F(PrintBufferTest, ALineThatIsBeingWrittenWaits) {
  print("first\n", {});
  auto [header, at] = begin("second %d\n", {2});
  print("third\n", {});
  EXPECT_EQ(buffer.take(), "first\n");
  ring(at) = header;
  EXPECT_EQ(buffer.take(), "second 2\nthird\n");
}

TEST_F(PrintBufferTest, LinesContinueAtTheBeginningOfTheRing) {
  const std::string expected = "number 12 of the lines\n";
  for (size_t printed = 0; printed < 3 * PrintBuffer::kRingWords; printed += 5) {
    print("number %d of the lines\n", {12});
    ASSERT_EQ(buffer.take(), expected);
  }
  for (size_t word = 0; word < PrintBuffer::kRingWords; ++word) {
    ASSERT_EQ(ring(word), 0u);
  }
}

TEST_F(PrintBufferTest, LostLinesAreCounted) {
  print("kept\n", {});
  words[kPrintLost] = 3;
  EXPECT_EQ(buffer.take(), "kept\n3 more lines were printed than the buffer can hold\n");
  EXPECT_EQ(buffer.take(), "");
}

TEST(PrintBuffer, NothingIsPrintedWithoutMemory) { EXPECT_EQ(PrintBuffer().take(), ""); }
