"""Calls of @jit functions, of builtins and of Python functions."""

from __future__ import annotations

import math

import pytest
from frontend_support import build, jit

import tilewright.language as tl
from tilewright.errors import ConstantError, TypeMismatchError, UnsupportedError


@jit
def square(x):
    return x * x


@jit
def pair(x, y=3, *, k: tl.constexpr = 2):
    return x + y, (x * k, None)


@jit
def scaled_range(N: tl.constexpr):
    return tl.arange(0, N)


@jit
def call_twice(out, a, b):
    tl.store(out, square(a) + square(b))


def test_a_function_is_built_once_per_type():
    text = build(call_twice, "*i32", "i32", "i32")
    assert text.count("func.func private") == 1
    assert text.count("call @square.1") == 2
    assert build(call_twice, "*i64", "i32", "i64").count("func.func private") == 2


@jit
def call_with_signs(out, a, b):
    tl.store(out, halve(a) + halve(b))


@jit
def halve(x):
    return x // 2


def test_signs_make_different_functions():
    text = build(call_with_signs, "*i32", "i32", "u32")
    assert "arith.divsi" in text
    assert "arith.divui" in text


@jit
def call_pair(out, a):
    s, (p, none) = pair(a, k=5)
    if none is None:
        tl.store(out, s - p)


def test_defaults_keywords_and_tuples():
    text = build(call_pair, "*i32", "i32")
    assert "-> (i32, i32)" in text
    assert "arith.constant 5 : i32" in text
    assert "arith.subi %0#0, %0#1" in text


@jit
def call_constexpr(out):
    tl.store(out + scaled_range(4), scaled_range(N=4))


def test_constants_specialize():
    text = build(call_constexpr, "*i32")
    assert text.count("func.func private @scaled_range") == 1
    assert "tile.make_range 0 to 4" in text


@jit
def one(x, IS_FLOAT: tl.constexpr):
    return x + IS_FLOAT


@jit
def call_equal_constants(out, a):
    tl.store(out, one(a, 1) + one(a, True).to(tl.int32) + one(a, 1.0).to(tl.int32))


def test_equal_constants_of_different_types_make_different_functions():
    assert build(call_equal_constants, "*i32", "i32").count("func.func private @one") == 3


@jit
def apply(f: tl.constexpr, x):
    return f(x)


@jit
def call_function_argument(out, a):
    tl.store(out, apply(square, a))


@jit
def lowest(dtype):
    # As with other constants, the parameter is a constexpr, whose value is the dtype.
    if dtype.value.is_floating() and dtype.is_floating():
        return tl.cast(-float("inf"), dtype)
    return tl.cast(0, dtype)


def test_a_dtype_is_passed_as_a_constant():
    @jit
    def kernel(out):
        tl.store(out, lowest(out.dtype.element_ty))

    assert "0xFF800000" in build(kernel, "*fp32")
    assert "0xFF800000" not in build(kernel, "*i32")


def test_functions_can_be_passed():
    text = build(call_function_argument, "*i32", "i32")
    assert "call @square" in text


@jit
def returns_nothing(out):
    tl.store(out, 1)


@jit
def call_for_effect(out):
    returns_nothing(out)


def test_a_function_may_return_nothing():
    assert "call @returns_nothing.1(%arg0) : (!tile.ptr<i32>) -> ()" in build(
        call_for_effect, "*i32"
    )


@jit
def three(x, y, z):
    return x + y - z


@jit
def call_spread(out, a, b):
    tl.store(out, three(*(a, b), a))


def test_a_tuple_can_be_spread_over_parameters():
    assert "call @three.1(%arg1, %arg2, %arg1)" in build(call_spread, "*i32", "i32", "i32")


@jit
def python_functions(out, N: tl.constexpr):
    size: tl.constexpr = max(int(math.log2(N)), min(2, N), len((1, 2)))
    tl.static_assert(isinstance(size, int) and isinstance(N, tl.constexpr))
    tl.static_assert(getattr(out, "nothing", 3) == 3 and not hasattr(out, "nothing"))
    tl.store(out + tl.arange(0, size), 0)


