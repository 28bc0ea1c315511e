"""How arguments specialize a kernel, without compiling it: `function.create_binder()`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from tilewright import _core
from tilewright.compiler.backend import BaseBackend, make_backend
from tilewright.compiler.gpu_target import GPUTarget
from tilewright.compiler.sources import plain_constant

if TYPE_CHECKING:
    from tilewright.runtime.function import JITFunction

Binder: TypeAlias = "Callable[..., tuple[dict[str, Any], list[tuple[Any, Any]], dict[str, Any]]]"


class _Classified(Exception):
    """Raised to leave the launcher where it would compile; has the signature and the options."""

    def __init__(self, signature: tuple[Any, ...], options: dict[str, Any]) -> None:
        super().__init__()
        self.signature = signature
        self.options = options


class _Classifier(_core.Launcher):
    """A launcher that compiles nothing, but reports the signature."""

    def __init__(self, function: JITFunction) -> None:
        self._function = function
        super().__init__(function._label, [p.launcher_spec() for p in function.params])

    def _compile(self, signature: Any, options: Any, noalias: bool, device: str) -> NoReturn:
        raise _Classified(signature, options)

    def _explain_binding(self, *args: Any, **kwargs: Any) -> None:
        self._function._explain_binding(*args, **kwargs)


def make_binder(
    function: JITFunction, target: GPUTarget
) -> tuple[dict[Any, Any], dict[Any, Any], GPUTarget, BaseBackend, Binder]:
    """Two empty dictionaries, the target, its back end, and a function of a launch's arguments.

    The function returns the arguments by name; for each parameter a pair of its type and what is
    assumed of it ("D": divisible by 16; the value of a constant); and the options.
    """
    classifier = _Classifier(function)

    def binder(*args: Any, **kwargs: Any) -> Any:
        try:
            classifier._prepare(*args, **kwargs)
        except _Classified as found:
            signature, options = found.signature, found.options
        named = {name: value for name, value in kwargs.items() if name in function.arg_names}
        bound = function.signature.bind(*args, **named)
        bound.apply_defaults()
        specialization = [
            _specialization(parameter.is_constexpr, entry)
            for parameter, entry in zip(function.params, signature, strict=True)
        ]
        return dict(bound.arguments), specialization, options

    return {}, {}, target, make_backend(target), binder


def _specialization(is_constexpr: bool, entry: Any) -> tuple[Any, Any]:
    if isinstance(entry, tuple) and not is_constexpr:
        pairs = [_specialization(False, part) for part in entry]
        return tuple(pair[0] for pair in pairs), tuple(pair[1] for pair in pairs)
    if is_constexpr or not isinstance(entry, str):
        return "constexpr", plain_constant(entry)
    type, _, assumed = entry.partition(":")
    return type, assumed
