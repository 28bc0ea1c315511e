"""The options of a compilation, as they are passed by keyword when a kernel is launched."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tilewright.errors import ArgumentError

# Which options change the code, per kind of target; the others are accepted and leave it alone,
# so that a kernel tuned for a GPU is not compiled again on the CPU for each of its settings.
_RELEVANT = {"cpu": ("debug", "checks", "enable_fp_fusion", "specialize_ranges")}


# What compiled code can be checked for while it runs.
CHECKS = ("bounds",)
_OR_NOTHING = " or ".join([*map(repr, CHECKS), "empty"])


def _debug_default() -> bool:
    return os.environ.get("TILEWRIGHT_DEBUG", "0").lower() not in ("", "0", "off", "false", "no")


def _checks_default() -> str:
    chosen = os.environ.get("TILEWRIGHT_CHECKS", "").strip().lower()
    if chosen in ("", "0", "off", "false", "no"):
        return ""
    if chosen not in CHECKS:
        raise ArgumentError(f"TILEWRIGHT_CHECKS is {_OR_NOTHING}, not {chosen!r}")
    return chosen


@dataclass(frozen=True)
class Options:
    """
    Attributes:
        num_warps: warps per program on a GPU, a power of two.
        num_stages: depth to which loops are pipelined on a GPU.
        num_ctas: blocks per cluster on a GPU.
        maxnreg: most registers a thread may use on a GPU; None leaves it to the compiler.
        enable_fp_fusion: whether a multiplication and an addition may become one fma.
        specialize_ranges: whether the code may assume of index arithmetic, for instance that a sum
            does not wrap, what each launch checks; a launch for which it is not so runs a variant
            without it.
        debug: whether `tl.device_assert` is compiled; TILEWRIGHT_DEBUG=1 makes it the default.
        checks: "bounds" to have every access of memory compared with the arrays that are passed;
            empty, or None, for none. TILEWRIGHT_CHECKS=bounds makes it the default.
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
        """Options from keywords.

        Args:
            given: Values by name.
            parameters: The kernel's own parameters, which a misspelt name may have meant.

        Raises:
            ArgumentError: an unknown option, or a value that the option does not take.
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
        """The options that change the code for this kind of target."""
        return {name: getattr(self, name) for name in _RELEVANT.get(kind, self.names())}


def _plain(value: Any) -> Any:
    """NumPy's numbers and booleans as Python's."""
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
        # Python's True and False, and the 0 and 1 that scripts pass.
        if value not in (0, 1):
            raise ArgumentError(f"option {name} is True or False, not {value!r}")
    elif name == "checks":
        if value not in (None, "", *CHECKS):
            raise ArgumentError(f"option checks is {_OR_NOTHING}, not {value!r}")
    elif name == "maxnreg" and value is None:
        return
    elif isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ArgumentError(f"option {name} is a positive integer, not {value!r}")
    elif name in ("num_warps", "num_ctas") and value & (value - 1):
        raise ArgumentError(f"option {name} is a power of two, not {value}")
