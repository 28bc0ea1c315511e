"""The kernels of the GPU benchmark compile for its arguments without a GPU."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmark"))

import gpu  # noqa: E402
import gpu_cases  # noqa: E402

gpu_cases.DEVICE = "meta"


def described(argument: Any) -> Any:
    """What compiling for an argument needs: descriptors have an array that kernels reach."""
    if isinstance(argument, torch.Tensor):
        return argument.dtype
    if isinstance(argument, gpu.OURS.TensorDescriptor):
        device = "cuda" if torch.cuda.is_available() else "cpu"
        base = torch.empty_like(argument.base, device=device)
        return gpu.OURS.TensorDescriptor.from_tensor(base, argument.block_shape)
    return argument


class Kernel:
    """Replaces a kernel: a launch only compiles it."""

    def __init__(self, kernel: Any, made: list[Any]) -> None:
        self.kernel, self.made = kernel, made

    def __getitem__(self, grid: Any) -> Callable[..., None]:
        def launch(*arguments: Any, **options: Any) -> None:
            types = [described(argument) for argument in arguments]
            self.made.append(self.kernel.warmup(*types, target="cuda:90a", **options))

        return launch


class Kernels:
    def __init__(self, module: Any) -> None:
        self.module = module
        self.made: list[Any] = []

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.module, name)
        return found if isinstance(found, type) else Kernel(found, self.made)


NEEDS = r"needs \d+ bytes of shared memory, and sm_\w+ has (101376|166912)"
LARGE = pytest.mark.gpu_refuses(NEEDS, architectures=("86", "89", "120a"))
HUGE = pytest.mark.gpu_refuses(NEEDS, architectures=("80", "86", "89", "120a"))
LARGE_NAMES = r" 128x256x\d+ w8 s3|float16 128x128x64 w4 s4|persistent .* 128x128x(64|128) w8 s4"
HUGE_NAMES = r"attention D128( causal)? 128x128|64x128x128 w4 s4|(128x256|256x128)x\d+ w8 s4"


def cases() -> Iterator[Any]:
    for of_kind in gpu.ALL_CASES:
        for case in of_kind(False):
            marks = [
                mark
                for mark, names in ((LARGE, LARGE_NAMES), (HUGE, HUGE_NAMES))
                if re.search(names, case.name)
            ]
            yield pytest.param(case, id=case.name, marks=marks)


@pytest.mark.parametrize("case", list(cases()))
def test_compiles(case: Any) -> None:
    kernels = Kernels(gpu.OURS)
    case.run(kernels)
    products = ("matmul", "persistent", "grouped", "dot_scaled", "attention")
    for made in kernels.made:
        assert made.object.startswith(b"\x7fELF")
    assert kernels.made
    assert any("mma" in made.assembly() for made in kernels.made) == case.name.startswith(products)
    for made in kernels.made:  # the gradients of attention have four, and need every register
        ptx = made.assembly()
        maps = len(re.findall(r"\.param \.align 64 \.b8 \w+\[128\]", ptx))
        assert ptx.count("prefetch.tensormap") == (maps if maps <= 3 else 0)


@pytest.mark.cpu_only("compiles for an H200 whatever the targets are")
@pytest.mark.parametrize("depth", (64, 128))
@pytest.mark.parametrize("causal", (False, True), ids=("full", "causal"))
def test_gradients_of_attention_multiply_from_registers(depth: int, causal: bool) -> None:
    kernels = Kernels(gpu.OURS)
    name = f"attention backward D{depth}{' causal' if causal else ''}"
    (case,) = (case for case in gpu_cases.attention_backward_cases(False) if case.name == name)
    case.run(kernels)
    _, of_keys, of_queries = kernels.made
    for made, dots in ((of_keys, 4), (of_queries, 3)):
        assembly = made.assembly()
        assert made.n_spills == 0
        computes = made.ir("tilegpu").rsplit("} consumers {", 1)[-1]  # if other warps start copies
        loop = computes.split("scf.for", 1)[1].rsplit("scf.yield", 1)[0]
        assert "mma.sync" not in assembly and "local_store" not in loop
        assert assembly.count("cp.async.bulk.tensor") > 0
        assert assembly.count("wgmma.commit_group") >= dots
