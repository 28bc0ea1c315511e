// Tells ThreadSanitizer which fiber runs: it would otherwise take all fibers of a host thread for one call stack.
// Without ThreadSanitizer these functions do nothing. A fiber is identified by its stack; the host thread itself by
// nullptr.

#ifndef TILEWRIGHT_LIB_EMULATOR_SANITIZEDFIBERS_H
#define TILEWRIGHT_LIB_EMULATOR_SANITIZEDFIBERS_H

#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#define TILEWRIGHT_THREAD_SANITIZER 1
#endif
#endif

#ifdef TILEWRIGHT_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#include <unordered_map>
#endif

namespace tilewright::emulator {

#ifdef TILEWRIGHT_THREAD_SANITIZER
inline std::unordered_map<void *, void *> &sanitizedFibers() {
  static thread_local std::unordered_map<void *, void *> fibers;
  return fibers;
}

/// Must be called on the host thread before fibers start.
inline void enterHostThread() { sanitizedFibers()[nullptr] = __tsan_get_current_fiber(); }

/// A new fiber uses the stack. A fiber that was abandoned there is forgotten.
inline void createFiber(void *stack) {
  void *&fiber = sanitizedFibers()[stack];
  if (fiber) {
    __tsan_destroy_fiber(fiber);
  }
  fiber = __tsan_create_fiber(0);
}

/// Must be called immediately before control moves to the fiber.
inline void switchToFiber(void *stack) { __tsan_switch_to_fiber(sanitizedFibers().at(stack), 0); }
#else
inline void enterHostThread() {}
inline void createFiber(void *) {}
inline void switchToFiber(void *) {}
#endif

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_EMULATOR_SANITIZEDFIBERS_H
