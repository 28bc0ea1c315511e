#include "Script.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace fake_gpu {

int &captureMode() {
  thread_local int mode = 0;
  return mode;
}

std::atomic<bool> &quiet() {
  static std::atomic<bool> flag{false};
  return flag;
}

std::mutex &Script::mutex() {
  static std::mutex mutex;
  return mutex;
}

void Script::configure(const std::string &words) {
  devices = 2;
  pinned = 0;
  loaded = 0;
  capturing = false;
  quiet() = false;
  failures.clear();
  lost.clear();
  calls.clear();
  launches.clear();
  resetOwn();
  std::istringstream stream(words);
  for (std::string text; stream >> text;) {
    size_t equals = text.find('=');
    word(text.substr(0, equals), equals == std::string::npos ? "" : text.substr(equals + 1));
  }
}

void Script::word(const std::string &name, const std::string &value) {
  int number = std::atoi(value.c_str());
  if (ownWord(name, value)) {
    return;
  }
  if (name == "devices") {
    devices = number;
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

int Script::enter(const char *function, int device) {
  ++calls[function];
  auto failure = failures.find(function);
  if (failure != failures.end() && failure->second.times != 0) {
    --failure->second.times;
    return failure->second.status;
  }
  auto status = lost.find(device);
  return status == lost.end() ? 0 : status->second;
}

std::string parameterText(const void *value, int bytes) {
  const auto *begin = static_cast<const uint8_t *>(value);
  std::ostringstream text;
  text << (bytes > 8 ? "[" : "");
  for (int first = 0; first < bytes; first += 8) {
    uint64_t word = 0;
    for (int byte = std::min(bytes, first + 8); byte-- > first;) {
      word = word << 8 | begin[byte];
    }
    text << (first ? ", " : "") << word;
  }
  text << (bytes > 8 ? "]" : "");
  return text.str();
}

void Script::note(const Launch &launch) {
  std::ostringstream text;
  text << "{" << launch.more << (launch.more.empty() ? "" : ", ") << "\"kernel\": \"" << launch.kernel
       << "\", \"device\": " << launch.device << ", \"grid\": [" << launch.grid[0] << ", " << launch.grid[1] << ", "
       << launch.grid[2] << "], \"threads\": " << launch.threads << ", \"shared\": " << launch.sharedBytes
       << ", \"stream\": " << launch.stream << ", \"parameters\": [";
  for (size_t i = 0; i < launch.parameters.size(); ++i) {
    text << (i ? ", " : "") << launch.parameters[i];
  }
  text << "]}";
  launches.push_back(text.str());
}

std::string Script::report() const {
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

} // namespace fake_gpu
