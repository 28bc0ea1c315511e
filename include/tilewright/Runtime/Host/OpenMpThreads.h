// The number of threads that the application's OpenMP uses, which torch.set_num_threads and OMP_NUM_THREADS set.

#ifndef TILEWRIGHT_RUNTIME_HOST_OPENMPTHREADS_H
#define TILEWRIGHT_RUNTIME_HOST_OPENMPTHREADS_H

#include <optional>

namespace tilewright::runtime {

/// What a parallel region started by the calling thread would use, at least 1; none if the process has loaded no OpenMP
/// library.
std::optional<unsigned> openMpThreads();

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_HOST_OPENMPTHREADS_H
