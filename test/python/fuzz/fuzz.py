"""Random kernels against an evaluation in NumPy.

python test/python/fuzz/fuzz.py 0 500                 seeds 0 to 499 on this machine's processor
python test/python/fuzz/fuzz.py 0 500 --targets cpu,cpu:avx2,cpu:sse2
python test/python/fuzz/fuzz.py 0 500 --targets cuda  on this machine's GPU
python test/python/fuzz/fuzz.py 17 --show             one kernel, and where it differs
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import importlib.util
import math
import os
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from generate import Generator
from operations import OPERATIONS
from oracle import Memory, run
from tiles import DType, Inexact, Tile

sys.path.append(str(Path(__file__).parents[1]))
from on_cuda import OnCuda


class Case:
    """A kernel, its memory before the launch and after it, as the oracle says."""

    def __init__(self, seed: int, folder: Path, size: int = 12, source: str | None = None) -> None:
        self.generator = Generator(seed, OPERATIONS, size)
        text = self.generator.module()
        self.text = source or text
        # Python keeps what it knows of a file: another text has another name.
        suffix = f"_{hashlib.sha256(source.encode()).hexdigest()[:12]}" if source else ""
        self.path = folder / f"kernel_{seed}{suffix}.py"
        self.path.write_text(self.text)
        self.kernel = load_kernel(self.path)
        rng = np.random.default_rng(seed)
        self.memory, self.places = lay_out(self.generator, rng)
        self.before = self.memory.bytes.copy()
        self.numbers = [int(rng.choice([1, 2, 5, 16, 33])), int(rng.choice([0, 1, 2, 3, 3]))]
        self.constants = list(self.generator.programs[:2])

    def evaluate(self) -> None:
        """Raises `Inexact` where there is no single answer."""
        pointers = [Tile(f"*{b.dtype}", at) for b, at in self.places]
        grid = self.generator.programs
        run(self.kernel, self.memory, grid, [*pointers, *self.numbers, *self.constants])

    def launch(self, target: str) -> np.ndarray:
        """The bytes of all memory after the kernel ran."""
        memory = self.before.copy()
        programs = math.prod(self.generator.programs)
        bound = self.kernel[self.generator.programs]
        if target.startswith("cuda"):
            bound = OnCuda(bound)
            arrays = [tensor(memory, b.dtype, at, b.size * programs) for b, at in self.places]
        else:
            views = [view(memory, b.dtype, at, b.size * programs) for b, at in self.places]
            arrays = [passed(x, b.dtype) for x, (b, _) in zip(views, self.places, strict=True)]
        names = dict(zip(("GX", "GY"), self.constants, strict=True))
        bound(*arrays, *self.numbers, **names, target=target, enable_fp_fusion=False)
        return memory

    def difference(self, memory: np.ndarray) -> str | None:
        """What is wrong in memory, or None."""
        programs = math.prod(self.generator.programs)
        for buffer, at in self.places:
            count = buffer.size * programs
            parts = [
                np.asarray(numbers(view(x, buffer.dtype, at, count), buffer.dtype))
                for x in (memory, self.memory.bytes)
            ]
            width = max(buffer.dtype.bits // 8, 1)
            error = self.memory.error[at : at + count * width : width]
            wrong = differs(*parts, error)
            if wrong.any():
                first = int(np.argmax(wrong))
                return (
                    f"{buffer.name} ({buffer.dtype}): {wrong.sum()} of {count} differ, "
                    f"first [{first}]: "
                    f"{parts[0][first]!r} instead of {parts[1][first]!r} +- {error[first]}"
                )
        return None


def differs(got: np.ndarray, want: np.ndarray, error: np.ndarray) -> np.ndarray:
    if got.dtype.kind != "f":
        return got != want
    with np.errstate(all="ignore"):
        same = (got == want) | (np.isnan(got) & np.isnan(want))
        near = np.abs(got - want) <= 4 * error
        unknown = np.isinf(error) | (~np.isnan(error) & ~np.isfinite(want))
    return ~(same | near | unknown)


def numbers(values: np.ndarray, dtype: DType) -> np.ndarray:
    if dtype == "bfloat16":
        return (values.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return values.astype(np.float64) if dtype.is_float else values


def view(memory: np.ndarray, dtype: DType, at: int, count: int) -> Any:
    width = max(dtype.bits // 8, 1)
    raw = memory[at : at + count * width]
    return raw.view(np.uint16 if dtype == "bfloat16" else dtype.stored)


def passed(array: np.ndarray, dtype: DType) -> Any:
    """NumPy has no bfloat16."""
    if dtype != "bfloat16":
        return array
    return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)


def tensor(memory: np.ndarray, dtype: DType, at: int, count: int) -> torch.Tensor:
    """All of them share one storage, as their bytes on a device shall."""
    raw = torch.from_numpy(memory)[at : at + count * max(dtype.bits // 8, 1)]
    return raw.view(torch.bool if dtype == "int1" else getattr(torch, dtype))


def load_kernel(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.kernel


def lay_out(generator: Generator, rng: np.random.Generator) -> tuple[Memory, list[tuple[Any, int]]]:
    """Memory with random contents, and the address of each buffer in it."""
    programs = math.prod(generator.programs)
    sizes: dict[str, int] = {}
    for b in generator.buffers:
        width = max(b.dtype.bits // 8, 1)
        sizes[b.memory] = max(sizes.get(b.memory, 0), (b.start + b.size * programs) * width)
    bases, end = {}, 64
    for name, size in sizes.items():
        bases[name] = end
        end += -(-size // 64) * 64 + 64
    memory = Memory(end)
    for b in generator.buffers:
        count = b.start + b.size * programs
        fill(view(memory.bytes, b.dtype, bases[b.memory], count), b.dtype, rng)
    places = [(b, bases[b.memory] + b.start * max(b.dtype.bits // 8, 1)) for b in generator.buffers]
    return memory, places


def fill(array: np.ndarray, dtype: DType, rng: np.random.Generator) -> None:
    if dtype == "int1":
        array[:] = rng.integers(0, 2, len(array))
    elif dtype == "bfloat16":
        array[:] = (rng.integers(-64, 64, len(array)) / 8).astype(np.float32).view(np.uint32) >> 16
    elif dtype.is_float:
        array[:] = rng.integers(-64, 64, len(array)) / 8
    else:
        info = np.iinfo(array.dtype)
        wide = rng.integers(info.min, info.max, len(array), dtype=array.dtype, endpoint=True)
        array[:] = np.where(rng.random(len(array)) < 0.5, wide, rng.integers(0, 9, len(array)))


def check(seed: int, targets: list[str], folder: Path, size: int = 12) -> str | None:
    """What goes wrong with one kernel; "inexact" where it has no single answer."""
    case = Case(seed, folder, size)
    try:
        case.evaluate()
    except Inexact:
        return "inexact"
    except Exception:
        return "the oracle fails: " + traceback.format_exc()
    for target in targets:
        try:
            wrong = case.difference(case.launch(target))
        except Exception:
            wrong = traceback.format_exc()
        if wrong:
            return f"{target}: {wrong}"
    return None


def run_apart(function: Callable[[], str], seconds: int = 20) -> str | None:
    """The result of a function run in a process of its own.

    None if that crashes, "" if it takes too long.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(seconds)
        with os.fdopen(writer, "w") as pipe:
            pipe.write(function())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        result = pipe.read()
    _, status = os.waitpid(child, 0)
    return (
        "" if os.waitstatus_to_exitcode(status) == -signal.SIGALRM else None if status else result
    )


