"""What the hooks of `tilewright.knobs.runtime` get of a launch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tilewright import knobs
from tilewright.compiler.streams import current_stream

if TYPE_CHECKING:
    from tilewright.compiler.kernel_attributes import KernelAttributes


class LaunchMetadata:
    """Metadata of one launch: `get()` returns a dictionary with

    name: The kernel's name, or what the function `launch_metadata` of @jit returns for it.
    function: The driver's handle of the kernel's function.
    stream: The driver's handle of the stream; 0 on the host.

    and the other items that the function `launch_metadata` returns. `get()` calls that function.
    """

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data
        self._pending: list[tuple[Callable[..., Any], tuple[Any, ...]]] = []

    def add(self, function: Callable[..., Any], args: tuple[Any, ...]) -> None:
        """Adds what `function(*args)` returns."""
        self._pending.append((function, args))

    def get(self) -> dict[str, Any]:
        """The dictionary; calls the functions that were added, once."""
        while self._pending:
            function, args = self._pending.pop(0)
            self.data = {**self.data, **function(*args)}
        return self.data


def metadata_of_launch(
    kernel: KernelAttributes, grid: tuple[int, ...], stream: int | None, args: Sequence[Any]
) -> LaunchMetadata | None:
    """The metadata of a launch; None if there are no hooks for it."""
    if not (knobs.runtime.launch_enter_hook.calls or knobs.runtime.launch_exit_hook.calls):
        return None
    if stream is None:
        stream = 0 if kernel.runs_on_host else current_stream()
    metadata = LaunchMetadata({"name": kernel.name, "function": kernel.function, "stream": stream})
    fn = kernel.src.fn if kernel.src is not None else None
    if fn is not None and fn.launch_metadata is not None:
        named = dict(zip(fn.arg_names, args, strict=False))
        metadata.add(fn.launch_metadata, (grid, kernel.metadata, named))
    return metadata
