"""Kernels for the tests of autotuning, and helpers to tune them quickly."""

from typing import Any

import numpy as np

import tilewright
import tilewright.language as tl
from tilewright import Config


@tilewright.jit
def scale(out, x, n, factor, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) * factor, mask=i < n)


@tilewright.jit
def add_to(out, x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(out + i, tl.load(out + i, mask=inside) + tl.load(x + i, mask=inside), mask=inside)


def blocks(meta: dict[str, Any]) -> tuple[int]:
    return (tilewright.cdiv(meta["n"], meta["BLOCK"]),)


def configs_of(*sizes: int, **options: Any) -> list[Config]:
    return [Config({"BLOCK": size}, **options) for size in sizes]


def tuned(kernel: Any = scale, configs: Any = None, key: Any = ("n",), **options: Any) -> Any:
    """The kernel with an autotuner that times for a few milliseconds only."""
    options.setdefault("rep", 2)
    return tilewright.autotune(configs or configs_of(32, 128), list(key), **options)(kernel)


def launch_scale(kernel: Any, n: int = 1000, dtype: Any = np.float32, factor: float = 3.0) -> Any:
    """Launches `scale`, checks its result, and returns the configuration."""
    x, out = np.arange(n).astype(dtype), np.zeros(n, dtype)
    kernel[blocks](out, x, n, factor)
    np.testing.assert_allclose(out, x * factor)
    return kernel.best_config
