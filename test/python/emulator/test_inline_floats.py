"""Instructions of inline assembly on f32 and f64 on emulated GPUs, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from inline_texts import SIZE, floats, ints, run, run_floats, same
from seeds import generator


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("rounding", ["", ".rn"])
@pytest.mark.parametrize("name", ["add", "sub", "mul"])
def test_float_arithmetic(name, rounding):
    operation = {"add": np.add, "sub": np.subtract, "mul": np.multiply}[name]
    a, b = floats(), floats()[::-1].copy()
    assert same(run_floats(f"{name}{rounding}.f32 $0, $1, $2;", [a, b]), operation(a, b))
    x, y = a.astype(np.float64), b.astype(np.float64) / 3
    found = run_floats(f"{name}{rounding}.f64 $0, $1, $2;", [x, y], "float64")
    assert same(found, operation(x, y))


@pytest.mark.filterwarnings("ignore")
def test_fused_and_saturated_arithmetic():
    a, b, c = floats(), floats()[::-1].copy(), floats(0.1)
    exact = a.astype(np.longdouble) * b.astype(np.longdouble) + c.astype(np.longdouble)
    assert same(run_floats("fma.rn.f32 $0, $1, $2, $3;", [a, b, c]), exact.astype(np.float32))
    clamped = np.nan_to_num(np.clip(a + b, 0, 1), nan=0).astype(np.float32)
    assert np.array_equal(run_floats("add.sat.f32 $0, $1, $2;", [a, b]), clamped)


def test_flushed_arithmetic():
    a = np.full(SIZE, 1e-40, np.float32)
    a[1::2] = -1e-40
    b = np.zeros(SIZE, np.float32)
    b[::4] = 2.0
    found = run_floats("add.ftz.f32 $0, $1, $2;", [a, b])
    assert np.array_equal(found, b)
    found = run_floats("mul.ftz.f32 $0, $1, $2;", [np.full(SIZE, 1e-30, np.float32)] * 2)
    assert (found == 0).all()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["min", "max"])
def test_extrema_of_floats(name):
    a, b = floats(), floats()[::-1].copy()
    a[100:104], b[100:104] = [0.0, -0.0, np.nan, 1], [-0.0, 0.0, 2, np.nan]
    quiet = (np.fmin if name == "min" else np.fmax)(a, b)
    quiet[100:102] = -0.0 if name == "min" else 0.0
    assert same(run_floats(f"{name}.f32 $0, $1, $2;", [a, b]), quiet)
    loud = (np.minimum if name == "min" else np.maximum)(a, b)
    loud[100:102] = -0.0 if name == "min" else 0.0
    assert same(run_floats(f"{name}.NaN.f32 $0, $1, $2;", [a, b]), loud)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["min", "max"])
@pytest.mark.parametrize("order", ["$1, t", "t, $1"])
def test_extrema_with_converted_integers(name: str, order: str) -> None:
    """The compiler of the host knows that one operand is not NaN."""
    a, b = floats(), ints("int32")
    a[100:104], b[100:104] = [np.nan, -0.0, 0.0, -np.inf], [2, 0, 0, 3]
    text = f"{{ .reg .f32 t; cvt.rn.f32.s32 t, $2; {name}.f32 $0, {order}; }}"
    wanted = (np.fmin if name == "min" else np.fmax)(a, b.astype(np.float32))
    wanted[101:103] = [-0.0, 0.0] if name == "min" else [0.0, 0.0]
    assert same(run(text, [a, b], "float32"), wanted)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["min", "max"])
def test_extrema_of_magnitudes(name) -> None:
    a, b = floats(), floats()[::-1].copy()
    a[100:106], b[100:106] = [0.0, -0.0, np.nan, 1, -3, 3], [-0.0, -0.0, 2, np.nan, 2, -np.inf]
    extreme = (np.minimum if name == "min" else np.maximum)(np.abs(a), np.abs(b))
    expected = np.where(np.signbit(a) != np.signbit(b), -extreme, extreme)
    found = run_floats(f"{name}.NaN.xorsign.abs.f32 $0, $1, $2;", [a, b])
    assert same(found, expected)
    assert (np.signbit(found) == np.signbit(expected))[~np.isnan(expected)].all()


APPROXIMATIONS = {
    "ex2.approx.ftz.f32": np.exp2, "rcp.approx.ftz.f32": np.reciprocal, "tanh.approx.f32": np.tanh,
    "sin.approx.f32": np.sin, "cos.approx.ftz.f32": np.cos, "lg2.approx.f32": np.log2,
    "rsqrt.approx.ftz.f32": lambda x: 1 / np.sqrt(x), "sqrt.rn.f32": np.sqrt,
    "rcp.rn.f32": np.reciprocal,
}  # fmt: skip


@pytest.mark.parametrize("name", APPROXIMATIONS)
def test_functions(name):
    a = generator().uniform(0.1, 3, SIZE).astype(np.float32)
    found = run_floats(f"{name} $0, $1;", [a])
    assert np.allclose(found, APPROXIMATIONS[name](a.astype(np.float64)), rtol=1e-6)


@pytest.mark.parametrize("name", ["div.rn.f32", "div.full.f32", "div.approx.f32"])
def test_quotients(name):
    a, b = generator().uniform(0.1, 3, (2, SIZE)).astype(np.float32)
    assert np.allclose(run_floats(f"{name} $0, $1, $2;", [a, b]), a / b, rtol=1e-6)


def test_immediates():
    a = floats()
    text = "{ .reg .f32 h; mov.f32 h, 0f3F000000; fma.rn.f32 $0, $1, h, 0fBF800000; }"
    expected = np.float32(0.5) * a - np.float32(1)
    assert same(run_floats(text, [a]), expected)
    found = run("add.u32 $0, $1, 0xFFFFFFFFU;", [a.view(np.uint32)], "uint32")
    assert np.array_equal(found, a.view(np.uint32) - np.uint32(1))
    assert (run_floats("mov.f64 $0, 1.5;", [a], "float64") == 1.5).all()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("mode", "function"), [("rni", np.rint), ("rzi", np.trunc),
                                                ("rmi", np.floor), ("rpi", np.ceil)])  # fmt: skip
def test_floats_to_integers(mode, function):
    a = floats(100)
    a[10:14] = [0.5, 1.5, -2.5, 5e9]
    expected = np.clip(np.nan_to_num(function(a.astype(np.float64)), nan=0), -(2**31), 2**31 - 1)
    found = run(f"cvt.{mode}.s32.f32 $0, $1;", [a.view(np.uint32)], "int32")
    assert np.array_equal(found, expected.astype(np.int64))
    assert same(run_floats(f"cvt.{mode}.f32.f32 $0, $1;", [a]), function(a))


def test_other_conversions_of_floats():
    a = ints("int32")
    assert np.array_equal(
        run("cvt.rn.f32.s32 $0, $1;", [a], "uint32").view(np.float32), a.astype(np.float32)
    )
    x = floats()
    assert same(run_floats("cvt.f64.f32 $0, $1;", [x], "float64"), x.astype(np.float64))
    half = generator().standard_normal(SIZE).astype(np.float16)
    found = run("cvt.f32.f16 $0, $1;", [half.view(np.uint16)], "uint32").view(np.float32)
    assert np.array_equal(found, half.astype(np.float32))
