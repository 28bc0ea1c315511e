#include "tilewright/Runtime/Cuda/Driver.h"

#include <algorithm>
#include <dlfcn.h>
#include <iterator>

namespace tilewright::runtime::cuda {

std::string Driver::open(const std::string &library) {
  void *handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *reason = dlerror();
    return "the driver's library can't be opened: " + std::string(reason ? reason : library);
  }
// NOLINTBEGIN(bugprone-macro-parentheses): not allowed around a member
#define TILEWRIGHT_CUDA_FIND(member, symbol, parameters)                                                               \
  member = reinterpret_cast<decltype(member)>(dlsym(handle, symbol));                                                  \
  if (!member) {                                                                                                       \
    return "the driver is too old: " + library + " has no function " symbol;                                           \
  }
  TILEWRIGHT_CUDA_FUNCTIONS(TILEWRIGHT_CUDA_FIND)
#undef TILEWRIGHT_CUDA_FIND
#define TILEWRIGHT_CUDA_FIND_NEWER(member, symbol, parameters)                                                         \
  member = reinterpret_cast<decltype(member)>(dlsym(handle, symbol));
  TILEWRIGHT_CUDA_NEWER_FUNCTIONS(TILEWRIGHT_CUDA_FIND_NEWER)
#undef TILEWRIGHT_CUDA_FIND_NEWER
  // NOLINTEND(bugprone-macro-parentheses)
  return "";
}

std::string versionText(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

int newestPtx(int driverVersion) {
  // From CUDA's release notes. A release that is missing here has the PTX version of the previous one.
  struct Row {
    int driver, ptx;
  };
  constexpr Row rows[] = {{11000, 70}, {11010, 71}, {11020, 72}, {11030, 73}, {11040, 74}, {11050, 75}, {11060, 76},
                          {11070, 77}, {11080, 78}, {12000, 80}, {12010, 81}, {12020, 82}, {12030, 83}, {12040, 84},
                          {12050, 85}, {12070, 86}, {12080, 87}, {12090, 88}, {13000, 90}, {13010, 91}};
  const Row *after = std::upper_bound(std::begin(rows), std::end(rows), driverVersion,
                                      [](int version, const Row &row) { return version < row.driver; });
  return after == std::begin(rows) ? 0 : std::prev(after)->ptx;
}

} // namespace tilewright::runtime::cuda
