import pytest

import tilewright.language as tl
from tilewright.errors import ConstantError, TypeMismatchError

UNARY = [
    "exp",
    "exp2",
    "log",
    "log2",
    "sin",
    "cos",
    "tanh",
    "erf",
    "sqrt",
    "rsqrt",
    "floor",
    "ceil",
]


def op(x: tl.tensor) -> str:
    return x.handle.owner.name


@pytest.mark.parametrize("name", UNARY)
def test_unary(values, name):
    x, d, h = values("fp32[8]", "fp64", "fp16")
    function = getattr(tl, name)
    assert function is getattr(tl.math, name)
    assert op(function(x)) == f"math.{name}"
    assert function(d).type == tl.float64
    assert getattr(x, name)().type == x.type
    with pytest.raises(TypeMismatchError, match=f"{name} takes float32 or float64, found fp16"):
        function(h)
    assert name == function.__name__ and function.__doc__


def test_abs(values):
    f, i, u, m = values("fp16[8]", "int8", "uint8", "int1")
    assert [op(tl.abs(f)), op(tl.abs(i))] == ["math.absf", "math.absi"]
    assert tl.abs(u) is u and tl.abs(m) is m


@pytest.mark.parametrize("function, which", [(tl.maximum, "max"), (tl.minimum, "min")])
def test_extrema(values, function, which):
    f, i, u, h, b = values("fp32[8]", "int32", "uint32", "fp16", "bf16")
    assert op(function(f, 0.0)) == f"arith.{which}numf"
    everything = tl.PropagateNan.ALL
    assert op(function(f, f, propagate_nan=everything)) == f"arith.{which}imumf"
    assert op(function(i, 1)) == f"arith.{which}si"
    assert op(function(u, u)) == f"arith.{which}ui"
    # As in Triton, a number has its own type here, and bfloat16 is computed in float32.
    assert function(h, 0.0).type == tl.float32
    assert function(b, b).type == tl.float32
    assert function(h, h).type == tl.float16
    with pytest.raises(ConstantError, match=r"must be a tl\.PropagateNan, found True"):
        function(f, f, propagate_nan=True)


def test_clamp(kernel):
    made = kernel("fp32[8]", "int32")
    x, i = made.args
    assert tl.clamp(x, 0.0, 1.0).type == x.type
    with pytest.raises(TypeMismatchError, match="clamp takes floats"):
        tl.clamp(i, 0, 1)
    text = made.text()
    assert text.index("arith.maxnumf") < text.index("arith.minnumf")


def test_fma(values):
    x, h, i = values("fp32[8]", "fp16", "int32")
    assert tl.fma(x, h, 1.0).type == x.type
    assert tl.fma(h, h, h).type == tl.float16
    assert op(tl.fma(x, x, x)) == "math.fma"
    with pytest.raises(TypeMismatchError, match="fma takes floats"):
        tl.fma(i, i, i)


def test_umulhi(values):
    u, s, b = values("uint32[8]", "int64", "int8")
    assert tl.umulhi(u, u).type == u.type
    assert tl.umulhi(s, s).type == tl.int64
    with pytest.raises(TypeMismatchError, match="32 or 64 bits, found int8"):
        tl.umulhi(b, b)


def test_divisions(kernel):
    made = kernel("fp32", "fp16", "int32")
    x, h, i = made.args
    assert tl.fdiv(h, h).type == tl.float16
    assert tl.fdiv(x, x, ieee_rounding=True).type == tl.float32
    assert tl.div_rn(x, x).type == tl.float32
    assert tl.sqrt_rn(x).type == tl.float32
    assert tl.fdiv(x, 3.0, approx=True).type == tl.float32
    with pytest.raises(ConstantError, match="approx and ieee_rounding cannot both be True"):
        tl.fdiv(x, x, True, True)
    with pytest.raises(TypeMismatchError, match="requires float32 operands, found fp16"):
        tl.fdiv(h, h, approx=True)
    with pytest.raises(TypeMismatchError, match="fdiv takes floats, found int32"):
        tl.fdiv(i, i)
    with pytest.raises(TypeMismatchError, match="div_rn takes float32"):
        tl.div_rn(h, h)
    assert made.text().count("tile.precise") == 3


def test_cdiv(values):
    (n,) = values("int32")
    assert tl.cdiv(tl.constexpr(10), 4).value == 3
    assert tl.cdiv(n, tl.constexpr(16)).type == tl.int32


def test_composed(values):
    x, h, m = values("fp32[8]", "fp16", "fp32[4,8]")
    assert tl.sigmoid(x).type == x.type
    assert tl.softmax(x).type == x.type
    assert tl.softmax(m, dim=1).type == m.type
    with pytest.raises(TypeMismatchError, match="exp takes float32 or float64"):
        tl.sigmoid(h)


def test_swizzle2d(values):
    i, j = values("int32", "int32")
    row, column = tl.swizzle2d(i, j, 4, 4, 2)
    assert row.type == column.type == tl.int32
