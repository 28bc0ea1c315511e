"""Bytes that a kernel takes by value, in a structure that reads numbers and pointers from them."""

from __future__ import annotations

import struct

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright.errors import CompileError
from tilewright.language.value import ByValue, value_class


@value_class
class Bytes:
    """Bytes as one value of a kernel."""

    def __init__(self, data):
        self.data = data

    def flatten(self):
        return (self.data,), None

    @classmethod
    def unflatten(cls, parts, key):
        return cls(*parts)

    def read(self, offset, type):
        return self.data.read(offset, type)


def packed(layout: str, *values: object) -> Bytes:
    """The values as 128 bytes."""
    return Bytes(ByValue(struct.pack(layout, *values).ljust(128, b"\xa5")))


TYPES = [
    ("b", tl.int8, np.int8, -128),
    ("B", tl.uint8, np.uint8, 255),
    ("h", tl.int16, np.int16, -32768),
    ("H", tl.uint16, np.uint16, 65535),
    ("i", tl.int32, np.int32, -(2**31)),
    ("I", tl.uint32, np.uint32, 2**32 - 1),
    ("q", tl.int64, np.int64, -(2**63)),
    ("Q", tl.uint64, np.uint64, 2**64 - 1),
    ("e", tl.float16, np.float16, -1.5),
    ("f", tl.float32, np.float32, 2.0**-149),
    ("d", tl.float64, np.float64, 2.0**-1074),
]


@tilewright.jit
def read_one(out, data, OFFSET: tl.constexpr, TYPE: tl.constexpr):
    tl.store(out, data.read(OFFSET, TYPE))


@pytest.mark.parametrize("code,type,numpy_type,value", TYPES, ids=lambda v: str(v))
@pytest.mark.parametrize("place", ["first", "second", "last"])
def test_types_and_offsets(code, type, numpy_type, value, place) -> None:
    size = struct.calcsize(code)
    offset = {"first": 0, "second": size, "last": 128 - size}[place]
    data = bytearray(b"\x5a" * 128)
    data[offset : offset + size] = struct.pack(code, value)
    out = np.zeros(1, numpy_type)
    read_one[1](out, Bytes(ByValue(data)), OFFSET=offset, TYPE=type)
    assert out.tobytes() == struct.pack(code, value)


