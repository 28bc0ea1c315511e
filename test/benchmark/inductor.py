"""Times of models under torch.compile: Tilewright beside Inductor's own back end.

    .venv/bin/python test/benchmark/inductor.py                      the CPU, beside C++
    .venv/bin/python test/benchmark/inductor.py --device cuda        a GPU, beside Triton
    .venv/bin/python test/benchmark/inductor.py --models MLP,MoE --scale 2

Each row is one model, forward and backward:

    first      seconds of the first call with empty caches, in a process of its own
    warm       seconds of the first call of the next process, which finds the caches
    step       microseconds of a later call: the shortest of the rounds
    error      the largest difference to eager mode over the largest value, results and gradients

and each ratio is the other back end's time over Tilewright's, so more than 1 is faster. Processes
of both back ends alternate. On the CPU the other one needs a C++ compiler, on a GPU Triton; without
it only Tilewright is timed. OMP_NUM_THREADS limits the threads of both on the CPU.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "python" / "inductor"))
KEYS = ("first", "warm", "step")


def main() -> None:
    options = parse_options()
    if options.measure:
        print("RESULT " + json.dumps(measure(options)))
        return
    backends = ["tilewright"]
    if options.other and has_other(options.device):
        backends.append("other")
    scale = options.scale or (4 if options.device == "cpu" else 16)
    print(f"device {options.device}, scale {scale}; seconds, seconds, microseconds")
    print(header(backends))
    rows = []
    for model in options.models.split(","):
        found = {
            backend: run(backend, model, scale, options)
            for backend in (backends if len(rows) % 2 == 0 else reversed(backends))
        }
        rows.append(found)
        print(row(model, found), flush=True)
    if len(backends) == 2:
        print(summary(rows))


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    names = "MLP,CNN,encoder,decoder,LSTM,U-Net,MoE"
    parser.add_argument("--models", default=names, help=f"by name; {names} by default")
    parser.add_argument("--scale", type=int, default=0, help="4 on the CPU, 16 on a GPU by default")
    parser.add_argument("--rounds", type=int, default=50, help="timed calls")
    parser.add_argument("--mode", default=None, help="torch.compile's mode, such as max-autotune")
    parser.add_argument("--no-other", dest="other", action="store_false")
    parser.add_argument("--measure", choices=("tilewright", "other"), help=argparse.SUPPRESS)
    return parser.parse_args()


def has_other(device: str) -> bool:
    """Whether Inductor's own back end can be used."""
    if device == "cpu":
        return shutil.which("g++") is not None or shutil.which("clang++") is not None
    return importlib.util.find_spec("triton") is not None


def run(backend: str, model: str, scale: int, options: argparse.Namespace) -> dict[str, Any]:
    """Measures in two processes, the first of which has empty caches."""
    dropped = ("TILEWRIGHT_COMPAT", "TILEWRIGHT_COMPAT_VERSION", "TRITON_CACHE_DIR")
    environment = {name: value for name, value in os.environ.items() if name not in dropped}
    command = [sys.executable, __file__, "--measure", backend, "--device", options.device]
    command += ["--models", model, "--scale", str(scale), "--rounds", str(options.rounds)]
    command += ["--mode", options.mode] if options.mode else []
    with tempfile.TemporaryDirectory() as folder:
        environment |= {
            "TORCHINDUCTOR_CACHE_DIR": f"{folder}/inductor",
            "TILEWRIGHT_CACHE_DIR": f"{folder}/kernels",
        }
        results = [result_of(command, environment) for _ in range(2)]
    cold, warm = results
    if "first" not in cold or "first" not in warm:
        return cold if "first" not in cold else warm
    return {**warm, "first": cold["first"], "warm": warm["first"]}


def result_of(command: list[str], environment: dict[str, str]) -> dict[str, Any]:
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    for line in done.stdout.splitlines():
        if line.startswith("RESULT "):
            result: dict[str, Any] = json.loads(line.removeprefix("RESULT "))
            return result
    # Shown in place of the times.
    lines = done.stderr.strip().splitlines() or [f"status {done.returncode}"]
    return {"problem": lines[-1][:100]}


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """The times of one model in this process."""
    if options.measure == "tilewright":
        import tilewright.inductor

        tilewright.inductor.register()
    import torch
    from compiled_models import gradients, make, step, worst_error

    model, inputs = make(options.models, options.scale, options.device)
    expected = {"out": step(model, inputs).detach(), **gradients(model, inputs)}
    compiled = torch.compile(model, mode=options.mode)
    synchronize = torch.cuda.synchronize if options.device == "cuda" else lambda: None
    start = time.perf_counter()
    out = step(compiled, inputs).detach().clone()
    synchronize()
    first = time.perf_counter() - start
    found = {"out": out, **gradients(model, inputs)}
    # The workers import PyTorch beside the first calls, which takes seconds of two processors.
    importlib.import_module("torch._inductor.async_compile").shutdown_compile_workers()
    times = []
    for _ in range(options.rounds):
        start = time.perf_counter()
        step(compiled, inputs)
        synchronize()
        times.append(time.perf_counter() - start)
        gradients(model, inputs)
    return {"first": first, "step": min(times) * 1e6, "error": worst_error(found, expected)}


def header(backends: list[str]) -> str:
    columns = [f"{key:>9}" for key in (*KEYS, "error")]
    if len(backends) == 2:
        columns += [f"{'other ' + key:>12} {'ratio':>5}" for key in KEYS]
    return f"{'model':8}" + "".join(columns)


def row(model: str, found: dict[str, dict[str, Any]]) -> str:
    own, other = found["tilewright"], found.get("other")
    for name, result in found.items():
        if "problem" in result:
            return f"{model:8} {name}: {result['problem']}"
    text = f"{model:8}{own['first']:9.2f}{own['warm']:9.2f}{own['step']:9.0f}{own['error']:9.1e}"
    for key in KEYS if other else ():
        text += f"{other[key]:12.{0 if key == 'step' else 2}f} {other[key] / own[key]:5.2f}"
    return text


def summary(rows: list[dict[str, dict[str, Any]]]) -> str:
    pairs = [(r["tilewright"], r["other"]) for r in rows]
    pairs = [pair for pair in pairs if not any("problem" in result for result in pair)]
    text = "geometric means of the ratios:"
    for key in KEYS if pairs else ():
        logs = [math.log(other[key] / own[key]) for own, other in pairs]
        text += f" {key} {math.exp(sum(logs) / len(logs)):.2f}"
    return text


if __name__ == "__main__":
    main()
