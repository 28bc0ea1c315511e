#include "State.h"

#include <cstdlib>

namespace fake_hip {

int &currentDevice() {
  thread_local int device = 0;
  return device;
}

int &lastError() {
  thread_local int error = kSuccess;
  return error;
}

State &State::get() {
  static State *state = [] {
    auto *state = new State();
    const char *words = std::getenv("FAKE_HIP");
    state->configure(words ? words : "");
    return state;
  }();
  return *state;
}

void State::resetOwn() {
  version = 60443482;
  lds = 65536;
  lanes = 64;
  architectures.clear();
  captured = 0;
  graph.clear();
}

bool State::ownWord(const std::string &name, const std::string &value) {
  if (name.rfind("arch", 0) == 0) {
    architectures[name == "arch" ? -1 : std::atoi(name.c_str() + 4)] = value;
    return true;
  }
  if (name == "captured") {
    captured = std::strtoull(value.c_str(), nullptr, 0);
    return true;
  }
  for (auto [word, field] : {std::pair("version", &version), {"lds", &lds}, {"lanes", &lanes}}) {
    if (name == word) {
      *field = std::atoi(value.c_str());
      return true;
    }
  }
  return false;
}

std::string State::architecture(int device) const {
  for (int key : {device, -1}) {
    if (auto found = architectures.find(key); found != architectures.end()) {
      return found->second;
    }
  }
  return "gfx942:sramecc+:xnack-";
}

int State::deviceAttribute(int attribute, int &value) const {
  const std::map<int, int> values = {{5, 2100000},  {29, 2147483647}, {30, 65536}, {31, 65536}, {56, 1024}, {59, 8192},
                                     {60, 1300000}, {63, 304},        {71, 65536}, {74, lds},   {87, lanes}};
  auto found = values.find(attribute);
  value = found == values.end() ? 0 : found->second;
  return found == values.end() ? kInvalidValue : kSuccess;
}

void State::launch(const fake_gpu::Launch &launch) {
  if (captured != 0 && launch.stream == captured) {
    graph.push_back(launch);
  } else {
    note(launch);
  }
}

void State::replay() {
  for (const fake_gpu::Launch &launch : graph) {
    note(launch);
  }
}

namespace {
struct Row {
  int status;
  const char *name, *text;
};
} // namespace

static const Row *find(int status) {
  static constexpr Row rows[] = {
      {1, "hipErrorInvalidValue", "invalid argument"},
      {2, "hipErrorOutOfMemory", "out of memory"},
      {9, "hipErrorInvalidConfiguration", "invalid configuration argument"},
      {100, "hipErrorNoDevice", "no ROCm-capable device is detected"},
      {101, "hipErrorInvalidDevice", "invalid device ordinal"},
      {200, "hipErrorInvalidImage", "device kernel image is invalid"},
      {209, "hipErrorNoBinaryForGpu", "no kernel image is available for execution on the device"},
      {500, "hipErrorNotFound", "named symbol not found"},
      {700, "hipErrorIllegalAddress", "an illegal memory access was encountered"},
      {710, "hipErrorAssert", "device-side assert triggered"},
      {719, "hipErrorLaunchFailure", "unspecified launch failure"},
      {900, "hipErrorStreamCaptureUnsupported", "operation not permitted when stream is capturing"}};
  for (const Row &row : rows) {
    if (row.status == status) {
      return &row;
    }
  }
  return nullptr;
}

const char *State::errorName(int status) {
  const Row *row = find(status);
  return row ? row->name : nullptr;
}

const char *State::errorText(int status) {
  const Row *row = find(status);
  return row ? row->text : nullptr;
}

} // namespace fake_hip