@tilewright.jit
def read_many(before, out, first, count, second, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = first.read(0, tl.int32) * 1000 + second.read(124, tl.int32) + count + before
    tl.store(out + i, i * first.read(8, tl.int32) + value, mask=i < second.read(64, tl.int64))


@pytest.mark.parametrize("num_warps", [1, 4])
def test_between_other_arguments(num_warps) -> None:
    """Each structure starts at an aligned slot, after numbers and before them."""
    first = packed("i4xi", 3, 5)
    second = Bytes(ByValue(struct.pack("64xq52xi", 50, 17)))
    out = np.full(64, -1, np.int32)
    read_many[1](2, out, first, 100, second, BLOCK=64, num_warps=num_warps)
    expected = np.where(np.arange(64) < 50, np.arange(64) * 5 + 3 * 1000 + 17 + 102, -1)
    np.testing.assert_array_equal(out, expected)


@tilewright.jit
def pick(first, second, program):
    """Passes the bytes through a call, whose result is one of them."""
    chosen = first
    if program % 2 == 1:
        chosen = second
    return chosen


@tilewright.jit
def through_control_flow(out, first, second, steps):
    program = tl.program_id(0)
    chosen = pick(first, second, program)
    other = second
    total = 0
    for step in range(steps):
        total = total * 10 + chosen.read(4, tl.int32)
        if step % 2 == 0:
            chosen, other = other, chosen
    while total > 100000:
        total = total - other.read(4, tl.int32)
        other = chosen
    tl.store(out + program, total)


def expected_of(program: int, steps: int, first: int, second: int) -> int:
    chosen, other, total = (second if program % 2 else first), second, 0
    for step in range(steps):
        total = total * 10 + chosen
        if step % 2 == 0:
            chosen, other = other, chosen
    while total > 100000:
        total, other = total - other, chosen
    return total


@pytest.mark.parametrize("steps", [0, 1, 2, 5, 6])
def test_through_control_flow_and_calls(steps) -> None:
    out = np.zeros(4, np.int32)
    through_control_flow[4](out, packed("4xi", 3), packed("4xi", 8), steps)
    assert out.tolist() == [expected_of(program, steps, 3, 8) for program in range(4)]


@tilewright.jit
def copy_by_address(map, count, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    source = map.read(0, tl.pointer_type(tl.float32))
    target = map.read(8, tl.pointer_type(tl.float32))
    mask = i < map.read(16, tl.int64)
    tl.store(target + i, tl.load(source + i, mask=mask) + count, mask=mask)


@pytest.mark.cpu_only("the addresses are those of the host")
@pytest.mark.parametrize("checks", ["", "bounds"])
def test_pointers(checks) -> None:
    x, out = np.arange(32, dtype=np.float32), np.zeros(32, np.float32)
    map = packed("QQq", x.ctypes.data, out.ctypes.data, 20)
    copy_by_address[1](map, 2.0, BLOCK=32, checks=checks)
    np.testing.assert_array_equal(out, np.where(np.arange(32) < 20, x + 2, 0))


@tilewright.jit
def store_then_load(x, map, out):
    """The array is also reachable through the bytes, whatever is known of the arguments."""
    alias = map.read(0, tl.pointer_type(tl.int32))
    before = tl.load(x)
    tl.store(alias, before + 1)
    tl.store(out, tl.load(x) * 10 + before)


@pytest.mark.cpu_only("the addresses are those of the host")
def test_a_pointer_may_alias_an_argument() -> None:
    x, out = np.array([4], np.int32), np.zeros(1, np.int32)
    store_then_load[1](x, packed("Q", x.ctypes.data), out)
    assert (x[0], out[0]) == (5, 54)


def test_programs_of_a_large_grid_read_the_same_bytes() -> None:
    @tilewright.jit
    def kernel(out, map):
        program = tl.program_id(0)
        tl.store(out + program, map.read(120, tl.int64) + program)

    out = np.zeros(1000, np.int64)
    kernel[1000](out, Bytes(ByValue(struct.pack("120xq", 2**40))))
    np.testing.assert_array_equal(out, np.arange(1000) + 2**40)


@pytest.mark.parametrize(
    "offset,type,message",
    [
        (2, tl.int32, "cannot read int32 at offset 2 of 128 bytes"),
        (128, tl.int8, "cannot read int8 at offset 128 of 128 bytes"),
        (-8, tl.int64, "cannot read int64 at offset -8 of 128 bytes"),
        (1.0, tl.int64, "an offset must be a constant integer"),
        (True, tl.int8, "an offset must be a constant integer"),
        (0, tl.int1, "cannot read"),
        (0, tl.float8e5, "cannot read"),
        (0, 5, "cannot read"),
    ],
)
def test_bad_reads_name_the_line(offset, type, message) -> None:
    out = np.zeros(1, np.int64)
    with pytest.raises(CompileError, match=message) as caught:
        read_one[1](out, packed(""), OFFSET=offset, TYPE=type)
    assert "test_parameter_bytes.py" in str(caught.value)


def test_offset_known_at_run_time_only() -> None:
    @tilewright.jit
    def kernel(out, map):
        tl.store(out, map.read(tl.program_id(0), tl.int8))

    with pytest.raises(CompileError, match="an offset must be a constant integer"):
        kernel[1](np.zeros(1, np.int8), packed(""))


def test_bytes_have_no_arithmetic() -> None:
    @tilewright.jit
    def kernel(out, map):
        tl.store(out, map.data + 1)

    with pytest.raises(CompileError, match="bytes128a64"):
        kernel[1](np.zeros(1, np.int8), packed(""))


@tilewright.jit
def early(map, other, n):
    if n > 3:
        return map
    n += 1
    return other


@tilewright.jit
def early_in_two_branches(map, n):
    if n > 3:
        if n > 5:
            return map
        n += 1
    return map


@pytest.mark.parametrize("n,expected", [(3, 12), (4, 21)])
def test_an_early_return(n, expected) -> None:
    @tilewright.jit
    def kernel(out, map, other, n):
        tl.store(out, early(map, other, n).read(0, tl.int32))

    out = np.zeros(1, np.int32)
    kernel[1](out, packed("i", 21), packed("i", 12), n)
    assert out[0] == expected


def test_an_early_return_from_two_branches_is_refused() -> None:
    """The inner branch that does not return has no value of that kind to pass on."""

    @tilewright.jit
    def kernel(out, map, n):
        tl.store(out, early_in_two_branches(map, n).read(0, tl.int32))

    with pytest.raises(CompileError, match="can't be returned by one branch only") as caught:
        kernel[1](np.zeros(1, np.int32), packed("i", 21), 3)
    assert "in a call of `early_in_two_branches`" in str(caught.value)
