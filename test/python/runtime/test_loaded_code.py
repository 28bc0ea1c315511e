"""The memory of code that is loaded into this process."""

from __future__ import annotations

import gc
import resource
import subprocess
import sys
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright import _core

TARGETS = ["cpu", "emulator:cuda:90a"]


def make_kernel() -> Any:
    @tilewright.jit
    def increment(x, n, BLOCK: tl.constexpr):
        i = tl.arange(0, BLOCK)
        tl.store(x + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)

    return increment


def load(compiled: Any) -> Any:
    """Loads the code once more."""
    return _core.load(
        compiled.target, compiled.name, compiled.object, compiled.symbol, 0, compiled.metadata
    )


def mappings() -> int:
    return len(Path("/proc/self/maps").read_text().splitlines())


@pytest.mark.parametrize("kept", [True, False], ids=["kept", "dropped"])
def test_mappings_do_not_grow_with_the_number_of_kernels(kept: bool) -> None:
    compiled = make_kernel().warmup(tl.float32, 16, BLOCK=16, grid=(1,))
    loaded = [load(compiled)]
    before = mappings()
    for _ in range(2000):
        kernel = load(compiled)
        if kept:
            loaded.append(kernel)
    assert mappings() < before + 20


@pytest.mark.parametrize("target", TARGETS)
def test_code_is_freed_with_its_kernel(target: str) -> None:
    kernel, x = make_kernel(), np.zeros(16, np.float32)
    code = weakref.ref(kernel[(1,)](x, 16, BLOCK=16, target=target).load())
    gc.collect()
    assert code() is not None
    kernel[(1,)](x, 16, BLOCK=16, target=target)
    assert (x == 2).all()
    del kernel
    gc.collect()
    assert code() is None


def test_code_that_does_not_fit_into_memory_raises() -> None:
    program = f"""
import resource, sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from test_loaded_code import load, make_kernel, tl
compiled = make_kernel().warmup(tl.float32, 16, BLOCK=16, grid=(1,))
used = int(open("/proc/self/statm").read().split()[0]) * {resource.getpagesize()}
resource.setrlimit(resource.RLIMIT_AS, (used + (32 << 20), resource.RLIM_INFINITY))
try:
    load(compiled)
except MemoryError as error:
    print(error)
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout == "the object file cannot be loaded: no memory for code\n"
