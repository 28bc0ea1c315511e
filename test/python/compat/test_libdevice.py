"""The functions of triton.language.extra.libdevice, compared with NumPy on special values."""

import numpy as np
import pytest
from elementwise import SPECIAL, apply, padded, same

import tilewright
import tilewright.language as tl
from tilewright.compat import libdevice
from tilewright.compat.entries import Deferred, Module
from tilewright.compat.facade import find
from tilewright.compat.table import MODULES
from tilewright.errors import CompileError, TypeMismatchError, UnsupportedError

TABLE = MODULES["triton.language.extra.libdevice"]
ulp = np.spacing
# Below a half by the least, and odd integers: a sum with a half is a tie, in float32 or float64.
NEAR_TIES = [
    sign * size
    for sign in (1, -1)
    for size in (0.5 - 2**-54, 2.0**23 + 1, 2.0**24 - 1, 2.0**52 + 1, 2.0**53 - 1)
]


def away_from_zero(x):
    whole = np.trunc(x)
    return np.where(np.abs(x - whole) >= 0.5, whole + np.copysign(1, x), whole)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("name", "reference"),
    [
        ("trunc", np.trunc),
        ("rint", np.rint),
        ("nearbyint", np.rint),
        ("round", away_from_zero),
        ("floor", np.floor),
        ("ceil", np.ceil),
        ("abs", np.abs),
    ],
)
def test_rounding(name, reference, dtype, target) -> None:
    x = padded(SPECIAL + NEAR_TIES, dtype)
    with np.errstate(invalid="ignore"):
        same(apply(getattr(libdevice, name), dtype, x), reference(x).astype(dtype))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_classes_of_numbers(dtype, target) -> None:
    x = padded(SPECIAL, dtype)
    assert np.array_equal(apply(libdevice.isnan, bool, x), np.isnan(x))
    assert np.array_equal(apply(libdevice.isinf, bool, x), np.isinf(x))
    assert np.array_equal(apply(libdevice.signbit, np.int32, x), np.signbit(x).astype(np.int32))
    finite = libdevice.finitef if dtype == np.float32 else libdevice.isfinited
    assert np.array_equal(apply(finite, bool, x), np.isfinite(x))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_functions_of_two_values(dtype, target) -> None:
    x = np.resize(np.array(SPECIAL, dtype), 64)
    y = np.roll(x, 29)
    with np.errstate(all="ignore"):
        same(apply(libdevice.copysign, dtype, x, y), np.copysign(x, y))
        positive = np.where(x <= y, dtype(0), x - y)
        same(apply(libdevice.fdim, dtype, x, y), positive)
        for name, operation in (("div_rn", np.divide), ("mul_rn", np.multiply)):
            same(apply(getattr(libdevice, name), dtype, x, y), operation(x, y))
        same(apply(libdevice.add_rn, dtype, x, y), np.add(x, y))
        same(apply(libdevice.fmod, dtype, x, y), np.fmod(x, y))
        same(apply(libdevice.sub_rn, dtype, x, y), np.subtract(x, y))


def test_a_product_is_not_fused(target) -> None:
    """The difference of two equal products is zero, unless only one of them is rounded."""
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(64).astype(np.float32) for _ in range(2))

    @tilewright.jit
    def error(out, x, y):
        i = tl.arange(0, 64)
        a, b = tl.load(x + i), tl.load(y + i)
        tl.store(out + i, libdevice.mul_rn(a, b) - libdevice.mul_rn(b, a * 1.0))
        tl.store(out + 64 + i, libdevice.sub_rn(a * b, libdevice.mul_rn(a, b)))

    out = np.ones(128, np.float32)
    error[(1,)](out, a, b)
    assert not out.any()


def test_rounding_a_product_rounds_the_rounded_product(target) -> None:
    # The exact product is above 2.5, the rounded one is 2.5, a tie.
    a = np.float32(2.5) * (1 + ulp(np.float32(1)))
    b = np.float32(1) - ulp(np.float32(1)) / 2
    products = [(x, y) for x in (a, ulp(a) + a) for y in (b, b - ulp(b) / 2)]
    x, y = (np.resize(np.array(c, np.float32), 64) for c in zip(*products, strict=True))
    assert (x * y == 2.5).any()

    @tilewright.jit
    def rounded(out, x, y):
        i = tl.arange(0, 64)
        tl.store(out + i, libdevice.rint(tl.load(x + i) * tl.load(y + i)))

    out = np.zeros(64, np.float32)
    rounded[(1,)](out, x, y)
    assert np.array_equal(out, np.rint(x * y))


@pytest.mark.parametrize(
    ("name", "reference"),
    [
        ("fast_expf", np.exp), ("fast_logf", np.log), ("fast_log2f", np.log2),
        ("fast_log10f", np.log10), ("fast_exp10f", lambda x: 10.0**x), ("fast_sinf", np.sin),
        ("fast_cosf", np.cos), ("fast_tanf", np.tan), ("fast_tanhf", np.tanh),
        ("sqrt_rn", np.sqrt), ("rcp_rn", lambda x: 1 / x),
    ],
)  # fmt: skip
def test_functions_of_float32(name, reference, target) -> None:
    x = np.linspace(0.01, 3, 64, dtype=np.float32)
    found = apply(getattr(libdevice, name), np.float32, x)
    np.testing.assert_allclose(found, reference(x.astype(np.float64)), rtol=3e-6, atol=1e-6)


def test_fast_functions_of_two_values(target) -> None:
    x = np.linspace(0.01, 3, 64, dtype=np.float32)
    y = np.linspace(-2, 2.5, 64, dtype=np.float32)
    wide = x.astype(np.float64)
    found = apply(libdevice.fast_powf, np.float32, x, y)
    np.testing.assert_allclose(found, wide ** y.astype(np.float64), rtol=1e-5)
    found = apply(libdevice.fast_dividef, np.float32, y, x)
    np.testing.assert_allclose(found, y.astype(np.float64) / wide, rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.float16, np.int32])
def test_another_dtype_is_an_error(dtype) -> None:
    with pytest.raises(TypeMismatchError, match=r"libdevice\.rint takes fp32 or fp64"):
        apply(libdevice.rint, dtype, np.zeros(64, dtype))


def test_a_fast_function_takes_no_float64() -> None:
    with pytest.raises(TypeMismatchError, match="fast_expf takes fp32, found"):
        apply(libdevice.fast_expf, np.float64, np.zeros(64))


def test_a_missing_function_fails_in_the_kernel_with_its_line() -> None:
    module = Module(TABLE.name, {"frobnicate": Deferred()})
    with pytest.raises(UnsupportedError, match=r"libdevice\.frobnicate is not in Tilewright") as e:
        apply(find(module, "frobnicate"), np.float32, np.zeros(64, np.float32))
    assert e.value.line and "FUNCTION(tl.load" in str(e.value)
    assert isinstance(e.value, CompileError)
