// Calls the functions of a stand-in for a driver (test/fake_gpu).

#ifndef TILEWRIGHT_TEST_UNIT_RUNTIME_FAKEDRIVER_H
#define TILEWRIGHT_TEST_UNIT_RUNTIME_FAKEDRIVER_H

#include <gtest/gtest.h>

#include <dlfcn.h>
#include <string>

namespace tilewright::runtime {

class FakeDriver {
public:
  explicit FakeDriver(const char *path) : library(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {}

  template <typename Function> Function *find(const char *name) const {
    return reinterpret_cast<Function *>(dlsym(library, name));
  }
  /// Resets the stand-in and configures it; test/fake_gpu/Script.h lists the words.
  void configure(const char *words) const { find<void(const char *)>("fake_configure")(words); }
  std::string report() const { return find<const char *()>("fake_report")(); }
  int currentDevice() const { return find<int()>("fake_current")(); }
  void makeCurrent(int device) const { find<void(int)>("fake_make_current")(device); }

private:
  void *library;
};

inline testing::AssertionResult contains(const std::string &text, const std::string &part) {
  bool found = text.find(part) != std::string::npos;
  return (found ? testing::AssertionSuccess() : testing::AssertionFailure())
         << "'" << text << (found ? "' contains '" : "' does not contain '") << part << "'";
}

} // namespace tilewright::runtime

#endif // TILEWRIGHT_TEST_UNIT_RUNTIME_FAKEDRIVER_H
