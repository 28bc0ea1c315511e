"""Tests of launches use kernels written in C++, which record what they are passed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, NamedTuple

import pytest

from tilewright import _core
from tilewright.runtime.function import JITFunction


class _Request(NamedTuple):
    signature: tuple[Any, ...]
    options: dict[str, Any]
    noalias: bool


class Compilation(_Request):
    """The launcher's request to the compiler; also replaces the compiled kernel."""

    launch_conditions: tuple[int, ...] = ()
    written_slots: tuple[int, ...] = ()
    asserts: tuple[Any, ...] = ()
    device: str
    code: dict[str, Any]

    def load(self, device: str) -> Any:
        return self.code[device]


class Substitute:
    """Makes a kernel of `_core.test_kernel` the code of a @jit function; records requests."""

    def __init__(self, fn: JITFunction, kernel: str) -> None:
        self.requests: list[Compilation] = []
        self.code: dict[str, Any] = {"cpu": _core.test_kernel(kernel)}
        fn._compile = self.compile  # type: ignore[method-assign]

    def compile(self, signature: Any, options: Any, noalias: bool, device: str) -> Any:
        request = Compilation(signature, options, noalias)
        request.device, request.code = device, self.code
        self.requests.append(request)
        return request, None

    @property
    def last(self) -> Compilation:
        return self.requests[-1]

    @property
    def signatures(self) -> list[tuple[Any, ...]]:
        return [request.signature for request in self.requests]


@pytest.fixture
def substitute() -> Callable[..., Substitute]:
    return lambda fn, kernel="nothing": Substitute(fn, kernel)


@pytest.fixture
def cuda() -> Iterator[ModuleType]:
    """A new fake driver; `cuda.configure(words)` must be called before its first use."""
    import fake_cuda

    fake_cuda.configure()
    fake_cuda.make_current(-1)
    fake_cuda.set_stream(0)
    _core.use_cuda_driver(fake_cuda.LIBRARY)
    yield fake_cuda
    _core.use_cuda_driver()


@pytest.fixture
def on_cuda(cuda: ModuleType, substitute: Callable[..., Substitute]) -> Callable[..., Substitute]:
    """Gives a @jit function code for each device; its parameters have these sizes in bytes."""

    def give(fn: JITFunction, parameters: str, **options: Any) -> Substitute:
        made = substitute(fn)
        for device in range(len(_core.devices("cuda")["devices"])):
            made.code[f"cuda:{device}"] = cuda.load(fn.name, parameters, device, **options)
        return made

    return give


@pytest.fixture
def hip() -> Iterator[ModuleType]:
    """A new fake HIP runtime; `hip.configure(words)` must be called before its first use."""
    import fake_hip

    fake_hip.configure()
    fake_hip.make_current(-1)
    fake_hip.set_stream(0)
    _core.use_hip_library(fake_hip.LIBRARY)
    yield fake_hip
    _core.use_hip_library()


@pytest.fixture
def on_hip(hip: ModuleType, substitute: Callable[..., Substitute]) -> Callable[..., Substitute]:
    """Gives a @jit function code for each AMD GPU; its arguments have these sizes in bytes."""

    def give(fn: JITFunction, parameters: str, **options: Any) -> Substitute:
        made = substitute(fn)
        for device in range(len(_core.devices("hip")["devices"])):
            made.code[f"hip:{device}"] = hip.load(fn.name, parameters, device, **options)
        return made

    return give


@pytest.fixture
def rocm_torch(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes PyTorch one that was built for ROCm, with these functions of torch._C."""
    import torch

    def put(**functions: Any) -> None:
        monkeypatch.setattr(torch.version, "hip", "6.4.43482")
        for name, function in functions.items():
            monkeypatch.setattr(torch._C, name, function, raising=False)

    return put
