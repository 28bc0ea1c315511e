"""The size of the LLVM IR for the CPU does not grow with the tile, even in a chain of dots."""

import tilewright
import tilewright.language as tl
from tilewright import compiler

POINTERS = ["*fp32:D", "*fp32:D", "*fp32:D"]


@tilewright.jit
def attend(a, b, out, N: tl.constexpr):
    i = tl.arange(0, N)[:, None]
    j = tl.arange(0, N)[None, :]
    x = tl.load(a + i * N + j)
    y = tl.load(b + i * N + j)
    scores = tl.dot(x, tl.trans(y))
    scores = tl.exp(scores - tl.max(scores, axis=1)[:, None])
    tl.store(out + i * N + j, tl.dot(scores / tl.sum(scores, axis=1)[:, None], y))


def instructions(n: int) -> int:
    kernel = compiler.compile(attend, [*POINTERS, n], "cpu:avx512", noalias=True)
    return sum(line.startswith("  ") for line in kernel.ir("llvm").splitlines())


def test_code_does_not_grow_with_the_tile() -> None:
    small, large, huge = instructions(32), instructions(128), instructions(512)
    assert large < 1.3 * small
    assert huge < 1.3 * small
