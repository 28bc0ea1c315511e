"""Imports the Python file that a command names."""

from __future__ import annotations

import importlib.util
import os
import sys
import traceback
from pathlib import Path
from types import ModuleType

import tilewright
from tilewright.errors import ArgumentError, BenchmarkError, TilewrightError


def load_module(file: str) -> ModuleType:
    """Imports a file, not as __main__; modules beside it can be imported from then on.

    Raises:
        ArgumentError: There is no such file, or it raised an exception, whose line is named.
    """
    path = Path(file).absolute()
    if not path.is_file():
        raise ArgumentError(f"there is no file {file}")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ArgumentError(f"{file} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        if isinstance(error, TilewrightError) and not isinstance(error, BenchmarkError):
            raise  # its message has the position
        raise ArgumentError(f"{file} can't be imported: {_describe(error)}") from None
    return module


def _describe(error: BaseException) -> str:
    """`file:line: Type: message` of an error that a module raised while it was imported."""
    if isinstance(error, SyntaxError):
        return f"{error.filename}:{error.lineno}: SyntaxError: {error.msg}"
    package = os.path.dirname(tilewright.__file__)
    frames = traceback.extract_tb(error.__traceback__)
    last = [frame for frame in frames if not frame.filename.startswith(package)][-1]
    return f"{last.filename}:{last.lineno}: {type(error).__name__}: {error}"
