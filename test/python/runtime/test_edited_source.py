"""A kernel is compiled from the source from which its function was compiled."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

_TEXT = """
import tilewright
import tilewright.language as tl

FACTOR = tl.constexpr(1)

def make():
    sign = tl.constexpr(1)
    @tilewright.jit
    def kernel(out):
        tl.store(out, {value} * FACTOR {operator} 0 * sign)
    return kernel

kernel = make()
"""


@pytest.fixture
def module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[int], ModuleType]]:
    """`module(n)` writes the file with n; returns the module as it was first imported."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    file, stamps = tmp_path / "edited_kernels.py", iter(range(10**9, 2 * 10**9, 100))

    def write(value: int, operator: str = "+") -> ModuleType:
        file.write_text(_TEXT.format(value=value, operator=operator))
        os.utime(file, (stamp := next(stamps), stamp))
        importlib.invalidate_caches()
        return importlib.import_module("edited_kernels")

    yield write
    __import__("sys").modules.pop("edited_kernels", None)


def stored(kernel: Any) -> int:
    out = np.zeros(1, np.int32)
    kernel[(1,)](out)
    return int(out[0])


def test_a_module_that_is_loaded_again(module) -> None:
    first = module(3).kernel
    assert stored(first) == 3
    again = importlib.reload(module(4))
    assert stored(again.kernel) == 4
    assert stored(first) == 3


def test_a_kernel_made_after_the_file_was_edited(module) -> None:
    loaded = module(5)
    assert stored(loaded.kernel) == 5
    module(6)
    assert stored(loaded.make()) == 5


def test_an_edit_that_leaves_names_and_constants(module) -> None:
    loaded = module(2)
    assert "+" in loaded.kernel.source
    module(2, "-")
    assert "+" in loaded.make().source
    assert "-" in importlib.reload(loaded).kernel.source


def test_a_kernel_compiled_after_the_file_was_edited(module) -> None:
    loaded = module(7)
    module(8)
    assert stored(loaded.kernel) == 7
