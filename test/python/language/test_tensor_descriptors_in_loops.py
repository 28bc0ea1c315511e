"""Kernels with tensor descriptors: matmul, loops, branches, helper functions and tuples."""

import re

import numpy as np
import pytest
import torch
from windows_of import some, window

import tilewright
import tilewright.language as tl
from tilewright.compiler.pipeline import compile
from tilewright.errors import LoopTypeError


@tilewright.jit
def matmul(
    a, b, c, M, N, K, sa, sb, sc, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
    TRANSPOSED: tl.constexpr
):  # fmt: skip
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    left = tl.make_tensor_descriptor(a, [M, K], [sa, 1], [BM, BK])
    if TRANSPOSED:
        right = tl.make_tensor_descriptor(b, [N, K], [sb, 1], [BN, BK])
    else:
        right = tl.make_tensor_descriptor(b, [K, N], [sb, 1], [BK, BN])
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        y = right.load([n, k]).T if TRANSPOSED else right.load([k, n])
        acc = tl.dot(left.load([m, k]), y, acc)
    result = tl.make_tensor_descriptor(c, [M, N], [sc, 1], [BM, BN])
    result.store([m, n], acc)


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
@pytest.mark.parametrize("transposed", [False, True])
def test_matmul(transposed, dtype):
    rng = np.random.default_rng(2)
    M, N, K = 50, 35, 70
    a, b = (torch.from_numpy(rng.integers(-4, 5, s)).to(dtype) for s in ((M, K), (K, N)))
    expected = a.float() @ b.float()
    b = b.t().contiguous() if transposed else b
    c = torch.full((M, N), float("nan"), dtype=dtype)
    strides = a.stride(0), b.stride(0), c.stride(0)
    matmul[(2, 3)](a, b, c, M, N, K, *strides, BM=32, BN=16, BK=16, TRANSPOSED=transposed)
    assert torch.equal(c.float(), expected)


@pytest.mark.parametrize("transposed", [False, True])
def test_a_matmul_has_wide_asynchronous_copies(transposed):
    signature = [*["*fp16:D"] * 3, *["i32:D"] * 6, 64, 64, 32, transposed]
    made = compile(matmul, signature, "cuda:80", {"num_stages": 3})
    assert made.ir("tilegpu").partition("scf.for")[2].count("tilegpu.async_copy") == 2
    accesses = re.findall(r"cp\.async\.\w+\.shared\S*|(?:ld|st)\.global\S*", made.asm["ptx"])
    assert {"cp.async.cg.shared.global", "st.global.v4.b32"} == set(accesses)


@pytest.mark.parametrize("transposed", [False, True])
def test_a_matmul_copies_boxes(transposed):
    signature = [*["*fp16:D"] * 3, *["i32:D"] * 6, 64, 64, 32, transposed]
    made = compile(matmul, signature, "cuda:90a", {"num_stages": 3})
    assert made.ir("tilegpu").partition("scf.for")[2].count("tilegpu.box_copy") == 2
    assert "cp.async.bulk.tensor" in made.asm["ptx"]


@tilewright.jit
def shifted(d, by):
    if by > 0:
        return tl.make_tensor_descriptor(d.base + by, d.shape, d.strides, d.block_shape), by
    return d, by


@tilewright.jit
def through_control_flow(x, out, n, by):
    source = tl.make_tensor_descriptor(x, [n], [1], [8])
    pair = shifted(source, by)
    for i in range(4):
        if i == 2:
            pair = (source, pair[1])
        tl.store(out + i * 8 + tl.arange(0, 8), pair[0].load([i]))


@pytest.mark.parametrize("by", [0, 5])
def test_branches_calls_and_tuples(by):
    x, out = some("int32", (20,)), torch.zeros(32, dtype=torch.int32)
    through_control_flow[(1,)](x, out, 10, by)
    first = [i + (by if i < 2 else 0) for i in range(4)]
    rows = [window(x[start - i :][:10].numpy(), (i,), (8,), 0) for i, start in enumerate(first)]
    assert out.tolist() == np.concatenate(rows).tolist()


@tilewright.jit
def in_a_helper(x, n, stride):
    return tl.make_tensor_descriptor(x, [n], [stride], [8])


@tilewright.jit
def stride_of_a_helper(x, out, n, stride):
    tl.store(out + tl.arange(0, 8), in_a_helper(x, n, stride).load([1]))


@pytest.mark.parametrize("stride", [1, 3])
def test_a_stride_known_only_at_run_time_is_used(stride):
    x, out = some("int32", (40,)), torch.zeros(8, dtype=torch.int32)
    stride_of_a_helper[(1,)](x, out, 6, stride)
    assert out.tolist() == [*x[stride : 6 * stride : stride].tolist(), 0, 0, 0]


@tilewright.jit
def another_block_shape(x, n):
    d = tl.make_tensor_descriptor(x, [n], [1], [8])
    for _ in range(n):
        d = tl.make_tensor_descriptor(x, [n], [1], [16])
    d.store([0], 1)


def test_a_loop_cannot_change_the_block_shape():
    with pytest.raises(LoopTypeError, match="tensor_descriptor"):
        compile(another_block_shape, ["*i32", "i32"])
