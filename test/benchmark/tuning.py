"""Tunes a matmul over 24 configurations: Tilewright beside Triton, in processes with empty caches.

    .venv/bin/python test/benchmark/tuning.py [--repeat 20] [--size 4096]

Prints the wall time of the first launch by each compiler, of a second process that finds the stored
result, and of eight processes that start at once; then, over a number of tunings, how often the
choice is within 2 % of the best. Needs a CUDA device; without Triton, its row is left out.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from typing import Any

SIZES = [(m, n, k) for m in (64, 128) for n in (64, 128, 256) for k in (32, 64)]
OPTIONS = [(4, 3), (8, 4)]  # warps and stages


def tune(compiler: str, size: int) -> tuple[float, Any, Any, Any]:
    """Launches once; returns the seconds, the autotuned kernel, its arguments and its grid."""
    import torch
    from kernel_packages import load_kernels

    compiler_module = importlib.import_module(compiler)
    function = load_kernels(compiler).matmul
    configs = [
        compiler_module.Config(
            {"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k, "GROUP": 8}, num_warps=w, num_stages=s
        )
        for m, n, k in SIZES
        for w, s in OPTIONS
    ]
    kernel = compiler_module.autotune(configs, key=["M", "N", "K"])(function)
    a, b = (torch.randn(size, size, device="cuda", dtype=torch.float16) for _ in range(2))
    c = torch.empty_like(a)
    arguments = (a, b, c, size, size, size, size, 1, size, 1, size, 1)

    def grid(meta: dict[str, Any]) -> tuple[int]:
        return (-(-size // meta["BLOCK_M"]) * -(-size // meta["BLOCK_N"]),)

    expected = a @ b
    torch.cuda.synchronize()
    started = time.perf_counter()
    kernel[grid](*arguments)
    torch.cuda.synchronize()
    took = time.perf_counter() - started
    assert torch.allclose(c, expected, atol=0.5, rtol=0.02)
    return took, kernel, arguments, grid


def run(*arguments: str, cache: str) -> subprocess.Popen[str]:
    environment = dict(os.environ)
    environment |= {"TILEWRIGHT_CACHE_DIR": cache + "/tilewright", "TRITON_CACHE_DIR": cache}
    return subprocess.Popen(
        [sys.executable, __file__, *arguments], stdout=subprocess.PIPE, text=True, env=environment
    )


def finish(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, _ = process.communicate(timeout=500)
    found: dict[str, Any] = json.loads(out.strip().splitlines()[-1])
    return found


def one(compiler: str, size: int) -> None:
    """The child process: tunes, and prints what it found."""
    took, kernel, _, _ = tune(compiler, size)
    tuned = kernel.bench_time is not None
    print(json.dumps({"seconds": took, "tuned": tuned, "chosen": str(kernel.best_config)}))


def repeat(count: int, size: int) -> None:
    """The child process: tunes many times, and times all that were chosen beside each other."""
    from tilewright.testing import compare

    os.environ["TILEWRIGHT_TUNING"] = "memory"
    _, kernel, arguments, grid = tune("tilewright", size)
    chosen = []
    for _ in range(count):
        kernel.cache.clear()
        kernel[grid](*arguments)
        chosen.append(kernel.best_config)
    close = sorted(kernel.configs, key=lambda config: kernel.configs_timings[config][0])[:6]
    candidates = {*chosen, *close}
    launches = {
        str(config): lambda config=config: kernel.fn.run(
            *arguments, grid=grid, **config.all_kwargs()
        )
        for config in candidates
    }
    times = compare(launches, rounds=40, device="cuda")
    best = min(times.values())
    good = sum(times[str(config)] <= 1.02 * best for config in chosen)
    print(json.dumps({"good": good, "of": count, "different": len(set(chosen))}))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--repeat", type=int, default=20)
    parser.add_argument("--child", nargs=2)
    parsed = parser.parse_args()
    if parsed.child:
        what, value = parsed.child
        repeat(int(value), parsed.size) if what == "repeat" else one(value, parsed.size)
        return
    size = ["--size", str(parsed.size)]
    has_triton = importlib.util.find_spec("triton") is not None
    with tempfile.TemporaryDirectory() as cache:
        cold = finish(run("--child", "one", "tilewright", *size, cache=cache))
        warm = finish(run("--child", "one", "tilewright", *size, cache=cache))
        assert cold["tuned"] and not warm["tuned"]
        print(f"tilewright, cold: {cold['seconds']:.2f} s, {cold['chosen']}")
        print(f"tilewright, the store has it: {warm['seconds']:.3f} s")
    if has_triton:
        with tempfile.TemporaryDirectory() as cache:
            other = finish(run("--child", "one", "triton", *size, cache=cache))
        print(f"triton, cold: {other['seconds']:.2f} s, {other['chosen']}")
        print(f"ratio: {cold['seconds'] / other['seconds']:.3f} (0.2 wanted)")
    with tempfile.TemporaryDirectory() as cache:
        started = [run("--child", "one", "tilewright", *size, cache=cache) for _ in range(8)]
        found = [finish(process) for process in started]
        tuned = sum(each["tuned"] for each in found)
        slowest = max(each["seconds"] for each in found)
        print(f"8 processes: {tuned} tuned, the slowest took {slowest:.2f} s")
    with tempfile.TemporaryDirectory() as cache:
        again = finish(run("--child", "repeat", str(parsed.repeat), *size, cache=cache))
    print(
        f"{again['good']} of {again['of']} choices are within 2 % of the best "
        f"({again['different']} different ones)"
    )


if __name__ == "__main__":
    main()
