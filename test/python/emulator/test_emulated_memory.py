"""Arrays that kernels reach through addresses in memory, on emulated GPUs."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright.errors import EmulationError

pytestmark = pytest.mark.cpu_only("tests emulated GPUs", compiles=False)


@tilewright.jit
def fill(addresses, n, BLOCK: tl.constexpr):
    out = tl.load(addresses + tl.program_id(0)).to(tl.pointer_type(tl.int32))
    i = tl.arange(0, BLOCK)
    tl.store(out + i, i, mask=i < n)


def launch(arrays: list[np.ndarray], n: int) -> None:
    addresses = np.array([x.__array_interface__["data"][0] for x in arrays], np.int64)
    fill[(len(arrays),)](addresses, n, BLOCK=64)


@pytest.mark.parametrize("checks", [False, True])
def test_arrays_that_are_named(checks: bool) -> None:
    arrays = [np.zeros(40, np.int32) for _ in range(3)]
    with tilewright.emulate("cuda:90a", checks=checks, memory=arrays):
        launch(arrays, 40)
    assert all((x == np.arange(40)).all() for x in arrays)


def test_accesses_beyond_them_are_reported() -> None:
    arrays = [np.zeros(40, np.int32) for _ in range(2)]
    with (
        tilewright.emulate("cuda:90a", memory=arrays),
        pytest.raises(EmulationError, match=r"memory\[[01]\]\+160, right after the end of memory"),
    ):
        launch(arrays, 41)


def test_arrays_that_are_not_named() -> None:
    arrays = [np.zeros(40, np.int32) for _ in range(2)]
    with (
        tilewright.emulate("cuda:90a", memory=arrays[:1]),
        pytest.raises(EmulationError, match="bounds"),
    ):
        launch(arrays, 40)
    assert not arrays[1].any()


def test_extents_of_views() -> None:
    """From the first element in memory to the last, with negative strides and without elements."""
    whole = np.zeros(100, np.int32)
    with tilewright.emulate("cuda:80", checks=True, memory=[whole[59:19:-1], whole[:0]]):
        launch([whole[20:]], 40)
    assert (whole[20:60] == np.arange(40)).all()
    with (
        tilewright.emulate("cuda:80", memory=(x for x in [whole[59:19:-1]])),
        pytest.raises(EmulationError, match="bounds"),
    ):
        launch([whole[19:]], 40)


def test_tensors() -> None:
    torch = pytest.importorskip("torch")
    x = torch.zeros(8, 100, dtype=torch.int32)[3:5, :20]
    with tilewright.emulate("cuda:80", checks=True, memory=[x]):
        launch([x.numpy()], 20)
        with pytest.raises(EmulationError, match="bounds"):
            launch([x.numpy()[1:]], 21)
    assert (x[0] == torch.arange(20)).all()


def test_something_that_is_no_array() -> None:
    with pytest.raises(TypeError, match=r"tensors and NumPy arrays, found 3"):
        tilewright.emulate("cuda:80", memory=[3])
