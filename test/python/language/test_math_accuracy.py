"""Math functions through the whole compiler: their errors meet the bounds in docs/math.md.

Single precision is checked against double, double against x87 extended precision. The inputs are
one from each of equal ranges of bit patterns, and the special values of the format
(test/python/conversion/ulps.py). test_expand_math.py tests the bounds with more inputs.
"""

import numpy as np
import pytest
import seeds
import stated
import ulps

import tilewright
import tilewright.language as tl
from tilewright.compiler.targets import check_runnable
from tilewright.errors import DeviceError

pytestmark = pytest.mark.cpu_only("a GPU has errors of its own: test/python/gpu/test_gpu_math.py")

FUNCTIONS = ["exp", "exp2", "log", "log2", "sin", "cos", "tanh", "erf", "sqrt", "rsqrt"]
BLOCK = 1024


@tilewright.jit
def apply(x, out, FUNCTION: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, FUNCTION(tl.load(x + i)))


def compiled(name, target):
    def run(x):
        out = np.full_like(x, 12345)
        function = getattr(tl, name)
        apply[(x.size // BLOCK,)](x, out, FUNCTION=function, BLOCK=BLOCK, target=target)
        return out

    return run


@pytest.mark.parametrize("name", FUNCTIONS)
def test_single_precision(name):
    error, where = ulps.worst(name, compiled(name, "cpu"), 1 << 22, seeds.seed())
    assert error <= stated.errors("f32")[name], where


@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 63, reason="needs a wider reference")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_double_precision(name):
    if name == "erf":
        pytest.importorskip("mpmath")
    x = ulps.doubles(1 << 13 if name == "erf" else 1 << 21, seeds.seed())
    error = ulps.errors(compiled(name, "cpu")(x), ulps.extended(name, x))
    index = int(error.argmax())
    assert error[index] <= stated.errors("f64")[name], (error[index], x[index])


@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 63, reason="needs a wider reference")
@pytest.mark.parametrize("name", ["sin", "cos"])
def test_next_to_multiples_of_half_pi(name):
    """Inputs whose reduced argument is small: 175962 pi/2 is within 8e-16 of a double."""
    k = np.arange(1 << 20, dtype=np.longdouble)
    x = (k * np.longdouble("1.57079632679489661923132169163975144")).astype(np.float64)
    error = ulps.errors(compiled(name, "cpu")(x), ulps.extended(name, x))
    index = int(error.argmax())
    assert error[index] <= stated.errors("f64")[name], (error[index], x[index])


def bits_of(name, target, x):
    """The results as integers, all NaN alike."""
    result = compiled(name, target)(x)
    result[np.isnan(result)] = np.nan
    return result.view(f"u{result.itemsize}")


@pytest.mark.parametrize("target", ["cpu:avx2", "cpu:sse2", "emulator:cuda:90a"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_processor_computes_the_same(name, dtype, target):
    """A bound that holds for one processor therefore holds for all."""
    if (
        target.startswith("emulator")
        and dtype == np.float32
        and name not in ("log", "log2", "sin", "cos")
    ):
        pytest.skip("approximated by a GPU's instructions")
    try:
        check_runnable(target)
    except DeviceError as error:
        pytest.skip(str(error))
    with np.errstate(all="ignore"):
        x = ulps.doubles(1 << 14, seeds.seed()).astype(dtype)
    assert np.array_equal(bits_of(name, target, x), bits_of(name, "cpu", x))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["floor", "ceil", "abs"])
def test_exact_functions(name, dtype):
    with np.errstate(all="ignore"):
        x = ulps.doubles(1 << 14, seeds.seed()).astype(dtype)
    with np.errstate(all="ignore"):
        reference = getattr(np, name)(x)
    out = compiled(name, "cpu")(x)
    assert np.array_equal(out, reference, equal_nan=True)
    ordered = ~np.isnan(x)
    assert np.array_equal(np.signbit(out[ordered]), np.signbit(reference[ordered]))
