// The scratch memory of a thread.

#ifndef TILEWRIGHT_RUNTIME_HOST_SCRATCH_H
#define TILEWRIGHT_RUNTIME_HOST_SCRATCH_H

#include <cstddef>

namespace tilewright::runtime {

/// The calling thread's scratch memory of at least `bytes` bytes, aligned to 64 bytes; nullptr if the allocation fails.
/// It remains allocated, with undefined contents, until the thread ends or requests more.
void *threadScratch(size_t bytes);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_HOST_SCRATCH_H
