"""Launches through the driver alone: a lower bound on the launch time of any compiler."""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from pathlib import Path

SOURCE = Path(__file__).with_name("driver_loop.c")


def bare_launch_time(parameters: int, rounds: int = 40, calls: int = 500) -> float:
    """The microseconds of one launch of an empty kernel in a loop in C, in the current context.

    Needs a C compiler. A `RuntimeError` names the status of the driver if a call failed.
    """
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "driver_loop.so"
        command = ["cc", "-O2", "-shared", "-fPIC", "-o", str(library), str(SOURCE)]
        subprocess.run([*command, "-l:libcuda.so.1"], check=True)
        best = ctypes.CDLL(str(library)).best_launch_time
    best.restype, best.argtypes = ctypes.c_double, [ctypes.c_int] * 3
    took = float(best(parameters, rounds, calls))
    if took < 0:
        raise RuntimeError(f"the CUDA driver failed with status {-took:.0f}")
    return took
