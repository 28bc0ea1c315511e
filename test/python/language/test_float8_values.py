"""8-bit floats: converting every code to wider floats, rounding from these, arithmetic and dots."""

import math

import numpy as np
import pytest
import torch
from inputs import FLOAT8S, FLOATS, error, poisoned, wide
from seeds import generator

import tilewright
import tilewright.language as tl

# They are passed as int8, because arrays of the last two types cannot be passed to a kernel.
CODES = torch.arange(256).to(torch.uint8)


@tilewright.jit
def decode_kernel(x, out, FROM: tl.constexpr, TO: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i).to(FROM, bitcast=True).to(TO))


@tilewright.jit
def encode_kernel(x, out, TYPE: tl.constexpr, ROUNDING: tl.constexpr, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    y = tl.load(x + i).to(TYPE, fp_downcast_rounding=ROUNDING)
    tl.store(out + i, y.to(tl.int8, bitcast=True))


def encoded(x, name, rounding=None, block=256):
    out = np.full(len(x), 85, np.int8)
    encode_kernel[(len(x) // block,)](x, out, TYPE=tl.dtype(name), ROUNDING=rounding, N=block)
    return torch.from_numpy(out).view(FLOAT8S[name])


def rounded(x, name):
    """Rounds to nearest even with PyTorch; values that are too large become infinity or NaN."""
    greatest = torch.finfo(FLOAT8S[name]).max
    return x.double().clamp(-greatest, greatest).to(FLOAT8S[name])


def same(found, wanted):
    """Whether the numbers are equal, including the signs of zeros."""
    found, wanted = found.double(), wanted.double()
    return torch.equal(found.signbit() | found.isnan(), wanted.signbit() | wanted.isnan()) and (
        torch.equal(found.nan_to_num(1e9), wanted.nan_to_num(1e9))
    )


@pytest.mark.parametrize("target", FLOATS)
@pytest.mark.parametrize("name", FLOAT8S)
def test_every_code_to_wider_floats(name, target):
    out = poisoned(target, (256,))
    x = CODES.view(torch.int8)
    decode_kernel[(1,)](x, out, FROM=tl.dtype(name), TO=tl.dtype(target), N=256)
    assert same(out, CODES.view(FLOAT8S[name]).float())


@pytest.mark.parametrize("source", ["fp16", "bf16"])
@pytest.mark.parametrize("name", FLOAT8S)
def test_every_half_to_nearest_even(name, source):
    x = torch.arange(65536).to(torch.uint16).view(FLOATS[source])
    assert same(encoded(x, name, block=4096), rounded(x, name))


def between(name, dtype):
    """All numbers of the type, the midpoints between them, and the floats next to these."""
    numbers = CODES.view(FLOAT8S[name]).to(dtype)
    numbers = numbers[numbers.isfinite()].unique()
    halfway = (numbers[1:] + numbers[:-1]) / 2
    infinity = torch.tensor(math.inf, dtype=dtype)
    near = [halfway, halfway.nextafter(infinity), halfway.nextafter(-infinity)]
    special = torch.tensor([math.inf, -math.inf, math.nan, -0.0, 1e30, -1e30, 1e-30], dtype=dtype)
    values = torch.cat([numbers, *near, special])
    return torch.nn.functional.pad(values, (0, 1024 - len(values)))


@pytest.mark.parametrize("source", ["fp32", "fp64"])
@pytest.mark.parametrize("name", FLOAT8S)
def test_ties_and_adjacent_values(name, source):
    x = between(name, FLOATS[source])
    # PyTorch would round float64 twice; this matters only for the neighbors of midpoints.
    numbers = CODES.view(FLOAT8S[name]).double()
    limit = numbers[numbers.isfinite()].max()
    exact = x.double().clamp(-limit, limit)
    found = encoded(x, name).double()
    distance = (found - exact).abs()
    for other in numbers[numbers.isfinite()].unique():
        assert not ((other - exact).abs() < distance).any()
    single = x.float()
    is_exact = single.double() == x.double()
    assert same(found[is_exact], rounded(single, name)[is_exact])


@pytest.mark.parametrize("name", FLOAT8S)
def test_random_floats_to_nearest_even(name):
    x = torch.from_numpy(generator().standard_normal(4096)).float().exp2() ** 6
    x[::2] *= -1
    assert same(encoded(x, name), rounded(x, name))


@pytest.mark.parametrize("name", FLOAT8S)
def test_toward_zero(name):
    x = between(name, torch.float32)[:256]
    numbers = CODES.view(FLOAT8S[name]).double()
    numbers = numbers[numbers.isfinite()].unique().numpy()
    size = np.abs(wide(x))
    wanted = numbers[np.searchsorted(numbers, size, side="right") - 1]
    assert np.array_equal(wide(encoded(x, name, "rtz")), np.where(wide(x) < 0, -wanted, wanted))


@tilewright.jit
def calculate_kernel(x, y, sums, products, larger, chosen, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i, mask=i < N - 3, other=1.5)
    b = tl.load(y + i)
    tl.store(sums + i, a + b)
    tl.store(products + i, -a * 0.75)
    tl.store(larger + i, a > b)
    tl.store(chosen + i, tl.where(a > b, a, b), mask=i < N - 3)


@pytest.mark.parametrize("dtype", [torch.float8_e5m2, torch.float8_e4m3fn])
def test_arithmetic_is_that_of_float32_rounded(dtype):
    x, y = (torch.from_numpy(generator().standard_normal(64)).to(dtype) for _ in range(2))
    sums, products, chosen = (torch.zeros(64).to(dtype) for _ in range(3))
    larger = np.full(64, False)
    calculate_kernel[(1,)](x, y, sums, products, larger, chosen, N=64)
    a, b = x.float(), y.float()
    a[-3:] = 1.5
    assert same(sums, (a + b).to(dtype))
    assert same(products, (a * -0.75).to(dtype))
    assert np.array_equal(larger, (a > b).numpy())
    assert same(chosen[:-3], a.maximum(b)[:-3])
    assert (chosen[-3:].float() == 0).all()


@tilewright.jit
def integers_kernel(x, out, back, TYPE: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    y = tl.load(x + i).to(TYPE)
    tl.store(out + i, y)
    tl.store(back + i, y.to(tl.int32))


@pytest.mark.parametrize("name", ["fp8e5", "fp8e4nv"])
def test_integers(name):
    x = np.arange(-128, 128).astype(np.int32)
    out, back = torch.zeros(256).to(FLOAT8S[name]), np.zeros(256, np.int32)
    integers_kernel[(1,)](x, out, back, TYPE=tl.dtype(name), N=256)
    assert same(out, torch.from_numpy(x).float().to(FLOAT8S[name]))
    assert np.array_equal(back, wide(out).astype(np.int32))


@tilewright.jit
def move_kernel(x, places, transposed, gathered, joined, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M * N)
    tile = tl.load(x + i)
    across = tl.trans(tl.reshape(tile, (M, N)))
    tl.store(transposed + i, tl.reshape(across, (M * N,)))
    tl.store(gathered + i, tl.gather(tile, tl.load(places + i), 0))
    constant = tl.full((M * N,), 1.5, x.dtype.element_ty)
    tl.store(joined + tl.arange(0, 2 * M * N), tl.interleave(tile, constant))


@pytest.mark.parametrize("dtype", [torch.float8_e5m2, torch.float8_e4m3fn])
def test_moves(dtype):
    m, n = 16, 32
    x = torch.from_numpy(generator().standard_normal((m, n))).to(dtype)
    places = generator().integers(0, m * n, m * n).astype(np.int32)
    transposed, gathered, joined = (torch.zeros(size).to(dtype) for size in (512, 512, 1024))
    move_kernel[(1,)](x, places, transposed, gathered, joined, M=m, N=n)
    assert same(transposed, x.float().T.reshape(-1))
    assert same(gathered, x.float().reshape(-1)[places])
    assert same(joined[::2], x.float().reshape(-1)) and (joined[1::2].float() == 1.5).all()


@tilewright.jit
def product_kernel(a, b, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    acc = tl.zeros((M, N), tl.float32)
    for _ in range(2):
        x = tl.load(a + i[:, None] * K + k[None, :])
        y = tl.load(b + k[:, None] * N + j[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(out + i[:, None] * N + j[None, :], acc)


@pytest.mark.parametrize("m, n, k", [(16, 16, 32), (64, 32, 64), (16, 16, 16), (8, 4, 16)])
@pytest.mark.parametrize("left", [torch.float8_e5m2, torch.float8_e4m3fn])
@pytest.mark.parametrize("right", [torch.float8_e5m2, torch.float8_e4m3fn])
def test_products(left, right, m, n, k):
    a = torch.from_numpy(generator().standard_normal((m, k))).to(left)
    b = torch.from_numpy(generator().standard_normal((k, n))).to(right)
    out = poisoned("fp32", (m, n))
    product_kernel[(1,)](a, b, out, M=m, N=n, K=k)
    # Before Blackwell, tensor cores keep 13 bits below the largest summand of a float8 dot.
    assert error(out, 2 * wide(a) @ wide(b)) < 1e-3


@tilewright.jit
def print_kernel(x, N: tl.constexpr):
    tl.device_print("x", tl.load(x + tl.arange(0, N)))


def test_printing(capfd):
    print_kernel[(1,)](torch.tensor([0.15625, -448.0]).to(torch.float8_e4m3fn), N=2)
    printed = capfd.readouterr().out
    assert "x: 0.156" in printed  # 25 follows, but not on a GPU, which prints as many as tell
    assert "x: -448" in printed
