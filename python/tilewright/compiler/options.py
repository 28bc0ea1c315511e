"""The options of a compilation, passed as keyword arguments of a launch.

Each kind of target declares its options in C++ (include/tilewright/Pipeline/Options.h). What is
here derives from the declarations.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from tilewright.compiler import extern_libs
from tilewright.compiler.core import core
from tilewright.compiler.foreign_options import check_foreign
from tilewright.errors import ArgumentError


class OptionSpec(NamedTuple):
    """The declaration of an option.

    Attributes:
        name: Its name.
        type: "flag", "integer" or "text".
        default: Its default; None means that the compiler chooses.
        doc: What it does.
        power_of_two: Whether an integer must be a power of two.
        from_zero: Whether an integer may be 0; it is positive otherwise.
        choices: The values of a text besides the empty one; none if another check decides.
        refused_elsewhere: Whether kinds of targets without the option accept its default only.
        setting: The environment variable that sets the default, or None.
    """

    name: str
    type: str
    default: Any
    doc: str
    power_of_two: bool = False
    from_zero: bool = False
    choices: tuple[str, ...] = ()
    refused_elsewhere: bool = False
    setting: str | None = None

    def check(self, value: Any, name: str = "") -> Any:
        """The value as it is stored.

        Args:
            value: A value that the user has set.
            name: Where it was set, for the error; by default the option.

        Raises:
            ArgumentError: The value has another type, or is out of range.
        """
        name = name or f"option {self.name}"
        if value is None and (self.type == "text" or self.default is None):
            return self.default
        if self.type == "flag":
            # Accepts 0 and 1 as well as False and True.
            if value not in (0, 1):
                raise ArgumentError(f"{name} must be True or False, not {value!r}")
        elif self.name == "extern_libs":
            return extern_libs.canonical(value, name)
        elif self.type == "text":
            if value not in ("", *self.choices):
                known = " or ".join([*map(repr, self.choices), "empty"])
                raise ArgumentError(f"{name} must be {known}, not {value!r}")
        elif isinstance(value, bool) or not isinstance(value, int) or value < 1 - self.from_zero:
            kind = "a positive integer" + (" or 0" if self.from_zero else "")
            raise ArgumentError(f"{name} must be {kind}, not {value!r}")
        elif self.power_of_two and value & (value - 1):
            raise ArgumentError(f"{name} must be a power of two, not {value}")
        return value

    def initial(self) -> Any:
        """The default; the environment may set it."""
        chosen = os.environ.get(self.setting, "").strip().lower() if self.setting else ""
        off = chosen in ("", "0", "off", "false", "no")
        if self.type == "flag" and self.setting:
            return not off if chosen else self.default
        return self.default if off else self.check(chosen, self.setting or "")


@functools.cache
def _declared() -> dict[str, dict[str, OptionSpec]]:
    """The options of each kind of target, by name."""
    return {
        kind.name: {option["name"]: OptionSpec(**option) for option in kind.options}
        for kind in core().target_kinds()
    }


def all_options() -> dict[str, OptionSpec]:
    """The options of all kinds of targets, by name; those of GPUs come first."""
    kinds = sorted(_declared().values(), key=len, reverse=True)
    return {name: option for options in kinds for name, option in options.items()}


class Options:
    """Values of options, which are attributes: `options.num_warps`.

    An option that the target's kind does not have is accepted and ignored, so that a kernel tuned
    for a GPU is not compiled again on the CPU for each of its configurations. Those without which
    a kernel may not work (`refused_elsewhere`) are errors there.
    """

    def __init__(self, **values: Any) -> None:
        defaults = {name: option.initial() for name, option in all_options().items()}
        if unknown := values.keys() - defaults.keys():
            raise TypeError(f"there is no option {sorted(unknown)[0]!r}")
        self._values = defaults | values

    def __getattr__(self, name: str) -> Any:
        values = self.__dict__.get("_values", {})
        if name in values:
            return values[name]
        raise AttributeError(f"there is no option '{name}'")

    def __repr__(self) -> str:
        return f"Options({', '.join(f'{name}={value!r}' for name, value in self)})"

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        return iter(self._values.items())

    @classmethod
    def names(cls) -> tuple[str, ...]:
        return tuple(all_options())

    @classmethod
    def make(cls, given: Mapping[str, Any], parameters: Iterable[str] = ()) -> Options:
        """Makes options from keyword arguments.

        Args:
            given: Values by name.
            parameters: The names of the kernel's parameters, to suggest for a misspelled name.

        Raises:
            ArgumentError: An option is unknown, or its value is invalid. Some options of Triton's
                are accepted and ignored; see foreign_options.py.
        """
        known = all_options()
        for name, value in given.items():
            if name not in known and not check_foreign(name, _plain(value)):
                raise ArgumentError(_unknown(name, [*known, *parameters]))
        own = given.keys() & known.keys()
        return cls(**{name: known[name].check(_plain(given[name])) for name in own})

    def relevant(self, kind: str) -> dict[str, Any]:
        """The options of this kind of target.

        Raises:
            ArgumentError: Another option is set that this kind refuses.
        """
        for name, option in all_options().items():
            if option.refused_elsewhere and name not in _declared()[kind]:
                self._refuse(option, kind)
        return {name: self._values[name] for name in _declared()[kind]}

    def _refuse(self, option: OptionSpec, kind: str) -> None:
        value = self._values[option.name]
        if value != option.default:
            raise ArgumentError(
                f"option {option.name} must be {option.default!r}, not {value!r}: the target "
                f"'{kind}' does not have this option ({option.doc})"
            )


def settings_of_options(has: Iterable[str]) -> list[str]:
    """The environment variables that set the defaults of options; `has` are options with values."""
    return [
        option.setting
        for option in all_options().values()
        if option.setting and option.name not in has
    ]


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
