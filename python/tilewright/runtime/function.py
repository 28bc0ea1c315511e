"""JITFunction: a function of the language that can be launched."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any

from tilewright import _core
from tilewright.compiler import Options
from tilewright.compiler.foreign_options import FOREIGN_OPTIONS
from tilewright.compiler.ir_override import read_override
from tilewright.compiler.pipeline import find_or_compile
from tilewright.compiler.request import Request
from tilewright.compiler.targets import launch_target, settings_of
from tilewright.dependencies import Dependencies
from tilewright.errors import (
    ArgumentError,
    DeviceAssertError,
    LaunchError,
    TypeMismatchError,
)
from tilewright.runtime import compile_hooks, emulation
from tilewright.runtime.device_caches import DeviceCaches
from tilewright.runtime.function_attributes import FunctionAttributes
from tilewright.runtime.mock import MockTensor
from tilewright.runtime.parameters import parameters_of
from tilewright.runtime.source import Source


class JITFunction(_core.Launcher, FunctionAttributes):
    """A kernel, or a function that kernels call; created by `@tilewright.jit`.

    `kernel[grid](*arguments, **options)` launches it and returns the compiled kernel. The grid is
    an integer, a tuple of one to three integers, or a function that takes the arguments as a
    dictionary and returns either. If an axis is zero, nothing is launched. The launch is
    implemented in C++ (lib/Launcher/Launcher.h).

    Arguments are tensors and arrays (of PyTorch, NumPy, CuPy, or any object with `__dlpack__`,
    `__cuda_array_interface__`, or with `data_ptr()` and `dtype`), with any strides, with or without
    requires_grad; numbers; None; tuples of these; and constants. A launch raises ArgumentError if
    the kernel may write to a read-only array.

    The kernel runs where the arrays are: on the CPU, or on the GPU that has all of them, on the
    current stream of their framework. Without arrays, the device is determined by the option
    `target`, else by TILEWRIGHT_TARGET, else by whether PyTorch is imported and has a CUDA device.

    Attributes:
        fn: The Python function.
        name: Its name.
        params: Its parameters.
        globals: Its global variables.
        source_file, first_line: Its position, including decorators.
        noinline, debug, checks, repr, launch_metadata: As given to the decorator.
        pre_run_hooks: Functions that are called before every launch, with its arguments.
    """

    __tilewright_kernel__ = True

    def __init__(
        self,
        fn: Callable[..., Any],
        *,
        version: Any = None,
        do_not_specialize: Iterable[int | str] | None = None,
        do_not_specialize_on_alignment: Iterable[int | str] | None = None,
        debug: bool | None = None,
        checks: str | None = None,
        noinline: bool | None = None,
        repr: Callable[[Any], str] | None = None,
        launch_metadata: Callable[..., Any] | None = None,
    ) -> None:
        function = fn.fn if isinstance(fn, JITFunction) else fn
        if not isinstance(function, FunctionType):
            raise ArgumentError(f"@jit takes a Python function, not {fn!r}")
        self.fn = function
        self._adopt(function)
        self.name = function.__name__
        self.globals = function.__globals__
        self._debug = debug
        self._checks = checks
        self.noinline = noinline
        self._repr = repr
        self.launch_metadata = launch_metadata
        self._set_up(
            Source(function),
            parameters_of(function, do_not_specialize or (), do_not_specialize_on_alignment or ()),
        )
        self._start()

    def _start(self) -> None:
        self.device_caches: DeviceCaches = DeviceCaches()
        super().__init__(self._label, [parameter.launcher_spec() for parameter in self.params])

    def _restore(self) -> None:
        """Completes a copy from a pickle, which has no Python function."""
        self.fn, self.globals = None, {}
        self._set_up(self._source, self.params)
        self._start()

    def _adopt(self, function: FunctionType) -> None:
        """Copies the function's name, docstring and signature."""
        functools.update_wrapper(self, function, updated=())
        self.__qualname__: str = function.__qualname__

    def __repr__(self) -> str:
        return f"<JITFunction {self.module}.{self.__qualname__}>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise LaunchError(
            f"{self._label} can be called only from kernels; "
            f"launch it with {self.name}[grid](...), where grid is the number of programs"
        )

    @property
    def debug(self) -> bool | None:
        return self._debug

    @property
    def checks(self) -> str | None:
        return self._checks

    @property
    def _label(self) -> str:
        return f"{self.name} ({os.path.basename(self.source_file)}:{self.first_line})"

    # Launching

    def run(self, *args: Any, grid: Any, warmup: bool = False, **kwargs: Any) -> Any:
        """`kernel[grid](*args, **kwargs)`; if `warmup` is true, only compiles.

        If a program replaces this method, launches by `kernel[grid](...)` call its function.
        """
        if warmup:
            return self.warmup(*args, grid=grid, **kwargs)
        return self._launch(grid, *args, **kwargs)

    def warmup(self, *args: Any, grid: Any = None, **kwargs: Any) -> Any:
        """Compiles the kernel that a launch with these arguments would run, and returns it.

        A dtype (of PyTorch, NumPy or the language) represents a tensor that is aligned to 16 bytes
        and shares memory with no other argument. The grid is ignored. In the body of an
        AsyncCompileMode (async_compile.py) the result is a FutureKernel.
        """
        constants = {parameter.name for parameter in self.params if parameter.is_constexpr}
        names = [*self.arg_names, *[""] * len(args)]
        wrapped = [
            value if name in constants else MockTensor.wrap(value)
            for name, value in zip(names, args, strict=False)
        ]
        for name in set(kwargs).intersection(self.arg_names).difference(constants):
            kwargs[name] = MockTensor.wrap(kwargs[name])

        return compile_hooks.warm_up(self._prepare, wrapped, kwargs)

    def profile(self, *args: Any, grid: Any, target: str = "cuda:90a", **kwargs: Any) -> Any:
        """Profiles `kernel[grid](*args, **kwargs)` on an emulated GPU, by line of the kernel.

        The launch runs on arrays in host memory and writes its results there.

        Args:
            grid: The grid of the launch.
            target: The GPU: "cuda:90a", or another architecture of `cuda`.

        Returns:
            A KernelProfile: print it, or see tilewright/runtime/profile.py.
        """
        with emulation.emulate(target, profile=True) as emulated:
            self[grid](*args, **kwargs)
        return emulated.profiles[-1]

    def create_binder(self) -> Any:
        """What tells how arguments specialize the kernel; see make_binder in binder.py."""
        from tilewright.runtime.binder import make_binder
        from tilewright.runtime.driver import driver

        return make_binder(self, driver.active.get_current_target())

    def add_pre_run_hook(self, hook: Callable[..., Any]) -> None:
        """Adds a function that is called before every launch, with its arguments."""
        self.pre_run_hooks.append(hook)

    # Called by the launcher in C++

    def _compile(
        self, signature: tuple[Any, ...], options: dict[str, Any], noalias: bool, device: str
    ) -> tuple[Any, Dependencies | None]:
        """Compiles the kernel for a signature and a device ("cpu", "cuda:1").

        Also returns what the launcher compares before it launches the kernel again; see
        lib/Launcher/Watches.cpp.
        """
        self._python_function()
        named = options.pop("target", None)
        target = launch_target(named, device)
        if self.debug is not None:
            options.setdefault("debug", self.debug)
        if self.checks is not None:
            options.setdefault("checks", self.checks)
        names = settings_of(target, has_target=named is not None, has=options)
        settings = {name: os.environ.get(name) for name in names}
        ir = read_override(options.pop("ir_override", None))
        checked = Options.make(options, self.arg_names)
        request = Request(self, tuple(signature), target, checked, noalias, ir)
        ordinal = int(device.partition(":")[2] or 0)
        compile_hooks.before_compilation(request, ordinal)
        try:
            found = find_or_compile(request)
        except TypeMismatchError as error:
            self._explain_constants(signature, error)
            raise
        self.device_caches.add(ordinal, found.kernel)
        compile_hooks.after_compilation(request, ordinal)
        return found.kernel, Dependencies(self, request.signature, found.record, settings)

    def _explain_constants(self, signature: tuple[Any, ...], error: TypeMismatchError) -> None:
        """Adds notes about arguments that are None or a tuple, which may have caused the error.

        Raises:
            ArgumentError: An argument is a string, which no operation takes.
        """
        for parameter, entry in zip(self.params, signature, strict=True):
            value = getattr(entry, "value", entry)  # of a tl.constexpr; others describe types
            if parameter.is_constexpr or isinstance(entry, str):
                continue
            if isinstance(value, str):
                raise ArgumentError(
                    f"{self._label}: argument {parameter.name!r} is the string {value!r}, "
                    f"which the kernel uses like a tensor or a number:\n{error}"
                ) from error
            if value is None or isinstance(value, tuple):
                what = "None" if value is None else "a tuple"
                error.add_note_at(f"the argument {parameter.name!r} is {what}")

    def _explain_binding(self, *args: Any, **kwargs: Any) -> None:
        """Raises an error that explains how the arguments do not match the parameters."""
        raise ArgumentError(f"{self._label}: {self._binding_error(args, kwargs)}")

    def _binding_error(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
        positional = [p for p in self.params if p.kind is not p.kind.KEYWORD_ONLY]
        collecting = [p.name for p in positional if p.collects]
        if collecting and collecting[0] in kwargs:
            return f"'{collecting[0]}' collects positional arguments, and can't be given by name"
        if len(args) > len(positional) and not collecting:
            return (
                f"{len(args)} positional arguments were given, but it takes {len(positional)}: "
                f"{', '.join(p.name for p in positional)}"
            )
        twice = [p.name for p in positional[: len(args)] if p.name in kwargs]
        if twice:
            return f"argument '{twice[0]}' is given twice, by position and by name"
        given = {*kwargs, *(p.name for p in positional[: len(args)])}
        given.update(collecting)
        missing = [p.name for p in self.params if p.name not in given and not p.has_default]
        text = f"missing argument{'s'[: len(missing) > 1]} {', '.join(map(repr, missing))}"
        unknown_keywords = self._unknown_keywords(kwargs)
        return text + (
            f"; there is no parameter {unknown_keywords[0]!r}" if unknown_keywords else ""
        )

    def _unknown_keywords(self, kwargs: dict[str, Any]) -> list[str]:
        known = {*self.arg_names, *Options.names(), *FOREIGN_OPTIONS, "target", "ir_override"}
        return [name for name in kwargs if name not in known]

    def _emulation(self, checked: bool) -> dict[str, Any]:
        """The settings of an emulated GPU for the next launch of this thread; see emulation.py."""
        return emulation.settings(checked)

    def _emulated(
        self,
        kernel: Any,
        grid: tuple[int, int, int],
        reports: list[dict[str, Any]],
        suppressed: int,
        counts: list[dict[str, Any]] | None,
    ) -> None:
        """Raises an error for the findings of an emulated GPU, and stores its counts."""
        emulation.finish(self, kernel, grid, reports, suppressed, counts)

    def _explain_failure(
        self, kernel: Any, code: int, program: tuple[int, int, int] | None
    ) -> None:
        """Raises the error for a program that returned a failure code."""
        if not 1 <= code <= len(kernel.asserts):
            raise DeviceAssertError(f"{self._label}: the kernel failed (code {code})")
        failed = kernel.asserts[code - 1]
        position = (failed.file, failed.line, failed.column)
        raise DeviceAssertError.make(self._label, failed.message, position, program)


# Launches call the method of the class if it is another one.
_core.set_default_run(JITFunction.run)
