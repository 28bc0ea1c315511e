"""The name `triton` for Tilewright: programs written for Triton run unedited.

Three ways to switch it on; docs/compat.md describes them:

    python -m tilewright.compat script.py args...
    tilewright.compat.install()                     before the program imports triton
    TILEWRIGHT_COMPAT=1                             with the file tilewright_compat.pth of the wheel

`import triton`, `import triton.language as tl` and the other modules of the table (compat/table)
then give Tilewright's objects, under Triton's names. Importing this package loads nothing else.

finder.py        the entry of sys.meta_path that finds `triton` and its submodules
facade.py        the modules that programs see, whose names are looked up in the table
entries.py       the kinds of entries of the table
listing.py       the table as text
distribution.py  the version for importlib.metadata
children.py      what child processes need
torch_probes.py  what PyTorch remembers about whether there is a Triton

Objects that only programs for Triton use:

core.py, target_info.py           functions of triton.language and its submodules
libdevice.py, libdevice_bits.py, libdevice_rounding.py, libdevice_conversions.py
                                  functions of libdevice that are exact
libdevice_math.py, libdevice_norms.py, libdevice_special.py
                                  its transcendental functions; special/ has the arithmetic
libdevice_symbols.py, extern.py   its symbols, for extern_elementwise
backends.py                       triton.backends.backends
cache.py                          triton.runtime.cache
compile.py                        triton.compile
paths.py                          triton._utils
objects.py                        single classes
"""

from __future__ import annotations

import os
import sys

from tilewright.compat import children, torch_probes
from tilewright.compat.finder import Finder
from tilewright.errors import CompatError

__all__ = ["install", "install_if_switched_on", "installed_version", "uninstall"]

# The release of Triton whose names and defaults the table follows.
DEFAULT_VERSION = "3.6.0"


def install(version: str | None = None) -> None:
    """Makes `triton` and its submodules mean Tilewright in this process and its children.

    Does nothing if it is installed already. The environment variable TILEWRIGHT_COMPAT is set, so
    that Python processes which are started from now on install it as well.

    Args:
        version: `triton.__version__`, also for `importlib.metadata`. By default the value of
            TILEWRIGHT_COMPAT_VERSION, else "3.6.0".

    Raises:
        CompatError: Triton itself has been imported already, another version is installed, or
            the version is not of the form "3.6.0".
    """
    chosen = version or os.environ.get("TILEWRIGHT_COMPAT_VERSION") or DEFAULT_VERSION
    _check_version(chosen)
    present = _finder()
    if present is not None:
        if version and version != present.version:
            raise CompatError(
                f"tilewright.compat is installed as Triton {present.version} already, and can't "
                f"become Triton {version}; call uninstall() first"
            )
        return
    if (triton := sys.modules.get("triton")) is not None:
        where = getattr(triton, "__file__", None) or "an unknown file"
        raise CompatError(
            f"Triton itself has been imported already, from {where}; "
            "call tilewright.compat.install() before the first `import triton`"
        )
    sys.meta_path.insert(0, Finder(chosen))
    children.prepare(os.environ, chosen)
    torch_probes.forget()


def uninstall() -> None:
    """Undoes `install`: `import triton` means an installed Triton again, or fails.

    What programs imported before keeps its meaning. Does nothing if it is not installed.
    """
    present = _finder()
    if present is None:
        return
    sys.meta_path.remove(present)
    for name in [name for name in sys.modules if name.partition(".")[0] == "triton"]:
        del sys.modules[name]
    children.restore(os.environ)
    torch_probes.forget()


def install_if_switched_on() -> None:
    """Installs compat if TILEWRIGHT_COMPAT is set and not "0"; called when Python starts."""
    if os.environ.get("TILEWRIGHT_COMPAT", "0").strip() not in ("", "0"):
        install()


def installed_version() -> str | None:
    """The version that `triton.__version__` gives, or None if compat is not installed."""
    present = _finder()
    return present.version if present else None


def _finder() -> Finder | None:
    return next((finder for finder in sys.meta_path if isinstance(finder, Finder)), None)


def _check_version(version: str) -> None:
    """Requires three numbers, because programs compare them as such."""
    parts = version.split("+")[0].split(".")
    if len(parts) != 3 or not all(part.isdecimal() for part in parts):
        raise CompatError(f"a version must have the form '3.6.0', found {version!r}")
