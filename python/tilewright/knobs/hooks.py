"""Functions that are called around launches and compilations: `knobs.runtime`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tilewright.knobs.variables import Knobs, flag, text


class HookChain:
    """Functions that are called in order, or in reverse order, with the same arguments."""

    def __init__(self, reversed: bool = False) -> None:
        self.reversed = reversed
        self._calls: tuple[Callable[..., Any], ...] = ()
        self._changed: Callable[[], None] = lambda: None

    @property
    def calls(self) -> tuple[Callable[..., Any], ...]:
        """The functions in the order in which they were added; `add` and `remove` change them."""
        return self._calls

    def add(self, func: Callable[..., Any]) -> None:
        """Adds a function, unless it is in the chain."""
        if func not in self._calls:
            self._calls += (func,)
            self._changed()

    def remove(self, func: Callable[..., Any]) -> None:
        """Removes a function, if it is in the chain."""
        if func in self._calls:
            self._calls = tuple(call for call in self._calls if call != func)
            self._changed()

    def __bool__(self) -> bool:
        """Whether there is anything to call; Inductor then makes metadata for each launch."""
        return bool(self._calls)

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        for call in self._calls[::-1] if self.reversed else self._calls:
            call(*args, **kwargs)


class Runtime(Knobs):
    """The hooks, and settings of launches.

    Attributes:
        launch_enter_hook, launch_exit_hook: Chains that are called before and after each launch
            with its metadata (compiler/launch_metadata.py). Assigning a function replaces the
            whole chain; assigning None empties it.
        jit_cache_hook: Called before a compilation with the arguments of jit_post_compile_hook; if
            it returns a true value, the kernel is not compiled, and a launch fails.
        jit_post_compile_hook: Called after each compilation, also one that finds the kernel in the
            cache: hook(key=, repr=, fn=, compile=, is_manual_warmup=, already_compiled=).
        kernel_load_start_hook, kernel_load_end_hook: Chains that are called around the loading of
            a kernel's code: hook(module, function, name, metadata_group, hash).
        debug: Whether assertions are compiled by default (TILEWRIGHT_DEBUG).
        interpret: Whether the CPU is the default target (TRITON_INTERPRET).
        sanitize_overflow: Whether assertions include those that integers do not overflow, by
            default (TRITON_SANITIZE_OVERFLOW).
        override_arch: No effect.
    """

    debug = flag("TILEWRIGHT_DEBUG")
    interpret = flag("TRITON_INTERPRET")
    sanitize_overflow = flag("TRITON_SANITIZE_OVERFLOW", True)
    override_arch = text("TRITON_OVERRIDE_ARCH")

    jit_cache_hook: Callable[..., Any] | None = None
    jit_post_compile_hook: Callable[..., Any] | None = None

    def __init__(self) -> None:
        self._make_chains()

    def _make_chains(self) -> None:
        self.kernel_load_start_hook = HookChain()
        self.kernel_load_end_hook = HookChain(reversed=True)
        self.launch_enter_hook = HookChain()
        self.launch_exit_hook = HookChain(reversed=True)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _CHAINS and not isinstance(value, HookChain):
            chain = HookChain(reversed=name in _REVERSED)
            for call in () if value is None else (value,):
                chain.add(call)
            value = chain
        super().__setattr__(name, value)
        if name in _LAUNCHES:
            value._changed = self._install
            self._install()

    def reset(self) -> Runtime:
        """Unsets the variables and removes all hooks."""
        super().reset()
        self._make_chains()
        return self

    def _saved(self) -> dict[str, Any]:
        calls = {name: getattr(self, name).calls for name in _CHAINS}
        return {**super()._saved(), "_calls": calls}

    def _restore(self, attributes: dict[str, Any]) -> None:
        calls = attributes.pop("_calls")
        super()._restore(attributes)
        for name in _CHAINS:
            getattr(self, name)._calls = calls[name]
        self._install()

    # Around launches

    def _install(self) -> None:
        """Makes the launcher call `enter` and `exit`, if there is anything to call."""
        chains = [vars(self).get(name) for name in _LAUNCHES]
        hooks = self if any(chain is not None and chain.calls for chain in chains) else None
        if hooks is None and not _state.installed:
            return  # does not load the core
        from tilewright import _core

        _core.exchange_launch_hooks(hooks)
        _state.installed = hooks is not None

    def enter(self, function: Any, kernel: Any, grid: tuple[int, int, int], args: Any) -> Any:
        """Called by the launcher before a launch; returns what is passed to `exit`."""
        metadata = kernel.launch_metadata(grid, None, *args)
        self.launch_enter_hook(metadata)
        return metadata

    def exit(self, metadata: Any) -> None:
        """Called by the launcher after a launch."""
        self.launch_exit_hook(metadata)


class _State:
    installed = False


_state = _State()
_LAUNCHES = ("launch_enter_hook", "launch_exit_hook")
_REVERSED = ("launch_exit_hook", "kernel_load_end_hook")
_CHAINS = (*_LAUNCHES, "kernel_load_start_hook", "kernel_load_end_hook")
