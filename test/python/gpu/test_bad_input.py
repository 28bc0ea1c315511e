"""Compiled kernels on a GPU that need many resources or are launched in unusual ways."""

from __future__ import annotations

import re

import pytest
from demanding_kernels import normalize, product

from tilewright.errors import OutOfResourcesError


@pytest.mark.parametrize("options", [{"maxnreg": 24}, {"num_warps": 1}])
def test_a_kernel_that_spills_everything(gpu, options, monkeypatch, capfd) -> None:
    monkeypatch.setenv("TILEWRIGHT_LOG", "compiles")
    monkeypatch.setenv("TILEWRIGHT_CACHE", "0")
    x = gpu.rand(16000, device="cuda")
    out = gpu.zeros_like(x)
    made = normalize[(1,)](x, out, x.numel(), BLOCK=16384, **options)
    gpu.testing.assert_close(out, x / x.sum())
    assert made.n_spills > 100
    assert re.search(r"\d+ bytes spilled: smaller tiles or more warps", capfd.readouterr().err)


def test_a_kernel_that_is_compiled_during_a_capture(gpu, monkeypatch) -> None:
    monkeypatch.setenv("TILEWRIGHT_CACHE", "0")
    x = gpu.rand(500, device="cuda")
    out = gpu.zeros_like(x)
    gpu.cuda.synchronize()
    graph = gpu.cuda.CUDAGraph()
    with gpu.cuda.graph(graph):
        made = normalize[(1,)](x, out, 500, BLOCK=512, num_warps=2)
    assert made.origin == "compiled"
    assert not out.any(), "a captured launch ran"
    graph.replay()
    gpu.testing.assert_close(out, x / x.sum())


# Some matrix instructions take K from 4; other products are sums of multiply-adds.
SIDES = [(4, 4, 4), (1, 16, 8), (16, 16, 2), (8, 8, 1), (2, 128, 32)]
# Bounds of the errors relative to the sums of the products' magnitudes; float32 operands are
# rounded to tf32.
TOLERANCES = {"float16": 2**-16, "bfloat16": 2**-16, "float32": 2**-9, "float64": 2**-48}


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize("sides", SIDES, ids=lambda sides: "x".join(map(str, sides)))
def test_a_product_with_short_sides(gpu, sides, dtype) -> None:
    m, n, k = sides
    a, b = (gpu.randn(s, device="cuda").to(getattr(gpu, dtype)) for s in ((m, k), (k, n)))
    wide = gpu.float64 if dtype == "float64" else gpu.float32
    out = gpu.full((m, n), gpu.nan, device="cuda", dtype=wide)
    product[(1,)](a, b, out, M=m, N=n, K=k)
    a, b = a.double(), b.double()
    assert ((out.double() - a @ b).abs() <= TOLERANCES[dtype] * (a.abs() @ b.abs())).all()


def test_more_than_the_device_has(gpu) -> None:
    x = gpu.zeros(256 * 256, dtype=gpu.float64, device="cuda")
    with pytest.raises(OutOfResourcesError) as caught:
        product[(1,)](x, x, x, M=256, N=256, K=256)
    assert caught.value.resource == "shared memory"
    most = gpu.cuda.get_device_properties(0).shared_memory_per_block_optin
    assert caught.value.limit == most < caught.value.required
    with pytest.raises(OutOfResourcesError, match="needs 2048 threads"):
        normalize[(1,)](x, x, 1, BLOCK=1024, num_warps=64)
