"""When the launcher compares by identity or by value, and when it compiles again."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright.dependencies import Dependencies
from tilewright.errors import ConstantError, DeviceAssertError

N = tl.constexpr(1)


class Config:
    def __init__(self, n: Any) -> None:
        self.n = n


class Lazy:
    @property
    def n(self) -> Any:
        return LAZY[0]


LAZY = [1]
CONFIG = tl.constexpr(Config(1))
LAZY_CONFIG = tl.constexpr(Lazy())
NUMBERS = tl.constexpr([1, 2])
TENSOR = tl.constexpr(Config(np.zeros(2)))
MANY = tl.constexpr(np.zeros(2))


@tl.constexpr_function
def total(values: Any) -> Any:
    return sum(values)


@tl.constexpr_function
def blind() -> Any:
    return globals()["N"].value


@pytest.fixture
def rechecks(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """The results of the comparisons by value, one for each time it was needed."""
    found: list[bool] = []
    recheck = Dependencies.recheck

    def note(self: Dependencies) -> bool:
        found.append(recheck(self))
        return found[-1]

    monkeypatch.setattr(Dependencies, "recheck", note)
    return found


def store(expression: str, folder: Any) -> Any:
    """A kernel that stores an expression of this module's names."""
    file = folder / "kernel.py"
    file.write_text(
        f"@jit\ndef kernel(out):\n    F: tl.constexpr = {expression}\n    tl.store(out, F)\n"
    )
    globals()["jit"] = tilewright.jit
    exec(compile(file.read_text(), str(file), "exec"), globals())
    return globals()["kernel"]


@pytest.fixture
def launch(tmp_path: Any) -> Iterator[Callable[..., Any]]:
    kernels: dict[str, Any] = {}
    out = np.zeros(1, np.int32)

    def run(expression: str, **options: Any) -> int:
        if expression not in kernels:
            kernels[expression] = store(expression, tmp_path)
        kernels[expression][(1,)](out, **options)
        return int(out[0])

    yield run
    globals().pop("kernel", None)


@pytest.mark.parametrize("expression", ["N", "CONFIG.n", "NUMBERS[0]", "total((N, 0))"])
def test_nothing_is_compared_by_value_where_nothing_changed(launch, rechecks, expression) -> None:
    assert [launch(expression) for _ in range(3)] == [1, 1, 1]
    assert rechecks == []


def test_another_global_of_the_module_does_no_harm(launch, rechecks, monkeypatch) -> None:
    launch("N")
    monkeypatch.setitem(globals(), "SOMETHING", 5)
    assert launch("N") == 1
    assert rechecks == []


def test_an_equal_value_is_compared_once_and_then_by_identity(
    launch, rechecks, monkeypatch
) -> None:
    launch("N")
    monkeypatch.setitem(globals(), "N", tl.constexpr(1))
    assert [launch("N") for _ in range(3)] == [1, 1, 1]
    assert rechecks == [True]


def test_what_code_computes_is_compared_by_value_each_time(launch, rechecks, monkeypatch) -> None:
    assert launch("LAZY_CONFIG.n") == launch("LAZY_CONFIG.n") == 1
    assert rechecks == [True]
    monkeypatch.setitem(globals(), "LAZY", [2])
    assert launch("LAZY_CONFIG.n") == 2
    assert rechecks == [True, False]


def test_a_value_that_comes_back_finds_its_kernel(launch, monkeypatch) -> None:
    kernels = []
    for value in (1, 2, 1, 2):
        monkeypatch.setitem(globals(), "N", tl.constexpr(value))
        assert launch("N") == value
        kernels.append(globals()["kernel"].warmup(np.int32))
    assert kernels[0] is kernels[2] and kernels[1] is kernels[3]
    assert kernels[0] is not kernels[1]


def test_a_constant_cannot_be_changed() -> None:
    with pytest.raises(AttributeError, match="is immutable"):
        N.value = 2