def test_python_functions_of_constants():
    assert "tile.make_range 0 to 4" in build(python_functions, "*i32", 16)


@jit
def extrema(out, a, b):
    tl.store(out, max(a, b, 0) + min(a, b))


def test_min_and_max_of_tensors():
    text = build(extrema, "*i32", "i32", "i32")
    assert text.count("arith.maxsi") == 2
    assert text.count("arith.minsi") == 1


@jit
def add_combine(a, b):
    if a is None:
        return b
    return a + b


@jit
def custom_reduce(out):
    tl.store(out, tl.reduce(tl.arange(0, 8), 0, add_combine))


def test_combiners_are_built_in_place():
    text = build(custom_reduce, "*i32")
    assert "func.func private @add_combine" not in text
    assert "tile.reduce" in text
    assert "arith.addi" in text


@jit
def too_many(out):
    square(1, 2)


def test_surplus_arguments_are_refused():
    with pytest.raises(TypeMismatchError, match="`square`: too many positional") as info:
        build(too_many, "*i32")
    assert "(x)" in str(info.value.hint)


@jit
def tensor_as_size(out, n):
    scaled_range(n)


def test_a_tensor_for_a_constant_parameter_is_refused_where_a_constant_is_needed():
    with pytest.raises(ConstantError, match="end of arange must be an integer known") as info:
        build(tensor_as_size, "*i32", "i32")
    assert "in a call of `scaled_range`" in str(info.value)


@jit
def endless(x):
    return endless(x)


@jit
def call_endless(out):
    tl.store(out, endless(out))


def test_recursion_is_refused():
    with pytest.raises(UnsupportedError, match="`endless` calls itself"):
        build(call_endless, "*i32")


@jit
def bad_square(x):
    return x * tl.arange(0, 4)


@jit
def call_bad(out):
    y = tl.arange(0, 8)
    tl.store(out, bad_square(y))


def test_an_error_in_a_function_names_the_calls():
    with pytest.raises(TypeMismatchError.__base__) as info:
        build(call_bad, "*i32")
    error = info.value
    assert error.source_line.strip() == "return x * tl.arange(0, 4)"
    assert error.notes[0].message == "in a call of `bad_square`"
    assert error.notes[0].source_line.strip() == "tl.store(out, bad_square(y))"


@jit
def bad_argument(out):
    tl.arange(0, 4, step=2)


def test_a_wrong_argument_of_a_builtin_is_the_callers_mistake():
    with pytest.raises(TypeMismatchError, match="step") as info:
        build(bad_argument, "*i32")
    assert info.value.source_line.strip() == "tl.arange(0, 4, step=2)"


@jit
def call_number(out):
    a = (1, 2)
    a(3)


def test_what_is_no_function_cannot_be_called():
    with pytest.raises(TypeMismatchError, match="not a function"):
        build(call_number, "*i32")


@jit
def int_of_tensor(out, a):
    tl.store(out, int(a))


def test_int_of_a_tensor_is_refused():
    with pytest.raises(ConstantError, match="`int` needs constants") as info:
        build(int_of_tensor, "*i32", "fp32")
    assert ".to(tl.int32)" in str(info.value.hint)


@jit
def grows(x, n: tl.constexpr):
    return grows(x, n + 1)


@jit
def calls_grows(out):
    tl.store(out, grows(tl.load(out), 0))


def test_recursion_with_another_constant_in_each_call():
    with pytest.raises(UnsupportedError, match="`grows` calls itself") as caught:
        build(calls_grows, "*i32")
    assert len(str(caught.value).splitlines()) < 12


@jit
def two_parameters(x, y):
    return x + y


@jit
def unknown_keyword(out):
    tl.store(out, two_parameters(1, z=2))


def test_an_unknown_keyword_is_named():
    with pytest.raises(TypeMismatchError, match="unexpected keyword argument 'z'") as caught:
        build(unknown_keyword, "*i32")
    assert "its parameters are (x, y)" in str(caught.value)
