"""Launching is tested with kernels written in C++: what they are given is what counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from tilewright import _core
from tilewright.runtime.function import JITFunction


class Compilation(NamedTuple):
    """What the launcher asked the compiler for; stands for the compiled kernel too."""

    signature: tuple[Any, ...]
    options: dict[str, Any]
    noalias: bool

    @property
    def asserts(self) -> tuple[Any, ...]:
        return ()


class Substitute:
    """Gives a @jit function a kernel of `_core.test_kernel` for code, and notes the requests."""

    def __init__(self, fn: JITFunction, kernel: str) -> None:
        self.requests: list[Compilation] = []
        self.kernel = _core.test_kernel(kernel)
        fn._compile = self.compile  # type: ignore[method-assign]

    def compile(self, signature: Any, options: Any, noalias: bool) -> tuple[Any, Any]:
        self.requests.append(Compilation(signature, options, noalias))
        return self.requests[-1], self.kernel

    @property
    def last(self) -> Compilation:
        return self.requests[-1]

    @property
    def signatures(self) -> list[tuple[Any, ...]]:
        return [request.signature for request in self.requests]


@pytest.fixture
def substitute() -> Callable[..., Substitute]:
    return lambda fn, kernel="nothing": Substitute(fn, kernel)
