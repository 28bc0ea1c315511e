"""Kernels whose source is written by a test."""

from __future__ import annotations

import importlib.util
import textwrap
from pathlib import Path
from typing import Any


def kernel_of(folder: Path, source: str) -> Any:
    """The function `kernel` of a module with that source."""
    file = folder / "generated_kernel.py"
    header = "import tilewright\nimport tilewright.language as tl\n\n\n@tilewright.jit\n"
    file.write_text(header + textwrap.dedent(source))
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.kernel
