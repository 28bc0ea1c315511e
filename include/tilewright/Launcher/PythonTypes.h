// Adds the launcher's types to the extension module.

#ifndef TILEWRIGHT_LAUNCHER_PYTHONTYPES_H
#define TILEWRIGHT_LAUNCHER_PYTHONTYPES_H

#include <pybind11/pybind11.h>

namespace tilewright::launcher {

void bindLauncher(pybind11::module_ &module);
/// The class LoadedKernel, and what each kind of target adds.
void bindLoadedKernels(pybind11::module_ &module);

} // namespace tilewright::launcher

#endif // TILEWRIGHT_LAUNCHER_PYTHONTYPES_H
