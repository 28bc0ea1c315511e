"""Kinds of arguments: the values that the kernel gets, and what can't be passed."""

from __future__ import annotations

import math
import struct
import sys
from types import SimpleNamespace

import numpy as np
import pytest
import torch

import tilewright
import tilewright.language as tl
from tilewright.errors import ArgumentError, DeviceError, TypeMismatchError
from tilewright.language.value import ByValue


@pytest.fixture
def one():
    @tilewright.jit
    def one(a):
        pass

    return one


@pytest.fixture
def slots(substitute):
    """The values of the slots that follow `out` and `count`."""

    @tilewright.jit
    def read(out, count, a, b=None, c=None):
        pass

    substitute(read, "copy_slots")

    def slots(*arguments) -> list[int]:
        out = np.full(10, 0xDEAD, np.uint64)
        read[1](out, len(out), *arguments)
        return [int(slot) for slot in out[2:]]

    return slots


@pytest.fixture
def describe(substitute, one):
    """The descriptor of an argument."""
    substitute(one)

    def describe(argument):
        return one[1](argument).signature[0]

    return describe


# Numbers


@pytest.mark.parametrize("value", [0, 5, -5, 2**31 - 1, -(2**31), 2**40, -(2**63), 2**64 - 1])
def test_integers(slots, value) -> None:
    assert slots(value)[0] == value % 2**64


@pytest.mark.parametrize("value", [0.5, -0.0, 1e300, math.pi, math.inf])
def test_floats_are_fp32(slots, value) -> None:
    assert slots(value)[0] == struct.unpack("I", torch.tensor(value).numpy().tobytes())[0]


def test_bools_and_none(slots) -> None:
    assert slots(True)[0] == 1
    assert slots(False, None, 7)[2] == 7


@pytest.mark.parametrize(
    ("value", "descriptor"),
    [
        (np.int8(5), "i32"),
        (np.uint64(2**63), "u64:D"),
        (np.float64(1.5), "fp32"),
        (np.float16(1.5), "fp32"),
        (np.bool_(True), "u1"),
    ],
)
def test_numpy_scalars(describe, value, descriptor) -> None:
    assert describe(value) == descriptor


def test_an_integer_beyond_64_bits(one) -> None:
    for value in (2**64, -(2**63) - 1):
        with pytest.raises(ArgumentError, match="'a' is an integer beyond 64 bits"):
            one[1](value)


def test_annotations_fix_the_type(substitute) -> None:
    @tilewright.jit
    def kernel(out, count, a: tl.int64, b: fp16, c: tl.float64, d: i8 = 1):  # noqa: F821
        pass

    sub = substitute(kernel, "copy_slots")
    out = np.zeros(6, np.uint64)
    kernel[1](out, 6, 1, 1, 0.1)
    assert sub.last.signature[2:] == ("i64", "fp16", "fp64", "i8")
    expected = [1, 0x3C00, struct.unpack("Q", struct.pack("d", 0.1))[0], 1]
    assert out[2:].tolist() == expected
    with pytest.raises(ArgumentError, match="'d' is 200, which does not fit its type i8"):
        kernel[1](out, 6, 1, 1, 0.1, 200)
    with pytest.raises(ArgumentError, match="'a' is a float, but its type is i64"):
        kernel[1](out, 6, 1.5, 1, 0.1)


# Tensors and arrays

DTYPES = {
    "i1": torch.bool,
    "i8": torch.int8,
    "i16": torch.int16,
    "i32": torch.int32,
    "i64": torch.int64,
    "u8": torch.uint8,
    "u16": torch.uint16,
    "u32": torch.uint32,
    "u64": torch.uint64,
    "fp16": torch.float16,
    "bf16": torch.bfloat16,
    "fp32": torch.float32,
    "fp64": torch.float64,
    "fp8e5": torch.float8_e5m2,
    "fp8e4nv": torch.float8_e4m3fn,
}


@pytest.mark.parametrize("name", DTYPES)
def test_torch_dtypes(describe, slots, name) -> None:
    tensor = torch.zeros(8, dtype=DTYPES[name])
    assert describe(tensor) == f"*{name}:D"
    assert slots(tensor)[0] == tensor.data_ptr()


