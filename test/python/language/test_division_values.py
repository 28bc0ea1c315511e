"""Quotients of floats: rounded to nearest on the CPU; on a GPU, within what docs/math.md states."""

import numpy as np
import pytest
import torch
import ulps
from seeds import generator

import tilewright
import tilewright.language as tl
from tilewright.compiler.targets import check_runnable
from tilewright.errors import DeviceError

BLOCK = 256
PROCESSORS = [None, "cpu:avx2", "cpu:sse4", "cpu:sse2"]


@tilewright.jit
def divide(x, y, out, KIND: tl.constexpr, CONSTANT: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + i)
    if KIND == "elements":
        q = a / tl.load(y + i)
    elif KIND == "uniform":
        q = a / tl.load(y + tl.program_id(0))
    elif KIND == "constant":
        q = a / CONSTANT
    elif KIND == "rows":
        ROWS: tl.constexpr = 4
        r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
        q = tl.reshape(a, (ROWS, BLOCK // ROWS)) / tl.load(y + r)[:, None]
        q = tl.reshape(q, (BLOCK,))
    elif KIND == "fdiv":
        q = tl.fdiv(a, tl.load(y + tl.program_id(0)))
    else:
        q = tl.div_rn(a, tl.load(y + tl.program_id(0)))
    tl.store(out + i, q)


# The number of consecutive elements with the same divisor.
SHARED = {"elements": 1, "uniform": BLOCK, "rows": BLOCK // 4, "fdiv": BLOCK, "div_rn": BLOCK}


def quotients(kind, x, y, target=None, constant=1.0, out=None, **options):
    """x / y, where each element of y divides SHARED[kind] consecutive elements of x."""
    out = torch.full(x.shape, torch.nan, dtype=torch.float32) if out is None else out
    where = {} if target is None else {"target": target}
    grid = (x.numel() // BLOCK,)
    divide[grid](x, y, out, KIND=kind, CONSTANT=constant, BLOCK=BLOCK, **where, **options)
    return out.double().numpy()


def skip_unless_runnable(target, launch_target):
    if target is None:
        return
    if launch_target != "cpu":
        pytest.skip("tests the CPU's instruction sets")
    try:
        check_runnable(target)
    except DeviceError as error:
        pytest.skip(str(error))


def exact(x, y, shared, dtype):
    with np.errstate(all="ignore"):
        quotient = x.double().numpy() / np.repeat(y.double().numpy(), shared)
        return torch.from_numpy(quotient).to(dtype).double().numpy()


def check(got, expected):
    """Checks that numbers are equal, including the signs of zeros."""
    same = (got == expected) & (np.signbit(got) == np.signbit(expected))
    same |= np.isnan(got) & np.isnan(expected)
    assert same.all(), (got[~same][:4], expected[~same][:4])


def check_single(x, y, shared, got, launch_target):
    """Checks rounding to nearest on the CPU; elsewhere, the bounds for GPUs in docs/math.md."""
    expected = exact(x, y, shared, torch.float32)
    if launch_target == "cpu":
        check(got, expected)
        return
    with np.errstate(all="ignore"):
        reference = x.double().numpy() / np.repeat(y.double().numpy(), shared)
        error = ulps.errors(got.astype(np.float32), reference)
        size = np.abs(reference)
        limit = np.where(size < 2.0**-124, 2.3, np.where(size < 2.0**-100, 0.75, 0.501))
        representable = (reference == expected) & (size >= 2.0**-100) & (size < 2.0**128)
    assert (error <= limit).all(), error.max()
    check(got[representable], expected[representable])


def singles(count):
    """Random bit patterns, and numbers of moderate size."""
    rng = generator()
    bits = rng.integers(0, 1 << 32, count, np.uint32).view(np.float32)
    everyday = (rng.standard_normal(count) * 100).astype(np.float32)
    x = np.where(rng.random(count) < 0.5, bits, everyday)
    special = ulps.SPECIALS[:count]
    x[: special.size] = special
    return torch.from_numpy(rng.permutation(x))


@pytest.mark.parametrize("target", PROCESSORS)
@pytest.mark.parametrize("kind", SHARED)
def test_single_precision(kind, target, launch_target):
    skip_unless_runnable(target, launch_target)
    count = 1 << (20 if launch_target == "cpu" else 15)
    y = singles(count // SHARED[kind])
    x = singles(count)
    got = quotients(kind, x, y, target)
    check_single(x, y, SHARED[kind], got, "cpu" if kind == "div_rn" else launch_target)


@tilewright.jit
def divide_by_sum(x, y, out, CONSTANT: tl.constexpr, DIVIDEND: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    divisor = CONSTANT + tl.abs(tl.load(y + i))
    tl.store(out + i, (tl.load(x + i) if DIVIDEND is None else DIVIDEND) / divisor)


@pytest.mark.parametrize(
    "dividend", [None, 1.0, -3.0, 1000.0, 1e30, -(2.0**100), 1e-30, 3e38, 3e-38, 1e-36, 0.0, -0.0]
)
@pytest.mark.parametrize("constant", [1.0, 3.0, 0.5, 1e18])
def test_divisors_of_at_least_one(constant, dividend, launch_target):
    x, y = singles(1 << 13), singles(1 << 13)
    out = torch.full(x.shape, torch.nan)
    divide_by_sum[(x.numel() // BLOCK,)](
        x, y, out, CONSTANT=constant, DIVIDEND=dividend, BLOCK=BLOCK
    )
    divisors = torch.tensor(constant, dtype=torch.float32) + y.abs()
    x = x if dividend is None else torch.full_like(x, dividend)
    check_single(x, divisors, 1, out.double().numpy(), launch_target)


@pytest.mark.parametrize("kind", ["elements", "uniform", "rows"])
def test_multiples_of_a_number_over_it(kind, launch_target):
    """41 / 41 is 1, and (n y) / y is n if n y is exactly representable."""
    divisors = torch.arange(1, 4097, dtype=torch.float32)
    if kind != "elements":
        divisors = divisors.repeat_interleave(BLOCK // SHARED[kind])
        divisors = divisors[: 1024 * BLOCK // SHARED[kind]]
    repeated = divisors.repeat_interleave(SHARED[kind])
    times = torch.from_numpy(generator().integers(1, 4096, repeated.numel())).float()
    times[::2] = 1
    for scale in (1.0, 2.0**-40, 2.0**90):
        got = quotients(kind, repeated * times * scale, divisors * scale)
        assert np.array_equal(got, times.double().numpy())


@pytest.mark.parametrize("target", PROCESSORS)
@pytest.mark.parametrize(
    "constant", [3.0, 41.0, -0.1, 0.9375, -4.0, 1e-39, 3e38, 1e-30, -7e25, 0.0, float("inf")]
)
def test_by_a_constant(constant, target, launch_target):
    skip_unless_runnable(target, launch_target)
    x = singles(1 << 13)
    got = quotients("constant", x, x, target, constant)
    y = torch.full_like(x, constant)
    check_single(x, y, 1, got, launch_target)


@pytest.mark.parametrize("target", PROCESSORS)
@pytest.mark.parametrize("kind", ["elements", "uniform", "rows", "fdiv"])
def test_double_precision(kind, target, launch_target):
    """Compares with NumPy, which uses the hardware's division."""
    skip_unless_runnable(target, launch_target)
    count = 1 << (18 if launch_target == "cpu" else 14)
    x = torch.from_numpy(ulps.doubles(count, 1 + int(generator().integers(1 << 30))))
    x[: ulps.SPECIALS.size] = torch.from_numpy(ulps.SPECIALS)
    y = x[torch.from_numpy(generator().permutation(count))][:: SHARED[kind]].contiguous()
    out = torch.full_like(x, torch.nan)
    check(quotients(kind, x, y, target, out=out), exact(x, y, SHARED[kind], torch.float64))


@pytest.mark.parametrize("target", PROCESSORS)
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("kind", ["uniform", "fdiv"])
def test_every_half_by_some_divisors(kind, dtype, target, launch_target):
    """`/` of halves gives float32; tl.fdiv rounds to the type of its operands."""
    skip_unless_runnable(target, launch_target)
    dividends = torch.arange(-(1 << 15), 1 << 15, dtype=torch.int32).to(torch.int16).view(dtype)
    special = torch.tensor(
        [0.0, -0.0, 1.0, 3.0, torch.inf, torch.nan, 41.0, 6e-8, 5e4], dtype=dtype
    )
    some = dividends[torch.from_numpy(generator().integers(0, 1 << 16, 7))]
    for divisor in torch.cat([special, some]):
        y = divisor.repeat(dividends.numel() // BLOCK)
        out = torch.full_like(dividends, torch.nan) if kind == "fdiv" else None
        got = quotients(kind, dividends, y, target, out=out)
        if kind == "uniform":
            check_single(dividends, y, BLOCK, got, launch_target)
        else:
            check(got, exact(dividends, y, BLOCK, dtype))


@pytest.mark.parametrize("fusion", [True, False])
def test_fusion_leaves_quotients_alone(fusion, launch_target):
    x, y = singles(1 << 13), singles(1 << 13)
    got = quotients("elements", x, y, enable_fp_fusion=fusion)
    check_single(x, y, 1, got, launch_target)
