"""The traceback of a failed launch has the frames of the program only."""

import traceback
from pathlib import Path

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright.errors import ArgumentError, ShapeMismatchError

PACKAGE = str(Path(tilewright.__file__).parent)


@tilewright.jit
def bad_axis(x, SIZE: tl.constexpr):
    tl.store(x, tl.sum(tl.arange(0, SIZE), axis=1))


@tl.constexpr_function
def size_of(table, key):
    return table[key]


@tilewright.jit
def bad_key(x, table: tl.constexpr):
    tl.store(x, size_of(table, "missing"))


def internal_frames(error: BaseException) -> list[str]:
    frames = traceback.extract_tb(error.__traceback__)
    assert any(frame.filename == __file__ for frame in frames)
    return [frame.name for frame in frames if frame.filename.startswith(PACKAGE)]


def launch_bad_axis() -> None:
    bad_axis[(1,)](np.zeros(1, np.int32), SIZE=16)


def test_internal_frames_are_hidden() -> None:
    with pytest.raises(ShapeMismatchError) as raised:
        launch_bad_axis()
    assert not internal_frames(raised.value)
    assert "launch_bad_axis" in [frame.name for frame in raised.traceback]


def test_frames_of_argument_errors_are_hidden() -> None:
    with pytest.raises(ArgumentError) as raised:
        bad_axis[(1,)](np.zeros(1, np.int32))
    assert not internal_frames(raised.value)


def test_the_whole_traceback_can_be_requested(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILEWRIGHT_TRACEBACK", "full")
    with pytest.raises(ShapeMismatchError) as raised:
        launch_bad_axis()
    assert "_compile" in internal_frames(raised.value)


def test_frames_of_a_hook_are_kept() -> None:
    @tilewright.jit
    def kernel(x):
        tl.store(x, 1)

    def hook(*args, **kwargs):
        raise ArgumentError("from the hook")

    kernel.add_pre_run_hook(hook)
    with pytest.raises(ArgumentError, match="from the hook") as raised:
        kernel[(1,)](np.zeros(1, np.int32))
    assert [frame.name for frame in raised.traceback][-1] == "hook"


def test_other_exceptions_are_left_alone() -> None:
    @tilewright.jit
    def kernel(x):
        tl.store(x, 1)

    def hook(*args, **kwargs):
        raise KeyError("from the hook")

    kernel.add_pre_run_hook(hook)
    with pytest.raises(KeyError, match="from the hook"):
        kernel[(1,)](np.zeros(1, np.int32))


def test_the_cause_in_the_program_is_kept() -> None:
    with pytest.raises(tilewright.errors.CompileError) as raised:
        bad_key[(1,)](np.zeros(1, np.int32), table=())
    assert isinstance(raised.value.__cause__, (KeyError, TypeError))
