"""What a compilation has read of the program around the kernel, in order, and what it found.

The front end does what it does because of what it reads, so two compilations that read the same
things and find the same make the same code. What is read is kept apart from what is found:

    shape    [("global", 0, "BLOCK"), ("attr", 3, "n")]       what was read, of which object
    texts    ["constexpr(int:40)", "int:2"]                   what was there

A shape means something in other processes and at other times. A compilation that was made before
is found by reading what some earlier one read: the key is a hash of shape and texts.
"""

from __future__ import annotations

import builtins
import os
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from tilewright.dependencies.kinds import Untrackable, is_constexpr, is_jit_function
from tilewright.dependencies.texts import Texts, digest
from tilewright.dependencies.watches import MISSING, Watch, Watches, setting_watch

__all__ = ["MISSING", "Dependencies", "Record", "Shape"]

# How to read, the number of the object that is read, and a name.
Operation: TypeAlias = "tuple[str, int, str]"
Shape: TypeAlias = "tuple[Operation, ...]"


class Record:
    """What one compilation reads; or, of a shape, what another would read now.

    Args:
        fn: The @jit function that is compiled.
        signature: Its parameters' descriptors and constants.
        with_folders: Whether the compiled code names the folders of its files.

    Raises:
        Untrackable: a constant of the signature has no value that can be seen.
    """

    def __init__(self, fn: Any, signature: Iterable[Any], with_folders: bool = False) -> None:
        self._watches = Watches()
        self._home = str(getattr(fn.fn, "__module__", ""))
        self._with_folders = with_folders
        self._texts = Texts(self._watches, self._home, with_folders)
        self._found: dict[Operation, Any] = {}
        # What was found, by how it was read.
        self.readings: dict[str, str] = {"source": self._texts.of(fn)}
        # What is known before anything is compiled.
        self.root = f"{self.readings['source']}\n{self._texts.of(tuple(signature))}"

    @property
    def shape(self) -> Shape:
        """What was read."""
        return tuple(self._found)

    @property
    def watches(self) -> list[Watch]:
        return self._watches.all

    @property
    def text(self) -> str:
        """A text for all that was read and found."""
        return digest("\n".join([self.root, *map(": ".join, self.readings.items())]))

    def replay(self, shape: Iterable[Sequence[Any]]) -> bool:
        """Reads everything in a shape; whether that is possible now."""
        try:
            for kind, number, name in shape:
                self._read((kind, number, name))
        except Exception:
            # An object's number may belong to one of another kind now, and attributes run the
            # program's own code. Compiling anew reads what is there, and says what fails.
            return False
        return True

    # What the front end reads

    def variable(self, fn: Any, name: str) -> Any:
        """The global or variable of an enclosing function that a @jit function sees, or MISSING."""
        number = self._texts.numbers.find(fn)
        if number is None:  # of the language, or found by code that is known as a whole
            return _variable(fn, name)
        value = MISSING
        if name in fn.fn.__code__.co_freevars:
            value = self._read(("cell", number, name))
        return self._read(("global", number, name)) if value is MISSING else value

    def builtin(self, name: str) -> Any:
        """Python's builtin of that name, or MISSING."""
        return self._read(("builtin", 0, name))

    def annotation(self, fn: Any, name: str) -> Any:
        """The annotation of a global in a @jit function's module, or MISSING."""
        number = self._texts.numbers.find(fn)
        if number is None:
            return fn.globals.get("__annotations__", {}).get(name, MISSING)
        return self._read(("annotation", number, name))

    def default(self, fn: Any, name: str) -> Any:
        """The default of a @jit function's parameter."""
        number = self._texts.numbers.find(fn)
        return _default(fn, name) if number is None else self._read(("default", number, name))

    def attribute(self, owner: Any, name: str) -> Any:
        """`owner.name`, or MISSING."""
        number = self._texts.numbers.find(owner)
        if number is None:
            return getattr(owner, name, MISSING)
        return self._read(("attribute", number, name))

    def use(self, value: Any, with_functions: bool = True) -> None:
        """Notes that code reads a value which the front end does not see into.

        Args:
            with_functions: Whether the code may also look into @jit functions.

        Raises:
            Untrackable: the value holds what can't be seen.
        """
        found: dict[int, None] = {}
        self._collect(value, with_functions, found)
        if found:
            self._read(("content", 0, ",".join(map(str, found))))

    def _collect(self, value: Any, with_functions: bool, found: dict[int, None]) -> None:
        """The numbers of the opaque objects in a value."""
        if is_constexpr(value):
            value = value.value
        if isinstance(value, dict):
            self._collect(list(value.items()), with_functions, found)
        elif isinstance(value, (tuple, list, set, frozenset)):
            for item in value:
                self._collect(item, with_functions, found)
        number = self._texts.numbers.find(value)
        if number is not None and (with_functions or not is_jit_function(value)):
            found.setdefault(number)

    # Reading

    def _read(self, operation: Operation) -> Any:
        if operation in self._found:
            return self._found[operation]
        kind, number, name = operation
        objects = self._texts.numbers.objects
        if kind == "content":
            value: Any = None
            # Few kernels need it, and it takes as long to import as the rest together.
            from tilewright.dependencies.contents import content_text

            owners = [objects[int(other)] for other in name.split(",")]
            text = content_text(owners, self._watches, self._home, self._with_folders)
        else:
            value = self._value(kind, builtins if kind == "builtin" else objects[number], name)
            text = "missing" if value is MISSING else self._texts.of(value)
        self._found[operation] = value
        self.readings[f"{kind} {number} {name}"] = text
        return value

    def _value(self, kind: str, owner: Any, name: str) -> Any:
        if kind == "attribute":
            return self._watches.attribute(owner, name)
        if kind == "default":
            return _default(owner, name)
        if kind == "builtin":
            return self._watches.entry(vars(owner), name)
        if kind == "annotation":
            annotations = self._watches.entry(owner.fn.__globals__, "__annotations__")
            return MISSING if annotations is MISSING else self._watches.entry(annotations, name)
        if kind == "cell":
            position = owner.fn.__code__.co_freevars.index(name)
            return self._watches.cell(owner.fn.__closure__[position], name)
        return self._watches.entry(owner.fn.__globals__, name)