@pytest.mark.parametrize("name", [n for n in DTYPES if n != "bf16" and not n.startswith("fp8")])
def test_numpy_dtypes(describe, slots, name) -> None:
    array = np.zeros(64, dtype=str(DTYPES[name]).removeprefix("torch."))
    array = array[-array.ctypes.data % 16 // array.itemsize :]
    assert describe(array) == f"*{name}:D"
    assert slots(array)[0] == array.ctypes.data


def test_alignment_is_that_of_the_first_element(describe) -> None:
    tensor = torch.zeros(64)
    assert describe(tensor[1:]) == "*fp32"
    assert describe(tensor[4:]) == "*fp32:D"
    assert describe(tensor.numpy()[1:]) == "*fp32"


def test_tensors_that_are_not_contiguous(slots) -> None:
    tensor = torch.zeros(8, 8)
    assert slots(tensor.t()[2:, ::3])[0] == tensor.data_ptr() + 8
    array = np.zeros((8, 8), np.float32)
    assert slots(array[::-1])[0] == array.ctypes.data + 7 * 32


def test_tensors_that_require_a_gradient(describe) -> None:
    assert describe(torch.zeros(4, requires_grad=True)) == "*fp32:D"
    assert describe(torch.nn.Parameter(torch.zeros(4))) == "*fp32:D"


def test_empty_and_scalar_tensors(describe) -> None:
    assert describe(torch.zeros(0)).startswith("*fp32")
    assert describe(torch.tensor(1.0)) == "*fp32:D"
    assert describe(np.zeros((3, 0), np.float32)).startswith("*fp32")


def test_read_only_arrays(describe) -> None:
    array = np.zeros(64, np.float32)
    array.flags.writeable = False
    assert describe(array).startswith("*fp32")


class Capsule:
    """Has only the DLPack interface."""

    def __init__(self, tensor: torch.Tensor) -> None:
        self.tensor = tensor
        self.dtype = tensor.dtype

    def __dlpack__(self):
        return self.tensor.__dlpack__()


class Address:
    """Has only an address, like a tensor of a framework with neither DLPack nor NumPy support."""

    def __init__(self, tensor: torch.Tensor, dtype: object = None, device: str = "cpu") -> None:
        self.tensor = tensor
        self.dtype = dtype or tensor.dtype
        self.device = device

    def data_ptr(self) -> int:
        return self.tensor.data_ptr()


def test_dlpack(describe, slots) -> None:
    tensor = torch.zeros(16, dtype=torch.bfloat16)
    assert describe(Capsule(tensor)) == "*bf16:D"
    assert slots(Capsule(tensor[3:]))[0] == tensor.data_ptr() + 6


@pytest.mark.parametrize("dtype", [torch.float16, "float16", np.dtype("float16"), tl.float16])
def test_data_ptr(describe, slots, dtype) -> None:
    tensor = torch.zeros(16)
    assert describe(Address(tensor, dtype)) == "*fp16:D"
    assert slots(Address(tensor, dtype))[0] == tensor.data_ptr()


def test_a_capsule_lives_until_the_kernel_has_run(slots) -> None:
    class Temporary:
        def __dlpack__(self):
            return torch.arange(4).__dlpack__()

    assert slots(Temporary())[0] % 8 == 0


# What can't be passed


@pytest.mark.parametrize(
    "value", [[1, 2], {}, object(), 1j, b"bytes", {1}, len, int, SimpleNamespace(dtype="fp32")]
)
def test_types_that_cannot_be_passed(one, value) -> None:
    name = type(value).__name__
    with pytest.raises(ArgumentError, match=f"'a' is of type .*{name}, which can't be passed"):
        one[1](value)


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.zeros(4, ">f4"), "other byte order"),
        (np.zeros(4, "c8"), "elements of type complex64"),
        (np.zeros(4, "O"), "elements of type object"),
        (np.zeros(4, "U3"), "elements of type <U3"),
        (np.zeros(4, "M8[s]"), "elements of type datetime64"),
        (np.zeros(17, "u1")[1:].view(np.float32), "not aligned"),
        (torch.zeros(4, dtype=torch.complex64), "elements of type torch.complex64"),
        (torch.zeros(4).to_sparse(), "without plain memory"),
        (Address(torch.zeros(4), "qint8"), "elements of type qint8"),
    ],
)
def test_arrays_that_cannot_be_passed(one, array, message) -> None:
    with pytest.raises(ArgumentError, match=f"one .*'a' .*{message}"):
        one[1](array)


