#include "tilewright/Runtime/Host/OpenMpThreads.h"

#include <algorithm>
#include <atomic>
#include <dlfcn.h>
#include <iterator>
#include <link.h>
#include <string>

namespace tilewright::runtime {

namespace {

/// The functions of the loaded library. LLVM's and Intel's libraries have those of GCC's, too.
struct OpenMp {
  int (*getMaxThreads)() = nullptr;
  void (*parallel)(void (*function)(void *), void *argument, unsigned threads, unsigned flags) = nullptr;
};

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
const OpenMp *find() {
  std::string path = findLibrary();
  void *library = path.empty() ? nullptr : dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (!library) {
    return nullptr;
  }
  auto *found = new OpenMp; // lives as long as the process, like the library, which stays open
  found->getMaxThreads = reinterpret_cast<decltype(found->getMaxThreads)>(dlsym(library, "omp_get_max_threads"));
  found->parallel = reinterpret_cast<decltype(found->parallel)>(dlsym(library, "GOMP_parallel"));
  return found;
}

/// Null if none is loaded. PyTorch may be imported after the first launch.
const OpenMp *loadedOpenMp() {
  static std::atomic<const OpenMp *> known{nullptr};
  static std::atomic<unsigned long long> searched{0};
  const OpenMp *openMp = known.load(std::memory_order_acquire);
  if (!openMp) {
    unsigned long long loaded = countLoaded();
    if (searched.exchange(loaded) != loaded) {
      openMp = find();
      known.store(openMp, std::memory_order_release);
    }
  }
  return openMp;
}

} // namespace

std::optional<unsigned> openMpThreads() {
  const OpenMp *openMp = loadedOpenMp();
  bool answers = openMp && openMp->getMaxThreads;
  return answers ? std::optional(static_cast<unsigned>(std::max(1, openMp->getMaxThreads()))) : std::nullopt;
}

bool runOnOpenMpThreads(void (*function)(void *), void *argument) {
  const OpenMp *openMp = loadedOpenMp();
  if (!openMp || !openMp->parallel) {
    return false;
  }
  constexpr unsigned asManyAsUsual = 0, noFlags = 0;
  openMp->parallel(function, argument, asManyAsUsual, noFlags);
  return true;
}

} // namespace tilewright::runtime
