"""Functions that a program marks as Triton's builtins, and the argument `_semantic`."""

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright.errors import CompileError


def marked(fn):
    fn.__triton_builtin__ = True
    return fn


@marked
def if_given(mask, value, *, _semantic):
    """Needs `_semantic`, and a constant that says that it is one."""
    assert _semantic is not None
    if isinstance(mask, tl.constexpr) and mask.value is None:
        return tl.constexpr(None)
    return value


@marked
def next_power(n):
    assert isinstance(n, tl.constexpr)
    return tl.constexpr(tilewright.next_power_of_2(n.value))


@marked
def raised(x, by=None, _semantic=None):
    shifted = tl.add(x, by, _semantic=_semantic)
    return tl.where(shifted > 0, shifted, tl.full((), 0, x.dtype), _semantic=_semantic)


@tilewright.jit
def kernel(x, out, mask, N: tl.constexpr):
    i = tl.arange(0, next_power(N))
    value = tl.load(x + i, mask=if_given(mask, i < N))
    tl.store(out + i, raised(value, by=2))


@tilewright.jit
def masked_kernel(x, out, N: tl.constexpr):
    i = tl.arange(0, next_power(N))
    inside = if_given(i, i < N)
    tl.store(out + i, raised(tl.load(x + i, mask=inside), by=2), mask=if_given(inside, inside))


def test_a_builtin_gets_constants_and_semantic() -> None:
    x, out = np.arange(-4, 4, dtype=np.int32), np.full(8, 85, np.int32)
    kernel[(1,)](x, out, None, N=8)
    assert np.array_equal(out, np.maximum(x + 2, 0))


def test_a_builtin_on_tiles() -> None:
    x, out = np.arange(-3, 3, dtype=np.int32), np.full(8, 85, np.int32)
    masked_kernel[(1,)](x, out, N=6)
    assert out.tolist() == [*np.maximum(x + 2, 0).tolist(), 85, 85]


@marked
def fails(x):
    raise ValueError("not for this tile")


@tilewright.jit
def failing_kernel(out):
    tl.store(out, fails(1))


def test_an_error_names_the_line() -> None:
    with pytest.raises(CompileError, match="`fails`: not for this tile") as caught:
        failing_kernel.warmup(np.zeros(1, np.int32), grid=(1,))
    assert "tl.store(out, fails(1))" in str(caught.value)


def plain(x):
    return x


@tilewright.jit
def plain_kernel(out):
    tl.store(out, plain(tl.program_id(0)))


def test_an_unmarked_function_takes_constants_only() -> None:
    with pytest.raises(CompileError, match="`plain` is an ordinary Python function"):
        plain_kernel.warmup(np.zeros(1, np.int32), grid=(1,))


@tl.core.builtin
def next_multiple(x, y, _semantic=None):
    assert _semantic and isinstance(y, tl.constexpr)
    x = _semantic.to_tensor(x).__add__(0, _semantic=_semantic)
    last = _semantic.sub(y, 1, False)
    quotient = _semantic.floordiv(_semantic.add(x, last, False), y)
    return _semantic.mul(quotient, y, False).to(tl.int64, _semantic=_semantic)


@marked
def clamped(x, low, _semantic):
    above = _semantic.greater_than(x, low)
    return _semantic.where(above, x, _semantic.splat(low, x.type.shape))


@tilewright.jit
def semantic_kernel(x, out, low, N: tl.constexpr):
    value = clamped(tl.load(x + tl.arange(0, N)), low)
    tl.store(out + tl.arange(0, N), next_multiple(value, 4))


def test_operations_of_semantic() -> None:
    x, out = np.arange(8, dtype=np.int32), np.zeros(8, np.int32)
    semantic_kernel[(1,)](x, out, 3, N=8)
    assert out.tolist() == [4, 4, 4, 4, 4, 8, 8, 8]


@marked
def unknown_operation(x, _semantic):
    return _semantic.frobnicate(x)


@marked
def with_builder(x, _semantic):
    return _semantic.builder.create_add(x, x)


@tilewright.jit
def unknown_kernel(out, F: tl.constexpr):
    tl.store(out, F(1))


@pytest.mark.parametrize(
    ("function", "message"),
    [(unknown_operation, "has no operation `frobnicate`"), (with_builder, "`_semantic.builder`")],
)
def test_unknown_operations_of_semantic(function, message) -> None:
    with pytest.raises(CompileError, match=message):
        unknown_kernel.warmup(np.zeros(1, np.int32), F=function, grid=(1,))
