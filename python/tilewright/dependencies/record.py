"""Records what a compilation reads of the program around the kernel, in order, and what it finds.

The output of the front end is determined by what it reads, so two compilations that read the same
things and find the same values generate the same code. What is read is stored separately from what
is found:

    shape    [("global", 0, "BLOCK"), ("attr", 3, "n")]       what was read, of which object
    texts    ["constexpr(int:40)", "int:2"]                   what was found

A shape can be replayed in other processes and at other times. The cache finds a kernel by replaying
the shapes of earlier compilations: the key is a hash of the shape and the texts found.
"""

from __future__ import annotations

import builtins
import os
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from tilewright.dependencies.files import file_at
from tilewright.dependencies.kinds import Untrackable, is_constexpr, is_jit_function
from tilewright.dependencies.texts import Texts, digest, is_plain
from tilewright.dependencies.watches import MISSING, Watch, Watches, setting_watch

__all__ = ["MISSING", "Dependencies", "Record", "Shape"]

# The kind of reading, the number of the object that is read, and a name.
Operation: TypeAlias = "tuple[str, int, str]"
Shape: TypeAlias = "tuple[Operation, ...]"


class Record:
    """What one compilation reads; or, after `replay`, what it would read now.

    Args:
        fn: The @jit function that is compiled.
        signature: The descriptors and constants of its parameters.
        with_folders: Whether the compiled code contains the folders of its source files.

    Raises:
        Untrackable: The value of a constant in the signature can't be tracked.
    """

    def __init__(self, fn: Any, signature: Iterable[Any], with_folders: bool = False) -> None:
        self._watches = Watches()
        self._home = str(getattr(fn.fn, "__module__", ""))
        self._with_folders = with_folders
        self._texts = Texts(self._watches, self._home, with_folders)
        self._found: dict[Operation, Any] = {}
        # The text of what was found, by the reading.
        self.readings: dict[str, str] = {"source": self._texts.of(fn)}
        # What is known before the compilation starts.
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
        """A digest of everything that was read and found."""
        return digest("\n".join([self.root, *map(": ".join, self.readings.items())]))

    def replay(self, shape: Iterable[Sequence[Any]]) -> bool:
        """Repeats the readings of a shape; returns whether all of them succeed."""
        try:
            for kind, number, name in shape:
                self._read((kind, number, name))
        except Exception:
            # A number may now refer to an object of another kind, and attributes may run user
            # code. A new compilation reads the current state and reports what fails.
            return False
        return True

    # What the front end reads

    def variable(self, fn: Any, name: str) -> Any:
        """The global, or variable of an enclosing function, that a name refers to; or MISSING."""
        number = self._texts.numbers.find(fn)
        if number is None:  # part of the language, or reached by code that `use` has recorded
            return _variable(fn, name)
        value = MISSING
        if name in fn.fn.__code__.co_freevars:
            value = self._read(("cell", number, name))
        return self._read(("global", number, name)) if value is MISSING else value

    def builtin(self, name: str) -> Any:
        """The Python builtin with a name, or MISSING."""
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

    def file(self, path: str) -> str:
        """A digest of the content of the file with an absolute path, or "missing"."""
        content: str = self._read(("file", 0, path))
        return content

    def use(self, value: Any, with_functions: bool = True) -> None:
        """Records that code which the front end does not analyze reads a value.

        Args:
            value: The value.
            with_functions: Whether the code may also read the contents of @jit functions.

        Raises:
            Untrackable: The value contains an object that can't be tracked.
        """
        found: dict[int, None] = {}
        self._collect(value, with_functions, found)
        if found:
            self._read(("content", 0, ",".join(map(str, found))))

    def _collect(self, value: Any, with_functions: bool, found: dict[int, None]) -> None:
        """Collects the numbers of the opaque objects in a value."""
        if is_plain(value) or getattr(type(value), "__tilewright_tensor__", False):
            return
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
            # Imported lazily: few kernels need it, and importing it takes as long as all the rest.
            from tilewright.dependencies.contents import content_text

            owners = [objects[int(other)] for other in name.split(",")]
            text = content_text(owners, self._watches, self._home, self._with_folders)
        elif kind == "file":
            value = text = self._watches.file(file_at(name))
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
    """Tells the launcher whether compiling a variant again would give the same code.

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
        """Repeats all readings and returns whether nothing has changed; renews the watches."""
        watches = [setting_watch(name) for name in self._settings]
        record = self._reread(self._signature)
        if record is None:
            return False
        self.watches = [*record.watches, *watches]
        return True

    def rebind(self, signature: tuple[Any, ...]) -> Dependencies | None:
        """The dependencies for a signature with other constants, or None if the code differs."""
        record = self._reread(signature)
        if record is None:
            return None
        return Dependencies(self._fn, signature, record, self._settings)

    def _reread(self, signature: tuple[Any, ...]) -> Record | None:
        """A record of what is read now, or None if it differs from what was read before."""
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
