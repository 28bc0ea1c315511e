"""Bad input to an emulated GPU: kernels that fail, do not end, or exceed its resources."""

from __future__ import annotations

import os
import re
import signal
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from interrupts import expect_interrupted
from planting import marked_line

import tilewright
import tilewright.language as tl
from tilewright import _core
from tilewright.compiler import stages
from tilewright.errors import (
    DeviceError,
    EmulationError,
    GridError,
    OutOfResourcesError,
    PassError,
)
from tilewright.runtime.function import JITFunction

ROWS, COLUMNS = 64, 256
FAR = 1 << 44  # elements: an address that is never mapped


@tilewright.jit
def add_sums(x, wrong, offset, BLOCK: tl.constexpr):
    """Adds the sum of each row to its elements; program `wrong` stores out of bounds."""
    row = tl.program_id(0)
    i = row * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + i)
    missed = tl.where(row == wrong, offset, 0)
    tl.store(x + i + missed, values + tl.sum(values, axis=0))


@tilewright.jit
def wait_for(flag, turns):
    turn = 0
    while turn < turns:
        turn += tl.load(flag)
    tl.store(flag, turn)


@tilewright.jit
def product(a, b, c, K, SIDE: tl.constexpr, STEP: tl.constexpr):
    m, n, k = tl.arange(0, SIDE)[:, None], tl.arange(0, SIDE)[None, :], tl.arange(0, STEP)
    sums = tl.zeros((SIDE, SIDE), tl.float32)
    for first in range(0, K, STEP):
        x = tl.load(a + m * K + (first + k)[None, :])
        y = tl.load(b + (first + k)[:, None] * SIDE + n)
        sums = tl.dot(x, y, sums)
    tl.store(c + m * SIDE + n, sums)


@tilewright.jit
def mark(x):
    tl.store(x, tl.program_id(1) + tl.program_id(2) + 1)


@tilewright.jit
def squares(x, n, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), n * n)  # <- a product


def run(wrong: int = -1, **emulation: Any) -> None:
    """Launches `add_sums`, and checks the result, which is correct if no program is `wrong`."""
    x = np.ones((ROWS, COLUMNS), np.float32)
    with tilewright.emulate(**emulation):
        add_sums[(ROWS,)](x, wrong, FAR, BLOCK=COLUMNS)
    assert (x == COLUMNS + 1).all()


def turns(**emulation: Any) -> int:
    flag = np.ones(1, np.int32)
    with tilewright.emulate(**emulation):
        wait_for[(1,)](flag, 5)
    return int(flag[0])


# Wild pointers


@pytest.mark.parametrize("checks", [False, True])
def test_the_line_of_a_wild_pointer_is_found(checks: bool) -> None:
    with pytest.raises(EmulationError, match="bytes after the end of x, which has 65536") as e:
        run(wrong=3, checks=checks)
    finding = e.value.findings[0]
    assert (finding.kind, finding.program) == ("bounds", (3, 0, 0))
    assert finding.file == __file__
    assert "tl.store(x + i + missed" in str(e.value)
    run(checks=checks)


class Pointer:
    """A pointer to an array, without its size."""

    dtype = "float32"

    def __init__(self, array: np.ndarray) -> None:
        self._array = array

    def data_ptr(self) -> int:
        return int(self._array.ctypes.data)


def test_memory_that_is_not_mapped_is_a_fault_where_no_extents_are_known() -> None:
    x = np.zeros(1, np.float32)
    address = x.ctypes.data + 4 * (1 << 40)
    with (
        tilewright.emulate(),
        pytest.raises(EmulationError, match=f"address 0x{address:x} that is not mapped"),
    ):
        add_sums[(1,)](Pointer(x), 0, 1 << 40, BLOCK=1)


# Every kind of access, in every mode


@tilewright.jit
def load_from(x, out, offset, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + offset + i, mask=i < n))  # <- access


@tilewright.jit
def store_to(x, out, offset, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + offset + i, i.to(x.dtype.element_ty), mask=i < n)  # <- access


@tilewright.jit
def plain_store_to(x, out, offset, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + offset + i, i.to(x.dtype.element_ty))  # <- access


