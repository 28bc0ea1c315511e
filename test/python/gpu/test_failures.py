"""Kernels that break their device, each in its own process, which must not be aborted."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HEAD = """
import os, sys
sys.path.insert(0, sys.argv[1])
import torch
from ptx_kernels import ADD, ASSERT, WAIT, WILD, kernel_of
from tilewright.errors import DeviceAssertError, DeviceError

x = torch.zeros(4, dtype=torch.int32, device="cuda")
"""


def run(body: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", HEAD + body, str(Path(__file__).parent)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=600,
    )


BREAK = """
add, wild = kernel_of(2, ADD), kernel_of(1, WILD)
add[1](x, 1)
try:
    wild[1](x)
    # The failure is there once the device has come to it.
    try:
        torch.cuda.synchronize()
    except Exception as error:
        print(type(error).__name__, "by PyTorch")
    add[1](x, 1)
except DeviceError as error:
    print("first:", error)
try:
    wild[1](x)
except DeviceError as error:
    print("second:", error)
try:
    kernel_of(2, WAIT)[1](x, 1)
except DeviceError as error:
    print("third:", error)
host = kernel_of(1, WILD)
print("goes on")
"""


def test_an_illegal_address(gpu) -> None:
    done = run(BREAK)
    assert done.returncode == 0, done.stderr
    out = done.stdout
    lost = "cuda:0 is lost to this process since CUDA_ERROR_ILLEGAL_ADDRESS"
    for which, kernel in (("first", "two"), ("second", "one")):
        assert f"{which}: {kernel} (ptx_kernels.py:" in out
    assert out.count(lost) == 3
    assert "newest first: one (ptx_kernels.py:" in out and ", two (ptx_kernels.py:" in out
    assert out.endswith("goes on\n")


def test_an_illegal_address_where_launches_wait(gpu) -> None:
    done = run(BREAK, CUDA_LAUNCH_BLOCKING="1")
    assert done.returncode == 0, done.stderr
    assert "first: one (ptx_kernels.py:" in done.stdout
    assert "by PyTorch" not in done.stdout


def test_a_failed_assertion(gpu) -> None:
    done = run("""
fails, add = kernel_of(1, ASSERT), kernel_of(2, ADD)
fails[1](x)
try:
    torch.cuda.synchronize()
except Exception:
    pass
try:
    add[1](x, 1)
except DeviceAssertError as error:
    print(error)
""")
    assert done.returncode == 0, done.stderr
    assert "cuda:0 is lost to this process since CUDA_ERROR_ASSERT" in done.stdout
    assert "one (ptx_kernels.py:" in done.stdout
    assert "Assertion `wrong` failed" in done.stderr


def test_a_failed_assertion_in_a_called_function(gpu) -> None:
    script = Path(__file__).parent / "failing_assertion.py"
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    said = [text for text in done.stderr.splitlines() if "Assertion `root of a neg" in text]
    place = f"{script}:{line_of(script, 'root of a negative number')}"
    assert len(said) == 1 and said[0].startswith(f"{place}: roots: block: [0,0,0]")
    kernel = f"roots (failing_assertion.py:{line_of(script, 'def roots') - 1})"
    error = f"an assertion failed in {kernel}, program (0, 0, 0): root of a negative number"
    assert done.stdout.startswith(f"{place}:5: {error}\n    tl.device_assert(")
    assert "\ncuda:0 is lost to this process since CUDA_ERROR_ASSERT" in done.stdout


def line_of(script: Path, text: str) -> int:
    return next(n for n, line in enumerate(script.read_text().splitlines(), 1) if text in line)


@pytest.mark.parametrize("blocking", ["0", "1"])
@pytest.mark.parametrize("case", ["tile", "scalar", "function", "loop", "bounds", "none"])
def test_the_program_whose_assertion_failed(gpu, case: str, blocking: str) -> None:
    script = Path(__file__).parent / "failing_assertions.py"
    done = subprocess.run(
        [sys.executable, script, case],
        env={**os.environ, "CUDA_LAUNCH_BLOCKING": blocking},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    if case == "none":
        assert done.stdout == "no failure\n"
        return
    place = f"{script}:{line_of(script, f'# {case}')}"
    assert done.stdout.startswith(f"(4, 3, 1)\n{place}:"), done.stdout
    assert "program (4, 3, 1)" in done.stdout and f"the {case}" in done.stdout
    assert "cuda:0 is lost to this process since CUDA_ERROR_ASSERT" in done.stdout


def test_a_forked_process(gpu) -> None:
    done = run("""
add = kernel_of(2, ADD)
add[1](x, 1)
child = os.fork()
if child == 0:
    try:
        add[1](x, 1)
    except DeviceError as error:
        print(error, flush=True)
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
add[1](x, 1)
print(x.tolist())
""")
    assert done.returncode == 0, done.stderr
    assert "forked, and can't be used in it; start processes by 'spawn'" in done.stdout
    assert done.stdout.endswith("7\n[2, 0, 0, 0]\n")


@pytest.mark.parametrize("hidden", ["", "-1"])
def test_hidden_devices(gpu, hidden) -> None:
    script = "from tilewright import _core; print(_core.devices('cuda')['problem'])"
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "CUDA_VISIBLE_DEVICES": hidden},
        capture_output=True,
        text=True,
    )
    assert (
        "CUDA_ERROR_NO_DEVICE" in done.stdout and "CUDA_VISIBLE_DEVICES may hide it" in done.stdout
    )


def test_timing(gpu) -> None:
    from tilewright.testing import compare, do_bench

    x = gpu.zeros(1 << 26, device="cuda")
    milliseconds = do_bench(lambda: x.add_(1), warmup=5, rep=20)
    assert 0.02 < milliseconds < 50
    times = compare({"one": lambda: x.add_(1), "two": lambda: x.add_(1).add_(1)}, rounds=5)
    assert 1.3 < times["two"] / times["one"] < 3
