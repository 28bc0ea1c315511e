"""Runs the tests' launches as code for AArch64, under qemu.

With `--targets cpu:neoverse-v2`, or another processor of AArch64, each launch compiles its kernel
for it, links the object file to a small program (aarch64/run_kernel.cpp), and runs this under
`qemu-aarch64` on copies of the launch's arrays, whose contents are copied back. Programs run one
after the other. Arrays lie between unmapped pages, so that an access outside of them fails.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import os
import re
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from on_cuda import bounds, is_cpu_tensor

from tilewright import _core
from tilewright.compiler.targets import TargetKind
from tilewright.runtime.function import JITFunction
from tilewright.runtime.reinterpreted import TensorWrapper
from tilewright.tools.tensor_descriptor import TensorDescriptor

ROOT = Path(__file__).resolve().parents[2]
_COMPILER = ["clang++-22", "--target=aarch64-linux-gnu"]
_SOURCES = (
    "lib/Runtime/Host/KernelSupport.cpp",
    "lib/Runtime/Host/Printing.cpp",
    "lib/Runtime/Host/HalfConversion.cpp",
    "lib/Runtime/AccessChecks.cpp",
    "lib/Runtime/NamedExtents.cpp",
    "test/python/aarch64/run_kernel.cpp",
)
_PAGE = 4096
_PROGRAMS = 32
_ALIGNMENT = 16  # of which launches notice multiples
_FIRST_ADDRESS = 1 << 36  # beyond the program's own memory
_KERNEL = ctypes.CFUNCTYPE(
    ctypes.c_int32,
    ctypes.POINTER(ctypes.c_uint64),
    ctypes.POINTER(ctypes.c_int32),
    ctypes.c_int64,
    ctypes.c_int64,
    ctypes.c_void_p,
)


@functools.cache
def missing() -> str:
    """What this machine lacks to run AArch64 code, or an empty string."""
    if shutil.which("qemu-aarch64") is None:
        return "qemu-aarch64 is missing (Debian's package qemu-user)"
    if shutil.which(_COMPILER[0]) is None:
        return f"{_COMPILER[0]} is missing"
    source = "#include <vector>\nint main() {}"
    with tempfile.TemporaryDirectory() as folder:
        command = [*_COMPILER, "-static", "-fuse-ld=lld", "-x", "c++", "-", "-o", f"{folder}/a"]
        done = subprocess.run(command, input=source, capture_output=True, text=True)
    if done.returncode != 0:
        return "AArch64's C++ library is missing (Debian's package libstdc++-12-dev-arm64-cross)"
    return ""


def is_aarch64(target: str) -> bool:
    kind, _, arch = target.partition(":")
    cpu = next(kind for kind in _core.target_kinds() if kind.name == "cpu")
    return kind == "cpu" and "AArch64" in cpu.why_not_runnable(arch)


# Processors have SVE registers of 128 bits, but the code is correct for longer ones.
def emulated_processor(target: str) -> str:
    """The processor for qemu: without SVE for targets that lack it."""
    if target.endswith(("neoverse-v1", ":sve")):
        return "max,sve256=on,sve-default-vector-length=32"
    if target.endswith(("neoverse-n2", "neoverse-v2", ":sve2")):
        return "max,sve128=on,sve-default-vector-length=16"
    return "max,sve=off"


@functools.cache
def _objects() -> list[str]:
    """The object files of the program, which are compiled once for each state of the sources."""
    content = b"".join((ROOT / source).read_bytes() for source in _SOURCES)
    folder = Path(tempfile.gettempdir(), f"tilewright-aarch64-{os.getuid()}")
    folder = folder / hashlib.sha256(content).hexdigest()[:16]
    names = [Path(source).stem + ".o" for source in _SOURCES]
    if not folder.exists():
        folder.parent.mkdir(exist_ok=True)
        made = tempfile.mkdtemp(dir=folder.parent)
        for source, name in zip(_SOURCES, names, strict=True):
            flags = ["-std=c++17", "-O1", "-I", str(ROOT / "include"), "-c", str(ROOT / source)]
            subprocess.run([*_COMPILER, *flags, "-o", f"{made}/{name}"], check=True)
        try:
            os.rename(made, folder)
        except OSError:  # another process was faster
            shutil.rmtree(made)
    return [str(folder / name) for name in names]


def _link(kernel: Any, program: Path) -> None:
    """Links a compiled kernel and the program that runs it."""
    file = program.with_suffix(".o")
    file.write_bytes(kernel.object)
    name = f"-Wl,--defsym=tilewright_test_kernel={kernel.symbol}"
    command = [*_COMPILER, "-static", "-fuse-ld=lld", *_objects(), str(file), name]
    subprocess.run([*command, "-o", str(program)], check=True)


class Region:
    """A range of bytes on this machine, and its address under qemu."""

    def __init__(self, low: int, high: int, address: int) -> None:
        self.low = low
        self.high = high
        self.address = address
        self.bytes = (ctypes.c_uint8 * (high - low)).from_address(low)

    def translated(self, word: int) -> int | None:
        return self.address + word - self.low if self.low <= word <= self.high else None


def _place(extents: Iterable[tuple[int, int]]) -> list[Region]:
    """Gives addresses to the memory of arrays, before unmapped pages, aligned as it is here.

    Overlapping ranges become one.
    """
    merged: list[list[int]] = []
    for low, high in sorted(set(extents)):
        if low == high:
            continue
        if merged and low < merged[-1][1]:
            merged[-1][1] = max(high, merged[-1][1])
        else:
            merged.append([low, high])
    regions, page = [], _FIRST_ADDRESS
    for low, high in merged:
        end = page + (high - low + _PAGE) // _PAGE * _PAGE
        address = end - (high - low)
        address -= (address - low) % _ALIGNMENT
        regions.append(Region(low, high, address))
        page = end + _PAGE
    return regions


def _extents(value: Any) -> Iterator[tuple[int, int]]:
    """The memory of all arrays in an argument."""
    if isinstance(value, np.ndarray):
        while isinstance(value.base, np.ndarray):
            value = value.base
        yield bounds(value)
    elif is_cpu_tensor(value):
        storage = value.untyped_storage()
        yield storage.data_ptr(), storage.data_ptr() + storage.nbytes()
    elif isinstance(value, TensorWrapper | TensorDescriptor):
        yield from _extents(value.base)
    elif isinstance(value, tuple | list):
        for part in value:
            yield from _extents(part)


def _count_slots(kernel: Any) -> int:
    """The number of 64-bit slots in which the kernel finds its arguments."""
    headers = "".join(re.findall(r"func\.func @.*", kernel.ir("source")))
    slots = re.findall(r"!tile\.bytes<(\d+)|tile\.slot = (\d+)", headers)
    count = words = 0
    for size, slot in slots:
        if size:
            words = int(size) // 8
        else:
            count, words = max(count, int(slot) + max(1, words)), 0
    return count


class _State:
    """What the launches of this process share."""

    def __init__(self) -> None:
        self.regions: list[Region] = []  # of the launch in progress
        self.failure: BaseException | None = None  # of the launch in progress
        self.runs = 0  # of programs under qemu
        self.linked: list[Emulated] = []  # the kernels that have a program
        self.kept: list[Emulated] = []  # loaded kernels, whose functions launchers may still call


state = _State()


class Emulated:
    """A kernel whose function runs the whole grid under qemu."""

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel
        self.slots = _count_slots(kernel)
        self.folder: tempfile.TemporaryDirectory[str] | None = None
        self.function = _KERNEL(self._call)  # must live as long as the kernel

    def load(self) -> Any:
        address = ctypes.cast(self.function, ctypes.c_void_p).value
        return _core.kernel_from_address(address)

    def _link(self) -> Path:
        """The folder with the program, of which only the last few are kept."""
        if self.folder is None:
            self.folder = tempfile.TemporaryDirectory(prefix="tilewright-aarch64-")
            _link(self.kernel, Path(self.folder.name, "program"))
            state.linked.append(self)
        while len(state.linked) > _PROGRAMS:
            oldest = state.linked.pop(0)
            assert oldest.folder
            oldest.folder.cleanup()
            oldest.folder = None
        return Path(self.folder.name)

    def _call(self, slots: Any, grid: Any, begin: int, end: int, scratch: int) -> int:
        if begin != 0:
            return 0  # the call for the first program runs all of them
        try:
            return self._run(slots[: self.slots], list(grid[:3]))
        except BaseException as error:
            state.failure = error
            return 0

    def _run(self, slots: list[int], grid: list[int]) -> int:
        regions = state.regions
        moved = [_translate(word, regions) for word in slots]
        header = [len(moved), len(regions), *grid, self.kernel.scratch_bytes]
        words = [*header, *moved, *(x for r in regions for x in (r.address, r.high - r.low))]
        head = struct.pack(f"<{len(words)}Q", *words)
        folder = self._link()
        file = folder / "launch"
        file.write_bytes(head + b"".join(bytes(region.bytes) for region in regions))
        command = ["qemu-aarch64", "-cpu", emulated_processor(self.kernel.target)]
        done = subprocess.run([*command, str(folder / "program"), str(file)], capture_output=True)
        state.runs += 1
        os.write(1, done.stdout)
        if done.returncode != 0:
            raise RuntimeError(f"exit status {done.returncode}: {done.stderr.decode()}")
        content, at = file.read_bytes(), len(head)
        file.unlink()
        for region in regions:
            size = region.high - region.low
            ctypes.memmove(region.low, content[at : at + size], size)
            at += size
        return struct.unpack_from("<i", content)[0]


def _translate(word: int, regions: list[Region]) -> int:
    return next((moved for r in regions if (moved := r.translated(word)) is not None), word)


class Emulating:
    """The result of `kernel[grid]`."""

    def __init__(self, bound: Any, target: str) -> None:
        self.bound = bound
        self.target = target

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        state.regions = _place(_extents([*args, *kwargs.values()]))
        state.failure = None
        kwargs.setdefault("target", self.target)
        result = self.bound(*args, **kwargs)
        if state.failure is not None:
            raise state.failure
        return result


@contextmanager
def launching(target: str) -> Iterator[None]:
    """Runs every launch as code for a processor of AArch64."""
    bind, load = JITFunction.__getitem__, TargetKind.load
    emulated: dict[str, Emulated] = {}

    def load_emulated(self: Any, kernel: Any, device: str | None) -> Any:
        if not is_aarch64(kernel.target):
            return load(self, kernel, device)
        if kernel.key not in emulated:
            emulated[kernel.key] = Emulated(kernel)
            state.kept.append(emulated[kernel.key])
        return emulated[kernel.key].load()

    JITFunction.__getitem__ = lambda self, grid: Emulating(bind(self, grid), target)  # type: ignore
    TargetKind.load = load_emulated  # type: ignore[method-assign]
    try:
        yield
    finally:
        JITFunction.__getitem__ = bind  # type: ignore[method-assign]
        TargetKind.load = load  # type: ignore[method-assign]
