"""Emulated GPUs: run the code for a GPU on the host, and check it.

    with tilewright.emulate("cuda:90a", checks=True):
        kernel[grid](x, y, out)          # tensors in host memory

See docs/emulator.md.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tilewright import _core
from tilewright.compiler.targets import resolve_target
from tilewright.errors import DeviceAssertError, DeviceError, EmulationError, Finding

if TYPE_CHECKING:
    from tilewright.runtime.profile import KernelProfile

# The end of the name of a target whose code the emulator can check.
CHECKED = "+checks"

CHECKS = ("bounds", "initialized", "races", "copies", "alignment")


@dataclass
class emulate:
    """A context manager: this thread's launches in it that name no target run on an emulated GPU.

    Args:
        target: The target to emulate: "cuda:90a", "hip:gfx942", or any other architecture of
            `cuda` and `hip`.
        checks: The checks to do: True for all, or some of
            "initialized", reads of shared memory that was not written;
            "races", unordered accesses of two threads of a program;
            "copies", accesses to the bytes of an asynchronous copy before the wait for it;
            "bounds", accesses outside of the tensors that were passed, or outside of the kernel's
            shared memory;
            "alignment", addresses that are not multiples of an access's size.
            The last two are always checked, as are deadlocks, barriers that only a part of a warp
            reaches, and masks that do not match the lanes that arrive.
        seed: The seed of the random order in which threads run; 0: in the order of their indices.
        early_copies: Whether asynchronous copies complete when they are issued, instead of when
            they are waited for.
        max_steps: The number of loop iterations after which a thread is reported as endless; 0: no
            limit.
        profile: Whether to count the work of the hardware; see `profiles`.
        memory: Tensors and NumPy arrays that kernels may access although they are no arguments,
            because their addresses are in memory, such as those of the matrices of a grouped GEMM.

    Attributes:
        profiles: One KernelProfile for each launch.

    Raises:
        DeviceError: the target does not exist.
        ValueError: a check does not exist, or a number is negative.

    Raises, from launches:
        EmulationError: errors were found. The arrays contain what the kernel wrote before.
    """

    target: str = "cuda:90a"
    checks: bool | Iterable[str] = False
    seed: int = 0
    early_copies: bool = False
    max_steps: int = 0
    profile: bool = False
    memory: Iterable[Any] = ()
    profiles: list[KernelProfile] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        if str(self.target).strip().lower().startswith("emulator"):
            raise DeviceError(
                f"emulate takes the target to emulate, such as 'cuda:90a', not '{self.target}'"
            )
        resolve_target(f"emulator:{self.target}")
        chosen = (CHECKS if self.checks else ()) if isinstance(self.checks, bool) else self.checks
        self.checks = tuple([chosen] if isinstance(chosen, str) else chosen)
        if unknown := [name for name in self.checks if name not in CHECKS]:
            raise ValueError(f"unknown check {unknown[0]!r}; the checks are {', '.join(CHECKS)}")
        if self.seed < 0 or self.max_steps < 0:
            raise ValueError("seed and max_steps must not be negative")
        self.memory = tuple(self.memory)
        self._extents = [(f"memory[{i}]", *_extent(x)) for i, x in enumerate(self.memory)]

    def __enter__(self) -> emulate:
        suffix = CHECKED if self._wants_checked_code() else ""
        outer = _core.exchange_default_target(f"emulator:{self.target}{suffix}")
        _thread.entered.append((self, outer))
        return self

    def __exit__(self, *exception: object) -> None:
        _, outer = _thread.entered.pop()
        _core.exchange_default_target(outer)

    def _wants_checked_code(self) -> bool:
        return bool(self.checks) or self.profile

    def _settings(self, checked: bool) -> dict[str, Any]:
        # If a launch names a target with checks, but this object selects none, all are done.
        everything = checked and not self._wants_checked_code()
        chosen = {name: everything or name in self.checks for name in CHECKS}  # type: ignore[operator]
        return {
            **chosen,
            "seed": self.seed,
            "early_copies": self.early_copies,
            "max_steps": self.max_steps,
            "profile": self.profile,
            "memory": self._extents,
        }


def _extent(array: Any) -> tuple[int, int]:
    """The addresses of the first byte of a tensor or NumPy array, and of the one after its last."""
    try:
        size = array.dtype.itemsize
        if hasattr(array, "data_ptr"):
            address, strides = array.data_ptr(), [stride * size for stride in array.stride()]
        else:
            address, strides = array.__array_interface__["data"][0], array.strides
    except AttributeError as error:
        raise TypeError(f"memory is a list of tensors and NumPy arrays, found {array!r}") from error
    if 0 in array.shape:
        return address, address
    spans = [(n - 1) * stride for n, stride in zip(array.shape, strides, strict=True)]
    low, high = (sum(bound(span, 0) for span in spans) for bound in (min, max))
    return address + low, address + high + size


class _Thread(threading.local):
    """The `emulate` objects that a thread has entered, each with the default target before it."""

    def __init__(self) -> None:
        self.entered: list[tuple[emulate, object]] = []

    @property
    def current(self) -> emulate | None:
        return self.entered[-1][0] if self.entered else None


_thread = _Thread()


def settings(checked: bool) -> dict[str, Any]:
    """The settings of the next launch; `checked` says whether its code is instrumented."""
    return (_thread.current or emulate())._settings(checked)


def finish(
    function: Any,
    kernel: Any,
    grid: tuple[int, int, int],
    reports: list[dict[str, Any]],
    suppressed: int,
    counts: list[dict[str, Any]] | None,
) -> None:
    """Stores the counts of a launch, and raises its errors.

    Raises:
        DeviceAssertError: an assertion of the kernel failed.
        EmulationError: other errors were found.
    """
    current = _thread.current
    if counts is not None and current is not None:
        from tilewright.runtime.profile import KernelProfile

        target = kernel.target.removesuffix(CHECKED)
        current.profiles.append(KernelProfile.make(kernel.name, target, grid, counts))
    for report in reports:
        if report["kind"] == "assertion":
            _raise_assertion(function, kernel, report)
    if reports:
        raise EmulationError([_finding(kernel.name, report) for report in reports], suppressed)


def _raise_assertion(function: Any, kernel: Any, report: dict[str, Any]) -> None:
    position = (report["file"], report["line"], report["column"])
    program = tuple(report["program"])
    message, thread = report["message"], report["thread"]
    if ":hip:" in kernel.target:
        message, thread = _message(kernel, position, report["assert"]), None  # a whole wave ends
    raise DeviceAssertError.make(function._label, message, position, program, thread)


def _message(kernel: Any, position: tuple[str, int, int], number: int) -> str:
    """The message of an assertion in code for AMD's GPUs, which does not contain it.

    The mailbox has the number of the assertion that failed first, but another wave of the program
    may have stopped the launch.
    """
    here = [i for i, each in enumerate(kernel.asserts) if tuple(each)[1:] == position]
    chosen = number if number in here else here[0] if here else -1
    return kernel.asserts[chosen].message if chosen >= 0 else ""


def _finding(kernel: str, report: dict[str, Any]) -> Finding:
    other = report["other"]
    return Finding(
        report["kind"],
        report["message"],
        kernel,
        tuple(report["program"]),
        report["thread"],
        report["file"] or None,
        report["line"] or None,
        report["column"] or None,
        report["instruction"],
        report["other_thread"] if other else None,
        (other["line"] or None) if other else None,
    )