def check_all(
    seeds: range, targets: list[str], folder: Path, size: int
) -> Iterator[tuple[int, str | None]]:
    """Checks kernels in a process of their own; a new one takes over where it crashed."""
    while seeds:
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            with os.fdopen(writer, "w") as pipe:
                for seed in seeds:
                    result = check(seed, targets, folder, size)
                    print(repr(result), file=pipe, flush=True)
                    if result and "lost to this process" in result:
                        break  # a GPU's error ends its use
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as pipe:
            for line in pipe:
                yield seeds[0], ast.literal_eval(line)
                seeds = seeds[1:]
        _, status = os.waitpid(child, 0)
        if seeds and status:
            yield seeds[0], f"crash, {os.waitstatus_to_exitcode(status)}"
            seeds = seeds[1:]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("seed", type=int)
    parser.add_argument("count", type=int, nargs="?", default=1)
    parser.add_argument("--targets", default="cpu")
    parser.add_argument(
        "--size", type=int, default=12, help="most statements at the outermost level"
    )
    parser.add_argument("--show", action="store_true", help="print the kernel")
    parser.add_argument("--keep", type=Path, help="a folder for the kernels that fail")
    options = parser.parse_args()
    os.environ.setdefault("TILEWRIGHT_CACHE_DIR", tempfile.mkdtemp())
    targets = options.targets.split(",")
    results = {"right": 0, "wrong": 0, "inexact": 0}
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        seeds = range(options.seed, options.seed + options.count)
        for seed, wrong in check_all(seeds, targets, folder, options.size):
            results["inexact" if wrong == "inexact" else "wrong" if wrong else "right"] += 1
            path = folder / f"kernel_{seed}.py"
            if options.show:
                print(path.read_text())
            if wrong and wrong != "inexact":
                print(f"seed {seed}: {wrong}", flush=True)
            else:
                path.unlink()
    print(", ".join(f"{count} {what}" for what, count in results.items()))
    sys.exit(results["wrong"] > 0)


if __name__ == "__main__":
    main()
