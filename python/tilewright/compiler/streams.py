"""The current stream, which PyTorch keeps, and launches on another one."""

from __future__ import annotations

import contextlib
import sys
from typing import Any

from tilewright.errors import LaunchError


def current_stream(device: int | None = None) -> int:
    """The driver's handle of the current stream of a GPU; 0 without PyTorch."""
    torch = _torch()
    return 0 if torch is None else int(torch.cuda.current_stream(device).cuda_stream)


def is_current(stream: int | None) -> bool:
    """Whether a stream, by the driver's handle, is known to be the current one; quick."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_initialized():
        return stream is None
    return stream is None or bool(
        torch._C._cuda_getCurrentRawStream(torch._C._cuda_getDevice()) == stream
    )


def on_stream(stream: int | None) -> contextlib.AbstractContextManager[Any]:
    """Makes a stream, by the driver's handle, the current one; None means the current one.

    Raises:
        LaunchError: It is not the default stream, and there is no PyTorch with CUDA.
    """
    torch = _torch()
    if stream is None or (torch is None and stream == 0):
        return contextlib.nullcontext()
    if torch is None:
        raise LaunchError("a launch on another stream than the current one needs PyTorch with CUDA")
    if stream == current_stream():
        return contextlib.nullcontext()
    # The handle 0 is the default stream, which ExternalStream does not take.
    other = torch.cuda.ExternalStream(stream) if stream else torch.cuda.default_stream()
    return torch.cuda.stream(other)  # type: ignore[no-any-return]


def _torch() -> Any:
    """PyTorch, if it is imported and has a GPU."""
    torch = sys.modules.get("torch")
    return torch if torch is not None and torch.cuda.is_available() else None
