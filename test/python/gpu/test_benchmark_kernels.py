"""The kernels of the GPU benchmark compile for its arguments without a GPU."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

torch = pytest.importorskip("torch")

BENCHMARK = Path(__file__).resolve().parents[2] / "benchmark" / "gpu.py"


def load_benchmark() -> ModuleType:
    """The module of the benchmark, with tensors that have no memory."""
    spec = importlib.util.spec_from_file_location("gpu_benchmark", BENCHMARK)
    assert spec is not None and spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.random = lambda *shape, dtype=torch.float32: torch.empty(
        *shape, dtype=dtype, device="meta"
    )
    return module


class Kernel:
    """Replaces a kernel: a launch only compiles it."""

    def __init__(self, kernel: Any, made: list[Any]) -> None:
        self.kernel, self.made = kernel, made

    def __getitem__(self, grid: Any) -> Callable[..., None]:
        def launch(*arguments: Any, **options: Any) -> None:
            types = [x.dtype if isinstance(x, torch.Tensor) else x for x in arguments]
            self.made.append(self.kernel.warmup(*types, target="cuda:90a", **options))

        return launch


class Kernels:
    def __init__(self, module: Any) -> None:
        self.module = module
        self.made: list[Any] = []

    def __getattr__(self, name: str) -> Kernel:
        return Kernel(getattr(self.module, name), self.made)


GPU = load_benchmark()


LARGE = pytest.mark.gpu_refuses(
    r"needs \d+ bytes of shared memory, and sm_\w+ has 101376", architectures=("86", "89", "120a")
)


def cases() -> Iterator[Any]:
    for of_kind in (GPU.add_cases, GPU.softmax_cases, GPU.layer_norm_cases, GPU.matmul_cases):
        for case in of_kind(False):
            marks = LARGE if "16 128x256x64" in case.name else ()
            yield pytest.param(case, id=case.name, marks=marks)


@pytest.mark.parametrize("case", list(cases()))
def test_compiles(case: Any) -> None:
    kernels = Kernels(GPU.OURS)
    case.run(kernels)
    (made,) = kernels.made
    assert made.object.startswith(b"\x7fELF")
    assert ("mma" in made.assembly()) == case.name.startswith("matmul")
