// The driver's function for tensor maps, in a file of its own: older drivers lack it, and so does the library
// old_fake_cuda.
//
// It refuses what the documentation says is refused. An encoded map is 16 words: a magic number, the address, the type,
// rank, swizzle and fill in one byte each, five extents, four strides, the box (two extents per word), and zero.

#include "State.h"

#include <algorithm>
#include <cstring>
#include <sstream>

using namespace fake_cuda;

namespace {

constexpr uint64_t kMagic = 0x50414d454b4146; // "FAKEMAP"
constexpr int kElementBytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2};
constexpr bool kIsFloat[] = {false, false, false, false, false, false, true, true, true, true};
constexpr int kSpans[] = {0, 32, 64, 128};

struct Request {
  void *map;
  int type;
  unsigned rank;
  uint64_t address;
  const uint64_t *extents, *strides;
  const unsigned *box, *elementStrides;
  int interleave, swizzle, promotion, fill;
};

bool isValid(const Request &request) {
  bool enums = request.type >= 0 && request.type <= 9 && request.interleave == 0 && request.swizzle >= 0 &&
               request.swizzle <= 3 && request.promotion >= 0 && request.promotion <= 3 &&
               (request.fill == 0 || (request.fill == 1 && kIsFloat[request.type]));
  if (!enums || reinterpret_cast<uintptr_t>(request.map) % 64 != 0 || request.rank < 1 || request.rank > 5 ||
      request.address % 16 != 0) {
    return false;
  }
  for (unsigned i = 0; i < request.rank; ++i) {
    bool dimension = request.extents[i] >= 1 && request.extents[i] <= uint64_t(1) << 32 && request.box[i] >= 1 &&
                     request.box[i] <= 256 && request.elementStrides[i] == 1;
    bool stride = i == 0 || (request.strides[i - 1] % 16 == 0 && request.strides[i - 1] < uint64_t(1) << 40);
    if (!dimension || !stride) {
      return false;
    }
  }
  int line = static_cast<int>(request.box[0]) * kElementBytes[request.type], span = kSpans[request.swizzle];
  return line % 16 == 0 && (span == 0 || line <= span);
}

void write(const Request &request) {
  uint64_t words[16] = {kMagic, request.address,
                        static_cast<uint64_t>(request.type) | request.rank << 8 |
                            static_cast<uint64_t>(request.swizzle) << 16 | static_cast<uint64_t>(request.fill) << 24};
  std::copy_n(request.extents, request.rank, words + 3);
  std::copy_n(request.strides, request.rank - 1, words + 8);
  for (unsigned i = 0; i < request.rank; ++i) {
    words[12 + i / 2] |= static_cast<uint64_t>(request.box[i]) << (i % 2 * 32);
  }
  std::memcpy(request.map, words, sizeof words);
}

} // namespace

extern "C" __attribute__((visibility("default"))) int
cuTensorMapEncodeTiled(void *map, int type, unsigned rank, void *address, const uint64_t *extents,
                       const uint64_t *strides, const unsigned *box, const unsigned *elementStrides, int interleave,
                       int swizzle, int promotion, int fill) {
  std::lock_guard<std::mutex> lock(State::mutex());
  if (int status = State::get().enter("cuTensorMapEncodeTiled", -1)) {
    return status;
  }
  if (contexts().empty()) {
    return kInvalidContext;
  }
  Request request = {map,        type,    rank,      reinterpret_cast<uint64_t>(address),
                     extents,    strides, box,       elementStrides,
                     interleave, swizzle, promotion, fill};
  if (!isValid(request)) {
    return kInvalidValue;
  }
  write(request);
  return kSuccess;
}
