"""Compiling several kernels at the same time, in the threads of an executor.

    with ThreadPoolExecutor() as executor, AsyncCompileMode(executor):
        for block in (64, 128, 256):
            kernel.warmup(x, y, n, BLOCK=block, grid=(1,))      # returns a FutureKernel
    kernel[grid](x, y, n, BLOCK=128)                            # is compiled

The `with` statement ends when all are compiled. A launch of a kernel that is being compiled waits.
"""

from __future__ import annotations

import contextvars
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tilewright.errors import ArgumentError

if TYPE_CHECKING:  # importing it takes 10 to 50 ms
    from concurrent.futures import Executor, Future

active_mode: contextvars.ContextVar[AsyncCompileMode | None] = contextvars.ContextVar(
    "active_mode", default=None
)


class FutureKernel:
    """A kernel that is being compiled. Its attributes are those of the kernel, for which they wait.

    Args:
        finalize_compile: Called with the kernel, once, by the first `result`.
        future: The compilation.
    """

    def __init__(self, finalize_compile: Callable[[Any], Any], future: Future[Any]) -> None:
        self.finalize_compile = finalize_compile
        self.future = future
        self.kernel: Any = None

    def result(self, ignore_errors: bool = False) -> Any:
        """Waits for the kernel and returns it; None if it failed and errors are to be ignored.

        Raises:
            CompileError: The kernel's source can't be compiled; or another error of a compilation.
        """
        if self.kernel is None:
            try:
                kernel = self.future.result()
            except Exception:
                if ignore_errors:
                    return None
                raise
            self.finalize_compile(kernel)
            self.kernel = kernel
        return self.kernel

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.result(), name)

    def __getitem__(self, grid: Any) -> Callable[..., Any]:
        launch: Callable[..., Any] = self.result()[grid]
        return launch


class AsyncCompileMode:
    """A context manager: in its body, `warmup` compiles in an executor and does not wait.

    Args:
        executor: Runs the compilations, in threads of this process.
        ignore_errors: Whether the end of the `with` statement ignores compilations that failed.

    Raises:
        ArgumentError: The executor has processes of its own.
        RuntimeError: On entry, another AsyncCompileMode is active.
    """

    def __init__(self, executor: Executor, *, ignore_errors: bool = False) -> None:
        processes = sys.modules.get("concurrent.futures.process")
        if processes is not None and isinstance(executor, processes.ProcessPoolExecutor):
            raise ArgumentError("kernels are compiled in threads; pass a ThreadPoolExecutor")
        self.executor = executor
        self.ignore_errors = ignore_errors
        self.future_kernels: dict[Any, FutureKernel] = {}

    def submit(
        self,
        key: Any,
        compile_fn: Callable[[], Any],
        finalize_fn: Callable[[Any], Any] = lambda kernel: None,
    ) -> FutureKernel:
        """Starts `compile_fn`, or returns what an earlier call with this key has started."""
        if key not in self.future_kernels:
            context = contextvars.copy_context()
            future = self.executor.submit(context.run, compile_fn)
            self.future_kernels[key] = FutureKernel(finalize_fn, future)
        return self.future_kernels[key]

    def __enter__(self) -> AsyncCompileMode:
        if active_mode.get() is not None:
            raise RuntimeError("another AsyncCompileMode is active")
        active_mode.set(self)
        return self

    def __exit__(self, kind: object, error: object, traceback: object) -> None:
        active_mode.set(None)
        # An error of the body is more important than one of a compilation.
        for future in self.future_kernels.values():
            future.result(ignore_errors=self.ignore_errors or error is not None)
