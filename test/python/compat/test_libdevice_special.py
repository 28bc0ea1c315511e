"""Special functions of libdevice: their errors against mpmath, and special values."""

import functools
import math
import re
from pathlib import Path

import numpy as np
import pytest
from elementwise import apply, padded, same
from special_references import CASES, errors, mp

import tilewright
import tilewright.language as tl
from tilewright.compat import libdevice_norms, libdevice_special
from tilewright.compat.facade import find
from tilewright.compat.table import MODULES
from tilewright.errors import TypeMismatchError

pytest.importorskip("mpmath")

PAGE = Path(__file__).parents[3] / "docs" / "math.md"
TABLE = MODULES["triton.language.extra.libdevice"]
INF, NAN = math.inf, math.nan
FLOATS = pytest.mark.parametrize("dtype", [np.float32, np.float64])


@functools.cache
def stated() -> dict[str, float]:
    """The bounds of the special functions in docs/math.md."""
    text = PAGE.read_text().split("### Special functions\n")[1].split("\nBetween")[0]
    rows = re.findall(r"^\| ([^|]+) \| (\d+\.\d) \| ", text, re.M)
    return {label: float(bound) for label, bound in rows}


@functools.cache
def data(label: str, dtype):
    case = next(case for case in CASES if case.label == label)
    arguments = case.arguments(7, 64, dtype)
    return case, arguments, case.values(arguments)


@FLOATS
@pytest.mark.parametrize("label", [case.label for case in CASES])
def test_errors(label, dtype, target) -> None:
    case, arguments, wanted = data(label, dtype)
    found = apply(find(TABLE, case.name), dtype, *arguments)
    bound = stated()[label] if dtype == np.float64 else 0.51
    if dtype == np.float32 and case.absolute:  # half an ulp of float32, and the error of float64
        bound = stated()[label] + np.spacing(np.abs(found).max()) / 2 / 1e-16
    found_errors = errors(case, found, wanted)
    index = int(found_errors.argmax())
    assert found_errors[index] <= bound, (found_errors[index], [x[index] for x in arguments])


def test_the_page_states_every_bound() -> None:
    assert list(stated()) == [case.label for case in CASES]


@pytest.mark.parametrize("name", ["pow", "tgamma", "lgamma", "erfc", "erfinv", "y1", "jn", "rcbrt"])
def test_every_target_computes_the_same_bits(name, target) -> None:
    case = next(case for case in CASES if case.name == name)
    arguments = case.arguments(3, 64, np.float64)
    function = find(TABLE, name)
    found = apply(function, np.float64, *arguments)
    on_cpu = apply(function, np.float64, *arguments, target="cpu")
    assert np.array_equal(found.view(np.int64), on_cpu.view(np.int64))


