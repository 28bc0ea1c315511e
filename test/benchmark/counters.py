"""Compares the emulator's counters for the tutorials' kernels with a GPU's, measured by ncu.

    python test/benchmark/counters.py            on a machine with a GPU and ncu; exits with 1 if
                                                 counts differ by more than LIMIT
    python test/benchmark/counters.py --launch   launches each kernel once (ncu runs this)

Both count requests, sectors and wavefronts of whole kernels. Asynchronous copies also read sectors
and write wavefronts, which ncu counts separately; the shared-memory stores of a kernel with such
copies are not compared.
"""

from __future__ import annotations

import csv
import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import torch

import tilewright

TUTORIALS = Path(__file__).resolve().parents[2] / "docs" / "tutorials"
LIMIT = 0.02
_GLOBAL = "l1tex__t_{}_pipe_lsu_mem_global_op_{}.sum"
_SHARED = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum"
# The emulator's counter, and the metrics of ncu whose sum it is.
METRICS = {
    ("global_loads", "requests"): [
        _GLOBAL.format("requests", kind) for kind in ("ld", "ldgsts_cache_access")
    ],
    ("global_loads", "transfers"): [
        _GLOBAL.format("sectors", kind) for kind in ("ld", "ldgsts_cache_access")
    ],
    ("global_stores", "requests"): [_GLOBAL.format("requests", "st")],
    ("global_stores", "transfers"): [_GLOBAL.format("sectors", "st")],
    ("shared_loads", "transfers"): [_SHARED.format("ld")],
    ("shared_stores", "transfers"): [_SHARED.format("st")],
}


def tutorial(name: str) -> Any:
    path = next(TUTORIALS.glob(f"*_{name}.py"))
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def launch_all(device: str) -> None:
    """Launches each of the tutorials' kernels once, on arrays on `device`."""

    def random(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
        return torch.randn(*shape, dtype=dtype, device=device)

    x, y = random(1 << 16), random(1 << 16)
    tutorial("vector_add").add_kernel[(64,)](x, y, torch.empty_like(x), x.numel(), BLOCK=1024)
    rows = random(64, 1000)
    out = torch.empty_like(rows)
    tutorial("fused_softmax").softmax_kernel[(64,)](out, rows, 1000, 1000, 1000, BLOCK=1024)
    tutorial("dropout").dropout_kernel[(16,)](x, torch.empty_like(x), x.numel(), 0.5, 3, BLOCK=4096)
    launch_layer_norm(tutorial("layer_norm"), random)
    a, b = random(256, 256, dtype=torch.float16), random(256, 256, dtype=torch.float16)
    c = torch.empty_like(a)
    tutorial("matmul").matmul_kernel[(4,)](
        a, b, c, 256, 256, 256, 256, 1, 256, 1, 256, 1, BM=128, BN=128, BK=32, GROUP=8, num_warps=8
    )


def launch_layer_norm(module: Any, random: Any) -> None:
    rows, n, programs = 64, 1024, 16
    x, dy, y, dx = (random(rows, n) for _ in range(4))
    weight, bias, total = (random(n) for _ in range(3))
    mean, rstd = random(rows), random(rows)
    parts = random(2, programs, n)
    module.forward_kernel[(rows,)](x, weight, bias, y, mean, rstd, n, n, 1e-5, BLOCK=1024)
    module.backward_kernel[(programs,)](
        dy, x, weight, mean, rstd, dx, parts[0], parts[1], n, rows, n, BLOCK=1024
    )
    module.add_parts_kernel[(8,)](parts[0], total, programs, n, ROWS=8, BLOCK=128)


def measure() -> dict[str, dict[str, float]]:
    """The GPU's metrics, by kernel."""
    metrics = ",".join(name for names in METRICS.values() for name in names)
    command = ["ncu", "--csv", "--page", "raw", "--metrics", metrics, sys.executable, __file__]
    done = subprocess.run([*command, "--launch"], capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if line.startswith('"')]
    if len(lines) < 3:
        sys.exit(f"ncu measured nothing:\n{done.stdout}{done.stderr}")
    rows = list(csv.DictReader(lines))[1:]  # the first row has the units
    return {
        row["Kernel Name"].partition("(")[0]: {
            name: float(row[name].replace(",", "")) for name in metrics.split(",")
        }
        for row in rows
        if row["Kernel Name"].partition("(")[0].endswith("_kernel")
    }


def main() -> None:
    if "--launch" in sys.argv:
        return launch_all("cuda")
    measured = measure()
    major, minor = torch.cuda.get_device_capability()
    with tilewright.emulate(f"cuda:{major}{minor}", profile=True) as emulated:
        launch_all("cpu")
    differing = 0
    print(f"{'kernel':18}{'':26}{'emulator':>10}{'GPU':>10}{'ratio':>8}")
    for profile in emulated.profiles:
        for (memory, what), names in METRICS.items():
            ours = getattr(getattr(profile.totals, memory), what)
            theirs = sum(measured[profile.name][name] for name in names)
            if memory == "shared_stores" and profile.totals.instructions.get("async"):
                continue
            ratio = ours / theirs if theirs else float(ours == 0)
            differing += abs(ratio - 1) > LIMIT
            print(f"{profile.name:18}{memory + ' ' + what:26}{ours:10}{theirs:10.0f}{ratio:8.3f}")
    print(f"{differing} differ by more than {LIMIT:.0%}")
    sys.exit(differing > 0)


if __name__ == "__main__":
    main()
