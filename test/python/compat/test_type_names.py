"""Names of Triton for types, and functions of libdevice by their symbols."""

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright.compat.extern import extern_elementwise
from tilewright.errors import CompileError, TypeMismatchError, UnsupportedError
from tilewright.language import core


@pytest.mark.parametrize(
    ("name", "type"),
    [
        ("fp32", tl.float32),
        ("i1", tl.int1),
        ("u64", tl.uint64),
        ("*fp16", tl.pointer_type(tl.float16)),
        ("*ki32", tl.pointer_type(tl.int32, const=True)),
        ("constexpr", tl.constexpr_type(None)),
    ],
)
def test_names_of_types(name, type):
    assert tl.str_to_ty(name) == type and tl.str_to_ty(name, None) == type


def test_wrong_names_of_types():
    for name in ("fp31", "", "bytes64a8", 3):
        with pytest.raises(TypeMismatchError):
            tl.str_to_ty(name)


def test_types_of_constants_and_tuples():
    assert tl.constexpr_type(3) == tl.constexpr_type(tl.constexpr(3)) != tl.constexpr_type(4)
    pair = tl.tuple_type([tl.int32, tl.constexpr_type(1)])
    assert pair == tl.tuple_type((tl.int32, tl.constexpr_type(1)))
    assert pair != tl.tuple_type([tl.int32, tl.constexpr_type(1)], ["a", "b"])
    assert len({pair, tl.tuple_type(pair.types)}) == 1 and pair[0] == tl.int32 and len(pair) == 2
    assert tl.slice(1, 2) == slice(1, 2)


def test_names_of_core():
    assert core.get_int_dtype(16, False) == tl.uint16
    assert core._unwrap_if_constexpr(tl.constexpr(5)) == 5
    assert core._aggregate is tilewright.aggregate


@tilewright.jit
def copy(x: tl.const, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i))


@tilewright.jit
def wrong(x: "tl.const", out, N: tl.constexpr):
    tl.store(x + tl.arange(0, N), 1)


def test_const_pointers():
    x, out = np.arange(16, dtype=np.int32), np.zeros(16, np.int32)
    copy[(1,)](x, out, N=16)
    assert np.array_equal(out, x)
    with pytest.raises(CompileError, match="Cannot store to a constant pointer"):
        wrong[(1,)](x, out, N=16)


@core.extern
def sine(x, _semantic=None):
    symbols = {(tl.float32,): ("__nv_sinf", tl.float32), (tl.float64,): ("__nv_sin", tl.float64)}
    return extern_elementwise("", "", [x], symbols, is_pure=True, _semantic=_semantic)


@tl.builtin
def power(x, y, _semantic=None):
    symbols = {(tl.float32, tl.float32): ("__nv_powf", tl.float32)}
    return extern_elementwise("libdevice", "", [x, y], symbols, True, _semantic=_semantic)


@tl.builtin
def is_nan(x, _semantic=None):
    return extern_elementwise("", "", [x], {(tl.float64,): ("__nv_isnand", tl.int32)}, True)


@tl.builtin
def unknown(x, _semantic=None):
    return extern_elementwise("", "", [x], {(tl.float32,): ("my_function", tl.float32)}, True)


@tilewright.jit
def apply(x, y, out, FN: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, FN(tl.load(x + i)) if y is None else FN(tl.load(x + i), tl.load(y)))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_functions_by_their_symbols(dtype):
    x = np.linspace(0.1, 3, 16).astype(dtype)
    y, out = np.full(1, 2, dtype), np.zeros(16, dtype)
    apply[(1,)](x, None, out, FN=sine, N=16)
    np.testing.assert_allclose(out, np.sin(x.astype(np.float64)), rtol=1e-6)
    if dtype == "float32":
        apply[(1,)](x, y, out, FN=power, N=16)
        np.testing.assert_allclose(out, x**2, rtol=1e-5)
    else:
        x[3] = np.nan
        apply[(1,)](x, None, out, FN=is_nan, N=16)
        assert out.tolist() == np.isnan(x).tolist()


def test_external_functions_that_are_not_available():
    x, out = np.zeros(16, np.float32), np.zeros(16, np.float32)
    with pytest.raises(UnsupportedError, match="external function `my_function` is not available"):
        apply[(1,)](x, None, out, FN=unknown, N=16)
    with pytest.raises(TypeMismatchError, match=r"takes \(fp64\), found \(fp32\)"):
        apply[(1,)](x, None, out, FN=is_nan, N=16)
    with pytest.raises(TypeMismatchError, match=r"takes \(fp32, fp32\), found \(int32, int32\)"):
        apply[(1,)](x.astype(np.int32), x.astype(np.int32), out, FN=power, N=16)
