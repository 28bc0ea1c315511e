"""What child processes need: environment variables, from which they install compat at start-up.

A process with TILEWRIGHT_COMPAT=1 installs compat by the file tilewright_compat.pth, which the
wheel puts into site-packages. Without that file, as in a source tree, PYTHONPATH gets the folder
`startup`, whose sitecustomize.py does the same. So does sys.path, because PyTorch starts its
compile workers with sys.path as their PYTHONPATH.
"""

from __future__ import annotations

import os
import site
import sys
from collections.abc import MutableMapping

SWITCH = "TILEWRIGHT_COMPAT"
VERSION = "TILEWRIGHT_COMPAT_VERSION"
STARTUP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "startup")
PTH = "tilewright_compat.pth"

# The values of the variables before `prepare`; None stands for a variable that was not set.
_before: dict[str, str | None] = {}


def prepare(environment: MutableMapping[str, str], version: str) -> None:
    """Sets the variables by which child processes install compat as well."""
    wanted = {SWITCH: "1", VERSION: version}
    if not has_pth():
        paths = environment.get("PYTHONPATH", "").split(os.pathsep)
        others = [path for path in paths if path and path != STARTUP]
        wanted["PYTHONPATH"] = os.pathsep.join([STARTUP, *others])
        if STARTUP not in sys.path:
            sys.path.insert(1, STARTUP)  # the first one is the folder of the program
    for name, value in wanted.items():
        _before.setdefault(name, environment.get(name))
        environment[name] = value


def restore(environment: MutableMapping[str, str]) -> None:
    """Undoes `prepare`, so that child processes do not install compat."""
    # A child inherits the switch; after uninstall() it must not pass it on to its own children.
    values = _before | {SWITCH: None}
    for name, value in values.items():
        if value is None:
            environment.pop(name, None)
        else:
            environment[name] = value
    _before.clear()
    if STARTUP in sys.path:
        sys.path.remove(STARTUP)


def has_pth() -> bool:
    """Whether a folder that Python reads at start-up has the wheel's .pth file."""
    # While Python starts, the module `site` does not know a virtual environment's prefix yet.
    folders = site.getsitepackages([sys.prefix, *site.PREFIXES])
    if site.ENABLE_USER_SITE:
        folders.append(site.getusersitepackages())
    return any(os.path.exists(os.path.join(folder, PTH)) for folder in folders)
