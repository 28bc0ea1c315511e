"""Emulated GPUs: running a GPU's code without one, and being told what is wrong with it.

    with tilewright.emulate("cuda:90a", checks=True):
        kernel[grid](x, y, out)          # tensors in host memory

The code is that which the GPU would run; see docs/emulator.md.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tilewright import _core
from tilewright.compiler.target_emulator import CHECKED
from tilewright.compiler.targets import resolve_target
from tilewright.errors import DeviceAssertError, EmulationError, Finding

if TYPE_CHECKING:
    from tilewright.runtime.profile import KernelProfile

CHECKS = ("bounds", "initialized", "races", "copies", "alignment")


@dataclass
class emulate:
    """While it is entered, this thread's launches run on an emulated GPU unless they name a target.

    Args:
        target: What to emulate: "cuda:90a", or any other architecture of `cuda`.
        checks: What to look for: True for everything, or some of
            "initialized", shared memory that is read before it is written;
            "races", accesses of two threads of a program with nothing that orders them;
            "copies", bytes of an asynchronous copy that are used before it has been waited for;
            "bounds", accesses of memory outside of the tensors that were passed, and of shared
            memory outside of what the kernel has;
            "alignment", addresses that are no multiples of an access's size.
            The last two are found without being asked for, as are deadlocks, barriers that part
            of a warp comes to, and masks that name others than those who come.
        seed: The order in which threads run is drawn from it; 0 is the order of their numbers.
        early_copies: Whether asynchronous copies arrive at once, and not as late as they may.
        max_steps: Turns of loops that a thread may make until it is taken not to end; 0: any.
        profile: Whether to count what the hardware would have to do: see `profiles`.

    Attributes:
        profiles: One KernelProfile for each launch.

    Raises:
        DeviceError: there is no such target.
        ValueError: there is no such check, or a number is negative.

    Raises, from launches:
        EmulationError: what was found. The arrays then hold what the kernel has written so far.
    """

    target: str = "cuda:90a"
    checks: bool | Iterable[str] = False
    seed: int = 0
    early_copies: bool = False
    max_steps: int = 0
    profile: bool = False
    profiles: list[KernelProfile] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        resolve_target(f"emulator:{self.target}")
        chosen = (CHECKS if self.checks else ()) if isinstance(self.checks, bool) else self.checks
        self.checks = tuple([chosen] if isinstance(chosen, str) else chosen)
        if unknown := [name for name in self.checks if name not in CHECKS]:
            raise ValueError(f"there is no check {unknown[0]!r}; there are {', '.join(CHECKS)}")
        if self.seed < 0 or self.max_steps < 0:
            raise ValueError("seed and max_steps are not negative")

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
        # A launch that names a target with checks, where this asks for none, looks for everything.
        everything = checked and not self._wants_checked_code()
        chosen = {name: everything or name in self.checks for name in CHECKS}  # type: ignore[operator]
        return {
            **chosen,
            "seed": self.seed,
            "early_copies": self.early_copies,
            "max_steps": self.max_steps,
            "profile": self.profile,
        }


class _Thread(threading.local):
    """What a thread has entered: each `emulate`, and the target of launches before it."""

    def __init__(self) -> None:
        self.entered: list[tuple[emulate, object]] = []

    @property
    def current(self) -> emulate | None:
        return self.entered[-1][0] if self.entered else None


_thread = _Thread()


def settings(checked: bool) -> dict[str, Any]:
    """How the next launch runs, of code that is checked or not."""
    return (_thread.current or emulate())._settings(checked)


def finish(
    function: Any,
    kernel: Any,
    grid: tuple[int, int, int],
    reports: list[dict[str, Any]],
    suppressed: int,
    counts: list[dict[str, Any]] | None,
) -> None:
    """Keeps the counts of a launch.

    Raises:
        DeviceAssertError: an assertion of the kernel failed.
        EmulationError: anything else was found.
    """
    current = _thread.current
    if counts is not None and current is not None:
        from tilewright.runtime.profile import KernelProfile

        target = kernel.target.removesuffix(CHECKED)
        current.profiles.append(KernelProfile.make(kernel.name, target, grid, counts))
    for report in reports:
        if report["kind"] == "assertion":
            _raise_assertion(function, report)
    if reports:
        raise EmulationError([_finding(kernel.name, report) for report in reports], suppressed)


def _raise_assertion(function: Any, report: dict[str, Any]) -> None:
    said = f": {report['message']}" if report["message"] else ""
    raise DeviceAssertError(
        f"an assertion failed in {function._label}{said}",
        file=report["file"] or None,
        line=report["line"] or None,
        column=report["column"] or None,
    )


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
