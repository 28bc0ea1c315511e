"""Compiled kernels launched with every kind of argument."""

from __future__ import annotations

import os
import signal
import threading
from typing import NamedTuple

import numpy as np
import pytest
import torch

import tilewright
import tilewright.language as tl


@tilewright.jit
def add(x, y, out, n, BLOCK: tl.constexpr = 128):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    tl.store(out + i, tl.load(x + i, mask=m) + tl.load(y + i, mask=m), mask=m)


def add_grid(meta):
    return (tilewright.cdiv(meta["n"], meta["BLOCK"]),)


@pytest.mark.parametrize("n", [1, 16, 1000, 100_003])
def test_torch(n) -> None:
    x, y, out = torch.randn(n), torch.randn(n), torch.full((n,), torch.nan)
    kernel = add[add_grid](x, y, out, n)
    assert torch.equal(out, x + y)
    assert kernel.name == "add" and kernel.target == "cpu"


def test_numpy() -> None:
    x, y = np.random.randn(1000), np.random.randn(1000)
    out = np.full(1000, np.nan)
    add[add_grid](x, y, out, 1000, BLOCK=64)
    assert (out == x + y).all()


def test_views_and_gradients() -> None:
    x, y = torch.randn(1003, requires_grad=True), torch.nn.Parameter(torch.randn(1003))
    out = torch.full((1003,), torch.nan)
    add[add_grid](x[3:], y[3:], out[3:], 1000)
    assert torch.equal(out[3:], x[3:] + y[3:]) and out[:3].isnan().all()


def test_in_place_and_the_same_tensor_twice() -> None:
    x = torch.randn(1000)
    expected = x + x
    add[add_grid](x, x, x, 1000)
    assert torch.equal(x, expected)


def test_strides_as_arguments() -> None:
    @tilewright.jit
    def column_sums(x, out, rows, stride_row, stride_column, R: tl.constexpr):
        i = tl.arange(0, R)
        offsets = i * stride_row + tl.program_id(0) * stride_column
        tl.store(out + tl.program_id(0), tl.sum(tl.load(x + offsets, mask=i < rows, other=0.0)))

    x = torch.randn(37, 20)
    for view in (x, x.t(), x[::2, 1::3]):
        out = torch.full((view.shape[1],), torch.nan)
        column_sums[(view.shape[1],)](view, out, view.shape[0], *view.stride(), R=64)
        assert torch.allclose(out, view.sum(0), atol=1e-5)


def test_none_tuples_and_constants() -> None:
    class Scale(NamedTuple):
        factor: object
        offset: object

    @tilewright.jit
    def kernel(out, bias, scale, flag, MODE: tl.constexpr):
        i = tl.arange(0, 16)
        value = i * scale.factor + scale.offset
        if bias is not None:
            value += tl.load(bias + i)
        if flag:
            value = value + 1.0
        if MODE == "negate":
            value = -value
        tl.store(out + i, value)

    i = torch.arange(16.0)
    bias = torch.randn(16)
    out = torch.full((16,), torch.nan)
    kernel[1](out, None, Scale(2.0, 1), False, MODE="")
    assert torch.equal(out, 2 * i + 1)
    kernel[1](out, bias, Scale(0.5, 3), True, MODE="negate")
    assert torch.allclose(out, -(0.5 * i + 3 + bias + 1))


@pytest.mark.parametrize("value", [1, 16, -3, 2**31 - 1, 2**40, -(2**40), 2**64 - 1])
def test_integer_arguments(value) -> None:
    @tilewright.jit
    def kernel(out, n):
        tl.store(out, n)

    out = torch.zeros(1, dtype=torch.int64 if value < 2**63 else torch.uint64)
    kernel[1](out, value)
    assert out.item() == value


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32", "float64"])
def test_float_arguments(name) -> None:
    def kernel(out, v):
        tl.store(out, v)

    kernel.__annotations__["v"] = name
    out = torch.zeros(1, dtype=getattr(torch, name))
    tilewright.jit(kernel)[1](out, 0.1)
    assert out.item() == torch.tensor(0.1, dtype=out.dtype).item()


def test_three_axes() -> None:
    @tilewright.jit
    def kernel(out):
        x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
        index = x + tl.num_programs(0) * (y + tl.num_programs(1) * z)
        tl.store(out + index, 100 * x + 10 * y + z)

    out = torch.full((4, 3, 5), -1, dtype=torch.int32)
    kernel[(5, 3, 4)](out)
    z, y, x = torch.meshgrid(*(torch.arange(n) for n in (4, 3, 5)), indexing="ij")
    assert torch.equal(out, (100 * x + 10 * y + z).int())


def test_a_global_constant_that_changes(monkeypatch) -> None:
    monkeypatch.setitem(globals(), "FACTOR", tl.constexpr(3))

    @tilewright.jit
    def kernel(out):
        tl.store(out, FACTOR)  # noqa: F821

    out = torch.zeros(1)
    kernel[1](out)
    assert out.item() == 3
    monkeypatch.setitem(globals(), "FACTOR", tl.constexpr(4))
    kernel[1](out)
    assert out.item() == 4


def test_warmup_compiles_what_a_launch_uses() -> None:
    made = add.warmup(torch.float16, torch.float16, torch.float16, 1000, BLOCK=32, grid=(1,))
    x, y, out = (torch.ones(1024, dtype=torch.float16) for _ in range(3))
    assert add[1](x, y, out, 999, BLOCK=32) is made
    assert "tile.load" in made.ir("tile") and made.assembly()


def test_sixteen_threads_launch_a_new_kernel() -> None:
    @tilewright.jit
    def kernel(x, out, n, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)

    x = torch.randn(5000)
    outs = [torch.full_like(x, torch.nan) for _ in range(16)]
    barrier = threading.Barrier(16)

    def work(out) -> None:
        barrier.wait()
        kernel[(79,)](x, out, 5000, BLOCK=64)

    threads = [threading.Thread(target=work, args=(out,)) for out in outs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(torch.equal(out, 2 * x) for out in outs)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_fork_after_a_compiled_launch() -> None:
    x, y, out = (torch.randn(300_000) for _ in range(3))
    add[add_grid](x, y, out, 300_000)

    child = os.fork()
    if child == 0:
        signal.alarm(300)
        result = np.full(300_000, np.nan, np.float32)
        add[add_grid](x.numpy(), y.numpy(), result, 300_000)
        # This also compiles.
        add[add_grid](x.numpy(), y.numpy(), result, 300_000, BLOCK=512)
        os._exit(7 if (result == x.numpy() + y.numpy()).all() else 8)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
