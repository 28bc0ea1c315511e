"""Positional and keyword arguments, defaults, options, and their errors."""

from __future__ import annotations

import pytest

import tilewright
import tilewright.language as tl
from tilewright.errors import ArgumentError


@pytest.fixture
def kernel():
    @tilewright.jit
    def kernel(x, y=5, *, z, BLOCK: tl.constexpr = 64):
        pass

    return kernel


@pytest.fixture
def sub(substitute, kernel):
    return substitute(kernel)


def test_defaults_and_keywords(kernel, sub) -> None:
    kernel[1](2, z=3)
    kernel[1](z=3, x=2)
    kernel[1](2, 7, BLOCK=128, z=3)
    assert sub.signatures == [("i32", "i32", "i32", 64), ("i32", "i32", "i32", 128)]


def test_keywords_that_are_not_interned(kernel, sub) -> None:
    kernel[1](**{"".join(["BLO", "CK"]): 32, "".join(["", "x"]): 2, "z": 3})
    assert sub.last.signature == ("i32", "i32", "i32", 32)


def test_keywords_that_are_no_parameters_are_options(kernel, sub) -> None:
    kernel[1](2, z=3, num_warps=8, debug=True)
    assert sub.last.options == {"num_warps": 8, "debug": True}
    kernel[1](2, z=3, num_warps=4, debug=True)
    kernel[1](2, z=3)
    assert len(sub.requests) == 3


def test_a_parameter_may_have_the_name_of_an_option(substitute) -> None:
    @tilewright.jit
    def kernel(x, num_warps: tl.constexpr):
        pass

    sub = substitute(kernel)
    kernel[1](2, num_warps=8)
    assert sub.last == (("i32", 8), {}, True)


@pytest.mark.parametrize(
    ("args", "kwargs", "message"),
    [
        ((), {"z": 1}, "missing argument 'x'"),
        ((), {}, "missing arguments 'x', 'z'"),
        ((1,), {}, "missing argument 'z'"),
        ((1, 2, 3), {"z": 1}, "3 positional arguments were given, but it takes 2: x, y"),
        ((1,), {"x": 1, "z": 2}, "argument 'x' is given twice"),
        ((1,), {"zz": 2}, "missing argument 'z'; there is no parameter 'zz'"),
    ],
)
def test_misfits(kernel, sub, args, kwargs, message) -> None:
    with pytest.raises(ArgumentError, match=message) as caught:
        kernel[1](*args, **kwargs)
    # The kernel and its position.
    assert "kernel (test_launch_binding.py:" in str(caught.value)
    assert isinstance(caught.value, TypeError)
    assert not sub.requests


def test_an_unknown_option_is_refused(kernel) -> None:
    with pytest.raises(ArgumentError, match=r"'BLOK' is neither .* did you mean 'BLOCK'"):
        kernel[1](2, z=3, BLOK=3)


def test_no_parameters_at_all(substitute) -> None:
    @tilewright.jit
    def kernel():
        pass

    sub = substitute(kernel)
    kernel[1]()
    assert sub.last.signature == ()
    with pytest.raises(ArgumentError, match="takes 0"):
        kernel[1](1)


def test_many_parameters(substitute) -> None:
    names = [f"p{i}" for i in range(100)]
    namespace: dict = {}
    source = f"def kernel({', '.join(names)}): pass\n"
    import linecache

    linecache.cache["<many>"] = (len(source), None, [source], "<many>")
    exec(compile(source, "<many>", "exec"), namespace)
    kernel = tilewright.jit(namespace["kernel"])
    sub = substitute(kernel)
    kernel[1](*range(2, 102))
    assert sub.last.signature == tuple("i32:D" if n % 16 == 0 else "i32" for n in range(2, 102))
