"""Classes whose instances are values of kernels: fields, methods, control flow, misuse."""

import numpy as np
import pytest
from inputs import poisoned

import tilewright
import tilewright.language as tl
from tilewright.errors import (
    CompileError,
    ConstantError,
    LoopTypeError,
    TypeMismatchError,
    UndefinedNameError,
    UnsupportedError,
)


@tilewright.aggregate
class Span:
    start: tl.tensor
    size: tl.constexpr

    @tilewright.constexpr_function
    def __init__(self, start, size):
        self.start = start
        self.size = tl.constexpr(size)

    @tilewright.jit
    def offsets(self):
        return self.start + tl.arange(0, self.size)

    @tilewright.jit
    def moved(self, by):
        self.start += by
        return self

    @tilewright.jit
    def __add__(self, by):
        return Span(self.start + by, self.size)

    @tilewright.jit
    def __radd__(self, by):
        return Span(self.start + 10 * by, self.size)

    @tilewright.jit
    def __getitem__(self, index):
        return self.start + index

    @tilewright.jit
    def __lt__(self, limit):
        return self.start < limit

    @staticmethod
    @tilewright.jit
    def of(start):
        return Span(start, 8)

    @staticmethod
    def create(start):
        return Span(start, 4)

    def last(self, _semantic):
        return tl.add(self.start, self.size - 1, _semantic=_semantic)

    def move(self, by):
        self.start = self.start + by

    @property
    def double(self):
        return self.size * 2


@tilewright.aggregate
class Box:
    """A constructor with control flow, another aggregate and a tuple as fields."""

    span: Span
    weight: tl.tensor
    pair: tl.tuple

    @tilewright.jit
    def __init__(self, span, heavy, weight=7):
        if heavy:
            self.weight = span.start * 2
        else:
            self.weight = weight
        self.pair = (span.start, heavy)
        self.span = span
        if heavy:
            return
        self.weight += 1


@tilewright.aggregate
class Plain:
    """Without a constructor."""

    value: tl.tensor
    step: tl.constexpr


def launched(kernel, *args, **options):
    out = poisoned("int32", (64,))
    kernel[(1,)](out, *args, **options)
    return out.tolist()


@tilewright.jit
def methods(out, m):
    span = Span(m, 4)
    tl.store(out + span.offsets(), 1)
    tl.store(out + span.moved(4).offsets(), 2)
    tl.store(out + (span + 8).offsets(), 3)
    tl.store(out + (1 + span).start + 5, 4)
    tl.store(out + Span.of(m).offsets() + 16, 5)
    tl.store(out + Span.create(m).last() + 30, 6)
    tl.store(out + 40, span[3])
    tl.store(out + 41, span < 5)
    tl.store(out + 42, span.double + tl.arange(0, span.size).shape[0])
    span.move(20)
    tl.store(out + 43, span.start)


def test_methods():
    out = launched(methods, 3)
    assert out[3:15] == [1] * 4 + [2] * 4 + [3] * 4
    assert out[18] == 4 and out[19:27] == [5] * 8 and out[36] == 6
    assert out[40:44] == [6, 1, 12, 23]


@tilewright.jit
def changed(box, n):
    for i in range(n):
        box.span.start += i
        if i > 1:
            box.weight = box.weight * 2
    return box


@tilewright.jit
def early(box, n):
    if n > 4:
        return box
    box.weight = 1
    return box


@tilewright.jit
def control_flow(out, n, m):
    span = Span(m, 4)
    box = Box(span, n > 3)
    tl.store(out, box.weight)
    other = changed(box, n)
    tl.store(out + 1, other.weight)
    tl.store(out + 2, other.span.start)
    tl.store(out + 3, box.span.start)
    tl.store(out + 4, early(box, n).weight)
    if n > 2:
        span.start = span.start + n
        box.span = span
    tl.store(out + 5, box.span.start)
    while span.start < 100:
        span = span + 17
        if span.start == 71:
            span.start = 200
    tl.store(out + 6, span.start)
    choice = other if n > 3 else box
    tl.store(out + 7, choice.span.start + choice.pair[0])