@tilewright.jit
def scalar_store_to(x, out, offset, n, BLOCK: tl.constexpr):
    tl.store(x + offset + n - 1, 1.0)  # <- access


@tilewright.jit
def add_to(x, out, offset, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.atomic_add(x + offset + i, 1.0, mask=i < n)  # <- access


@tilewright.jit
def exchange_at(x, out, offset, n, BLOCK: tl.constexpr):
    tl.atomic_xchg(x + offset + n - 1, 1.0)  # <- access


ACCESSES = [load_from, store_to, plain_store_to, scalar_store_to, add_to, exchange_at]
MODES = [{}, {"profile": True}, {"checks": "races"}, {"checks": True}]
# In elements: right after the end, before the beginning, in other memory of the process, or at
# unmapped addresses.
OFFSETS = [1, 64, -256, -1000, 5000, -(1 << 31), 1 << 40, -(1 << 50), (1 << 60) - 8]


@pytest.mark.parametrize("mode", MODES, ids=str)
@pytest.mark.parametrize("kernel", ACCESSES, ids=lambda kernel: kernel.name)
def test_accesses_beyond_an_array(kernel: JITFunction, mode: dict[str, Any]) -> None:
    for dtype in (
        (np.float32, np.float64) if "exchange" in kernel.name else (np.float16, np.float32)
    ):
        memory = np.zeros(3 * 256, dtype)
        x, out = memory[256:512], np.zeros(256, dtype)
        with tilewright.emulate(**mode):
            kernel[(2,)](x, out, 0, 256, BLOCK=256)  # all of it
            for offset in OFFSETS:
                with pytest.raises(EmulationError) as raised:
                    kernel[(2,)](x, out, offset, 256, BLOCK=256)
                first = raised.value.findings[0]
                assert (first.kind, first.line) == ("bounds", marked_line(kernel, "access"))
        assert not memory[:256].any()
        assert not memory[512:].any()


@pytest.mark.parametrize("mode", MODES, ids=str)
@pytest.mark.parametrize("target", ["cuda:80", "cuda:90a"])
def test_asynchronous_copies_beyond_an_array(target: str, mode: dict[str, Any]) -> None:
    a, b = np.ones((64, 64), np.float16), np.ones((64, 64), np.float16)
    c = np.zeros((64, 64), np.float32)
    with tilewright.emulate(target, **mode):
        product[(1,)](a, b, c, 64, SIDE=64, STEP=32)
        assert (c == 64).all()
        with pytest.raises(EmulationError, match=r"copies (16|64) bytes from") as raised:
            product[(1,)](a, b, c, 128, SIDE=64, STEP=32)
    assert raised.value.findings[0].kind == "bounds"


# Cleanup after a launch that fails


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.parametrize("checks", [False, True])
def test_a_failing_program_leaves_nothing_behind(checks: bool) -> None:
    def fail_and_go_on() -> None:
        with pytest.raises(EmulationError):
            run(wrong=ROWS // 2, checks=checks)
        run(checks=checks)
        assert turns(checks=checks) == 5

    for _ in range(20):
        fail_and_go_on()
    threads, bytes_before = threading.active_count(), resident_bytes()
    for _ in range(200):
        fail_and_go_on()
    assert threading.active_count() == threads
    assert resident_bytes() - bytes_before < 4 << 20


def test_what_was_written_before_stays() -> None:
    x = np.ones((ROWS, COLUMNS), np.float32)
    with tilewright.emulate(), pytest.raises(EmulationError):
        add_sums[(ROWS,)](x, ROWS - 1, FAR, BLOCK=COLUMNS)
    assert set(np.unique(x)) <= {1, COLUMNS + 1}
    assert (x[-1] == 1).all()


# Kernels that do not end


def test_a_limit_of_turns() -> None:
    with pytest.raises(EmulationError, match="more than 1000 loop iterations") as e:
        endless = np.zeros(1, np.int32)
        with tilewright.emulate(max_steps=1000):
            wait_for[(1,)](endless, 1)
    (finding,) = e.value.findings
    assert finding.kind == "endless"
    assert "while turn < turns" in str(e.value)


def test_fewer_turns_are_allowed() -> None:
    assert turns(max_steps=10) == 5


INTERRUPTED = """
import numpy as np
import tilewright
import tilewright.language as tl

@tilewright.jit
def wait_for(flag, turns):
    turn = tl.where(tl.program_id(0) == 1, 0, turns)
    while turn < turns:
        turn += tl.load(flag)
    tl.store(flag + 1, turn)

flag = np.zeros(2, np.int32)
with tilewright.emulate(checks={checks}):
    wait_for[(1,)](flag, 0)
    try:
        print("ready", flush=True)
        wait_for[(2,)](flag, 1)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
    flag[0] = 1
    wait_for[(2,)](flag, 1)
print("goes on", flush=True)
"""


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("checks", [False, True])
def test_ctrl_c_ends_a_kernel_that_does_not(tmp_path: Path, threads: int, checks: bool) -> None:
    script = tmp_path / "interrupted.py"
    script.write_text(INTERRUPTED.format(checks=checks))
    expect_interrupted([str(script)], threads)


# The largest programs


def multiply(stages: int) -> tuple[Any, float]:
    """The kernel and error of a matmul whose operands take a number of stages of 32 KiB each."""
    generator = np.random.default_rng(0)
    a = generator.standard_normal((128, 1280)).astype(np.float16)
    b = generator.standard_normal((1280, 128)).astype(np.float16)
    c = np.zeros((128, 128), np.float32)
    with tilewright.emulate("cuda:90a", checks=True):
        kernel = product[(1,)](
            a, b, c, 1280, SIDE=128, STEP=64, num_warps=32, num_stages=stages
        )  # fmt: skip
    return kernel, float(np.abs(c - a.astype(np.float64) @ b.astype(np.float64)).max())


def test_1024_threads_with_as_much_shared_memory_as_there_is() -> None:
    kernel, error = multiply(stages=7)
    assert kernel.metadata["num_warps"] == 32
    assert kernel.shared == 7 * (32 << 10) + 7 * 16  # and two barriers for each slot
    assert error < 1e-2


def test_more_shared_memory_is_refused() -> None:
    with pytest.raises(OutOfResourcesError, match=r"262272 bytes.*sm_90a has 232448") as e:
        multiply(stages=8)
    assert (e.value.required, e.value.limit) == (262272, 232448)


def test_more_threads_are_refused() -> None:
    x = np.zeros(64, np.int32)
    with (
        tilewright.emulate("cuda:90a"),
        pytest.raises(OutOfResourcesError, match="2048 threads, and sm_90a has 1024"),
    ):
        squares[(1,)](x, 1, BLOCK=64, num_warps=64)


# Threads and forks


def test_each_thread_emulates_for_itself() -> None:
    targets: dict[str, set[str]] = {"cpu": set(), "cuda:80": set(), "cuda:90a": set()}
    failures: list[int] = []

    def launch(x: np.ndarray, wrong: int) -> str:
        return str(add_sums[(ROWS,)](x, wrong, FAR, BLOCK=COLUMNS).target)

    def work(name: str, number: int) -> None:
        x = np.ones((ROWS, COLUMNS), np.float32)
        for _ in range(10):
            if name == "cpu":
                targets[name].add(launch(x, -1))
                continue
            with tilewright.emulate(name, seed=number):
                targets[name].add(launch(x, -1))
                try:
                    launch(x, number)
                except EmulationError as e:
                    failures.append(e.findings[0].program[0] - number)

    threads = [threading.Thread(target=work, args=(t, i)) for i in range(3) for t in targets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert targets == {
        "cpu": {"cpu"},
        "cuda:80": {"emulator:cuda:80"},
        "cuda:90a": {"emulator:cuda:90a"},
    }
    assert failures == [0] * 60


def test_emulations_within_each_other() -> None:
    x = np.zeros(16, np.int32)
    found = []
    with tilewright.emulate("cuda:90a"):
        with tilewright.emulate("cuda:80", profile=True) as inner:
            found.append(squares[(1,)](x, 3, BLOCK=16).target)
        found.append(squares[(1,)](x, 3, BLOCK=16).target)
    found.append(squares[(1,)](x, 3, BLOCK=16).target)
    assert found == ["emulator:cuda:80+checks", "emulator:cuda:90a", "cpu"]
    assert [profile.target for profile in inner.profiles] == ["emulator:cuda:80"]


def test_after_a_fork() -> None:
    run(checks=True)
    child = os.fork()
    if child == 0:
        try:
            run(checks=True)
            with pytest.raises(EmulationError):
                run(wrong=1)
            os._exit(7)
        finally:
            os._exit(8)
    deadline = time.monotonic() + 300
    while (status := os.waitpid(child, os.WNOHANG)) == (0, 0):
        if time.monotonic() > deadline:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            pytest.fail("the child hangs")
        time.sleep(0.01)
    assert os.waitstatus_to_exitcode(status[1]) == 7
    run(checks=True)


# Grids


@pytest.mark.parametrize("axis", [1, 2])
@pytest.mark.parametrize("suffix", ["", "+checks"])
def test_the_grid_of_the_gpu_is_limited(axis: int, suffix: str) -> None:
    x, grid = np.zeros(1, np.int32), [1, 1, 1]
    grid[axis] = 65536
    expected = (
        rf"mark \(.*needs 65536 programs along axis {axis} of its grid, and cuda:80 has 65535"
    )
    with pytest.raises(GridError, match=expected):
        mark[tuple(grid)](x, target=f"emulator:cuda:80{suffix}")
    assert x[0] == 0
    mark[(3, 1, 1)](x, target="emulator:cuda:80")
    assert x[0] == 1


# Unknown targets, checks and instructions


@pytest.mark.parametrize("target", ["cuda:12", "cpu", "hip:gfx000", "cuda", ""])
def test_unknown_targets(target: str) -> None:
    expected = f"unknown target 'emulator:{target}'.*known targets: .*emulator:cuda:90a"
    with pytest.raises(DeviceError, match=re.compile(expected, re.S)):
        tilewright.emulate(target)


@pytest.mark.parametrize("target", ["emulator:cuda:90a", "Emulator"])
def test_the_emulator_is_not_emulated(target: str) -> None:
    with pytest.raises(DeviceError, match=f"such as 'cuda:90a', not '{target}'"):
        tilewright.emulate(target)


@pytest.mark.parametrize("checks", ["race", ["bounds", "race"]])
def test_unknown_checks(checks: Any) -> None:
    with pytest.raises(
        ValueError, match="unknown check 'race'; the checks are bounds, initialized, races"
    ):
        tilewright.emulate(checks=checks)


@pytest.mark.parametrize("option", ["seed", "max_steps"])
def test_negative_numbers(option: str) -> None:
    with pytest.raises(ValueError, match="must not be negative"):
        tilewright.emulate(**{option: -1})  # type: ignore[arg-type]


class Elsewhere:
    """An array in the memory of a GPU."""

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {"shape": (16,), "typestr": "<i4", "data": (1 << 40, False), "version": 3}


def test_arrays_elsewhere_are_refused() -> None:
    with tilewright.emulate(), pytest.raises(DeviceError, match=r"argument 'x' is on .*CUDA"):
        squares[(1,)](Elsewhere(), 3, BLOCK=16)


def test_an_instruction_without_a_function_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    product = r"arith\.muli (%\S+), (%\S+) : i32"
    unknown = r'llvm.call_intrinsic "llvm.nvvm.mul24.i"(\1, \2) : (i32, i32) -> i32'

    def compile(module: Any, target: str, options: dict[str, Any], dump: Any) -> Any:
        made = _core.compile(module, target, options, keep_phases=True)
        text, changes = re.subn(product, unknown, made.ir["thread"])
        assert changes == 1
        changed = _core.Module.parse(_core.Context(), text)
        return _core.compile(changed, target, {**options, "start_after": "thread"}, dump)

    monkeypatch.setattr(stages, "_compile_module", compile)
    monkeypatch.setenv("TILEWRIGHT_CACHE", "0")
    lines = Path(__file__).read_text().splitlines()
    line = next(n for n, text in enumerate(lines, 1) if text.endswith("# <- a product"))
    x = np.zeros(64, np.int64)
    with (
        tilewright.emulate(),
        pytest.raises(
            PassError, match=rf"test_emulated_bad_input.py:{line}:\d+: .*llvm\.nvvm\.mul24\.i'"
        ),
    ):
        squares[(1,)](x, 3, BLOCK=64)
