"""Runs a configuration in a child process first: it may crash, hang, or stop the device.

On the CPU and on an emulated GPU the child is a fork, and its writes to memory are lost when it
ends. A CUDA context does not survive a fork, so for a CUDA device the child is a new process, which
imports the kernel's module and gets copies of the arguments. It runs one configuration after the
other until one fails or ends the process.
"""

from __future__ import annotations

import contextlib
import faulthandler
import functools
import importlib
import io
import multiprocessing
import os
import pickle
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from tilewright.errors import TuningError
from tilewright.runtime.interface import python_function
from tilewright.tuning.placement import torch_name
from tilewright.tuning.trial import Trial

# Seconds that a launch may take if the user has set no limit, and that a new process may take to
# import its modules and to load the arguments.
_LIMIT = 30.0
_START = 300.0


def run_forked(trial: Trial, before: Callable[[], object], limit: float | None) -> str:
    """Launches a trial in a fork of this process; returns why it failed, or an empty text."""
    ours, theirs = multiprocessing.Pipe(duplex=False)
    with warnings.catch_warnings():
        # The child uses no lock that another thread could hold: it launches and ends.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        faulthandler.disable()  # the parent reports how the child ends
        try:
            theirs.send(_outcome(lambda: (before(), trial.launch())))
        finally:
            os._exit(0)
    theirs.close()
    try:
        with ours:
            if not ours.poll(_LIMIT if limit is None else limit):
                return _too_long(limit)
            return str(ours.recv())
    except EOFError:
        try:
            return "ended the process that ran it" + _cause(os.waitpid(child, 0)[1])
        except ChildProcessError:  # this process ignores SIGCHLD
            return "ended the process that ran it"
    finally:
        with contextlib.suppress(ProcessLookupError, ChildProcessError):
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


class SpawnedProcess:
    """A child process that launches configurations of one kernel on copies of its arguments.

    Args:
        kernel: The autotuned kernel; its module can be imported and has it under its name.
        args, kwargs: The arguments of the launch, without the grid.
        device: Their device.

    Raises:
        TuningError: The kernel or an argument can't be passed to another process.
    """

    def __init__(
        self, kernel: Any, args: tuple[Any, ...], kwargs: dict[str, Any], device: str
    ) -> None:
        self._device = device
        function = python_function(kernel)
        self._place = (function.__module__, function.__qualname__)
        try:
            if _resolve(*self._place) is not kernel:
                raise TuningError(f"{'.'.join(self._place)} is another object")
            self._arguments = _to_bytes((args, kwargs))
        except Exception as problem:
            raise TuningError(
                f"{kernel.__name__}: isolate=True needs a kernel at the top level of a module, and "
                f"arguments that can be pickled: {problem}"
            ) from problem
        self._process: Any = None

    def run(self, trial: Trial, grid: Any, limit: float | None) -> str:
        """Launches a trial; returns why it failed, or an empty text."""
        if self._process is None or not self._process.is_alive():
            self._start()
        self._pipe.send((grid, trial.config.all_kwargs()))
        try:
            if not self._pipe.poll(_LIMIT if limit is None else limit):
                self.close()
                return _too_long(limit)
            problem = str(self._pipe.recv())
            if problem:
                self.close()  # its CUDA context may be unusable
            return problem
        except EOFError:
            self._process.join()
            code = self._process.exitcode
            return "ended the process that ran it" + _cause(-code if code < 0 else code << 8)

    def close(self) -> None:
        """Ends the child process."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._pipe.close()
            self._process = None

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(
            target=_serve, args=(theirs, self._place, self._arguments, self._device), daemon=True
        )
        self._process.start()
        theirs.close()
        try:
            problem = self._pipe.recv() if self._pipe.poll(_START) else "did not start in time"
        except EOFError:
            problem = "ended while it started"
        if problem:
            self.close()
            raise TuningError(f"the process for isolate=True {problem}")


@contextlib.contextmanager
def spawned_process(
    kernel: Any, args: tuple[Any, ...], kwargs: dict[str, Any], device: str
) -> Iterator[SpawnedProcess]:
    """A SpawnedProcess that ends with the `with` statement."""
    process = SpawnedProcess(kernel, args, kwargs, device)
    try:
        yield process
    finally:
        process.close()


def _serve(pipe: Any, place: tuple[str, str], arguments: bytes, device: str) -> None:
    """What the child process runs."""
    try:
        inner = _resolve(*place).fn
    except Exception as problem:
        pipe.send(f"can't import the kernel: {problem}")
        return
    with contextlib.suppress(Exception):
        _from_bytes(arguments)  # starts the device, which is no part of a launch's time
    pipe.send("")
    with contextlib.suppress(EOFError):
        while True:
            grid, options = pipe.recv()
            launch = functools.partial(_launch, inner, arguments, grid, options, device)
            pipe.send(_outcome(launch))


def _launch(kernel: Any, arguments: bytes, grid: Any, options: dict[str, Any], device: str) -> None:
    """Launches on new copies of the arguments, and waits for the device."""
    args, kwargs = _from_bytes(arguments)
    kernel.run(*args, grid=grid, warmup=False, **{**kwargs, **options})
    torch: Any = sys.modules.get("torch")
    if torch and torch.cuda.is_initialized():
        torch.cuda.synchronize(torch_name(device))


def _outcome(launch: Callable[[], object]) -> str:
    try:
        launch()
    except Exception as error:
        lines = str(error).strip().splitlines() or [""]
        return f"{type(error).__name__}: {lines[0]}"
    return ""


def _resolve(module: str, name: str) -> Any:
    found: Any = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def _to_bytes(arguments: Any) -> bytes:
    torch: Any = sys.modules.get("torch")
    if torch is None:
        return pickle.dumps(arguments)
    # PyTorch's format keeps strides, and which tensors share memory.
    stream = io.BytesIO()
    torch.save(arguments, stream)
    return stream.getvalue()


def _from_bytes(data: bytes) -> Any:
    if not data.startswith(b"PK"):
        return pickle.loads(data)
    import torch

    return torch.load(io.BytesIO(data), weights_only=False)


def _too_long(limit: float | None) -> str:
    return f"did not end within {_LIMIT if limit is None else limit:g} s"


def _cause(status: int) -> str:
    """How a process ended, from its wait status."""
    if os.WIFSIGNALED(status):
        return f" ({signal.Signals(os.WTERMSIG(status)).name})"
    return f" (exit status {os.WEXITSTATUS(status)})"
