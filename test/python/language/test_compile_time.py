"""The time that compiling takes does not depend on the size of the tiles."""

import time

import numpy as np
import pytest

import tilewright
import tilewright.language as tl

pytestmark = pytest.mark.cpu_only(
    "a GPU's threads have a share of a tile each, and code for it", compiles=False
)


@tilewright.jit
def softmax_kernel(x, out, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    i = tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    v = tl.load(x + i)
    e = tl.exp(v - tl.max(v, 1)[:, None])
    tl.store(out + i, tl.trans(tl.trans(e / tl.sum(e, 1)[:, None])))


@tilewright.jit
def product_kernel(x, out, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    i = tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    v = tl.load(x + i)
    acc = tl.zeros((ROWS, ROWS), tl.float32)
    for _ in range(4):
        acc = tl.dot(v, tl.trans(v), acc)
    j = tl.arange(0, ROWS)[:, None] * ROWS + tl.arange(0, ROWS)[None, :]
    tl.store(out + j, acc)


@tilewright.jit
def rearranging_kernel(x, out, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    i = tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    v = tl.load(x + i)
    s = tl.cumsum(v, 1) + tl.flip(v, 0)
    a, b = tl.split(tl.reshape(s, (ROWS, COLUMNS // 2, 2)))
    both = tl.reshape(tl.join(a, b), (ROWS, COLUMNS))
    tl.store(out + i, tl.where(tl.argmax(both, 0)[None, :] > 3, both, v))


KERNELS = [softmax_kernel, product_kernel, rearranging_kernel]


def assembly_lines(kernel: tilewright.JITFunction, size: int, target: str) -> int:
    memory = np.zeros(size * size, np.float32)
    compiled = kernel.warmup(memory, memory, ROWS=size, COLUMNS=size, grid=(1,), target=target)
    return len(compiled.asm().splitlines())


@pytest.mark.parametrize("target", ["cpu:avx512", "cpu:avx2"])
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__name__)
def test_large_tiles_take_no_more_code(kernel: tilewright.JITFunction, target: str) -> None:
    # Below 128 a row has fewer vectors than one step of its loop may take.
    medium, large = (assembly_lines(kernel, size, target) for size in (128, 512))
    assert large < 1.1 * medium


@pytest.mark.timed
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__name__)
def test_large_tiles_take_no_more_time(
    kernel: tilewright.JITFunction, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TILEWRIGHT_CACHE", "0")
    best = {16: float("inf"), 128: float("inf")}
    for _ in range(7):
        for size in best:
            memory = np.zeros(size * size, np.float32)
            anew = tilewright.jit(kernel.fn)
            start = time.process_time()
            anew.warmup(memory, memory, ROWS=size, COLUMNS=size, grid=(1,))
            best[size] = min(best[size], time.process_time() - start)
    assert best[128] < 1.5 * best[16]