def test_devices_that_cannot_be_reached(one) -> None:
    with pytest.raises(DeviceError, match="'a' is on xpu:1, which kernels can't reach"):
        one[1](Address(torch.zeros(4), device="xpu:1"))
    with pytest.raises(DeviceError, match="'a' is on cuda:1, which a kernel on 'cpu' can't reach"):
        one[1](Address(torch.zeros(4), device="cuda:1"), target="cpu")
    with pytest.raises(DeviceError, match="'a' is on meta"):
        one[1](torch.zeros(4, device="meta"))


@pytest.mark.filterwarnings("ignore")
def test_a_tensor_without_memory(one) -> None:
    from torch._subclasses import FakeTensorMode

    with FakeTensorMode():
        fake = torch.zeros(4)
    with pytest.raises(ArgumentError, match="'a' has elements but no memory"):
        one[1](fake)


def test_the_reason_of_a_framework_is_one_line(one) -> None:
    with pytest.raises(ArgumentError) as caught:
        one[1](torch.zeros(4).to_sparse())
    assert "\n" not in str(caught.value)


def test_launching_keeps_no_references(substitute) -> None:
    @tilewright.jit
    def kernel(a, b, c, d, e, f: tl.constexpr, g=7):
        pass

    substitute(kernel)
    tensor = torch.zeros(4)
    text = "".join(["nobody ", "else's"])
    arguments = [tensor, np.zeros(4), Capsule(tensor), Address(tensor), (tensor, 5), text]
    option = object()

    def launch() -> None:
        kernel[(1,)](*arguments, num_warps=option)
        for wrong in ({"a": 1}, {"g": []}, {"g": 2**70}):
            with pytest.raises(ArgumentError):
                kernel[(1,)](*arguments, num_warps=option, **wrong)

    def counts() -> list[int]:
        return [sys.getrefcount(item) for item in [*arguments, option, kernel]]

    launch()
    before = counts()
    for _ in range(10):
        launch()
    assert counts() == before


def test_what_an_argument_raises_is_the_cause(one) -> None:
    class Broken:
        dtype = "fp32"

        def data_ptr(self):
            raise RuntimeError("no memory today")

    with pytest.raises(ArgumentError, match="no memory today") as caught:
        one[1](Broken())
    assert isinstance(caught.value.__cause__, RuntimeError)


class TensorMap(ByValue):
    """128 bytes, aligned to 64."""


class Pair(ByValue):
    __tilewright_by_value__ = 8


def words_of(data: bytes) -> list[int]:
    return list(struct.unpack(f"{len(data) // 8}Q", data))


def test_bytes_by_value_take_aligned_slots(substitute) -> None:
    @tilewright.jit
    def kernel(out, count, pair, map, last):
        pass

    sub = substitute(kernel, "copy_slots")
    map, pair = TensorMap(range(128)), Pair(range(50, 66))
    out = np.zeros(64, np.uint64)
    kernel[1](out, 25, pair, map, 77)
    assert out[1:4].tolist() == [25, *words_of(pair)]
    assert out[8:24].tolist() == words_of(map)
    assert out[24] == 77
    assert list(sub.last.signature[2:4]) == ["bytes16a8", "bytes128a64"]


def test_the_size_of_bytes_is_specialized_and_their_value_is_not(substitute) -> None:
    @tilewright.jit
    def kernel(pair):
        pass

    sub = substitute(kernel, "nothing")
    for data in (bytes(16), bytes(range(16)), bytes(8), bytes(16)):
        kernel[1](Pair(data))
    assert len(sub.requests) == 2


@pytest.mark.parametrize("data", [TensorMap(120), TensorMap(192), Pair(136), Pair(), Pair(12)])
def test_bytes_of_another_size_cannot_be_passed(data) -> None:
    @tilewright.jit
    def kernel(map):
        pass

    with pytest.raises(
        ArgumentError, match=f"'map' is a structure of {len(data)} bytes aligned to"
    ):
        kernel[1](data)


def test_a_kernel_ignores_bytes_that_it_does_not_use() -> None:
    @tilewright.jit
    def kernel(out, map, value):
        tl.store(out, value)

    for target in ("cpu", "emulator:cuda:90a+checks"):
        for checks in ("", "bounds"):
            out = np.zeros(1, np.int32)
            kernel[1](out, TensorMap(128), 42, target=target, checks=checks)
            assert out[0] == 42


def test_no_operation_takes_bytes_yet() -> None:
    @tilewright.jit
    def kernel(out, map):
        tl.store(out, map)

    with pytest.raises(TypeMismatchError, match="expected a tensor or a number"):
        kernel[1](np.zeros(1, np.int32), TensorMap(128))