@pytest.mark.parametrize("n", [0, 2, 3, 5])
@pytest.mark.parametrize("m", [1, 3])
def test_control_flow(n, m):
    weight = 2 * m if n > 3 else 8
    start = m + n if n > 2 else m
    last = next(v for v in range(start, 400, 17) if v >= 100 or (v == 71 and v > start))
    other = m + n * (n - 1) // 2
    assert launched(control_flow, n, m)[:8] == [
        weight, weight * 2 ** max(n - 2, 0), other, m, weight if n > 4 else 1, start,
        200 if last == 71 else last, (other if n > 3 else start) + m,
    ]  # fmt: skip


@tilewright.jit
def assignments(out, m):
    plain = Plain(m, step=2)
    alias, pair = plain, (plain, 5)
    plain.value = 40
    tl.store(out, alias.value + pair[0].value)
    copy = Plain(value=plain.value, step=plain.step)
    plain.value -= 1
    tl.store(out + 1, copy.value - plain.value)
    plain.step = 4
    tl.store(out + 2 + tl.arange(0, plain.step), plain.value)
    tl.static_assert(isinstance(plain, Plain) and not isinstance(plain, Span))
    plain.value = True
    tl.static_assert(plain.value.dtype == tl.int1)


@pytest.mark.parametrize("m", [1, 2])
def test_assignments(m):
    assert launched(assignments, m)[:6] == [80, 1, 39, 39, 39, 39]


@tilewright.jit
def carried(out, x, count, N: tl.constexpr):
    i = tl.arange(0, N)
    span = Plain(tl.zeros([N], tl.int32), N)
    for k in range(count):
        span.value += tl.load(x + k * N + i)
        if k == 5:
            break
    tl.store(out + i, span.value)


@pytest.mark.parametrize("count", [0, 1, 4, 8])
def test_a_loop_carries_a_tile(count):
    x = np.arange(128, dtype=np.int32)
    out = launched(carried, x, count, N=16)
    assert out[:16] == x[: 16 * min(count, 6)].reshape(-1, 16).sum(axis=0).tolist()


def test_annotations_in_quotes():
    @tilewright.aggregate
    class Local:
        inner: "Plain"
        a: "tl.tensor"
        b: "constexpr"  # noqa: F821
        c: "unknown"  # noqa: F821

    @tilewright.jit
    def kernel(out, n):
        x = Local(Plain(n, 2), 5, 8, n)
        tl.static_assert(x.a.dtype == tl.int32)
        tl.store(out + tl.arange(0, x.b), x.a + x.inner.value + x.c)

    @tilewright.jit
    def wrong(out, n):
        Local(n, 5, 8, n)

    assert launched(kernel, 3)[:9] == [11] * 8 + [85]
    refused(CompileError, "Expected Plain for attribute 'inner' of Local, got", wrong, 3)


# Misuse


def refused(error, match, body, *args):
    with pytest.raises(error, match=match):
        launched(body, *args)


def test_errors_of_constructors():
    @tilewright.aggregate
    class Partial:
        a: tl.tensor
        b: tl.tensor

        def __init__(self, a):
            self.a = a

    @tilewright.jit
    def partial(out, n):
        Partial(n)

    @tilewright.jit
    def constant(out, n):
        Span(n, n)

    @tilewright.jit
    def text(out, n):
        Plain("text", 3)

    @tilewright.jit
    def missing(out, n):
        Plain(n)

    @tilewright.jit
    def surplus(out, n):
        Plain(n, 1, 2)

    refused(CompileError, "did not initialize attribute 'b'", partial, 3)
    refused(CompileError, "Expected constexpr for attribute 'size' of Span, got", constant, 3)
    refused(CompileError, "Expected tensor for attribute 'value' of Plain, got 'text'", text, 3)
    refused(CompileError, "did not initialize attribute 'step'", missing, 3)
    refused(CompileError, "Plain takes 2 fields, found 3", surplus, 3)


