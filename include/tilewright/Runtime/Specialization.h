// The key that selects the variant of a kernel for a launch: an encoding of the properties of its arguments, and its
// hash.

#ifndef TILEWRIGHT_RUNTIME_SPECIALIZATION_H
#define TILEWRIGHT_RUNTIME_SPECIALIZATION_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace tilewright::runtime {

/// The hash of a key.
uint64_t hashKey(std::string_view bytes);

/// Collects the bytes of a key. A short key needs no heap memory.
class KeyBuilder {
public:
  void byte(uint8_t value) {
    if (count == capacity) {
      grow(1);
    }
    data[count++] = value;
  }
  void word(uint64_t value) {
    if (capacity - count < sizeof(value)) {
      grow(sizeof(value));
    }
    std::memcpy(data + count, &value, sizeof(value));
    count += sizeof(value);
  }
  std::string_view bytes() const { return {reinterpret_cast<const char *>(data), count}; }

  KeyBuilder() = default;
  KeyBuilder(const KeyBuilder &) = delete;
  KeyBuilder &operator=(const KeyBuilder &) = delete;

private:
  void grow(size_t more);

  uint8_t inlineData[256];
  std::vector<uint8_t> heap;
  uint8_t *data = inlineData;
  size_t count = 0;
  size_t capacity = sizeof(inlineData);
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_SPECIALIZATION_H
