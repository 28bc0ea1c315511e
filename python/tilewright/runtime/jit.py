"""The decorator that makes a kernel of a function."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, overload

from tilewright.runtime.function import JITFunction


@overload
def jit(fn: Callable[..., Any]) -> JITFunction: ...


@overload
def jit(
    *,
    version: Any = None,
    repr: Callable[[Any], str] | None = None,
    launch_metadata: Callable[..., Any] | None = None,
    do_not_specialize: Iterable[int | str] | None = None,
    do_not_specialize_on_alignment: Iterable[int | str] | None = None,
    debug: bool | None = None,
    checks: str | None = None,
    noinline: bool | None = None,
) -> Callable[[Callable[..., Any]], JITFunction]: ...


def jit(
    fn: Callable[..., Any] | None = None,
    *,
    version: Any = None,
    repr: Callable[[Any], str] | None = None,
    launch_metadata: Callable[..., Any] | None = None,
    do_not_specialize: Iterable[int | str] | None = None,
    do_not_specialize_on_alignment: Iterable[int | str] | None = None,
    debug: bool | None = None,
    checks: str | None = None,
    noinline: bool | None = None,
) -> JITFunction | Callable[[Callable[..., Any]], JITFunction]:
    """Makes a kernel of a function, or a function that kernels call; with or without arguments.

    Args:
        fn: The function. It is not run by Python: its source is compiled when it is launched with
            arguments of kinds that it was not launched with before.
        do_not_specialize: Parameters, by name or position, whose equality with 1 and whose
            divisibility by 16 make no variants of the kernel.
        do_not_specialize_on_alignment: The same for divisibility alone.
        debug: Whether `tl.device_assert` is compiled; an option of the launch takes precedence.
        checks: "bounds" to have every access of memory compared with the arrays that are passed;
            an option of the launch takes precedence.
        noinline: Accepted for compatibility: calls are inlined where that is quicker.
        repr: Gives the kernel's name to profilers; kept, not called yet.
        launch_metadata: Gives facts of a launch to profilers; kept, not called yet.
        version: Accepted for compatibility and ignored.

    Raises:
        CompileError: The function's source can't be found, or it collects arguments with `*`.
    """

    def decorate(function: Callable[..., Any]) -> JITFunction:
        return JITFunction(
            function,
            do_not_specialize=do_not_specialize or (),
            do_not_specialize_on_alignment=do_not_specialize_on_alignment or (),
            debug=debug,
            checks=checks,
            noinline=noinline,
            repr=repr,
            launch_metadata=launch_metadata,
        )

    return decorate if fn is None else decorate(fn)
