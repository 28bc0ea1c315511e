"""A matmul of any types and orders in memory, for tests of dots that warp groups compute."""

import numpy as np
import torch
from inputs import FLOAT8S, error, fresh, poisoned, wide
from seeds import generator

import tilewright
import tilewright.language as tl

TYPES = {
    "fp16": "fp32",
    "bf16": "fp32",
    "fp32": "fp32",
    "fp8e5": "fp32",
    "fp8e4nv": "fp32",
    "int8": "int32",
}

# The error of a result, as a norm relative to the result's: tf32 has 11 bits, and a float8 dot
# keeps 13 bits below the largest summand.
ERRORS = {"fp32": 2.0**-10, "fp8e5": 1e-3, "fp8e4nv": 1e-3}


def random(dtype, shape):
    if dtype in FLOAT8S:
        return torch.from_numpy(generator().standard_normal(shape)).to(FLOAT8S[dtype])
    return fresh(dtype, shape)


def transposed(x):
    """The same matrix in memory by columns."""
    return x.T.contiguous().T if isinstance(x, torch.Tensor) else np.asfortranarray(x)


def strides(x):
    return x.stride() if isinstance(x, torch.Tensor) else [s // x.itemsize for s in x.strides]


@tilewright.jit
def matmul(
    a, b, c, M, N, K, am, ak, bk, bn, cm,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    kind: tl.constexpr = c.dtype.element_ty
    total = tl.zeros((BM, BN), kind)
    for start in range(0, K, BK):
        inside = start + k < K
        x = tl.load(
            a + i[:, None] * am + (start + k)[None, :] * ak,
            mask=(i[:, None] < M) & inside[None, :],
            other=0,
        )
        y = tl.load(
            b + (start + k)[:, None] * bk + j[None, :] * bn,
            mask=inside[:, None] & (j[None, :] < N),
            other=0,
        )
        total = tl.dot(x, y, total, out_dtype=kind)
    tl.store(c + i[:, None] * cm + j[None, :], total, mask=(i[:, None] < M) & (j[None, :] < N))


def check_matmul(dtype, orders, sizes, blocks, sums=None, **options):
    """Compares with float64; `sums` is the type of the result, if another one than usual."""
    (m, n, k), (bm, bn, bk) = sizes, blocks
    a, b = random(dtype, (m, k)), random(dtype, (k, n))
    a = transposed(a) if orders[0] == "T" else a
    b = transposed(b) if orders[1] == "T" else b
    c = poisoned(sums or TYPES[dtype], (m, n))
    grid = (-(-m // bm), -(-n // bn))
    matmul[grid](a, b, c, m, n, k, *strides(a), *strides(b), n, bm, bn, bk, **options)
    if dtype == "int8":
        assert np.array_equal(c, wide(a) @ wide(b))
    else:
        bound = 2.0**-8 if sums == "fp16" else ERRORS.get(dtype, 1e-5)
        assert error(c, wide(a) @ wide(b)) < bound


def takes_boxes(target: str) -> bool:
    """Whether kernels for the target can copy boxes."""
    return "cuda:90a" in target or target == "cuda"
