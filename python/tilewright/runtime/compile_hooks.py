"""Compilations for launches: warmups, and the hooks of `tilewright.knobs.runtime`."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from tilewright import knobs
from tilewright.compiler.gpu_target import thread_target
from tilewright.compiler.request import Request
from tilewright.compiler.sources import ASTSource
from tilewright.errors import LaunchError
from tilewright.runtime.async_compile import active_mode

if TYPE_CHECKING:
    from tilewright.runtime.function import JITFunction


class JitFunctionInfo(NamedTuple):
    """A kernel, as a hook gets it."""

    module: str
    name: str
    jit_function: JITFunction


class _Thread(threading.local):
    is_warmup = False


_thread = _Thread()


def warm_up(prepare: Callable[..., Any], args: list[Any], kwargs: dict[str, Any]) -> Any:
    """`prepare(*args, **kwargs)`, marked as a warmup; later, in an AsyncCompileMode."""

    def run() -> Any:
        with manual_warmup():
            return prepare(*args, **kwargs)

    mode = active_mode.get()
    if mode is None:
        return run()
    if (target := thread_target()) is not None:
        kwargs.setdefault("target", target)  # is not the default of the other thread
    return mode.submit(object(), run)


@contextlib.contextmanager
def manual_warmup() -> Iterator[None]:
    """Marks the compilations of this thread as requested by `warmup`."""
    before, _thread.is_warmup = _thread.is_warmup, True
    try:
        yield
    finally:
        _thread.is_warmup = before


def before_compilation(request: Request, ordinal: int) -> None:
    """Calls jit_cache_hook.

    Raises:
        LaunchError: It asks not to compile the kernel.
    """
    hook = knobs.runtime.jit_cache_hook
    if hook is not None and hook(**_arguments(request, ordinal)):
        raise LaunchError(f"{request.fn.name}: knobs.runtime.jit_cache_hook refused to compile it")


def after_compilation(request: Request, ordinal: int) -> None:
    """Calls jit_post_compile_hook."""
    if knobs.runtime.jit_post_compile_hook is not None:
        knobs.runtime.jit_post_compile_hook(**_arguments(request, ordinal))


def _arguments(request: Request, ordinal: int) -> dict[str, Any]:
    fn = request.fn
    source = ASTSource.of_request(fn, request.signature, request.noalias)
    types = ", ".join(f"{name}: {type}" for name, type in request.describe().items())
    options = dict(request.options)
    shown = ", ".join(f"{name}={value}" for name, value in options.items())
    compile = {
        "key": request.base,
        "signature": source.signature,
        "device": ordinal,
        "target": str(request.target),
        "constants": source.constants,
        "configs": [source.attrs],
        "is_warmup": _thread.is_warmup,
        **options,
    }
    return {
        "key": request.base,
        "repr": f"{fn.name}[{shown}]({types})",
        "fn": JitFunctionInfo(fn.__module__, fn.name, fn),
        "compile": compile,
        "is_manual_warmup": _thread.is_warmup,
        "already_compiled": False,
    }
