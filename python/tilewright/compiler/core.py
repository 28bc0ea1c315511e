"""The extension module, imported on first use, and identities that are computed once from it."""

from __future__ import annotations

import functools
import importlib
import os
from pathlib import Path
from typing import Any

from tilewright.cache.identity import binary_identity, sources_identity
from tilewright.errors import TilewrightError

# The Python code that determines the generated code, including the library of the language.
_PACKAGE = Path(__file__).parent.parent
_DECIDING = ("language", "frontend", "compiler", "compat")


def core() -> Any:
    """The module `tilewright._core`.

    Raises:
        TilewrightError: It was not built, or not for this Python.
    """
    try:
        return importlib.import_module("tilewright._core")
    except ImportError as error:
        raise TilewrightError(
            f"the compiler core tilewright._core can't be loaded: {error}\n"
            "hint: `tilewright doctor` shows what is missing; bin/quickstart builds the core"
        ) from error


@functools.cache
def build_identity() -> str:
    """Identifies this build of the compiler: the core's binary and the Python sources.

    Kernels can read `triton.__version__` (tilewright.compat), so it is a part of the identity.
    """
    folders = [str(_PACKAGE / name) for name in _DECIDING if (_PACKAGE / name).is_dir()]
    file = getattr(core(), "__file__", None)
    binary = binary_identity(os.path.realpath(file)) if file else "none"
    version = os.environ.get("TILEWRIGHT_COMPAT_VERSION", "")
    return f"{binary} {sources_identity(*folders)} {version}".rstrip()
