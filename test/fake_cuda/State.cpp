#include "State.h"

#include <cstdlib>
#include <sstream>

namespace fake_cuda {

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

KernelText::KernelText(const std::string &line) {
  std::istringstream words(line);
  words >> name;
  for (std::string word; words >> word;) {
    std::string key = word.substr(0, word.find('=')), value = word.substr(word.find('=') + 1);
    if (key == "parameters") {
      std::istringstream sizes(value);
      for (std::string size; std::getline(sizes, size, ',');) {
        parameters.push_back(std::atoi(size.c_str()));
      }
      continue;
    }
    int &field = key == "registers" ? registers : key == "local" ? local : key == "static" ? staticShared : threads;
    field = std::atoi(value.c_str());
  }
}

int KernelText::attribute(int attribute, int &value) const {
  const std::map<int, int> values = {{0, threads}, {1, staticShared}, {3, local}, {4, registers}};
  auto found = values.find(attribute);
  value = found == values.end() ? 0 : found->second;
  return found == values.end() ? kInvalidValue : kSuccess;
}

Image::Image(const char *text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find('=') != std::string::npos) {
      kernels.emplace_back(line);
    }
  }
}

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

std::vector<int> &contexts() {
  thread_local std::vector<int> stack;
  return stack;
}

static State &slot() {
  static State *state = [] {
    auto *state = new State();
    const char *words = std::getenv("FAKE_CUDA");
    state->configure(words ? words : "");
    return state;
  }();
  return *state;
}

State &State::get() { return slot(); }

void State::resetOwn() {
  capability = 90;
  version = 12080;
}

bool State::ownWord(const std::string &name, const std::string &value) {
  if (name != "capability" && name != "version") {
    return false;
  }
  (name == "version" ? version : capability) = std::atoi(value.c_str());
  return true;
}

int State::deviceAttribute(int attribute, int &value) const {
  const std::map<int, int> values = {{1, 1024},
                                     {5, 2147483647},
                                     {6, 65535},
                                     {7, 65535},
                                     {10, 32},
                                     {12, 65536},
                                     {13, 1980000},
                                     {16, 132},
                                     {36, 2619000},
                                     {37, 5120},
                                     {75, capability / 10},
                                     {76, capability % 10},
                                     {97, 232448}};
  auto found = values.find(attribute);
  value = found == values.end() ? 0 : found->second;
  return found == values.end() ? kInvalidValue : kSuccess;
}

int State::errorText(int status, const char **text, bool name) {
  struct Row {
    int status;
    const char *name, *text;
  };
  static constexpr Row rows[] = {
      {1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
      {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
      {3, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
      {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
      {200, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
      {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "the provided PTX was compiled with an unsupported toolchain."},
      {500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
      {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
      {710, "CUDA_ERROR_ASSERT", "device-side assert triggered"},
      {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "operation not permitted when stream is capturing"}};
  for (const Row &row : rows) {
    if (row.status == status) {
      *text = name ? row.name : row.text;
      return kSuccess;
    }
  }
  *text = nullptr;
  return kInvalidValue;
}

} // namespace fake_cuda
