"""A random kernel with its memory: the oracle's expected result, and launches on targets."""

from __future__ import annotations

import dataclasses
import hashlib
import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import execute
import families
import numpy as np
import torch
from contents import contents
from hints import Unknown
from kernel import Buffer, Kernel
from memory import Memory, Undefined
from narrow import decode
from tiles import DType, Inexact, Tile, division_by_zero, rounding

import tilewright
from tilewright.errors import EmulationError

sys.path.append(str(Path(__file__).parents[1]))
import kernel_files
from on_cuda import OnCuda

REACH = 1 << 14  # elements on both sides of the first one that a kernel may access
ATTEMPTS = 200
GAP = 1 << 14  # bytes between the arrays of kernels that write out of bounds
MOST_STEPS = 3_000_000


class Case:
    """A kernel, its memory before the launch, and the memory that the oracle expects after it.

    Attributes:
        family: The kernel's family.
        text: The source of the module.
    """

    def __init__(self, seed: int, folder: Path, family: str | None = None) -> None:
        self.seed = seed
        self.family = family or families.draw(seed)
        rng = random.Random(seed)
        for _ in range(ATTEMPTS):
            self.kernel = families.write(self.family, rng)
            try:
                settle(self.kernel, seed, rng)
                break
            except (Undefined, Inexact):
                continue
        else:
            raise Undefined(f"no kernel of seed {seed} has a single right result")
        self.folder = folder
        self.take(self.kernel.source)
        self._lay_out()
        self.before = self.memory.bytes.copy()

    def take(self, source: str) -> None:
        """Replaces the source of the kernel."""
        self.text = source
        # Python caches the lines of a file by its name, so each source has its own name.
        suffix = f"_{hashlib.sha256(source.encode()).hexdigest()[:12]}"
        self.path = (
            self.folder / f"kernel_{self.seed}{suffix if source != self.kernel.source else ''}.py"
        )
        self.path.write_text(self.described())

    def described(self) -> str:
        """The source, preceded by the arguments and options of the launch."""
        kernel = self.kernel
        arrays = [f"{b.name}: {b.dtype}[{b.count}]" for b in kernel.buffers]
        scalars = {**kernel.numbers, **kernel.constants}
        changes = f"; launched again after each of {kernel.changes}" if kernel.changes else ""
        return (
            f"# seed {self.seed}, family {self.family}: grid {kernel.programs}, {kernel.options}\n"
            f"# {', '.join(arrays)}; overlaps: {kernel.overlaps}\n"
            f"# {scalars}{changes}\n{self.text}"
        )

    def _lay_out(self) -> None:
        gap = GAP if self.kernel.outside else 64
        laid_out = lay_out(self.kernel.buffers, self.seed, gap)
        self.memory, self.pointers, self.places = laid_out

    def evaluate(self, rounds_correctly: bool = True) -> None:
        """Runs the oracle; raises `Inexact` or `Undefined` if the result is not unique."""
        self._lay_out()
        with rounding(rounds_correctly):
            execute_kernel(self.kernel, self.text, self.memory, self.pointers)

    def launch(self, target: str, **settings: Any) -> np.ndarray:
        """Launches the kernel; returns the bytes of all memory after it.

        Args:
            target: The target.
            settings: Arguments of `tilewright.emulate`; by default they are drawn from the seed.
        """
        memory = aligned_copy(self.before)
        known = load_module(self.path)
        arrays = self._arrays(memory, target)
        named = {**self.kernel.numbers, **self.kernel.constants, **self.kernel.options}
        for step in self.kernel.steps():
            exec(step, known)
            named.update({name: known[at] for name, at in self.kernel.references.items()})
            bound = known["kernel"][self.kernel.programs]
            with threads_at_most(self._threads()):
                self._launch(bound, target, arrays, named, settings)
        return memory

    def _threads(self) -> int:
        """The maximum number of threads that execute programs on the CPU."""
        every = torch.get_num_threads()
        return random.Random(f"threads of {self.seed}").choice([1, 2, 3, every])

    def _launch(
        self, bound: Any, target: str, arrays: Any, named: Any, settings: dict[str, Any]
    ) -> None:
        named = {
            **named,
            "enable_fp_fusion": False,
            "persistent": (None, False, None, True)[self.seed % 4],
            "specialize_warps": (True, None, False)[self.seed % 3],
        }
        if target.startswith(("cuda", "hip")):
            OnCuda(bound)(*arrays, **named, target=target)
        elif target.startswith("emulator:") and target.endswith("+checks"):
            name = target.removeprefix("emulator:").removesuffix("+checks")
            with tilewright.emulate(name, checks=True, **(settings or self._schedule())):
                bound(*arrays, **named)
        else:
            bound(*arrays, **named, target=target)

    def damage(self, target: str) -> str | None:
        """Checks that an emulated GPU reports an out-of-bounds access and changes nothing."""
        name = target.removeprefix("emulator:").removesuffix("+checks")
        for settings in ({}, {"profile": True}, {"checks": True}):
            memory = aligned_copy(self.before)
            arrays = self._arrays(memory, target)
            named = {**self.kernel.numbers, **self.kernel.constants, **self.kernel.options}
            reported = False
            with tilewright.emulate(name, **settings):
                try:
                    load_module(self.path)["kernel"][self.kernel.programs](*arrays, **named)
                except EmulationError:
                    reported = True
            changed = self.memory.outside & (memory != self.before)
            if changed.any():
                return f"{settings}: {changed.sum()} bytes outside of the arrays are written"
            if not reported:
                return f"{settings}: an access outside of the arrays is not reported"
        return None

    def _schedule(self) -> dict[str, Any]:
        rng = random.Random(self.seed)
        seed, early = rng.choice([0, rng.randrange(1, 1000)]), rng.random() < 0.5
        return {"seed": seed, "early_copies": early, "max_steps": MOST_STEPS}

    def _arrays(self, memory: np.ndarray, target: str) -> list[Any]:
        if target.startswith(("cuda", "hip")):
            return [tensor(memory, b.dtype, at, b.count) for b, at in self.places]
        views = [view(memory, b.dtype, at, b.count) for b, at in self.places]
        return [passed(x, b.dtype) for x, (b, _) in zip(views, self.places, strict=True)]

    def difference(self, memory: np.ndarray) -> str | None:
        """Describes how memory differs from the expected result, or None."""
        outside = self.memory.outside & (memory != self.before)
        if outside.any():
            return f"{outside.sum()} bytes outside of the arrays are written"
        for buffer, at in self.places:
            parts = [
                np.asarray(numbers(view(x, buffer.dtype, at, buffer.count), buffer.dtype))
                for x in (memory, self.memory.bytes)
            ]
            error = self.memory.error[at : at + len(parts[0]) * buffer.width : buffer.width]
            wrong = differs(*parts, error)
            if wrong.any():
                first = int(np.argmax(wrong))
                return (
                    f"{buffer.name} ({buffer.dtype}): {wrong.sum()} of {buffer.count} differ, "
                    f"first [{first}]: "
                    f"{parts[0][first]!r} instead of {parts[1][first]!r} +- {error[first]}"
                )
        return None


