"""A tile that does not fit into registers is a warning at the user's line."""

import inspect
import warnings

import pytest

import tilewright
import tilewright.language as tl
from tilewright import compiler
from tilewright.errors import CompileWarning


@tilewright.jit
def scale(x, out, ROWS: tl.constexpr):
    i = tl.arange(0, ROWS)[:, None] * 512 + tl.arange(0, 512)[None, :]
    tile = tl.load(x + i)
    tl.store(out + i, tile * 2)


def compile_scale(rows: int, target: str) -> list[warnings.WarningMessage]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        compiler.compile(scale, ["*fp32:D", "*fp32:D", rows], target, {"num_warps": 4})
    return [warning for warning in caught if warning.category is CompileWarning]


@pytest.fixture(autouse=True)
def without_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILEWRIGHT_CACHE", "0")


def test_the_warning_names_the_tile_and_the_line() -> None:
    (warning,) = compile_scale(256, "emulator:cuda:90a")
    assert "a tile of 256x512 elements of type 'f32' needs 1024 registers per thread" in str(
        warning.message
    )
    lines, first = inspect.getsourcelines(scale.fn)
    loads = [number for number, line in enumerate(lines, first) if "tl.load" in line]
    assert warning.filename == __file__ and [warning.lineno] == loads


def test_tiles_that_fit_and_processors_need_no_warning() -> None:
    assert not compile_scale(128, "emulator:cuda:90a")
    assert not compile_scale(256, "cpu")
