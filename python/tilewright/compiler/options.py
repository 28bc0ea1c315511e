"""The options of a compilation, passed as keyword arguments of a launch."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tilewright.errors import ArgumentError

# The options that affect the code, per kind of target. Others are accepted and ignored, so that a
# kernel tuned for a GPU is not recompiled on the CPU for each of its configurations.
_RELEVANT = {"cpu": ("debug", "checks", "enable_fp_fusion", "specialize_ranges")}


# The available run-time checks.
CHECKS = ("bounds",)
_OR_NOTHING = " or ".join([*map(repr, CHECKS), "empty"])


def _debug_default() -> bool:
    return os.environ.get("TILEWRIGHT_DEBUG", "0").lower() not in ("", "0", "off", "false", "no")


def _checks_default() -> str:
    chosen = os.environ.get("TILEWRIGHT_CHECKS", "").strip().lower()
    if chosen in ("", "0", "off", "false", "no"):
        return ""
    if chosen not in CHECKS:
        raise ArgumentError(f"TILEWRIGHT_CHECKS must be {_OR_NOTHING}, not {chosen!r}")
    return chosen


@dataclass(frozen=True)
class Options:
    """
    Attributes:
        num_warps: Warps per program on a GPU, a power of two.
        num_stages: Pipeline stages of loops on a GPU.
        num_ctas: Thread blocks per cluster on a GPU, a power of two.
        maxnreg: The maximum number of registers per thread on a GPU; None lets the compiler choose.
        enable_fp_fusion: Whether a multiplication and an addition may be fused to an fma.
        specialize_ranges: Whether the code may assume properties of index arithmetic, such as that
            a sum does not wrap, that each launch checks. A launch for which they do not hold runs
            a variant compiled without them.
        debug: Whether `tl.device_assert` is compiled; the default is set by TILEWRIGHT_DEBUG.
        checks: "bounds" checks every memory access against the arrays that are passed; empty or
            None for no checks. The default is set by TILEWRIGHT_CHECKS.
    """

    num_warps: int = 4
    num_stages: int = 3
    num_ctas: int = 1
    maxnreg: int | None = None
    enable_fp_fusion: bool = True
    specialize_ranges: bool = True
    debug: bool = dataclasses.field(default_factory=_debug_default)
    checks: str = dataclasses.field(default_factory=_checks_default)

    @classmethod
    def names(cls) -> tuple[str, ...]:
        return tuple(field.name for field in dataclasses.fields(cls))

    @classmethod
    def make(cls, given: Mapping[str, Any], parameters: Iterable[str] = ()) -> Options:
        """Makes options from keyword arguments.

        Args:
            given: Values by name.
            parameters: The names of the kernel's parameters, to suggest for a misspelled name.

        Raises:
            ArgumentError: An option is unknown, or its value is invalid.
        """
        for name in given:
            if name not in cls.names():
                raise ArgumentError(_unknown(name, [*cls.names(), *parameters]))
        values = {name: _plain(value) for name, value in given.items()}
        for name, value in values.items():
            _check(name, value)
        chosen = {"checks": values["checks"] or ""} if "checks" in values else {}
        return cls(**{**values, **chosen})

    def relevant(self, kind: str) -> dict[str, Any]:
        """The options that affect the code for this kind of target."""
        return {name: getattr(self, name) for name in _RELEVANT.get(kind, self.names())}


def _plain(value: Any) -> Any:
    """Converts NumPy numbers and booleans to Python's."""
    is_numpy = type(value).__module__ == "numpy" and getattr(value, "ndim", None) == 0
    return value.item() if is_numpy else value


def _unknown(name: str, known: list[str]) -> str:
    import difflib

    close = difflib.get_close_matches(name, known, n=1)
    if close:
        return f"'{name}' is neither a parameter nor an option; did you mean '{close[0]}'?"
    options = ", ".join(Options.names())
    return f"'{name}' is neither a parameter nor an option; the options are {options}"


def _check(name: str, value: Any) -> None:
    if name in ("debug", "enable_fp_fusion", "specialize_ranges"):
        # Accepts 0 and 1 as well as False and True.
        if value not in (0, 1):
            raise ArgumentError(f"option {name} must be True or False, not {value!r}")
    elif name == "checks":
        if value not in (None, "", *CHECKS):
            raise ArgumentError(f"option checks must be {_OR_NOTHING}, not {value!r}")
    elif name == "maxnreg" and value is None:
        return
    elif isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ArgumentError(f"option {name} must be a positive integer, not {value!r}")
    elif name in ("num_warps", "num_ctas") and value & (value - 1):
        raise ArgumentError(f"option {name} must be a power of two, not {value}")