class Dependencies:
    """What the launcher asks of a compiled variant: whether it would still become the same.

    Attributes:
        watches: What is compared before each launch; see watches.py.
    """

    def __init__(
        self, fn: Any, signature: tuple[Any, ...], record: Record, settings: dict[str, str | None]
    ) -> None:
        self._fn = fn
        self._signature = signature
        self._with_folders = record._with_folders
        self._shape = record.shape
        self._text = record.text
        self._settings = settings
        self.watches = [*record.watches, *map(setting_watch, settings)]

    def recheck(self) -> bool:
        """Reads everything again, and says whether it is the same; renews the watches."""
        watches = [setting_watch(name) for name in self._settings]
        record = self._reread(self._signature)
        if record is None:
            return False
        self.watches = [*record.watches, *watches]
        return True

    def rebind(self, signature: tuple[Any, ...]) -> Dependencies | None:
        """The same for other constants, where these would make no other code; else None."""
        record = self._reread(signature)
        if record is None:
            return None
        return Dependencies(self._fn, signature, record, self._settings)

    def _reread(self, signature: tuple[Any, ...]) -> Record | None:
        """What is read now; None where that is not what was read before."""
        if any(os.environ.get(name) != value for name, value in self._settings.items()):
            return None
        try:
            record = Record(self._fn, signature, self._with_folders)
        except Untrackable:
            return None
        return record if record.replay(self._shape) and record.text == self._text else None


def _variable(fn: Any, name: str) -> Any:
    code = fn.fn.__code__
    if name in code.co_freevars:
        cell = fn.fn.__closure__[code.co_freevars.index(name)]
        try:
            return cell.cell_contents
        except ValueError:  # not assigned yet
            pass
    return fn.globals.get(name, MISSING)


def _default(fn: Any, name: str) -> Any:
    return next(param.default for param in fn.params if param.name == name)
