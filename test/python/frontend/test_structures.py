"""Structures of values pass through control flow and calls by the value protocol alone."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from frontend_support import build, jit
from structures import Strided, Window, addresses

import tilewright.frontend
import tilewright.language as tl
from tilewright.errors import ArgumentError, LoopTypeError, TypeMismatchError, UndefinedNameError


def run(kernel, *args, **options):
    """The first argument, after a launch on the CPU and on an emulated GPU."""
    results = []
    for target in ("cpu", "emulator:cuda:90a+checks"):
        out = np.zeros(16, np.int32)
        kernel[(1,)](out, *args, target=target, **options)
        results.append(out)
    np.testing.assert_array_equal(*results)
    return results[0].tolist()


def ints(*values):
    return np.array(values, np.int32)


def test_the_front_end_does_not_know_the_classes():
    folder = Path(tilewright.frontend.__file__).parent
    assert not any("Strided" in file.read_text() for file in folder.glob("*.py"))


@jit
def second(p):
    return p.advanced(1), 5


@jit
def either(p, q, n):
    if n > 3:
        return p
    return q


@jit
def find(p, n):
    """An early return with a structure, from several places."""
    if n == 0:
        return p
    q = p.advanced(n)
    if n == 1:
        return q
    return q.advanced(1)


def test_a_structure_is_made_in_a_kernel_and_read():
    @jit
    def kernel(out):
        p = Strided(out, 2, 3)
        tl.store(addresses(p, 1), p.unit)
        tl.store(p.at(2), p.stride)

    assert run(kernel)[6::6] == [3, 2]


def test_a_loop_carries_a_structure():
    @jit
    def kernel(out, n):
        p = Strided(out, 1, 2)
        for i in range(n):
            tl.store(p.base, i + 1)
            p = p.advanced(1)
        tl.store(p.base, 9)

    assert run(kernel, 3)[:8] == [1, 0, 2, 0, 3, 0, 9, 0]


def test_the_loop_carries_the_parts_only():
    @jit
    def kernel(out, n):
        p = Strided(out, n, 2)
        for _ in range(n):
            p = Strided(p.at(1), p.stride + 1, 2)
        tl.store(p.base, 1)

    assert "-> (!tile.ptr<i32>, i32)" in build(kernel, "*i32", "i32")


def test_while_with_break_and_continue():
    @jit
    def kernel(out, n):
        p = Strided(out, 1, 1)
        i = 0
        while i < n:
            i += 1
            if i == 2:
                continue
            if i == 5:
                break
            tl.store(p.base, i)
            p = p.advanced(2)
        tl.store(p.base, 100 + i)

    assert run(kernel, 9)[:8] == [1, 0, 3, 0, 4, 0, 105, 0]


def test_branches_join_structures():
    @jit
    def kernel(out, n):
        p = Strided(out, 1, 1)
        if n > 3:
            p = p.advanced(4)
        else:
            p = Strided(out, 2, 1)  # replaces all parts
            tl.store(out + 15, n)
        q = p if n > 100 else p.advanced(1)
        tl.store(q.base, p.stride)

    assert run(kernel, 5)[5] == 1
    assert run(kernel, 2)[2] == 2


def test_calls_take_and_return_structures():
    @jit
    def kernel(out, n):
        p, five = second(Strided(out, 1, 2))
        q = either(p, p.advanced(1), n)
        tl.store(q.base, five)
        tl.store(find(Strided(out, 1, 1), n).base, 7)

    assert run(kernel, 4)[2:6] == [5, 0, 0, 7]
    assert run(kernel, 1)[1:5] == [7, 0, 0, 5]
    assert run(kernel, 0)[0:5] == [7, 0, 0, 0, 5]


def test_an_early_return_from_a_kernel_with_a_structure():
    @jit
    def kernel(out, n):
        p = Strided(out, 1, 1)
        for i in range(n):
            if i == 2:
                tl.store(p.base, 7)
                return
            p = p.advanced(1)
        tl.store(p.base, 3)

    assert run(kernel, 9)[:4] == [0, 0, 7, 0]
    assert run(kernel, 1)[:4] == [0, 3, 0, 0]


def test_a_call_is_specialized_on_the_key_and_the_types_of_the_parts():
    @jit
    def kernel(out, n):
        a = second(Strided(out, n, 1))[0]
        b = second(Strided(out, n + 1, 1))[0]
        c = second(Strided(out, n, 2))[0]
        d = second(Strided(out, n.to(tl.int64), 1))[0]
        tl.store(a.base, 1)
        tl.store(b.base, 1)
        tl.store(c.base, 1)
        tl.store(d.base, 1)

    assert build(kernel, "*i32", "i32").count("func.func private") == 3


def test_structures_nest():
    @jit
    def kernel(out, n):
        w = Window(Strided(out, 1, 1), (n, 2))
        for _ in range(2):
            w = Window(w.where.advanced(1), (w.sizes[0] + 1, w.sizes[1]))
        tl.store(w.where.base, w.sizes[0] * 10 + w.sizes[1])

    assert run(kernel, 4)[:3] == [0, 0, 62]


def test_a_loop_cannot_change_the_key():
    @jit
    def kernel(out, n):
        p = Strided(out, n, 1)
        for _ in range(n):
            p = Strided(out, n, 2)
        tl.store(p.base, 1)

    with pytest.raises(LoopTypeError, match=r"Strided\(pointer<int32>, int32\) before the loop"):
        build(kernel, "*i32", "i32")


def test_a_part_cannot_change_its_type():
    @jit
    def kernel(out, n):
        p = Strided(out, n, 1)
        for _ in range(n):
            p = Strided(out, n.to(tl.int64), 1)
        tl.store(p.base, 1)

    with pytest.raises(LoopTypeError, match=r"Strided\(pointer<int32>, int64\) at its end"):
        build(kernel, "*i32", "i32")


def test_branches_with_different_keys_have_no_common_value():
    @jit
    def kernel(out, n):
        p = Strided(out, n, 1)
        if n > 3:
            p = Strided(out, n, 2)
        tl.store(p.base, 1)

    with pytest.raises(LoopTypeError, match="has the type Strided"):
        build(kernel, "*i32", "i32")


def test_a_structure_is_not_a_condition():
    @jit
    def kernel(out, n):
        if Strided(out, n, 1):
            tl.store(out, 1)

    with pytest.raises(TypeMismatchError, match="a condition must be a scalar, found Strided"):
        build(kernel, "*i32", "i32")


def test_a_structure_is_an_argument_of_a_kernel():
    @jit
    def kernel(out, p, n):
        q = p.advanced(n)
        tl.store(out, tl.load(q.base))
        tl.store(out + 1, p.unit)

    data = ints(*range(10, 26))
    assert run(kernel, Strided(data, 3, 2), 1)[:2] == [16, 2]
    assert run(kernel, Strided(data, 3, 1), 2)[:2] == [16, 1]
    assert run(kernel, Strided(data, 1, 1), 2)[:2] == [12, 1]
    assert run(kernel, Strided(data[1:], 3, 1), 2)[:2] == [17, 1]


def test_arguments_with_structures_in_structures_and_tuples():
    @jit
    def kernel(out, windows, last):
        a, b = windows
        tl.store(out, tl.load(a.where.at(1)) + a.sizes[0])
        tl.store(out + 1, tl.load(b.where.at(2)) + b.sizes[1])
        tl.store(out + 2, last)

    data = ints(*range(10, 26))
    windows = (
        Window(Strided(data, 3, 2), (100, 1)),
        Window(Strided(data, 2, 1), (None, 200)),
    )
    assert run(kernel, windows, 77)[:3] == [116, 214, 77]


def test_launches_with_different_keys_are_different_variants():
    @jit
    def kernel(out, p):
        tl.store(out, p.unit)

    data = ints(0)
    out = np.zeros(4, np.int32)
    kernels = [kernel[(1,)](out, Strided(data, 5, unit)) for unit in (1, 2, 1, 2)]
    assert kernels[0] is kernels[2] and kernels[1] is kernels[3]
    assert kernels[0] is not kernels[1]
    assert out[0] == 2
    assert kernels[0].metadata["signature"]["p"].startswith("Strided(*i32")


def test_a_structure_with_a_wrong_flatten_is_rejected():
    class Broken(Strided):
        def flatten(self):
            return [self.base]

    @jit
    def kernel(out, p):
        tl.store(out, 1)

    with pytest.raises(ArgumentError, match="'p' has a flatten"):
        kernel[(1,)](np.zeros(1, np.int32), Broken(ints(0), 1, 1))


def test_an_exception_in_flatten_reaches_the_user():
    class Failing(Strided):
        def flatten(self):
            raise RuntimeError("no parts today")

    @jit
    def kernel(out, p):
        tl.store(out, 1)

    with pytest.raises(RuntimeError, match="no parts today"):
        kernel[(1,)](np.zeros(1, np.int32), Failing(ints(0), 1, 1))


def test_a_class_without_the_protocol_is_not_a_value():
    class Plain:
        pass

    @jit
    def kernel(out):
        tl.store(out, Plain())

    with pytest.raises(UndefinedNameError):
        build(kernel, "*i32")


def test_a_structure_holds_any_array_only_while_it_is_launched():
    @jit
    def kernel(out, p):
        tl.store(out, tl.load(p.base))

    class Lazy(Strided):
        def flatten(self):
            is_array = isinstance(self.base, np.ndarray)  # not in the front end
            return (self.base.copy() if is_array else self.base, self.stride), self.unit

    assert run(kernel, Lazy(ints(5, 6), 1, 1))[0] == 5


class Pair(NamedTuple):
    a: object
    b: object


def test_a_tuple_and_a_named_tuple_are_told_apart():
    @jit
    def kernel(out, n):
        t = (1.0, 2)
        if n > 3:
            t = Pair(1.0, 2)
        tl.store(out, t[1])

    with pytest.raises(LoopTypeError, match=r"Pair\(fp32, int32\) .* and \(fp32, int32\)"):
        kernel[1,](np.zeros(1, np.int32), 4)
