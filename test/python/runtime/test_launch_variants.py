"""Which launches share a compilation."""

from __future__ import annotations

import enum
import weakref
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch

import tilewright
import tilewright.language as tl
from tilewright.errors import ArgumentError, CompileWarning


class Pair(NamedTuple):
    first: Any
    second: Any


@pytest.fixture
def plain(substitute):
    @tilewright.jit
    def kernel(a, b=2):
        pass

    return kernel, substitute(kernel)


@pytest.fixture
def constant(substitute):
    @tilewright.jit
    def kernel(C: tl.constexpr):
        pass

    return kernel, substitute(kernel)


def test_integers_by_width_divisibility_and_one(plain) -> None:
    kernel, sub = plain
    for value in (2, 3, 16, 32, 0, 1, 2**31, 2**32, 2**63, -16, -1):
        kernel[1](value)
    kinds = ["i32", "i32:D", 1, "i64:D", "u64:D"]
    assert [signature[0] for signature in sub.signatures] == kinds


def test_none_bool_float(plain) -> None:
    kernel, sub = plain
    for value in (None, True, False, 1.0, 2.0, None):
        kernel[1](value)
    assert [signature[0] for signature in sub.signatures] == [None, "u1", "fp32"]


def test_the_same_kinds_again_compile_nothing(plain) -> None:
    kernel, sub = plain
    tensors = [torch.zeros(8) for _ in range(50)]
    first = kernel[1](tensors[0], 5)
    assert all(kernel[(2, 3)](tensor, 7) is first for tensor in tensors)
    assert len(sub.requests) == 1


def test_do_not_specialize(substitute) -> None:
    @tilewright.jit(do_not_specialize=["a"], do_not_specialize_on_alignment=[1])
    def kernel(a, b, c):
        pass

    sub = substitute(kernel)
    kernel[1](1, 1, 1)
    kernel[1](16, 16, 16)
    kernel[1](torch.zeros(4), torch.zeros(4), torch.zeros(4))
    assert sub.signatures == [
        ("i32", 1, 1),
        ("i32", "i32", "i32:D"),
        ("*fp32", "*fp32", "*fp32:D"),
    ]


def test_do_not_specialize_of_no_parameter_warns() -> None:
    with pytest.warns(CompileWarning, match="`scale` has no parameter 'd'") as caught:

        @tilewright.jit(do_not_specialize=["d", "n"])
        def scale(x, n):
            pass

    assert caught[0].filename == __file__
    assert [parameter.do_not_specialize for parameter in scale.params] == [False, True]
    with pytest.warns(CompileWarning, match="has no parameter 7"):
        tilewright.jit(do_not_specialize_on_alignment=[7])(scale.fn)


# Constants


def test_constants_by_type_and_value(constant) -> None:
    kernel, sub = constant
    values = [1, True, 1.0, 0.0, -0.0, "1", None, (1, 2), (1, True), ((1,), 2), 2**70, tl.float32]
    for value in [*values, *values]:
        kernel[1](value)
    assert [repr(signature[0]) for signature in sub.signatures] == [repr(v) for v in values]


def test_a_nan_is_one_constant(constant) -> None:
    kernel, sub = constant
    for _ in range(3):
        kernel[1](float("nan"))
    assert len(sub.requests) == 1


def test_equal_strings_and_enumerations(constant) -> None:
    class Mode(enum.IntEnum):
        A = 1
        B = 2

    kernel, sub = constant
    for value in ("relu", "".join(["re", "lu"]), "gelu", Mode.A, Mode.B, Mode.A, 1):
        kernel[1](value)
    assert [signature[0] for signature in sub.signatures] == ["relu", "gelu", Mode.A, Mode.B, 1]


def test_wrapped_constants_are_what_they_wrap(constant, plain) -> None:
    kernel, sub = constant
    kernel[1](tl.constexpr(64))
    kernel[1](64)
    assert sub.signatures == [(64,)]
    kernel, sub = plain
    kernel[1](tl.constexpr(64))
    kernel[1](64)
    assert sub.signatures == [(64, "i32"), ("i32:D", "i32")]


def test_constants_must_be_hashable(constant) -> None:
    kernel, _ = constant
    with pytest.raises(ArgumentError, match=r"'C' is a constant and must be hashable: .*list"):
        kernel[1]([1, 2])


