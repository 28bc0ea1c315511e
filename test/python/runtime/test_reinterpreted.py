"""Tensors that kernels see with another dtype."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright.errors import ArgumentError
from tilewright.runtime.mock import MockTensor
from tilewright.runtime.reinterpreted import TensorWrapper, reinterpret


@tilewright.jit
def to_float(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i).to(tl.float32))


def test_bytes_as_float8() -> None:
    torch = pytest.importorskip("torch")
    values = torch.tensor([1.0, -2.0, 0.5, 448.0], dtype=torch.float8_e4m3fn)
    out = torch.zeros(4)
    seen = reinterpret(values.view(torch.uint8), tl.float8e4nv)
    made = to_float[1](seen, out, 4)
    assert out.tolist() == [1.0, -2.0, 0.5, 448.0]
    assert made.src.signature["x"] == "*fp8e4nv"


@pytest.mark.parametrize("dtype", [tl.float16, "float16"])
def test_arrays(dtype) -> None:
    values = np.array([1.0, -2.0, 0.5, 3.0], np.float16)
    out = np.zeros(4, np.float32)
    if isinstance(dtype, str):
        dtype = np.dtype(dtype)
    to_float[1](reinterpret(values.view(np.int16), dtype), out, 4)
    assert out.tolist() == [1.0, -2.0, 0.5, 3.0]


def test_a_store_goes_to_the_tensor() -> None:
    torch = pytest.importorskip("torch")
    bits = torch.zeros(4, dtype=torch.int32)
    to_float[1](torch.tensor([1, 2, 3, 4]), reinterpret(bits, tl.float32), 4)
    assert bits.view(torch.float32).tolist() == [1.0, 2.0, 3.0, 4.0]


def test_booleans() -> None:
    values = np.array([0, 1, 1, 0], np.int8)
    out = np.zeros(4, np.float32)
    to_float[1](reinterpret(values, tl.int1), out, 4)
    assert out.tolist() == [0, 1, 1, 0]


def test_overlapping_memory() -> None:
    """Nothing is known of the wrapped tensor's extent, so the code must not assume any."""
    values = np.arange(8, dtype=np.int32)
    seen = reinterpret(values, tl.float32)
    made = to_float[1](values, seen, 8)
    assert not made.src.noalias
    assert seen.base.view(np.float32).tolist() == list(range(8))


def test_back_again() -> None:
    values = np.zeros(4, np.int16)
    seen = reinterpret(values, tl.float16)
    assert isinstance(seen, TensorWrapper)
    assert reinterpret(seen, values.dtype) is values
    again = reinterpret(seen, tl.bfloat16)
    assert (again.base is values, again.dtype) == (True, tl.bfloat16)


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_what_programs_ask_of_a_tensor(library) -> None:
    module = pytest.importorskip(library)
    seen = reinterpret(module.zeros((4, 6), dtype=module.int16), tl.float16)
    assert (tuple(seen.shape), tuple(seen.stride()), seen.stride(0)) == ((4, 6), (6, 1), 6)
    assert (seen.element_size(), seen.numel(), seen.is_contiguous()) == (2, 24, True)
    assert str(seen.device) == "cpu"


def test_tensors_of_pytorch() -> None:
    torch = pytest.importorskip("torch")
    base = torch.arange(4, dtype=torch.int16)
    seen = reinterpret(base, tl.float16)
    copies = [seen.clone(), seen.cpu(), seen.to("cpu"), seen.new_empty((4,)).copy_(seen)]
    assert all(copy.dtype == tl.float16 and torch.equal(copy.base, base) for copy in copies)
    with pytest.raises(ArgumentError, match="negation"):
        reinterpret(torch.zeros(2, dtype=torch.complex64).conj().imag, tl.int32)


def test_mocks() -> None:
    seen = reinterpret(MockTensor("uint8"), tl.float8e5)
    made = to_float.warmup(seen, tl.float32, 4)
    assert made.src.signature["x"] == "*fp8e5"


@pytest.mark.parametrize("dtype", [tl.float32, tl.float8e5, np.dtype("int64"), "float16", None])
def test_sizes_must_be_equal(dtype) -> None:
    with pytest.raises(ArgumentError, match=r"can't be reinterpreted|a dtype must be"):
        reinterpret(np.zeros(4, np.int16), dtype)


@pytest.mark.parametrize("value", [1, [1, 2], None, "text"])
def test_what_is_no_tensor(value) -> None:
    with pytest.raises(TypeError, match="only a tensor or an array"):
        reinterpret(value, tl.float32)
