#include "tilewright/Runtime/Hip/Library.h"

#include <cstdlib>
#include <dlfcn.h>
#include <link.h>
#include <vector>

namespace tilewright::runtime::hip {

//===----------------------------------------------------------------------===//
// Finding the library
//===----------------------------------------------------------------------===//

/// Sets the string behind `found` to the path of a mapped library of this name, of any version.
static int visitMapped(dl_phdr_info *info, size_t, void *found) {
  std::string path = info->dlpi_name ? info->dlpi_name : "";
  bool isHip = path.substr(path.rfind('/') + 1).rfind("libamdhip64.so", 0) == 0;
  if (isHip) {
    *static_cast<std::string *>(found) = path;
  }
  return isHip;
}

static std::vector<std::string> candidates() {
  std::vector<std::string> names;
  std::string mapped;
  if (dl_iterate_phdr(visitMapped, &mapped)) {
    names.push_back(mapped);
  }
  names.insert(names.end(), {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so"});
  const char *root = std::getenv("ROCM_PATH");
  names.push_back(std::string(root && *root ? root : "/opt/rocm") + "/lib/libamdhip64.so");
  return names;
}

/// Opens the first library that can be opened. Returns null with the reason.
static void *openFirst(const std::vector<std::string> &names, std::string &problem) {
  std::string tried, reason;
  for (const std::string &name : names) {
    if (void *handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      return handle;
    }
    const char *text = dlerror();
    std::string error = text ? text : "";
    tried += (tried.empty() ? "" : ", ") + name;
    // A library that is not there needs no explanation; one that lacks another library does.
    if (error.rfind(name + ": cannot open shared object file: No such file", 0) != 0) {
      reason += "; " + error;
    }
  }
  problem = "the HIP runtime's library can't be opened; looked for " + tried + reason;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Opening it
//===----------------------------------------------------------------------===//

/// The file of the library that defines the function.
static std::string fileOf(void *function) {
  Dl_info info = {};
  return dladdr(function, &info) && info.dli_fname ? info.dli_fname : "";
}

std::string Library::open(const std::string &name) {
  std::string problem;
  void *handle = openFirst(name.empty() ? candidates() : std::vector<std::string>{name}, problem);
  if (!handle) {
    return problem;
  }
// NOLINTBEGIN(bugprone-macro-parentheses): not allowed around a member
#define TILEWRIGHT_HIP_FIND(result, member, symbol, parameters)                                                        \
  if (void *found = dlsym(handle, symbol)) {                                                                           \
    member = reinterpret_cast<decltype(member)>(found);                                                                \
    file = fileOf(found);                                                                                              \
  } else {                                                                                                             \
    return "the HIP runtime is older than that of ROCm 6: " + (file.empty() ? name : file) +                           \
           " has no function " symbol;                                                                                 \
  }
  TILEWRIGHT_HIP_FUNCTIONS(TILEWRIGHT_HIP_FIND)
#undef TILEWRIGHT_HIP_FIND
  // NOLINTEND(bugprone-macro-parentheses)
  return "";
}

std::string versionText(int version) {
  return std::to_string(version / 10'000'000) + "." + std::to_string(version / 100'000 % 100) + "." +
         std::to_string(version % 100'000);
}

} // namespace tilewright::runtime::hip
