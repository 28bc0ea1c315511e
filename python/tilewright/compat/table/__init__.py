"""The table of Triton's modules and names, by group: a file for each part of Triton.

docs/compat.md shows the table; `python -m tilewright.compat --names` prints it.
"""

from tilewright.compat.entries import MissingModule, Module
from tilewright.compat.table import compiler, language, libdevice, root, runtime, tools

_GROUPS = (root, language, libdevice, runtime, compiler, tools)

MODULES: dict[str, Module] = {module.name: module for group in _GROUPS for module in group.MODULES}

MISSING_MODULES: dict[str, MissingModule] = {
    module.name: module
    for module in (
        MissingModule("triton._C", "the C++ core of Triton"),
        MissingModule("triton._C.libtriton", "the C++ core of Triton"),
        MissingModule("triton.experimental.gluon", "Gluon"),
        MissingModule("triton.profiler", "Proton; `tilewright profile` profiles a kernel"),
        MissingModule("triton.tools.disasm", "`kernel.asm` has the assembly"),
    )
}
