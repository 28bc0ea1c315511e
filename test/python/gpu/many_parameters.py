"""Kernels that do nothing with 0, 4 and 19 arguments, to time launching."""

from __future__ import annotations

from typing import Any

from ptx_kernels import NOTHING, give

import tilewright


@tilewright.jit
def none():
    pass


@tilewright.jit
def four(a, b, c, n):
    pass


@tilewright.jit
def nineteen(a, b, c, d, e, f, g, h, i, j, k, m, n, o, p, q, r, s, t):
    pass


def _code(fn: Any, pointers: int, integers: int) -> Any:
    sizes = [".u64"] * pointers + [".u32"] * integers
    parameters = ", ".join(f".param {size} p{i}" for i, size in enumerate(sizes))
    return give(fn, NOTHING.replace("()", f"({parameters})"))


def _tensors(torch: Any, count: int) -> list[Any]:
    return [torch.zeros(16, device="cuda") for _ in range(count)]


def _none(torch: Any) -> Any:
    return _code(none, 0, 0), ()


def _four(torch: Any) -> Any:
    return _code(four, 3, 1), (*_tensors(torch, 3), 16)


def _nineteen(torch: Any) -> Any:
    return _code(nineteen, 10, 9), (*_tensors(torch, 10), *range(32, 32 + 9 * 16, 16))


KERNELS = {0: _none, 4: _four, 19: _nineteen}