TINY = 1e-45  # a subnormal float32; an argument of the functions of float64, too
SPECIAL = {
    "cospi": [(0, 1), (-0.0, 1), (0.5, 0.0), (1.5, 0.0), (-0.5, 0.0), (1, -1), (2, 1), (1e30, 1),
              (INF, NAN), (-INF, NAN), (NAN, NAN)],
    "sinpi": [(0, 0.0), (-0.0, -0.0), (1, 0.0), (-1, -0.0), (2, 0.0), (0.5, 1), (-0.5, -1),
              (1.5, -1), (1e30, 0.0), (-1e30, -0.0), (INF, NAN), (NAN, NAN)],
    "cyl_bessel_i0": [(0, 1), (-0.0, 1), (INF, INF), (-INF, INF), (NAN, NAN), (1e30, INF)],
    "cyl_bessel_i1": [(0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF), (NAN, NAN), (-1e30, -INF),
                      (1e-30, 5e-31)],
    "erfc": [(0, 1), (-0.0, 1), (INF, 0.0), (-INF, 2), (NAN, NAN), (40, 0.0), (-40, 2), (TINY, 1)],
    "erfcinv": [(0, INF), (-0.0, INF), (2, -INF), (1, 0.0), (-1, NAN), (2.5, NAN), (NAN, NAN),
                (INF, NAN)],
    "erfcx": [(0, 1), (-0.0, 1), (INF, 0.0), (-INF, INF), (NAN, NAN), (-30, INF),
              (1e30, 5.641895835477563e-31)],
    "erfinv": [(0, 0.0), (-0.0, -0.0), (1, INF), (-1, -INF), (1.5, NAN), (-2, NAN), (NAN, NAN),
               (INF, NAN), (1e-30, 8.862269254527581e-31)],
    "exp10": [(0, 1), (-0.0, 1), (INF, INF), (-INF, 0.0), (NAN, NAN), (1, 10), (2, 100), (-1, 0.1),
              (400, INF), (-400, 0.0)],
    "j0": [(0, 1), (-0.0, 1), (INF, 0.0), (-INF, 0.0), (NAN, NAN), (1e-30, 1)],
    "j1": [(0, 0.0), (-0.0, -0.0), (INF, 0.0), (-INF, -0.0), (NAN, NAN), (1e-30, 5e-31)],
    "lgamma": [(0, INF), (-0.0, INF), (1, 0.0), (2, 0.0), (-1, INF), (-3, INF), (INF, INF),
               (-INF, INF), (NAN, NAN), (-0.5, 1.2655121234846454), (1e37, math.lgamma(1e37))],
    "normcdf": [(0, 0.5), (-0.0, 0.5), (INF, 1), (-INF, 0.0), (NAN, NAN), (40, 1), (-60, 0.0)],
    "normcdfinv": [(0, -INF), (-0.0, -INF), (1, INF), (0.5, 0.0), (-1, NAN), (1.5, NAN),
                   (NAN, NAN)],
    "rcbrt": [(0, INF), (-0.0, -INF), (INF, 0.0), (-INF, -0.0), (NAN, NAN), (8, 0.5),
              (-27, -1 / 3)],
    "tgamma": [(0, INF), (-0.0, -INF), (1, 1), (2, 1), (5, 24), (-1, NAN), (-2, NAN), (INF, INF),
               (-INF, NAN), (NAN, NAN), (200, INF), (-300.5, -0.0), (-301.5, 0.0),
               (-0.5, -3.5449077018110318)],
    "y0": [(0, -INF), (-0.0, -INF), (-1, NAN), (INF, 0.0), (-INF, NAN), (NAN, NAN)],
    "y1": [(0, -INF), (-0.0, -INF), (-1, NAN), (INF, 0.0), (-INF, NAN), (NAN, NAN),
           (1e-30, -6.3661977236758134e29)],
}  # fmt: skip


@FLOATS
@pytest.mark.parametrize("name", SPECIAL)
def test_special_values(name, dtype, target) -> None:
    given, wanted = zip(*SPECIAL[name], strict=True)
    with np.errstate(over="ignore"):
        given, wanted = np.array(given, dtype), np.array(wanted).astype(dtype)
    found = apply(find(TABLE, name), dtype, padded(given, dtype))[: len(given)]
    with np.errstate(invalid="ignore"):
        # The argument was rounded to float32, too.
        close = np.abs(found - wanted) <= 3 * np.spacing(np.abs(wanted))
    exact = (found == wanted) & (np.signbit(found) == np.signbit(wanted))
    is_number = np.isfinite(wanted) & (wanted != 0)
    right = np.where(is_number, close, exact | (np.isnan(found) & np.isnan(wanted)))
    assert right.all(), (given[~right], found[~right], wanted[~right])


POWERS = [0.0, -0.0, 1, -1, INF, -INF, NAN, 0.5, -0.5, 3, -3, 2]


@FLOATS
def test_special_powers(dtype, target) -> None:
    pairs = np.array([(a, b) for a in POWERS for b in POWERS] + [(7, 7)] * 48, dtype)
    for part in np.split(pairs, 3):
        x, y = np.ascontiguousarray(part.T)
        with np.errstate(all="ignore"):
            wanted = np.power(x.astype(np.float64), y.astype(np.float64)).astype(dtype)
        found = apply(libdevice_special.pow, dtype, x, y)
        assert np.array_equal(np.isnan(found), np.isnan(wanted))
        numbers = ~np.isnan(wanted)
        np.testing.assert_array_max_ulp(found[numbers], wanted[numbers], 1)
        assert np.array_equal(np.signbit(found[numbers]), np.signbit(wanted[numbers]))


