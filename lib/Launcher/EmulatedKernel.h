// A GPU kernel that runs in this process, on the emulator.

#ifndef TILEWRIGHT_LIB_LAUNCHER_EMULATEDKERNEL_H
#define TILEWRIGHT_LIB_LAUNCHER_EMULATEDKERNEL_H

#include "tilewright/Launcher/CheckedAccesses.h"
#include "tilewright/Launcher/LoadedKernel.h"

#include "tilewright/Emulator/Launch.h"
#include "tilewright/Runtime/Host/ThreadPool.h"
#include "tilewright/Runtime/Mailbox.h"
#include "tilewright/Runtime/PrintBuffer.h"
#include "tilewright/Target/Host/LinkedCode.h"

#include <optional>
#include <string>
#include <vector>

namespace tilewright::launcher {

class EmulatedKernel final : public LoadedKernel {
public:
  /// `accesses` are those whose bounds the code itself checks; none for code without bounds checks. The code has a
  /// mailbox if it has them, or if it `hasAsserts`. `tensorMapSlots` are the first slots of the tensor maps.
  EmulatedKernel(emulator::Kernel kernel, host::LinkedCode code, AccessSites accesses, bool hasAsserts, std::string gpu,
                 std::array<int64_t, 3> maxGrid, std::vector<int> tensorMapSlots, bool isPersistent,
                 runtime::PrintBuffer *prints)
      : kernel(std::move(kernel)), code(std::move(code)), accesses(std::move(accesses)), hasAsserts(hasAsserts),
        gpu(std::move(gpu)), maxGrid(maxGrid), tensorMapSlots(std::move(tensorMapSlots)), isPersistent(isPersistent),
        prints(prints) {}

  /// Returns after all programs have ended.
  bool launch(Call &call, PyObject *compiled, const runtime::Grid &grid) override;

  const emulator::Kernel kernel;
  /// What the code of the last launch that ended reported, as on a GPU; guarded by the GIL.
  std::optional<runtime::MailboxReport> lastReport;

private:
  /// Runs the programs of `started`, and passes what they report to Python. Returns false with a Python error set if
  /// the launch was interrupted; throws what the calls of Python raise.
  bool launchPrograms(Call &call, PyObject *compiled, const runtime::Grid &grid, const runtime::Grid &started);
  int64_t numberOfAssert(const emulator::Report &report) const;

  const host::LinkedCode code;
  const AccessSites accesses;
  const bool hasAsserts;
  const std::string gpu;                ///< for messages
  const std::array<int64_t, 3> maxGrid; ///< programs that a launch on the GPU may have along each axis
  const std::vector<int> tensorMapSlots;
  const bool isPersistent;            ///< the code executes several programs of the grid
  runtime::PrintBuffer *const prints; ///< where the code writes lines; null if it has none or prints by itself
  runtime::ProgramCost cost;
};

} // namespace tilewright::launcher

#endif // TILEWRIGHT_LIB_LAUNCHER_EMULATEDKERNEL_H
