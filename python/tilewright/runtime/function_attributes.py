"""The attributes of a @jit function: its source, its parameters, and the globals it reads."""

from __future__ import annotations

import ast
import functools
import inspect
import re
import sys
import textwrap
import threading
import weakref
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

from tilewright.dependencies import Record, forget_text, is_jit_function
from tilewright.errors import ArgumentError, LaunchError
from tilewright.runtime.parameters import JITParam
from tilewright.runtime.source import Source

_DEF = re.compile(r"^def\s", re.MULTILINE)
_NO_VALUES = (ModuleType, FunctionType, BuiltinFunctionType, type)
# All @jit functions of the process: a change of one's source may concern the kernels of others.
_functions: weakref.WeakSet[Any] = weakref.WeakSet()


class FunctionAttributes:
    """A base class of JITFunction: the attributes that programs read."""

    fn: Any  # a Python function; None in a copy from a pickle
    name: str
    __qualname__: str
    globals: dict[str, Any]
    params: list[JITParam]
    _source: Source
    _repr: Callable[[Any], str] | None
    _used_global_vals: Any

    def _set_up(self, source: Source, params: list[JITParam]) -> None:
        self._source = source
        self.params = params
        self._hash_lock: Any = threading.RLock()
        self._used_global_vals = None
        _functions.add(self)

    # Source

    @property
    def source_file(self) -> str:
        """The name of the file."""
        return self._source.file

    @property
    def first_line(self) -> int:
        """The line of the first decorator, else of `def`, counted from 1."""
        return self._source.first_line

    @property
    def source(self) -> str:
        """The text of the function with its decorators, as in the file."""
        return self._source.text

    @property
    def raw_src(self) -> list[str]:
        """The lines of the function with its decorators, as in the file."""
        return self.source.splitlines(keepends=True)

    @property
    def starting_line_number(self) -> int:
        """The line of the file at which `raw_src` starts, counted from 1."""
        return self.first_line

    @property
    def src(self) -> str:
        """The text of the function from `def`, without the indentation that it has in the file.

        Assigning another text compiles that instead of the Python function. It must define a
        function with the same parameters. Kernels that call the function are compiled again, too.

        Raises, when assigned:
            CompileError: The text can't be parsed.
            ArgumentError: It does not define one function with the same parameters.
        """
        text = textwrap.dedent(self.source)
        start = _DEF.search(text)
        return text[start.start() :] if start else text

    @src.setter
    def src(self, text: str) -> None:
        source = Source.of_text(self.name, textwrap.dedent(text))
        arguments = source.tree.args
        collecting = [arguments.vararg] if arguments.vararg else []
        given = [*arguments.posonlyargs, *arguments.args, *collecting, *arguments.kwonlyargs]
        if (names := [argument.arg for argument in given]) != self.arg_names:
            raise ArgumentError(
                f"the new source of `{self.name}` has the parameters {', '.join(names) or 'none'}, "
                f"but the function has {', '.join(self.arg_names) or 'none'}"
            )
        self._source = source
        forget_text(self)
        for function in list(_functions):
            function._invalidate()

    def _unsafe_update_src(self, new_src: str) -> None:
        """Assigns `src`."""
        self.src = new_src

    def tree(self) -> ast.FunctionDef:
        """The syntax tree, with the line and column numbers of the file."""
        return self._source.tree

    @property
    def cache_key(self) -> str:
        """A hash of the sources of all functions that this one reaches and of globals they read.

        It is computed without compiling and therefore covers all that a compilation could read.

        Raises:
            Untrackable: The function reaches an object whose value can't be tracked.
            LaunchError: The Python function is missing.
        """
        self._python_function()
        record = Record(self, ())
        record.use(self)
        return record.text

    @property
    def hash(self) -> str:
        """Triton's name of `cache_key`."""
        return self.cache_key

    def _python_function(self) -> FunctionType:
        if self.fn is None:
            raise LaunchError(
                f"{self.name} can't be compiled: it is a copy from a pickle, or `fn` was removed"
            )
        function: FunctionType = self.fn
        return function

    # Names and parameters

    @property
    def module(self) -> str:
        """The name of the module that defines the function."""
        return str(self.__module__)

    @property
    def _fn_name(self) -> str:
        return self.name

    @property
    def repr(self) -> Callable[[Any], str]:
        """The function that names kernels: see `jit`. By default it returns the function's name."""
        return (lambda specialization: self.name) if self._repr is None else self._repr

    @repr.setter
    def repr(self, function: Callable[[Any], str] | None) -> None:
        self._repr = function

    @property
    def arg_names(self) -> list[str]:
        """The names of the parameters, in order."""
        return [parameter.name for parameter in self.params]

    @property
    def constexprs(self) -> list[int]:
        """The indices of the parameters that are tl.constexpr."""
        return [parameter.index for parameter in self.params if parameter.is_constexpr]

    @functools.cached_property
    def signature(self) -> inspect.Signature:
        """The parameters, as `inspect.signature` returns them for the Python function."""
        return inspect.Signature(
            [
                inspect.Parameter(p.name, p.kind, default=p.default, annotation=p.annotation)
                for p in self.params
            ]
        )

    @property
    def do_not_specialize(self) -> list[str]:
        """The parameters that are specialized neither on being 1 nor on alignment."""
        return [p.name for p in self.params if p.do_not_specialize]

    @property
    def do_not_specialize_on_alignment(self) -> list[str]:
        """The parameters that are not specialized on alignment."""
        return [p.name for p in self.params if p.do_not_specialize_on_alignment]

    # Globals

    @property
    def __globals__(self) -> dict[str, Any]:
        return self.globals

    @__globals__.setter
    def __globals__(self, value: dict[str, Any]) -> None:
        self.globals = value

    @property
    def used_global_vals(self) -> Any:
        """The values of globals that the function names, without functions and modules:
        {(name, id of its globals): (value, globals)}.
        """
        if self._used_global_vals is not None or self.fn is None:
            return self._used_global_vals
        values = {name: self.globals.get(name) for name in self.fn.__code__.co_names}
        return {
            (name, id(self.globals)): (value, self.globals)
            for name, value in values.items()
            if value is not None
            and not isinstance(value, _NO_VALUES)
            and not is_jit_function(value)
        }

    @used_global_vals.setter
    def used_global_vals(self, value: Any) -> None:
        self._used_global_vals = value

    def get_capture_scope(self) -> dict[str, Any]:
        """The globals, and the variables of enclosing functions, that the function can read."""
        return {**self.globals, **inspect.getclosurevars(self._python_function()).nonlocals}

    # Pickling

    def __reduce__(self) -> Any:
        """By name, if the function is found by its name; else without the Python function."""
        if self._is_global():
            return self.__qualname__
        names = ("name", "__name__", "__qualname__", "__module__", "__doc__", "params", "noinline")
        state = {name: getattr(self, name) for name in names}
        for name in ("_debug", "_checks", "_repr", "launch_metadata", "_source"):
            state[name] = getattr(self, name)
        return _restore, (type(self), state)

    def _is_global(self) -> bool:
        found: Any = sys.modules.get(self.module)
        for part in self.__qualname__.split("."):
            found = getattr(found, part, None)
        return found is self


def _restore(kind: Any, state: dict[str, Any]) -> Any:
    """A @jit function from a pickle, without its Python function."""
    function = kind.__new__(kind)
    function.__dict__.update(state)
    function._restore()
    return function
