"""Code for assemblers before CUDA 12.9, which serialize wgmma if accumulators begin undefined."""

from __future__ import annotations

import importlib.util
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilewright
import tilewright.language as tl

pytestmark = pytest.mark.cpu_only("compiles for an H200 whatever the targets are")


def older_library() -> Path:
    """nvJitLink 12.8, which requirements-dev.txt installs beside a newer version."""
    spec = importlib.util.find_spec("nvidia.nvjitlink")
    assert spec is not None and spec.submodule_search_locations is not None
    (folder,) = spec.submodule_search_locations
    return Path(folder) / "lib" / "libnvJitLink.so.12"


@tilewright.jit
def matmul_kernel(a, b, c, K, BLOCK: tl.constexpr, STEP: tl.constexpr):
    i, k = tl.arange(0, BLOCK), tl.arange(0, STEP)
    total = tl.zeros((BLOCK, BLOCK), tl.float32)
    for first in range(0, K, STEP):
        x = tl.load(a + i[:, None] * K + first + k[None, :])
        y = tl.load(b + (first + k[:, None]) * BLOCK + i[None, :])
        total = tl.dot(x, y, total)
    tl.store(c + i[:, None] * BLOCK + i[None, :], total)


def compile_for_h200(**options: Any) -> Any:
    half = np.dtype(np.float16)
    return matmul_kernel.warmup(
        half, half, np.dtype(np.float32), 1024, BLOCK=128, STEP=64, target="cuda:90a", **options
    )


def zeros_before_dots(assembly: str) -> int:
    """How many registers the code sets to zero, directly or from another, before its first dot."""
    return len(re.findall(r"mov\.b32 \t?%r\d+, ", assembly.split("wgmma.mma_async")[0]))


@pytest.mark.parametrize("num_warps", [4, 8])
def test_dots_are_not_serialized(monkeypatch: pytest.MonkeyPatch, num_warps: int) -> None:
    monkeypatch.setenv("TILEWRIGHT_PTXAS", "0")
    newer = compile_for_h200(num_warps=num_warps)
    monkeypatch.setenv("TILEWRIGHT_NVJITLINK", str(older_library()))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        older = compile_for_h200(num_warps=num_warps)
    registers = 128 * 128 // (32 * num_warps)
    difference = zeros_before_dots(older.assembly()) - zeros_before_dots(newer.assembly())
    assert difference >= registers - 1
