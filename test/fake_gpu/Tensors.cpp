// Tensors of a stand-in, as a framework has them: a Python object, here a subclass of bytes that holds its DLTensor,
// and DLPack's exchange table on its type.

#include <Python.h>

#include <cstdint>
#include <cstring>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

constexpr size_t kTensorBytes = 48; // sizeof(DLTensor)
void *currentStream = nullptr;

int describe(void *object, void *tensor) {
  // Not by a function of Python's: C++ tests load this library, too.
  std::memcpy(tensor, static_cast<PyBytesObject *>(object)->ob_sval, kTensorBytes);
  return 0;
}

int streamOf(int, int32_t, void **stream) {
  *stream = currentStream;
  return 0;
}

struct Table {
  uint32_t major = 1, minor = 3;
  void *previous = nullptr, *allocate = nullptr, *fromObject = nullptr, *toObject = nullptr;
  int (*tensorFromObject)(void *, void *) = describe;
  int (*workStream)(int, int32_t, void **) = streamOf;
};

} // namespace

EXPORT void *fake_exchange_table() {
  static Table table;
  return &table;
}

/// The stream that tensors' framework works on from now on.
EXPORT void fake_set_stream(uintptr_t stream) { currentStream = reinterpret_cast<void *>(stream); }
