"""Type promotion: the whole table, and Python numbers."""

import operator

import pytest

import tilewright.language as tl
from tilewright.errors import TypeMismatchError

INTS = ["int1", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
FLOATS = ["fp16", "bf16", "fp32", "fp64"]


def expected(a: str, b: str) -> str:
    """An independent implementation of the rules."""
    pair = {a, b}
    if pair <= set(INTS):
        return max(pair, key=lambda name: (tl.dtype(name).int_bitwidth, name.startswith("u")))
    if pair == {"bf16"}:
        return "bf16"
    # With another float bfloat16 ranks below float16; bfloat16 with an integer gives float32.
    floats = pair & {"fp16", "fp32", "fp64"}
    return max(floats, default="fp32")


@pytest.mark.parametrize("a", INTS + FLOATS)
@pytest.mark.parametrize("b", INTS + FLOATS)
def test_sum_of_values(values, a, b):
    x, y = values(a, b)
    assert (x + y).dtype == tl.dtype(expected(a, b))


@pytest.mark.parametrize(
    "a, b, result",
    [
        ("int8", "int32", "int32"),
        ("int32", "uint32", "uint32"),
        ("int64", "uint32", "int64"),
        ("uint8", "int8", "uint8"),
        ("int32", "fp16", "fp16"),
        ("int64", "bf16", "fp32"),
        ("bf16", "bf16", "bf16"),
        ("fp16", "bf16", "fp16"),
        ("fp8e5", "fp8e4nv", "fp16"),
        ("fp8e5", "fp8e5", "fp8e5"),
    ],
)
def test_documented_cases(values, a, b, result):
    x, y = values(a, b)
    assert (x * y).dtype == tl.dtype(result)
    assert (y * x).dtype == tl.dtype(result)


@pytest.mark.parametrize(
    "a, number, result",
    [
        ("int8", 1, "int8"),
        ("int8", True, "int8"),
        ("int1", 1, "int32"),
        ("int64", 1.5, "fp32"),
        ("fp16", 1, "fp16"),
        ("fp16", 1.5, "fp16"),
        ("bf16", 2.5, "bf16"),
        ("fp64", 1.5, "fp64"),
        ("fp16", 1e300, "fp16"),
        ("int32", 1e300, "fp64"),
        ("uint8", 255, "uint8"),
        ("int1", 2**31, "uint32"),
        ("int1", 2**40, "int64"),
    ],
)
def test_numbers_are_weak(values, a, number, result):
    (x,) = values(a)
    assert (x + number).dtype == tl.dtype(result)
    assert (number + x).dtype == tl.dtype(result)
    assert (tl.constexpr(number) + x).dtype == tl.dtype(result)


@pytest.mark.parametrize(
    "a, number", [("uint8", -1), ("int8", 128), ("uint8", 256), ("int32", 2**31)]
)
def test_number_out_of_range(values, a, number):
    (x,) = values(a)
    with pytest.raises(TypeMismatchError, match=f"{number} is out of range for {tl.dtype(a)}"):
        x + number


@pytest.mark.parametrize(
    "a, b, result",
    [
        ("int32", "int32", "fp32"),
        ("int8", "int64", "fp32"),
        ("fp16", "fp16", "fp32"),
        ("bf16", "bf16", "fp32"),
        ("fp16", "int32", "fp32"),
        ("fp64", "fp32", "fp64"),
    ],
)
def test_true_division(values, a, b, result):
    x, y = values(a, b)
    assert (x / y).dtype == tl.dtype(result)


def test_half_divided_by_a_number(values):
    (x,) = values("fp16")
    assert (x / 2).dtype == tl.float32
    assert (1.0 / x).dtype == tl.float32


@pytest.mark.parametrize("symbol", [operator.truediv, operator.floordiv, operator.mod])
def test_division_refuses_mixed_signs(values, symbol):
    x, y = values("int32", "uint32")
    with pytest.raises(TypeMismatchError, match="int32 and uint32 because they have different"):
        symbol(x, y)


def test_runtime_scalars_are_not_weak(values):
    block, scalar = values("fp16[16]", "fp32")
    assert (block + scalar).type == tl.block_type(tl.float32, (16,))


@pytest.mark.parametrize("bad", [None, "1", (1, 2), tl.float32])
def test_not_an_operand(values, bad):
    (x,) = values("fp32")
    with pytest.raises(TypeMismatchError, match=r"'\+' does not take"):
        x + bad


def test_a_float8_without_arithmetic(values):
    (a,) = values("fp8e4b15[16]")
    with pytest.raises(TypeMismatchError, match=r"'\+' does not take fp8e4b15"):
        a + a
    with pytest.raises(TypeMismatchError, match="cannot be converted to fp8e4b15"):
        tl.full((16,), 1.5, tl.float8e4b15)
