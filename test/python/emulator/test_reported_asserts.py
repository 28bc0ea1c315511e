"""What GPU code reports before an assertion stops its device, read on the emulator."""

from __future__ import annotations

import inspect
import threading
from typing import Any

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright.errors import CheckError, DeviceAssertError

TARGETS = (
    "emulator:cuda:80",
    "emulator:cuda:90a",
    "emulator:cuda:90a+checks",
    "emulator:hip:gfx942+checks",
    "emulator:hip:gfx1100",
)


@pytest.fixture(params=TARGETS)
def options(request: pytest.FixtureRequest) -> dict[str, Any]:
    return {"target": request.param, "debug": True, "sanitize_overflow": False}


def line_of(fn: tilewright.JITFunction, text: str) -> int:
    lines, first = inspect.getsourcelines(fn.fn)
    return first + next(i for i, line in enumerate(lines) if text in line)


def expect_report(kernel: Any, grid: tuple[int, ...], args: tuple[Any, ...], **options: Any) -> Any:
    """Launches a kernel that fails in one program, and compares the report with the exception."""
    signature = kernel[grid]
    with pytest.raises(DeviceAssertError) as caught:
        signature(*args, **options)
    compiled = kernel.warmup(*args, **options, grid=grid)
    number, program = compiled.load("cpu").last_report
    error, failed = caught.value, compiled.asserts[number]
    assert error.program == tuple(program)
    assert (error.file, error.line, error.column) == (failed.file, failed.line, failed.column)
    assert error.message.endswith(f": {failed.message}")
    return error


@tilewright.jit
def checked(value, limit):
    tl.device_assert(value < limit, "in a helper")
    return value + 1


@tilewright.jit(noinline=True)
def checked_apart(value, limit):
    tl.device_assert(value < limit, "in a function")
    return value + 1


@tilewright.jit(noinline=True)
def forwarded(value, limit):
    return checked_apart(value, limit)


@tilewright.jit
def several(x, out, tile_limit, scalar_limit, helper_limit, function_limit, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    number = tl.program_id(0) + 5 * tl.program_id(1) + 20 * tl.program_id(2)
    value = tl.load(x + i) + number
    tl.device_assert(value < tile_limit, "of a tile", mask=i < BLOCK - 1)
    if number > 3:
        tl.device_assert(number < scalar_limit, "of a scalar")
    value = checked(value, helper_limit)
    number = forwarded(number, function_limit)
    tl.store(out + number * BLOCK + i, value)


GRID = (5, 4, 2)
NEVER = 1000
CASES = {
    "of a tile": (40, NEVER, NEVER, NEVER),
    "of a scalar": (NEVER, 39, NEVER, NEVER),
    "in a helper": (NEVER, NEVER, 40, NEVER),
    "in a function": (NEVER, NEVER, NEVER, 39),
}


@pytest.mark.parametrize("message", CASES)
@pytest.mark.parametrize("block", [16, 256])
def test_the_one_that_failed(message: str, block: int, options: dict[str, Any]) -> None:
    x, out = np.zeros(block, np.int32), np.zeros((41, block), np.int32)
    x[block // 2] = 1
    several[GRID](x, out, NEVER, NEVER, NEVER, NEVER, BLOCK=block, **options)
    assert (out[1:] == np.arange(1, 41)[:, None] + x).all()
    error = expect_report(several, GRID, (x, out, *CASES[message], block), **options)
    assert error.program == (4, 3, 1)
    function = {"in a helper": checked, "in a function": checked_apart}.get(message, several)
    assert error.line == line_of(function, message)


def test_beside_checks_of_bounds(options: dict[str, Any]) -> None:
    x, out = np.zeros(16, np.int32), np.zeros((41, 16), np.int32)
    options["checks"] = "bounds"
    several[GRID](x, out, NEVER, NEVER, NEVER, NEVER, BLOCK=16, **options)
    for message, limits in CASES.items():
        limits = tuple(limit + 1 if limit == 40 else limit for limit in limits)
        x[3] = 2
        with pytest.raises(DeviceAssertError, match=message):
            several[GRID](x, out, *limits, BLOCK=16, **options)
        compiled = several.warmup(x, out, *limits, BLOCK=16, **options, grid=GRID)
        number, program = compiled.load("cpu").last_report
        assert compiled.asserts[number - len(compiled.metadata["accesses"])].message == message
        assert tuple(program) == (4, 3, 1)
    with pytest.raises(CheckError, match=r"program \(4, 3, 1\): writes 4 bytes"):
        several[GRID](x, out[:40], NEVER, NEVER, NEVER, NEVER, BLOCK=16, **options)


@tilewright.jit
def sum_of_products(a, b, out, limit, M: tl.constexpr, K: tl.constexpr):
    i, k = tl.arange(0, M)[:, None], tl.arange(0, 16)[None, :]
    total = tl.zeros((M, M), tl.float32)
    for start in range(0, K, 16):
        left = tl.load(a + i * K + start + k)
        tl.device_assert(left < limit, "in a loop")
        total = tl.dot(left, tl.load(b + (start + tl.arange(0, 16))[:, None] * M + i.T), total)
    tl.store(out + i * M + i.T, total)


def test_in_a_loop_of_dots(options: dict[str, Any]) -> None:
    a, b = np.ones((32, 64), np.float16), np.ones((64, 32), np.float16)
    out = np.zeros((32, 32), np.float32)
    sum_of_products[(1,)](a, b, out, 2.0, M=32, K=64, **options)
    assert (out == 64).all()
    a[3, 50] = 2
    error = expect_report(sum_of_products, (1,), (a, b, out, 2.0, 32, 64), **options)
    assert error.line == line_of(sum_of_products, "in a loop")


@tilewright.jit
def overflowing(x, n):
    tl.store(x, tl.program_id(0) * n)


def test_overflow(options: dict[str, Any]) -> None:
    x = np.zeros(1, np.int32)
    options["sanitize_overflow"] = True
    overflowing[(3,)](x, 1 << 29, **options)
    error = expect_report(overflowing, (3,), (x, 1 << 30), **options)
    assert error.program == (2, 0, 0) and "int32 overflow" in error.message


def test_nothing_failed(options: dict[str, Any]) -> None:
    x = np.zeros(1, np.int32)
    compiled = overflowing[(1,)](x, 7, **options)
    assert compiled.load("cpu").last_report is None


def test_code_without_assertions_has_no_mailbox() -> None:
    x = np.zeros(1, np.int32)
    for target in ("cuda:90a", "cuda:80"):
        compiled = overflowing.warmup(x, 7, target=target, grid=(1,))
        assert compiled.metadata["slots"] == [0, 1] and not compiled.asserts
        debug = overflowing.warmup(x, 7, target=target, grid=(1,), debug=True)
        assert debug.metadata["slots"] == [0, 1, -1]
        assert [check.line for check in debug.asserts] == [line_of(overflowing, "tl.store")]


def test_launches_of_several_threads(options: dict[str, Any]) -> None:
    """Each launch has its own mailbox."""
    found: dict[int, Any] = {}

    def launch(number: int) -> None:
        x, out = np.zeros(16, np.int32), np.zeros((41, 16), np.int32)
        try:
            several[(5, 4, 2)](x, out, NEVER, number, NEVER, NEVER, BLOCK=16, **options)
        except DeviceAssertError as error:
            found[number] = error.message

    threads = [threading.Thread(target=launch, args=(number,)) for number in range(37, 42)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(found) == {37, 38, 39}
