#include "tilewright/Runtime/Host/OpenMpThreads.h"

#include <algorithm>
#include <atomic>
#include <dlfcn.h>
#include <iterator>
#include <link.h>
#include <string>

namespace tilewright::runtime {

namespace {

using GetMaxThreads = int (*)();

/// The names of the libraries of GCC, LLVM and Intel begin so.
constexpr const char *kLibraries[] = {"/libgomp", "/libomp", "/libiomp"};

/// How many libraries the process has loaded so far. The first call of the callback tells.
unsigned long long countLoaded() {
  unsigned long long count = 0;
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *result) {
        *static_cast<unsigned long long *>(result) = info->dlpi_adds;
        return 1;
      },
      &count);
  return count;
}

std::string findLibrary() {
  std::string found;
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *result) {
        std::string path = info->dlpi_name ? info->dlpi_name : "";
        bool isOpenMp = std::any_of(std::begin(kLibraries), std::end(kLibraries),
                                    [&](const char *name) { return path.find(name) != std::string::npos; });
        if (isOpenMp) {
          *static_cast<std::string *>(result) = path;
        }
        return int(isOpenMp);
      },
      &found);
  return found;
}

/// Its library need not be visible to dlsym(RTLD_DEFAULT): Python loads extension modules with RTLD_LOCAL.
GetMaxThreads findFunction() {
  std::string path = findLibrary();
  void *library = path.empty() ? nullptr : dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  return library ? reinterpret_cast<GetMaxThreads>(dlsym(library, "omp_get_max_threads")) : nullptr;
}

} // namespace

std::optional<unsigned> openMpThreads() {
  static std::atomic<GetMaxThreads> function{nullptr};
  static std::atomic<unsigned long long> searched{0};
  GetMaxThreads known = function.load(std::memory_order_acquire);
  if (!known) {
    // PyTorch may be imported after the first launch.
    unsigned long long loaded = countLoaded();
    if (searched.exchange(loaded) != loaded) {
      known = findFunction();
      function.store(known, std::memory_order_release);
    }
  }
  return known ? std::optional(static_cast<unsigned>(std::max(1, known()))) : std::nullopt;
}

} // namespace tilewright::runtime