def test_errors_of_assignments():
    @tilewright.jit
    def unknown(out, n):
        span = Span(n, 4)
        span.end = 3

    @tilewright.jit
    def constant(out, n):
        span = Span(n, 4)
        span.size = n

    @tilewright.jit
    def of_a_tensor(out, n):
        n.value = 3

    @tilewright.jit
    def in_a_loop(out, n):
        span = Span(n, 4)
        for _ in range(n):
            span.size = 8

    @tilewright.jit
    def type_in_a_loop(out, n):
        span = Span(n, 4)
        for _ in range(n):
            span.start = span.start + 0.5

    @tilewright.jit
    def python_method(out, n):
        span = Span(n, 4)
        for _ in range(n):
            span.move(1)

    @tilewright.jit
    def read(out, n):
        Span(n, 4).end()

    refused(TypeMismatchError, "Span has no attribute 'end'", unknown, 3)
    refused(TypeMismatchError, "Expected constexpr for attribute 'size'", constant, 3)
    refused(UnsupportedError, "int32 is not an aggregate", of_a_tensor, 3)
    refused(LoopTypeError, "a loop cannot change", in_a_loop, 3)
    refused(LoopTypeError, "a loop cannot change its type", type_in_a_loop, 3)
    refused(UnsupportedError, "a Python method changes Span", python_method, 3)
    refused(UndefinedNameError, "has no attribute `end`", read, 3)


def test_a_constructor_returns_nothing():
    @tilewright.aggregate
    class Wrong:
        a: tl.tensor

        @tilewright.jit
        def __init__(self, a):
            self.a = a
            return a

    @tilewright.jit
    def kernel(out, n):
        Wrong(n)

    refused(TypeMismatchError, "a constructor returns nothing", kernel, 3)


def test_a_size_is_a_constant():
    @tilewright.jit
    def kernel(out, n):
        tl.arange(0, Span(n, 4).start)

    refused(ConstantError, "end of arange must be an integer known", kernel, 3)
    assert launched(kernel, 1)[0] == 85


# Results that must be used


@tilewright.must_use_result
@tilewright.jit
def used(x):
    return x + 1


@tilewright.must_use_result("assign it")
@tilewright.jit
def used_too(x):
    return x + 1


def test_results_that_must_be_used():
    @tilewright.jit
    def right(out, n):
        tl.store(out, used(n) + used_too(n))

    @tilewright.jit
    def wrong(out, n):
        used(n)

    @tilewright.jit
    def wrong_too(out, n):
        used_too(n)

    @tilewright.jit
    def pointer(out, n):
        p = tl.make_block_ptr(out, (16,), (1,), (0,), (16,), (0,))
        p.advance((4,))

    assert launched(right, 3)[0] == 8
    refused(CompileError, "The result of used is not being used", wrong, 3)
    refused(CompileError, "not being used.*\n.*\n.*\n.*assign it", wrong_too, 3)
    refused(CompileError, "The result of p.advance is not being used", pointer, 3)


@tilewright.aggregate
class Defaults:
    start: tl.tensor
    size: tl.constexpr = 4
    step: tl.tensor = 7


@tilewright.jit
def replaced(out, n):
    first = Defaults(n)
    second = Defaults(n, 8, step=n)
    third = tl.core.aggregate_replace(second, start=first.start + 1, size=2)
    tl.store(out + tl.arange(0, first.size), first.start + first.step)
    tl.store(out + 4 + tl.arange(0, third.size), third.start * 100 + third.step)
    tl.store(out + 6, second.size)


def test_defaults_and_copies_with_other_fields():
    assert launched(replaced, 3)[:7] == [10, 10, 10, 10, 403, 403, 8]


def test_errors_of_copies():
    @tilewright.jit
    def no_field(out, n):
        tl.core.aggregate_replace(Defaults(n), length=1)

    @tilewright.jit
    def no_aggregate(out, n):
        tl.core.aggregate_replace(n, size=1)

    refused(TypeMismatchError, "Defaults has no field 'length'", no_field, 3)
    refused(TypeMismatchError, "takes an aggregate, found a value of type int32", no_aggregate, 3)
