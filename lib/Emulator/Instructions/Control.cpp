// Functions other than instructions that a kernel calls: those of the driver, and the loop counter of the emulator.

#include "Families.h"

#include "tilewright/Emulator/Block.h"
#include "tilewright/Runtime/PrintBuffer.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace tilewright::emulator {
namespace {

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

constexpr auto kInterruptInterval = std::chrono::milliseconds(50);

/// Whether the launcher gives up. It may run a signal handler that launches another kernel, whose blocks use the same
/// shared memory of this host thread; so the contents are saved and restored.
bool isGivenUp(Block &block) {
  const std::vector<unsigned char> shared(block.shared, block.shared + block.launch.kernel.sharedBytes);
  bool answer = block.launch.interrupted();
  std::copy(shared.begin(), shared.end(), block.shared);
  return answer;
}

void askLauncher(Thread &thread) {
  Launch &launch = thread.block->launch;
  thread_local auto last = std::chrono::steady_clock::now();
  auto now = std::chrono::steady_clock::now();
  if (!launch.interrupted || std::this_thread::get_id() != launch.launcher || now - last < kInterruptInterval) {
    return;
  }
  last = now;
  bool answer = false;
  thread.runOnHostStack([&] { answer = isGivenUp(*thread.block); });
  if (answer) {
    launch.stop();
  }
}

void tick(Thread &thread, int32_t site, const uint64_t *, uint64_t *) {
  Launch &launch = thread.block->launch;
  int64_t most = launch.settings.maxSteps;
  thread.steps += thread.granted - thread.ticks;
  askLauncher(thread);
  if (thread.block->isStopped() || !thread.block->mayKeepSpinning()) {
    thread.abandon();
  }
  if (most > 0 && thread.steps > most) {
    thread.fail(Report::Endless, site,
                "the thread has executed more than " + std::to_string(most) + " loop iterations");
  }
  thread.grantTicks();
  // The loop may wait for a value that another thread writes.
  thread.yield();
}

//===----------------------------------------------------------------------===//
// Functions of the driver
//===----------------------------------------------------------------------===//

/// The argument buffer of vprintf, in which each value is aligned to its size.
class Arguments {
public:
  explicit Arguments(uint64_t address) : at(address) {}
  template <typename T> T take() {
    at = (at + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T value;
    std::memcpy(&value, reinterpret_cast<const void *>(at), sizeof value);
    at += sizeof(T);
    return value;
  }

private:
  uint64_t at;
};

/// Operands: the format, and the address of the argument buffer.
void print(Thread &, int32_t, const uint64_t *in, uint64_t *out) {
  Arguments arguments(in[1]);
  std::string text = runtime::formatText(reinterpret_cast<const char *>(in[0]), [&](int bytes) {
    return bytes == sizeof(uint64_t) ? arguments.take<uint64_t>() : arguments.take<uint32_t>();
  });
  std::fwrite(text.data(), 1, text.size(), stdout);
  out[0] = text.size();
}

/// Operands: message, file, line, function, bytes of a character.
void assertionFailed(Thread &thread, int32_t site, const uint64_t *in, uint64_t *) {
  thread.fail(Report::Assertion, site, reinterpret_cast<const char *>(in[0]));
}

} // namespace

static constexpr Instruction kControlRows[] = {
    {"emulator.tick", nullptr, tick, InstructionClass::Control,
     "lets other threads run, and ends the program if the launch was stopped", "none"},
    {"vprintf", nullptr, print, InstructionClass::Other, "prints text", "CUDA C++ Programming Guide, 10.35"},
    {"__assertfail", nullptr, assertionFailed, InstructionClass::Control, "ends the launch with a message",
     "CUDA C++ Programming Guide, 10.32"},
};
const Family kControlInstructions = kControlRows;

} // namespace tilewright::emulator
