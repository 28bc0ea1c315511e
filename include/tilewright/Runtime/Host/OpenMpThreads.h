// The threads of the application's OpenMP, whose number torch.set_num_threads and OMP_NUM_THREADS set.
//
// PyTorch's operators run on them. After an operator they spin for some milliseconds, so that threads of our own would
// hardly get a processor, and a launch between two operators would be run by its caller alone.

#ifndef TILEWRIGHT_RUNTIME_HOST_OPENMPTHREADS_H
#define TILEWRIGHT_RUNTIME_HOST_OPENMPTHREADS_H

#include <optional>

namespace tilewright::runtime {

/// What a parallel region started by the calling thread would use, at least 1; none if the process has loaded no OpenMP
/// library.
std::optional<unsigned> openMpThreads();

/// Calls the function on all threads of a parallel region, one of which is the calling thread, and returns when all
/// have returned. The region has as many threads as the application's: libgomp ends threads that a smaller region
/// lacks, and starts them again for the next one. Returns false, without a call, if the process has loaded no OpenMP
/// library.
bool runOnOpenMpThreads(void (*function)(void *), void *argument);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_HOST_OPENMPTHREADS_H
