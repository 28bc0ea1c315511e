#include "tilewright/Runtime/Specialization.h"

#include "gtest/gtest.h"

#include <set>
#include <string>

using namespace tilewright::runtime;

TEST(KeyBuilder, KeepsWhatItIsGivenBeyondTheStack) {
  KeyBuilder key;
  std::string expected;
  for (int i = 0; i < 1000; ++i) {
    key.byte(i % 251);
    expected.push_back(static_cast<char>(i % 251));
    if (i % 7 == 0) {
      key.word(i);
      uint64_t word = i;
      expected.append(reinterpret_cast<char *>(&word), 8);
    }
  }
  EXPECT_EQ(key.bytes(), expected);
}

TEST(HashKey, DependsOnEveryBitAndOnTheLength) {
  std::set<uint64_t> hashes;
  size_t keys = 0;
  for (size_t length = 0; length < 40; ++length) {
    std::string text(length, '\0');
    hashes.insert(hashKey(text));
    ++keys;
    for (size_t bit = 0; bit < 8 * length; ++bit) {
      std::string changed = text;
      changed[bit / 8] ^= 1 << bit % 8;
      hashes.insert(hashKey(changed));
      ++keys;
    }
  }
  EXPECT_EQ(hashes.size(), keys);
}

TEST(HashKey, EqualBytesHashEqually) {
  EXPECT_EQ(hashKey("a key of some bytes"), hashKey(std::string("a key of some bytes")));
}
