"""Read-only arrays may be read by a kernel; a launch that would write to one is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright.errors import ArgumentError

TARGETS = ["cpu", "emulator:cuda:90a"]
N = 64


@tilewright.jit
def copy(x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y + i, tl.load(x + i))


@tilewright.jit
def add_atomically(x, y, N: tl.constexpr):
    tl.atomic_add(y, tl.sum(tl.load(x + tl.arange(0, N)), 0))


@tilewright.jit
def store_to_either(x, y, c, N: tl.constexpr):
    i = tl.arange(0, N)
    p = y
    if c > 0:
        p = x
    tl.store(p + i, i)


@tilewright.jit
def store_through_a_tuple(arrays, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(arrays[1] + i, tl.load(arrays[0] + i))


def read_only(count: int = N) -> np.ndarray:
    array = np.arange(count, dtype=np.int32)
    array.flags.writeable = False
    return array


@pytest.mark.parametrize("target", TARGETS)
def test_a_read_only_array_can_be_read(target: str) -> None:
    y = np.zeros(N, np.int32)
    copy[1,](read_only(), y, N=N, target=target)
    assert np.array_equal(y, np.arange(N))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kernel", [copy, add_atomically])
def test_a_write_is_refused(kernel, target: str) -> None:
    y = read_only()
    with pytest.raises(ArgumentError, match="is read-only, but the kernel writes to it"):
        kernel[1,](np.ones(N, np.int32), y, N=N, target=target)
    assert np.array_equal(y, np.arange(N))
    kernel[1,](np.ones(N, np.int32), np.zeros(N, np.int32), N=N, target=target)  # goes on


@pytest.mark.parametrize("c", [0, 5])
def test_a_pointer_that_may_be_either_array(c: int) -> None:
    with pytest.raises(ArgumentError, match="read-only"):
        store_to_either[1,](read_only(), np.zeros(N, np.int32), c, N=N, target="cpu")
    with pytest.raises(ArgumentError, match="read-only"):
        store_to_either[1,](np.zeros(N, np.int32), read_only(), c, N=N, target="cpu")


def test_arrays_in_a_tuple() -> None:
    y = np.zeros(N, np.int32)
    store_through_a_tuple[1,]((read_only(), y), N=N, target="cpu")
    assert np.array_equal(y, np.arange(N))
    with pytest.raises(ArgumentError, match="read-only"):
        store_through_a_tuple[1,]((y, read_only()), N=N, target="cpu")


def test_a_cached_kernel_refuses_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path))
    from tilewright.compiler import pipeline

    for _ in range(2):
        with pytest.raises(ArgumentError, match="read-only"):
            copy[1,](np.ones(N, np.int32), read_only(), N=N, target="cpu")
        pipeline._kernels.clear()


def test_a_read_only_file(tmp_path: Path) -> None:
    path = tmp_path / "numbers"
    np.arange(N, dtype=np.int32).tofile(path)
    mapped = np.memmap(path, np.int32, mode="r")
    with pytest.raises(ArgumentError, match="read-only"):
        copy[1,](np.ones(N, np.int32), mapped, N=N, target="cpu")
    y = np.zeros(N, np.int32)
    copy[1,](mapped, y, N=N, target="cpu")
    assert np.array_equal(y, np.arange(N))


def test_a_warmup_writes_nothing() -> None:
    kernel = copy.warmup(np.ones(N, np.int32), read_only(), N=N, grid=(1,), target="cpu")
    assert kernel.written_slots == [1]


def test_an_empty_grid_is_refused_too() -> None:
    with pytest.raises(ArgumentError, match="read-only"):
        copy[0,](np.ones(N, np.int32), read_only(), N=N, target="cpu")
