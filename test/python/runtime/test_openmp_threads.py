"""Launches on the CPU use no more threads than PyTorch or OpenMP are told to use."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import os, sys
import torch
import tilewright
import tilewright.language as tl

@tilewright.jit
def count(out, steps):
    total = tl.zeros((16,), tl.int32)
    for i in range(steps):
        total = total * 3 + i
    tl.store(out + tl.program_id(0) * 16 + tl.arange(0, 16), total)

def launch():
    before = len(os.listdir("/proc/self/task"))
    count[(64,)](out, 1_000_000)
    return len(os.listdir("/proc/self/task")) - before

out = torch.zeros(64 * 16, dtype=torch.int32)
count[(1,)](out, 10)
if sys.argv[1] != "default":
    torch.set_num_threads(int(sys.argv[1]))
limited = launch()
torch.set_num_threads(2)
print(limited, launch())
"""


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two processors")
@pytest.mark.cpu_only("the threads of the CPU target")
@pytest.mark.parametrize(
    ("set_threads", "variables", "started"),
    [
        ("1", {}, (0, 1)),
        ("2", {}, (1, 0)),
        ("default", {"OMP_NUM_THREADS": "1"}, (0, 1)),
        ("1", {"TILEWRIGHT_NUM_THREADS": "2"}, (1, 0)),
    ],
)
def test_limits(
    set_threads: str, variables: dict[str, str], started: tuple[int, int], tmp_path: Path
) -> None:
    pytest.importorskip("torch")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    environment = os.environ | {"TILEWRIGHT_TARGET": "cpu"} | variables
    for name in ("OMP_NUM_THREADS", "TILEWRIGHT_NUM_THREADS"):
        if name not in variables:
            environment.pop(name, None)
    done = subprocess.run(
        [sys.executable, str(program), set_threads],
        env=environment, capture_output=True, text=True, check=True,
        preexec_fn=lambda: os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2]),
    )  # fmt: skip
    assert tuple(map(int, done.stdout.split())) == started


MIXED = """
import torch
import tilewright
import tilewright.language as tl

@tilewright.jit
def double(x, out, steps):
    at = tl.program_id(0) * 64 + tl.arange(0, 64)
    values = tl.load(x + at)
    total = values
    for i in range(steps):
        total = total * 0.5 + i
    tl.store(out + at, values * 2 + total * 0)

x = torch.arange(4096, dtype=torch.float32)
out = torch.empty_like(x)
a = torch.rand(256, 256)
for round in range(100):
    product = a @ a  # OpenMP's threads spin for a while after it
    double[(64,)](x + product[0, 0] * 0, out, 300)
    assert torch.equal(out, x * 2), round
    out.zero_()
"""


@pytest.mark.cpu_only("the threads of the CPU target")
def test_launches_between_operators(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    program = tmp_path / "program.py"
    program.write_text(MIXED)
    subprocess.run(
        [sys.executable, str(program)],
        env=os.environ | {"TILEWRIGHT_TARGET": "cpu"}, check=True, timeout=120,
    )  # fmt: skip