def test_what_a_class_calls_equal_is_not_asked(constant) -> None:
    class Strange:
        def __hash__(self) -> int:
            raise RuntimeError("unhashable")

        def __eq__(self, other: object) -> bool:
            raise RuntimeError("incomparable")

    kernel, sub = constant
    strange = Strange()
    for value in (strange, Strange(), strange):
        kernel[1](value)
    assert len(sub.requests) == 2


def test_many_objects_of_one_kernel_are_not_all_kept(substitute) -> None:
    class Config:
        pass

    @tilewright.jit
    def kernel(C: tl.constexpr):
        pass

    sub = substitute(kernel)
    made = kernel[1](0)
    kernel._compile = lambda *request: (sub.requests.append(request), (made, None))[1]
    alive = weakref.WeakSet()
    for _ in range(50):
        config = Config()
        alive.add(config)
        kernel[1](config)
    del config
    sub.requests.clear()
    assert len(alive) <= 8


def test_strings_dtypes_and_functions_are_constants_anywhere(plain) -> None:
    @tilewright.jit
    def other():
        pass

    kernel, sub = plain
    kernel[1]("fp32")
    value = sub.last.signature[0]
    assert isinstance(value, tl.constexpr) and value.value == "fp32"
    kernel[1](tl.float16)
    assert sub.last.signature[0] is tl.float16
    kernel[1](torch.float16)
    assert sub.last.signature[0] is torch.float16
    kernel[1](other)
    assert sub.last.signature[0] is other


# Tuples


def test_tuples(plain) -> None:
    kernel, sub = plain
    x = torch.zeros(4)
    kernel[1]((x, 16, (1, None)), ())
    kernel[1]((x, 32, (1, None)), ())
    kernel[1](Pair(x, 16), ())
    kernel[1]((x, 16), ())
    assert sub.signatures == [
        (("*fp32:D", "i32:D", (1, None)), ()),
        (Pair("*fp32:D", "i32:D"), ()),
        (("*fp32:D", "i32:D"), ()),
    ]
    assert type(sub.signatures[1][0]) is Pair


def test_leaves_of_tuples_have_slots(substitute) -> None:
    @tilewright.jit
    def kernel(out, count, a, C: tl.constexpr, b):
        pass

    substitute(kernel, "copy_slots")
    out = np.zeros(8, np.uint64)
    kernel[1](out, 8, (5, (6, None), ()), (1, 2, 3), 7)
    assert out[2:7].tolist() == [5, 6, 0, 0, 7]


def test_a_tuple_that_is_too_deep(plain) -> None:
    kernel, _ = plain
    value: tuple = ()
    for _ in range(100000):
        value = (value,)
    with pytest.raises(RecursionError):
        kernel[1](value)


# Memory


def noalias(plain, *arguments) -> bool:
    kernel, _ = plain
    return kernel[1](*arguments).noalias


def test_disjoint_and_overlapping(plain) -> None:
    buffer = torch.zeros(64)
    assert noalias(plain, buffer[:32], buffer[32:])
    assert not noalias(plain, buffer[:36], buffer[32:])
    assert not noalias(plain, buffer, buffer)
    assert not noalias(plain, buffer, buffer.numpy()[60:])
    assert noalias(plain, torch.zeros(0), buffer)


def test_interleaved_views_count_as_overlapping(plain) -> None:
    buffer = np.zeros((8, 8), np.float32)
    assert not noalias(plain, buffer[:, :4], buffer[:, 4:])
    assert not noalias(plain, buffer[::-1], buffer[0])


def test_unknown_extents_may_overlap(plain) -> None:
    class Address:
        dtype = "fp32"

        def data_ptr(self) -> int:
            return 4096

    assert not noalias(plain, Address(), torch.zeros(4))


def test_without_pointers_nothing_overlaps(plain) -> None:
    assert noalias(plain, 5)


def test_hundreds_of_variants(constant) -> None:
    kernel, sub = constant
    for _ in range(2):
        for value in range(500):
            assert kernel[1](value).signature == (value,)
    assert len(sub.requests) == 500


@tilewright.jit
def number_kernel(x, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i) * n + 100)
    tl.store(out + N + i, (n - 2) // 3 + (n << 31).to(tl.int64) + i * 0)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_an_argument_that_is_1_counts_like_any_other(n: int) -> None:
    """It is compiled in, but its type is int32 and its quotients round to zero."""
    x, out = np.full(16, 100, np.int8), np.zeros((2, 16), np.int64)
    number_kernel[(1,)](x, out, n, N=16)
    assert (out[0] == 100 * n + 100).all()
    assert (out[1] == int((n - 2) / 3) - (n % 2) * 2**31).all()
