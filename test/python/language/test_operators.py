"""The IR operation for each operator."""

import operator

import pytest

import tilewright.language as tl
from tilewright.errors import ConstantError, ShapeMismatchError, TypeMismatchError, UnsupportedError
from tilewright.language._build import compare

ARITHMETIC = [
    (operator.add, "arith.addi", "arith.addi", "arith.addf"),
    (operator.sub, "arith.subi", "arith.subi", "arith.subf"),
    (operator.mul, "arith.muli", "arith.muli", "arith.mulf"),
    (operator.mod, "arith.remsi", "arith.remui", "arith.remf"),
    (operator.truediv, "arith.divf", "arith.divf", "arith.divf"),
]
INTEGER = [
    (operator.floordiv, "arith.divsi", "arith.divui"),
    (operator.and_, "arith.andi", "arith.andi"),
    (operator.or_, "arith.ori", "arith.ori"),
    (operator.xor, "arith.xori", "arith.xori"),
    (operator.lshift, "arith.shli", "arith.shli"),
    (operator.rshift, "arith.shrsi", "arith.shrui"),
]
COMPARE = [
    (operator.eq, "eq", "eq", "oeq"),
    (operator.ne, "ne", "ne", "une"),
    (operator.lt, "slt", "ult", "olt"),
    (operator.le, "sle", "ule", "ole"),
    (operator.gt, "sgt", "ugt", "ogt"),
    (operator.ge, "sge", "uge", "oge"),
]


def name(x: tl.tensor) -> str:
    return x.handle.owner.name


@pytest.mark.parametrize("shape", ["", "[16]"])
@pytest.mark.parametrize("function, signed, unsigned, floating", ARITHMETIC)
def test_arithmetic(values, function, signed, unsigned, floating, shape):
    for dtype, op in (("int32", signed), ("uint32", unsigned), ("fp32", floating)):
        x, y = values(dtype + shape, dtype + shape)
        assert name(function(x, y)) == op


@pytest.mark.parametrize("function, signed, unsigned", INTEGER)
def test_integers(values, function, signed, unsigned):
    for dtype, op in (("int32", signed), ("uint32", unsigned)):
        x, y = values(dtype, dtype)
        assert name(function(x, y)) == op
        assert name(function(7, y)) == op


@pytest.mark.parametrize("function", [row[0] for row in INTEGER])
def test_integer_operators_refuse_floats(values, function):
    x, y = values("fp32", "fp32")
    with pytest.raises(TypeMismatchError, match="takes integers, found fp32"):
        function(x, y)


@pytest.mark.parametrize("function, signed, unsigned, floating", COMPARE)
def test_comparisons(kernel, function, signed, unsigned, floating):
    rows = (("int32", "cmpi", signed), ("uint32", "cmpi", unsigned), ("fp32", "cmpf", floating))
    for dtype, op, predicate in rows:
        made = kernel(dtype, dtype)
        result = function(*made.args)
        assert result.type == tl.int1
        assert f"arith.{op} {predicate}," in made.text()


def test_a_comparison_that_mlir_does_not_have_is_refused(values):
    i, f = values("int32", "fp32")
    for x, predicate in ((i, "olt"), (f, "slt"), (i, "")):
        with pytest.raises(ValueError, match=f"has no predicate '{predicate}'"):
            compare(x, x, predicate)


def test_unary(values):
    i, u, f, m = values("int32", "uint32", "fp32[8]", "int1")
    assert name(-i) == "arith.subi"
    assert name(-f) == "arith.negf"
    assert name(~u) == "arith.xori"
    assert (~m).type == tl.int1
    assert +f is f
    with pytest.raises(TypeMismatchError, match="'~' takes integers"):
        operator.invert(f)


def test_pointer_arithmetic(kernel):
    made = kernel("*fp32", "int32[16]", "uint32", "int64")
    p, i, u, n = made.args
    assert (p + i).type == tl.block_type(tl.pointer_type(tl.float32), (16,))
    assert (i + p).type == (p + i).type
    assert (p - n).type == p.type
    moved = p + u
    assert moved.type == p.type
    text = made.text()
    # Unsigned offsets must not become negative.
    assert "arith.extui %arg2 : i32 to i64" in text
    assert text.count("tile.addptr") == 5


def test_pointer_misuse(values):
    p, q, f = values("*fp32", "*fp16", "fp32")
    for wrong in (lambda: p + q, lambda: p + p, lambda: p + f, lambda: p * 2, lambda: f - p):
        with pytest.raises(TypeMismatchError, match="pointer<fp"):
            wrong()


def test_pointer_comparison(values):
    p, q = values("*fp32", "*fp32")
    assert (p == q).type == tl.int1
    with pytest.raises(TypeMismatchError):
        p == 0  # noqa: B015


def test_broadcasting(values):
    column, row, scalar = values("fp32[16,1]", "fp32[32]", "fp32")
    assert (column + row).type == tl.block_type(tl.float32, (16, 32))
    assert (scalar * row).type == row.type
    with pytest.raises(ShapeMismatchError, match=r"\[16\] and \[32\] do not broadcast"):
        values("fp32[16]", "fp32[32]")
        x, y = values("fp32[16]", "fp32[32]")
        x + y


def test_numbers_become_constants_of_the_block(kernel):
    made = kernel("fp32[16]")
    made.args[0] * 2
    text = made.text()
    assert "dense<2.000000e+00> : tensor<16xf32>" in text
    assert "splat" not in text


def test_logical(values):
    i, m = values("int32[8]", "int1")
    assert tl.logical_and(i, m).type == tl.block_type(tl.int1, (8,))
    assert name(tl.logical_or(m, m)) == "arith.ori"
    assert i.logical_not().dtype == tl.int1


def test_indexing(values):
    (x,) = values("fp32[4,8]")
    assert x[:, None].type.shape == (4, 1, 8)
    assert x[None, :, :, None].type.shape == (1, 4, 8, 1)
    assert x[:, :] is x


def test_no_value_when_compiling(values):
    (x,) = values("int32")
    with pytest.raises(ConstantError, match="known only at run time"):
        bool(x == 1)
    with pytest.raises(UnsupportedError, match="cannot be unpacked"):
        list(x)