# What can't be compared


def test_an_object_that_cannot_be_seen_may_be_handed_on(launch) -> None:
    assert launch("1 if MANY is not None else 0") == 1


@pytest.mark.parametrize(
    "expression", ["total(MANY)", "total(TENSOR.n)", "MANY[0]", "1 if MANY else 0"]
)
def test_an_object_that_cannot_be_seen_is_refused_where_it_is_read(launch, expression) -> None:
    with pytest.raises(ConstantError, match=r"depend on an object of type numpy\.ndarray") as info:
        launch(expression)
    assert info.value.file.endswith("kernel.py") and info.value.line == 3
    assert "use numbers" in str(info.value.hint)


def test_code_that_reads_by_no_names_is_refused(launch) -> None:
    with pytest.raises(ConstantError, match="what is read through `globals`"):
        launch("blind()")


# Constants as arguments


@tilewright.jit
def read(out, C: tl.constexpr):
    tl.store(out, C.n)


def value_of(constant: Any) -> int:
    out = np.zeros(1, np.int32)
    read[(1,)](out, constant)
    return int(out[0])


@dataclasses.dataclass(frozen=True)
class Frozen:
    n: int = dataclasses.field(compare=False)


def test_objects_are_told_apart_by_what_is_read_of_them() -> None:
    config = Config(1)
    assert value_of(config) == 1
    config.n = 2
    assert value_of(config) == 2
    assert [value_of(Frozen(n)) for n in (1, 2, 1)] == [1, 2, 1]


def test_objects_with_equal_attributes_share_a_kernel() -> None:
    out = np.zeros(1, np.int32)
    kernels = [read[(1,)](out, Config(5)) for _ in range(20)]
    assert all(kernel is kernels[0] for kernel in kernels)


class Pair(NamedTuple):
    n: int
    other: Any = None


def test_named_tuples_are_compared_by_their_items(rechecks) -> None:
    config = Config(1)
    assert [value_of(Pair(n, config)) for n in (1, 2, 1, 2)] == [1, 2, 1, 2]
    assert rechecks == []


def test_named_tuples_are_made_without_their_classs_code() -> None:
    class Odd(Pair):
        __slots__ = ()

        def __new__(cls, n: int) -> Any:
            return super().__new__(cls, n + 1)

    assert value_of(Odd(4)) == 5


def test_the_same_object_again_is_found_by_identity(rechecks) -> None:
    one, other = Config(1), Config(2)
    for _ in range(3):
        assert (value_of(one), value_of(other)) == (1, 2)
    assert rechecks == []


# Settings


@tilewright.jit
def asserting(out, n):
    tl.device_assert(n < 0, "not negative")
    tl.store(out, n)


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in ("TILEWRIGHT_DEBUG", "TILEWRIGHT_TARGET"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


def test_the_setting_for_assertions_counts_at_each_launch(settings) -> None:
    out = np.zeros(1, np.int32)
    first = asserting[(1,)](out, 3)
    settings.setenv("TILEWRIGHT_DEBUG", "1")
    with pytest.raises(DeviceAssertError, match="not negative"):
        asserting[(1,)](out, 3)
    assert asserting[(1,)](out, 3, debug=False) is first
    settings.setenv("TILEWRIGHT_DEBUG", "0")
    assert asserting[(1,)](out, 3) is first


def test_the_setting_for_the_target_counts_at_each_launch(settings) -> None:
    out = np.zeros(1, np.int32)
    targets = []
    for name in ("cpu", "EMULATOR:CUDA:80", " cpu:SSE2 ", "cpu"):
        settings.setenv("TILEWRIGHT_TARGET", name)
        targets.append(asserting[(1,)](out, 3).target)
    assert targets == ["cpu", "emulator:cuda:80", "cpu:sse2", "cpu"]


def test_what_the_decorator_said_stays() -> None:
    with pytest.raises(AttributeError):
        asserting.debug = True
