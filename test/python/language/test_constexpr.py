import operator
import pickle

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright.errors import CompileError, ConstantError
from tilewright.language.constexpr import constant_int

BINARY = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod,
    operator.pow, operator.lshift, operator.rshift, operator.and_, operator.or_, operator.xor,
    operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge,
]  # fmt: skip


@pytest.mark.parametrize("function", BINARY)
def test_folds_like_python(function):
    for x, y in ((tl.constexpr(13), tl.constexpr(3)), (tl.constexpr(13), 3), (13, tl.constexpr(3))):
        result = function(x, y)
        assert isinstance(result, tl.constexpr)
        assert result.value == function(13, 3)


def test_unary():
    x = tl.constexpr(5)
    assert ((-x).value, (~x).value, abs(-x).value, bool(x), int(x)) == (-5, -6, 5, True, 5)
    assert [10, 20, 30][tl.constexpr(1)] == 20
    assert f"{x:03d}" == "005"


def test_nesting_is_flat():
    assert tl.constexpr(tl.constexpr(3)).value == 3


def test_constant_dtype_is_used_like_the_dtype(values):
    (x,) = values("int32")
    dtype = tl.constexpr(tl.float16)
    assert dtype.is_fp16() and dtype.primitive_bitwidth == 16
    assert dtype == tl.float16
    assert x.to(dtype).type == tl.float16
    assert tl.zeros((4,), dtype).dtype == dtype


def test_constexpr_function():
    @tl.constexpr_function
    def log2(n):
        return n.bit_length() - 1

    assert log2(tl.constexpr(64)) == 6


def test_constant_needed(values):
    (x,) = values("int32")
    with pytest.raises(
        ConstantError, match=r"the size must be an integer .* a value of type int32"
    ):
        constant_int(x, "the size")
    with pytest.raises(ConstantError, match=r"found 1\.5"):
        constant_int(1.5, "the size")


def test_static_range():
    loop = tl.static_range(tl.constexpr(2), 10, 2)
    assert (loop.start, loop.stop, loop.step) == (2, 10, 2)
    assert (tl.static_range(4).start, tl.static_range(4).stop) == (0, 4)
    with pytest.raises(ConstantError, match="must not be zero"):
        tl.static_range(0, 4, 0)


def test_range(values):
    (n,) = values("int32")
    loop = tl.range(n, num_stages=3)
    assert (loop.start, loop.step) == (0, 1) and loop.stop is n and loop.num_stages == 3
    with pytest.raises(ConstantError, match="bound of static_range"):
        tl.static_range(n)


@tl.constexpr_function
def doubled(x, *, extra=0):
    """Twice as much."""
    return 2 * x + extra


@tl.constexpr_function
def kind_of_doubled(x):
    return type(doubled(x)).__name__


def test_a_constexpr_function_outside_of_kernels():
    assert type(doubled(4)) is int
    assert doubled(tl.constexpr(4), extra=tl.constexpr(1)) == 9
    assert (doubled.__name__, doubled.__doc__) == ("doubled", "Twice as much.")
    assert doubled.fn(3) == 6
    assert doubled.src.startswith("@tl.constexpr_function\ndef doubled(")
    assert pickle.loads(pickle.dumps(doubled)) is doubled


def test_a_constexpr_function_in_kernels():
    @tilewright.jit
    def kernel(out, N: tl.constexpr):
        size: tl.constexpr = doubled(N, extra=2)
        name: tl.constexpr = kind_of_doubled(N)
        tl.static_assert(name == "int")
        tl.store(out + tl.arange(0, size), size)

    out = np.zeros(8, np.int32)
    kernel[1](out, 3)
    assert out.tolist() == [8] * 8


def test_a_constexpr_function_that_fails():
    @tl.constexpr_function
    def fails(x):
        return x + None

    @tilewright.jit
    def kernel(N: tl.constexpr):
        tl.static_assert(fails(N))

    for _ in range(2):
        with pytest.raises(CompileError, match="unsupported operand"):
            kernel.warmup(3)
    assert type(doubled(1)) is int
