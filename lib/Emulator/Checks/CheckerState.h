// What a Checker consists of: the checks, and the reports of what they find.

#ifndef TILEWRIGHT_EMULATOR_CHECKS_CHECKERSTATE_H
#define TILEWRIGHT_EMULATOR_CHECKS_CHECKERSTATE_H

#include "tilewright/Emulator/Checker.h"

#include "AsyncReads.h"
#include "Bounds.h"
#include "ProgramOrder.h"
#include "Races.h"

namespace tilewright::emulator {

/// An access in words: "reads 4 bytes at", "copies 16 bytes to".
struct Phrase {
  const char *verb;
  const char *preposition;
};

/// Bytes that a thread is about to access.
struct Touch {
  Thread &thread;
  int32_t site;
  AccessKind kind;
  Phrase phrase;
  Bytes bytes;
};

struct Checker::State {
  explicit State(Launch &launch)
      : launch(launch), settings(launch.settings), bounds(launch),
        remembers(settings.checkRaces || settings.checkInitialized || settings.checkCopies),
        races(settings, launch.kernel.threads, remembers ? launch.kernel.sharedBytes : 0),
        asyncReads(settings.checkRaces ? launch.kernel.sharedBytes : 0),
        order(races.vectorClocks(), settings.checkRaces ? launch.kernel.threads : 0, launch.tensors.size() + 1) {}

  bool mayTouch(const Touch &touch, uint64_t alignment);
  void remember(const Touch &touch);
  void checkReaders(const Touch &touch, uint64_t offset);
  void explain(const Touch &touch, const Finding &finding);
  void follow(const Touch &touch);
  void synchronizeTogether(std::optional<MemorySpace> space = std::nullopt);
  void explain(const Touch &touch, const ProgramOrder::Conflict &conflict, bool isAtAtomic);
  std::string describe(const Touch &touch) const;
  std::string describeSite(int32_t site) const;
  /// Whether the site is that of a copy of a box.
  bool isBoxCopy(int32_t site) const;

  Launch &launch;
  const Settings &settings;
  Bounds bounds;
  bool remembers;
  Races races;
  AsyncReads asyncReads;
  ProgramOrder order;
  std::vector<uint32_t> together; // the threads of a synchronize(); a member to save allocations
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_CHECKS_CHECKERSTATE_H
