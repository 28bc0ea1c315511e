// A GPU kernel that runs in this process, on the emulator.

#ifndef TILEWRIGHT_LIB_LAUNCHER_EMULATEDKERNEL_H
#define TILEWRIGHT_LIB_LAUNCHER_EMULATEDKERNEL_H

#include "tilewright/Launcher/CheckedAccesses.h"
#include "tilewright/Launcher/LoadedKernel.h"

#include "tilewright/Emulator/Launch.h"
#include "tilewright/Runtime/Host/ThreadPool.h"
#include "tilewright/Target/Host/LinkedCode.h"

#include <string>
#include <vector>

namespace tilewright::launcher {

class EmulatedKernel final : public LoadedKernel {
public:
  /// `accesses` are those whose bounds the code itself checks; none for code without bounds checks. `tensorMapSlots`
  /// are the first slots of the tensor maps.
  EmulatedKernel(emulator::Kernel kernel, host::LinkedCode code, AccessSites accesses, std::string gpu,
                 std::array<int64_t, 3> maxGrid, std::vector<int> tensorMapSlots)
      : kernel(std::move(kernel)), code(std::move(code)), accesses(std::move(accesses)), gpu(std::move(gpu)),
        maxGrid(maxGrid), tensorMapSlots(std::move(tensorMapSlots)) {}

  /// Returns after all programs have ended.
  bool launch(Call &call, PyObject *compiled, const runtime::Grid &grid) override;

  const emulator::Kernel kernel;

private:
  const host::LinkedCode code;
  const AccessSites accesses;
  const std::string gpu;                ///< for messages
  const std::array<int64_t, 3> maxGrid; ///< programs that a launch on the GPU may have along each axis
  const std::vector<int> tensorMapSlots;
  runtime::ProgramCost cost;
};

} // namespace tilewright::launcher

#endif // TILEWRIGHT_LIB_LAUNCHER_EMULATEDKERNEL_H