@FLOATS
def test_powers_with_integer_exponents(dtype, target) -> None:
    """An exponent of int32 is not rounded to float32: the parity of 2^24 + 1 counts."""
    n = padded([0, 1, -1, 2, 3, -3, 2**24 + 1, 2**31 - 1, -(2**31), 10], np.int32)
    x = padded([0, -3, 4, -5, 1.5, -2, -1, -1, 1.0000001, 2], dtype)
    wanted = [float(mp().mpf(float(a)) ** int(b)) for a, b in zip(x, n, strict=True)]
    found = apply(libdevice_special.pow, dtype, x, n)
    np.testing.assert_array_max_ulp(found, np.array(wanted).astype(dtype), 1)


@FLOATS
def test_orders(dtype, target) -> None:
    n = padded([-1, -2, 0, 1, 2, 3, 2, 2, 2, 1, 3, 4, 0], np.int32)
    x = padded([1, 2, 0, 0, 0, -0.0, INF, -INF, NAN, -2, -2, -2, 5], dtype)
    found = apply(libdevice_special.jn, dtype, n, x)
    wanted = [NAN, NAN, 1, 0, 0, 0, 0, 0, NAN, -0.5767248, -0.1289432, 0.03399572, -0.1775968]
    np.testing.assert_allclose(found[:13], wanted, rtol=1e-5)
    found = apply(libdevice_special.yn, dtype, n, x)
    wanted = [NAN, NAN, -INF, -INF, -INF, -INF, 0, NAN, NAN, NAN, NAN, NAN, -0.3085176]
    np.testing.assert_allclose(found[:13], wanted, rtol=1e-5)


def test_an_order_and_a_scalar(target) -> None:
    @tilewright.jit
    def kernel(out, x, n, JN: tl.constexpr, YN: tl.constexpr):
        i = tl.arange(0, 64)
        tl.store(out + i, JN(n, tl.load(x + i)))
        tl.store(out + 64, YN(n, tl.load(x)))

    out, x = np.zeros(65), np.linspace(1, 20, 64)
    kernel[(1,)](out, x, 5, JN=libdevice_special.jn, YN=libdevice_special.yn)
    m = mp()
    wanted = [float(m.besselj(5, v)) for v in x.tolist()] + [float(m.bessely(5, 1))]
    np.testing.assert_allclose(out, wanted, rtol=1e-12, atol=1e-15)


def test_sine_and_cosine_together(target) -> None:
    @tilewright.jit
    def kernel(out, x, BOTH: tl.constexpr):
        i = tl.arange(0, 64)
        sine, cosine = BOTH(tl.load(x + i))
        tl.store(out + i, sine)
        tl.store(out + 64 + i, cosine)

    out, x = np.zeros(128), np.linspace(-3, 3, 64)
    kernel[(1,)](out, x, BOTH=libdevice_special.sincospi)
    same(out[:64], apply(libdevice_special.sinpi, np.float64, x))
    same(out[64:], apply(libdevice_special.cospi, np.float64, x))


@pytest.mark.parametrize("name", ["tgamma", "erfcinv", "j0", "pow", "yn", "norm3d"])
@pytest.mark.parametrize("dtype", [np.float16, np.int32])
def test_other_dtypes_are_errors(name, dtype) -> None:
    """As in Triton, float16 is not converted."""
    module = libdevice_norms if name == "norm3d" else libdevice_special
    x = np.ones(64, dtype)
    count = {"pow": 2, "yn": 1, "norm3d": 3}.get(name, 1)
    function = getattr(module, name)

    @tilewright.jit
    def kernel(x, FUNCTION: tl.constexpr, COUNT: tl.constexpr):
        value = tl.load(x + tl.arange(0, 64))
        if COUNT == 3:
            FUNCTION(value, value, value)
        elif COUNT == 2:
            FUNCTION(value, value)
        elif COUNT == 0:
            FUNCTION(1, value)
        else:
            FUNCTION(value)

    with pytest.raises(TypeMismatchError, match="takes fp32 or fp64, found"):
        kernel[(1,)](x, FUNCTION=function, COUNT=0 if name == "yn" else count)
