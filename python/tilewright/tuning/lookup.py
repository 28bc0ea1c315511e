"""How the choice of an earlier tuning is found again, in shipped files and in the store.

A result on disk is used for the same source of the kernel, tuning key, device, driver, build of
Tilewright and list of configurations. One in a shipped file (TILEWRIGHT_TUNING_FILE) is used with
any driver and build, because the application's developer has chosen it.

TILEWRIGHT_TUNING: empty or "on"; "frozen" raises an error where a kernel would be tuned; "memory"
neither reads nor writes the store.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import platform
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tilewright.compiler.core import build_identity, core
from tilewright.compiler.targets import Target, target_kinds
from tilewright.dependencies import Untrackable
from tilewright.errors import ArgumentError
from tilewright.runtime.interface import jit_function
from tilewright.tuning.config import Config
from tilewright.tuning.results import Result, import_results
from tilewright.tuning.trial import Trial

_MODES = ("", "on", "frozen", "memory")


def tuning_mode() -> str:
    """The value of TILEWRIGHT_TUNING.

    Raises:
        ArgumentError: It is unknown.
    """
    mode = os.environ.get("TILEWRIGHT_TUNING", "").strip().lower()
    if mode not in _MODES:
        raise ArgumentError(f"TILEWRIGHT_TUNING must be on, frozen or memory, not {mode!r}")
    return mode or "on"


class Identity(NamedTuple):
    """What a stored choice is valid for."""

    kernel: str
    source: str
    arguments: str
    device: str
    driver: str
    compiler: str
    configs: str

    @property
    def key(self) -> str:
        return _digest(*self)

    def result(self, chosen: Trial, trials: Sequence[Trial]) -> Result:
        """The row of the store for a tuning."""
        times = [[str(t.config), t.time, t.dropped] for t in trials]
        text, now = json.dumps(times), time.time()
        return Result(self.key, *self, chosen.index, str(chosen.config), text, now)

    def is_shipped_as(self, result: Result) -> bool:
        """Whether a result of a shipped file is valid here."""
        mine = (self.source, self.arguments, self.device, self.configs)
        return mine == (result.source, result.arguments, result.device, result.configs)


def identity_of(
    kernel: Any,
    key: tuple[Any, ...],
    options: dict[str, Any],
    target: Target,
    configs: list[Config],
) -> Identity | None:
    """The identity of a tuning; None if it can't be told from others by text.

    Args:
        kernel: The autotuned kernel.
        key: The tuning key: values of arguments, and dtypes as text.
        options: Further options of the launch.
        target: The target of the launch.
        configs: All configurations that the kernel was made with.
    """
    function = jit_function(kernel)
    values = [_text_of(value) for value in (*key, *sorted(options.items()))]
    if function is None or None in values:
        return None
    try:
        source = function.cache_key
    except Untrackable:
        return None
    device, driver = _device_of(target)
    name = f"{function.fn.__module__}.{function.__qualname__}"
    listed = _digest(str(kernel.keys), *map(str, configs))
    arguments = ", ".join(str(value) for value in values)
    return Identity(name, source, arguments, device, driver, build_identity(), listed)


def shipped_result(identity: Identity) -> Result | None:
    """The result for this identity in the files that TILEWRIGHT_TUNING_FILE names, or None."""
    for name in filter(None, os.environ.get("TILEWRIGHT_TUNING_FILE", "").split(os.pathsep)):
        path = Path(name)
        modified = path.stat().st_mtime_ns if path.exists() else 0
        for result in _shipped(path, modified):
            if identity.is_shipped_as(result):
                return result
    return None


@functools.lru_cache(maxsize=32)
def _shipped(path: Path, modified: int) -> list[Result]:
    return import_results(path)


def _text_of(value: Any) -> str | None:
    """A text that equal values of different processes share; None if there is none."""
    if isinstance(value, tuple):
        parts = [_text_of(part) for part in value]
        return None if None in parts else f"({', '.join(map(str, parts))})"
    if value is None or isinstance(value, (bool, int, float, str, bytes)):
        return repr(value)
    is_dtype = type(value).__name__ == "dtype"
    return str(value) if is_dtype else None


def _device_of(target: Target) -> tuple[str, str]:
    """The device's name and the driver's version."""
    if target.kind == "cpu":
        count = len(os.sched_getaffinity(0))
        return f"{_processor()}, {count} threads ({target})", ""
    kind = target_kinds()[target.kind].device_kind
    if kind == "cpu":
        return str(target), ""  # an emulated device
    found = core().devices(kind)
    names = sorted({device["name"] for device in found["devices"]})
    return f"{'/'.join(names)} ({target})", str(found.get("version", ""))


@functools.cache
def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as stream:
            for line in stream:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.machine()


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