# the oracle's result


def execute_kernel(kernel: Kernel, text: str, memory: Memory, pointers: list[Tile]) -> None:
    """Runs the oracle on memory, once per launch."""
    memory.ordered = kernel.ordered
    names = [b.name for b in kernel.buffers]
    arguments: dict[str, Any] = dict(zip(names, pointers, strict=True))
    for name, number in kernel.numbers.items():
        arguments[name] = Tile("int32" if -(2**31) <= number < 2**31 else "int64", number)
    arguments.update(kernel.constants)
    known = execute.functions(text)
    with division_by_zero(kernel.zero_divisors):
        for step in kernel.steps():
            exec(step, known)
            arguments.update({name: known[at] for name, at in kernel.references.items()})
            execute.run(known["kernel"], memory, kernel.programs, arguments)


def settle(kernel: Kernel, seed: int, rng: random.Random) -> None:
    """Finds how much memory the kernel accesses, and which hints hold for it."""
    if all(b.count is not None for b in kernel.buffers):
        return
    rooms, end = [], 64
    for b in kernel.buffers:
        low, high = (REACH, REACH) if b.count is None else (0, b.count)
        rooms.append((end, low, high))
        end += -(-(low + high) * b.width // 64) * 64
    memory, pointers = Memory(end), []
    for b, (start, low, high) in zip(kernel.buffers, rooms, strict=True):
        part = view(memory.bytes, b.dtype, start, low + high)
        part[:] = contents(b.dtype, b.fill, seed, b.name, np.arange(-low, high))
        origin = start + low * b.width
        pointers.append(memory.add_array(start, origin, start + part.nbytes, b.dtype))
    unknown = {name: Unknown() for name in kernel.hints}
    trial = dataclasses.replace(kernel, constants={**kernel.constants, **unknown})
    execute_kernel(trial, kernel.source, memory, pointers)
    kernel.constants.update({name: hint.largest for name, hint in unknown.items()})
    for b, (start, low, high) in zip(kernel.buffers, rooms, strict=True):
        if b.count is None:
            touched = memory.touched[start : start + (low + high) * b.width]
            _fit(kernel, b, np.flatnonzero(touched) // b.width - low, rng)
    _overlap(kernel)


def _fit(kernel: Kernel, b: Buffer, index: np.ndarray, rng: random.Random) -> None:
    """Sizes a buffer for the accessed elements and a few more on both sides."""
    low, high = (int(index.min()), int(index.max()) + 1) if len(index) else (0, 0)
    first = -(-max(-low, 0) // 16) * 16 + rng.choice([0, 0, 16, 64])
    b.origin = first
    b.count = max(first + high, 1) + rng.choice([0, 0, 1, 16])
    if kernel.outside and rng.random() < 0.6:
        b.count = max(first + high - rng.choice([1, 16, high // 2 + 1]), 1)
    parameter = f"{b.name}_at"
    known = kernel.constants if parameter in kernel.constants else kernel.numbers
    known[parameter] = first


def _overlap(kernel: Kernel) -> None:
    by_name = {b.name: b for b in kernel.buffers}
    for one, other, shift in kernel.overlaps:
        by_name[one].memory = by_name[other].memory or other
        by_name[one].start = by_name[other].start + shift


def lay_out(
    buffers: list[Buffer], seed: int, gap: int = 64
) -> tuple[Memory, list[Tile], list[tuple[Buffer, int]]]:
    """Memory with random contents, pointers, and the start of each array."""
    sizes: dict[str, int] = {}
    for b in buffers:
        size = (b.start + (b.count or 0)) * b.width
        sizes[b.memory or b.name] = max(sizes.get(b.memory or b.name, 0), size)
    bases, end = {}, gap
    for name, size in sizes.items():
        bases[name] = end
        end += -(-size // 64) * 64 + gap
    memory, pointers, places = Memory(end), [], []
    for b in buffers:
        at = bases[b.memory or b.name] + b.start * b.width
        part = view(memory.bytes, b.dtype, at, b.count)
        part[:] = contents(b.dtype, b.fill, seed, b.name, np.arange(len(part)) - b.origin)
        pointers.append(memory.add_array(at, at, at + part.nbytes, b.dtype))
        places.append((b, at))
    return memory, pointers, places


# arrays


def aligned_copy(memory: np.ndarray) -> np.ndarray:
    """A copy aligned to 64 bytes, because kernels are specialized on alignment."""
    room = np.empty(memory.size + 64, np.uint8)
    start = -room.__array_interface__["data"][0] % 64
    copy = room[start : start + memory.size]
    copy[:] = memory
    return copy


def view(memory: np.ndarray, dtype: DType, at: int, count: int | None) -> Any:
    raw = memory[at : at + (count or 0) * max(dtype.bits // 8, 1)]
    if dtype.is_float8:
        return raw
    return raw.view(np.uint16 if dtype == "bfloat16" else dtype.stored)


# The types that NumPy does not have, and int1.
TORCH = {
    "int1": torch.bool,
    "bfloat16": torch.bfloat16,
    "float8e5": torch.float8_e5m2,
    "float8e4nv": torch.float8_e4m3fn,
}


def passed(array: np.ndarray, dtype: DType) -> Any:
    """The array as the kernel's argument; a tensor of the types that NumPy does not have."""
    if dtype not in TORCH or dtype == "int1":
        return array
    return torch.from_numpy(array.view(f"int{dtype.bits}")).view(TORCH[dtype])


def tensor(memory: np.ndarray, dtype: DType, at: int, count: int | None) -> torch.Tensor:
    """A view of the memory; all tensors share one storage, so that they overlap on a device too."""
    raw = torch.from_numpy(memory)[at : at + (count or 0) * max(dtype.bits // 8, 1)]
    return raw.view(TORCH.get(dtype) or getattr(torch, dtype))


def numbers(values: np.ndarray, dtype: DType) -> np.ndarray:
    if dtype == "bfloat16":
        return (values.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    if dtype.is_float8:
        return decode(values, dtype)
    return values.astype(np.float64) if dtype.is_float else values


def differs(got: np.ndarray, want: np.ndarray, error: np.ndarray) -> np.ndarray:
    if got.dtype.kind != "f":
        return got != want
    with np.errstate(all="ignore"):
        same = (got == want) | (np.isnan(got) & np.isnan(want))
        near = np.abs(got - want) <= 4 * error
        unknown = np.isinf(error) | (~np.isnan(error) & ~np.isfinite(want))
    return ~(same | near | unknown)


@contextmanager
def threads_at_most(count: int) -> Iterator[None]:
    """Limits the threads of launches, unless TILEWRIGHT_NUM_THREADS is set."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def load_module(path: Path) -> dict[str, Any]:
    return vars(kernel_files.load(path))
