"""Limited resources of GPUs: errors and spilling, checked at compile time without a GPU."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from demanding_kernels import normalize, product

import tilewright
import tilewright.language as tl
from tilewright.compiler.assembler import find_assemblers
from tilewright.errors import OutOfResourcesError

pytestmark = pytest.mark.skipif(not any(find_assemblers()), reason="there is no assembler")


def compiled(block: int = 4096, **options: Any) -> Any:
    types = np.float32, np.float32
    return normalize.warmup(*types, 5, BLOCK=block, **{"target": "cuda:90a", **options})


# Errors


@pytest.mark.parametrize(("target", "limit"), [("cuda:80", 166_912), ("cuda:86", 101_376)])
def test_more_shared_memory_than_there_is(target: str, limit: int) -> None:
    expected = (
        r"product \(demanding_kernels.py:\d+\): the kernel needs (\d+) bytes of shared memory, "
        rf"and sm_{target[5:]} has {limit} for each program; smaller blocks"
    )
    with pytest.raises(OutOfResourcesError, match=expected) as caught:
        double = np.float64
        product.warmup(double, double, double, M=256, N=256, K=256, target=target)
    error = caught.value
    assert (error.resource, error.limit) == ("shared memory", limit)
    assert error.required > limit and f"needs {error.required} bytes" in str(error)


def test_more_threads_than_there_are() -> None:
    expected = r"normalize \(.*needs 2048 threads, and sm_90a has 1024 .*num_warps is at most 32"
    with pytest.raises(OutOfResourcesError, match=expected) as caught:
        compiled(num_warps=64)
    error = caught.value
    assert (error.resource, error.required, error.limit) == ("threads", 2048, 1024)
    assert compiled(num_warps=32).metadata["num_warps"] == 32


# Spilling


@pytest.mark.parametrize(
    "options", [{"maxnreg": 24, "block": 8192}, {"num_warps": 1, "block": 16384}]
)
def test_what_has_too_few_registers_spills_and_says_so(
    options: dict[str, Any], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TILEWRIGHT_LOG", "compiles")
    kernel = compiled(**options)
    assert kernel.n_spills > 100 and kernel.n_regs <= options.get("maxnreg", 255)
    said = capfd.readouterr().err
    spilt = re.search(r"(\d+) bytes spilled: smaller tiles or more warps need fewer reg", said)
    assert spilt and int(spilt[1]) == 4 * kernel.n_spills


def test_enough_registers_are_not_remarked_upon(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TILEWRIGHT_LOG", "compiles")
    assert compiled(1024).n_spills == 0
    assert "spilled" not in capfd.readouterr().err


DTYPES = [np.float16, np.int8, np.float32, np.float64]


def assembly_of_product(sides: tuple[int, ...], dtype: Any) -> str:
    result = {np.float16: np.float32, np.int8: np.int32}.get(dtype, dtype)
    m, n, k = sides
    kernel = product.warmup(dtype, dtype, result, M=m, N=n, K=k, target="cuda:80")
    assert kernel.object.startswith(b"\x7fELF")
    return str(kernel.assembly())


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sides", [(16, 16, 2), (8, 8, 1), (2, 128, 2)], ids=str)
def test_a_product_that_no_instruction_takes(sides: tuple[int, ...], dtype: Any) -> None:
    text = assembly_of_product(sides, dtype)
    assert "mma" not in text
    assert re.search(r"\b(fma|mad)\.", text) or re.search(r"\bmul\.", text)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sides", [(1, 1, 16), (4, 2, 16), (1, 16, 32), (2, 128, 32)], ids=str)
def test_a_product_with_fewer_rows_or_columns_than_an_instruction(
    sides: tuple[int, ...], dtype: Any
) -> None:
    assert "mma.sync" in assembly_of_product(sides, dtype)


def test_a_called_function_may_need_shared_memory() -> None:
    kernel = calls.warmup(np.float32, np.float32, BLOCK=1024, target="cuda:90a")
    assert kernel.shared > 0


@tilewright.jit
def total(values):
    return tl.sum(values, axis=0)


@tilewright.jit
def calls(x, out, BLOCK: tl.constexpr):
    tl.store(out, total(tl.load(x + tl.arange(0, BLOCK))))
