"""MXFP4Tensor and MXScaleTensor: conversions, packing, random codes, and bad input."""

import math

import numpy as np
import pytest
import torch

import tilewright
import tilewright.language as tl
from tilewright.errors import ArgumentError
from tilewright.tools.mxfp import MXFP4Tensor, MXScaleTensor

VALUES = [0, 0.5, 1, 1.5, 2, 3, 4, 6]


def test_every_code_of_e2m1_and_back():
    codes = MXFP4Tensor(size=16)
    codes.data = torch.arange(16).to(torch.uint8)
    values = codes.to(torch.float32)
    assert values.dtype == torch.float32
    assert values.tolist() == VALUES + [-x for x in VALUES] and values[8].signbit()
    assert torch.equal(MXFP4Tensor(data=values).data, codes.data)


def test_floats_become_the_nearest_e2m1():
    x = torch.linspace(-7, 7, 8193, dtype=torch.float64)
    found = MXFP4Tensor(data=x).to(torch.float64)
    distances = (torch.tensor(VALUES + [-x for x in VALUES])[:, None] - x).abs()
    assert torch.equal((found - x).abs(), distances.min(0).values)
    assert torch.equal(found.signbit(), x.signbit())


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64])
def test_ties_go_to_even_codes(dtype):
    x = torch.tensor([0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0], dtype=dtype)
    expected = [0, 2, 2, 4, 4, 6, 6]
    assert MXFP4Tensor(data=x).data.tolist() == expected
    assert MXFP4Tensor(data=-x).data.tolist() == [8 + code for code in expected]


def test_e2m1_saturates():
    x = torch.tensor([5.01, 1e30, math.inf, -math.inf, math.nan, -math.nan, -0.0, 1e-30])
    assert MXFP4Tensor(data=x).data.tolist() == [7, 7, 7, 15, 7, 7, 8, 0]


@pytest.mark.parametrize("shape", [(4, 6), (3, 5, 2), (7,)])
def test_packing_and_unpacking(shape):
    tensor = MXFP4Tensor(size=shape).random()
    assert tensor.data.shape == shape and tensor.size == shape and tensor.data.max() < 16
    for dim, size in enumerate(shape):
        packed = tensor.to_packed_tensor(dim)
        assert packed.shape[dim] == (size + 1) // 2 and packed.is_contiguous()
        assert torch.equal(packed.select(dim, 0) & 15, tensor.data.select(dim, 0))
        assert torch.equal(packed.select(dim, 0) >> 4, tensor.data.select(dim, 1))
        assert torch.equal(tensor.unpack_packed_tensor(packed, dim, shape), tensor.data)


def test_random_codes_are_all_codes():
    assert MXFP4Tensor(size=(4096,)).random().data.unique().tolist() == list(range(16))
    assert 255 not in MXScaleTensor(size=(8192,)).random().data


def test_every_scale_and_back():
    scales = MXScaleTensor(size=(256,))
    scales.data = torch.arange(256).to(torch.uint8)
    values = scales.to(torch.float64)
    assert values[:255].tolist() == [2.0**e for e in range(-127, 128)] and values[255].isnan()
    assert torch.equal(scales.to(torch.float32)[:255].double(), values[:255])
    assert torch.equal(MXScaleTensor(data=values).data, scales.data)


def test_floats_become_the_scale_below():
    x = torch.tensor([1.0, 1.99, 2.0, 0.75, 3e38, 1e-45, 0, -1, math.inf, math.nan])
    assert MXScaleTensor(data=x).data.tolist() == [127, 127, 128, 126, 254, 0, 255, 255, 255, 255]


def test_limits_of_random_scales():
    scales = MXScaleTensor(size=(1000,)).random(low=1 / 4, high=12)
    assert set(scales.data.tolist()) == set(range(125, 131))
    assert set(MXScaleTensor(size=(9,)).random(1, 1).data.tolist()) == {127}


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: MXFP4Tensor(), "MXFP4Tensor takes data or a size"),
        (lambda: MXFP4Tensor(data=[1.0]), "takes a tensor of floats, found list"),
        (lambda: MXScaleTensor(data=torch.arange(2)), r"floats, found torch\.int64"),
        (lambda: MXScaleTensor(size=2).random(2, 1), "low at most high, found 2 and 1"),
        (lambda: MXScaleTensor(size=2).random(low=0), "positive finite limits, found 0"),
        (lambda: MXScaleTensor(size=2).random(high=math.inf), "finite limits, found inf"),
        (lambda: MXFP4Tensor(size=2).random().to(torch.float16), r"found torch\.float16"),
        (lambda: MXFP4Tensor(size=2).random().to_packed_tensor(1), "dimension 1 of a tensor of 1"),
        (
            lambda: MXFP4Tensor(size=2).unpack_packed_tensor(torch.zeros(2), 0, (2,)),
            r"has the shape \[1\], found \[2\]",
        ),
    ],
)
def test_bad_input(make, message):
    with pytest.raises(ArgumentError, match=message):
        make()


@tilewright.jit
def scaled_matmul(a, sa, b, sb, out, M: tl.constexpr, K: tl.constexpr):
    m, k, g = tl.arange(0, M), tl.arange(0, K // 2), tl.arange(0, K // 32)
    x, y = (tl.load(p + m[:, None] * (K // 2) + k[None, :]) for p in (a, b))
    s, t = (tl.load(p + m[:, None] * (K // 32) + g[None, :]) for p in (sa, sb))
    tl.store(out + m[:, None] * M + m[None, :], tl.dot_scaled(x, s, "e2m1", y.T, t, "e2m1"))


@pytest.mark.parametrize("target", ["cpu", "emulator:cuda:90a+checks"])
def test_inputs_of_dot_scaled(target):
    m, k = 32, 64
    a, b = (MXFP4Tensor(size=(m, k)).random() for _ in range(2))
    sa, sb = (MXScaleTensor(size=(m, k // 32)).random(low=1 / 8, high=8) for _ in range(2))
    out = torch.full((m, m), math.nan)
    parts = [a.to_packed_tensor(dim=1), sa.data, b.to_packed_tensor(dim=1), sb.data]
    scaled_matmul[(1,)](*parts, out, M=m, K=k, target=target)
    left, right = (
        (x.to(torch.float32) * s.to(torch.float32).repeat_interleave(32, 1)).double().numpy()
        for x, s in ((a, sa), (b, sb))
    )
    assert np.allclose(out.double().numpy(), left @ right.T, rtol=1e-6, atol=1e-2)
