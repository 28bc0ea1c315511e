#include "State.h"

#include <algorithm>
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

int &captureMode() {
  thread_local int mode = 0;
  return mode;
}

std::atomic<bool> &quiet() {
  static std::atomic<bool> flag{false};
  return flag;
}

std::mutex &State::mutex() {
  static std::mutex mutex;
  return mutex;
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

void State::configure(const std::string &words) {
  *this = State();
  quiet() = false;
  std::istringstream stream(words);
  for (std::string text; stream >> text;) {
    size_t equals = text.find('=');
    word(text.substr(0, equals), equals == std::string::npos ? "" : text.substr(equals + 1));
  }
}

void State::word(const std::string &name, const std::string &value) {
  int number = std::atoi(value.c_str());
  if (name == "devices") {
    devices = number;
  } else if (name == "capability") {
    capability = number;
  } else if (name == "version") {
    version = number;
  } else if (name == "capturing") {
    capturing = true;
  } else if (name == "quiet") {
    quiet() = true;
  } else if (name == "pinned") {
    pinned = std::strtoull(value.c_str(), nullptr, 0);
  } else if (name.rfind("lost", 0) == 0) {
    lost[std::atoi(name.c_str() + 4)] = number;
  } else {
    size_t times = value.find('*');
    failures[name] = {number, times == std::string::npos ? -1 : std::atoi(value.c_str() + times + 1)};
  }
}

int State::enter(const char *function) {
  ++calls[function];
  auto failure = failures.find(function);
  if (failure != failures.end() && failure->second.times != 0) {
    --failure->second.times;
    return failure->second.status;
  }
  std::string name = function;
  bool inContext = name.rfind("cuLaunchKernel", 0) == 0 || name.rfind("cuModule", 0) == 0;
  auto status = inContext && !contexts().empty() ? lost.find(contexts().back()) : lost.end();
  return status == lost.end() ? kSuccess : status->second;
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

/// Writes a number of up to 8 bytes, or a list of the 8-byte words of a structure.
static void noteParameter(std::ostream &text, const uint8_t *bytes, int size) {
  text << (size > 8 ? "[" : "");
  for (int begin = 0; begin < size; begin += 8) {
    uint64_t value = 0;
    for (int byte = std::min(size, begin + 8); byte-- > begin;) {
      value = value << 8 | bytes[byte];
    }
    text << (begin ? ", " : "") << value;
  }
  text << (size > 8 ? "]" : "");
}

void State::note(const KernelText &kernel, int device, std::array<unsigned, 5> sizes, uintptr_t stream,
                 void **parameters, const std::map<int, int> &attributes) {
  std::ostringstream text;
  text << "{\"attributes\": {";
  for (const auto &[number, value] : attributes) {
    text << (number == attributes.begin()->first ? "" : ", ") << "\"" << number << "\": " << value;
  }
  text << "}, \"kernel\": \"" << kernel.name << "\", \"device\": " << device << ", \"grid\": [" << sizes[0] << ", "
       << sizes[1] << ", " << sizes[2] << "], \"threads\": " << sizes[3] << ", \"shared\": " << sizes[4]
       << ", \"stream\": " << stream << ", \"parameters\": [";
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    text << (i ? ", " : "");
    noteParameter(text, static_cast<const uint8_t *>(parameters[i]), kernel.parameters[i]);
  }
  text << "]}";
  launches.push_back(text.str());
}

std::string State::report() const {
  std::ostringstream text;
  text << "{\"loaded\": " << loaded << ", \"calls\": {";
  bool first = true;
  for (const auto &[function, count] : calls) {
    text << (first ? "" : ", ") << "\"" << function << "\": " << count;
    first = false;
  }
  text << "}, \"launches\": [";
  for (size_t i = 0; i < launches.size(); ++i) {
    text << (i ? ", " : "") << launches[i];
  }
  text << "]}";
  return text.str();
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
