"""Code does not grow with the size of the tiles; test/benchmark/tile_size.py times compiling."""

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


def sizes_of_code(kernel: tilewright.JITFunction, size: int, target: str) -> dict[str, int]:
    """The number of lines of each phase for tiles of a size."""
    memory = np.zeros(size * size, np.float32)
    compiled = kernel.warmup(memory, memory, ROWS=size, COLUMNS=size, grid=(1,), target=target)
    phases = ("source", "tile", "vector", "llvm", "asm")
    return {phase: len(compiled.ir(phase).splitlines()) for phase in phases}


@pytest.mark.parametrize("target", ["cpu:avx512", "cpu:avx2"])
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__name__)
def test_large_tiles_take_no_more_code(kernel: tilewright.JITFunction, target: str) -> None:
    # Below 128 a row has fewer vectors than one step of its loop may process.
    medium, large = (sizes_of_code(kernel, size, target) for size in (128, 512))
    for phase, lines in large.items():
        assert lines < 1.25 * medium[phase], phase
