// A thread's scratch memory.

#ifndef TILEWRIGHT_RUNTIME_SCRATCH_H
#define TILEWRIGHT_RUNTIME_SCRATCH_H

#include <cstddef>

namespace tilewright::runtime {

/// The calling thread's scratch memory of at least so many bytes, aligned to 64; nullptr where there
/// is no memory. It is kept, with undefined contents, until the thread ends or asks for more.
void *threadScratch(size_t bytes);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_SCRATCH_H
