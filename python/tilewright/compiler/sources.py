"""ASTSource: a kernel and what it is compiled for, in the form that programs for Triton use.

    signature     {"x": "*fp32", "n": "i32", "BLOCK": "constexpr"}
    constants     {(2,): 1024}, by the path of the parameter: its index, or (index, item) in a tuple
    attrs         {(0,): [["tt.divisibility", 16]]}

The compiler's own signature has for each parameter a descriptor or a constant: "*fp32:D", "i32",
1024.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from tilewright.dependencies import digest
from tilewright.errors import ArgumentError, TypeMismatchError

Path: TypeAlias = "tuple[int, ...]"

_CONSTANT = "constexpr"
_DIVISIBILITY = "tt.divisibility"
_DIVISIBLE = ":D"
_ALIGNMENT = 16


class ASTSource:
    """A @jit function with the types and constants that it is compiled for.

    Args:
        fn: The @jit function.
        signature: For each parameter, by name, its type: "*fp32", "*kfp32" (a pointer that is not
            written through), "i32", "constexpr", or a tuple of types.
        constexprs: The values of constants, by name or path. Any parameter may have one.
        attrs: By path, what is known of values: [["tt.divisibility", 16]]; others are ignored.

    Attributes:
        noalias: Whether the code may assume that arrays do not overlap; false unless it is set.
            Launches of the compiled kernel verify it.

    Raises:
        ArgumentError: A parameter has no type, or a constant no value; or a name is unknown.
        TypeMismatchError: A type can't be understood.
    """

    ext = "ttir"

    def __init__(
        self,
        fn: Any,
        signature: Mapping[str, Any],
        constexprs: Mapping[Any, Any] | None = None,
        attrs: Mapping[Path, Any] | None = None,
    ) -> None:
        self.fn = fn
        self.name: str = fn.name
        self.signature: dict[str, Any] = dict(signature)
        self.constants = {_path(fn, key): value for key, value in (constexprs or {}).items()}
        self.attrs: dict[Path, Any] = dict(attrs or {})
        self.noalias = False
        self._entries = self._make_entries()

    @classmethod
    def of_request(cls, fn: Any, entries: Sequence[Any], noalias: bool) -> ASTSource:
        """The source of a compilation with this signature of the compiler."""
        source = cls.__new__(cls)
        source.fn, source.name, source.noalias = fn, fn.name, noalias
        source.constants, source.attrs = {}, {}
        source._entries = tuple(entries)
        source.signature = {
            parameter.name: source._read_entry(entry, (index,), parameter.is_constexpr)
            for index, (parameter, entry) in enumerate(zip(fn.params, entries, strict=False))
        }
        return source

    @property
    def entries(self) -> tuple[Any, ...]:
        """The signature in the compiler's own form."""
        return self._entries

    def hash(self) -> str:
        """A digest of the kernel's source and of what it is compiled for."""
        return digest(f"{self.fn.cache_key}\0{self.entries!r}\0{self.noalias}")

    def parse_options(self) -> dict[str, Any]:
        """The options that the source itself sets: none."""
        return {}

    def __repr__(self) -> str:
        types = ", ".join(f"{name}: {type}" for name, type in self.signature.items())
        return f"<ASTSource {self.name}({types})>"

    def _make_entries(self) -> tuple[Any, ...]:
        parameters = {parameter.name: parameter for parameter in self.fn.params}
        if unknown := [name for name in self.signature if name not in parameters]:
            raise ArgumentError(f"`{self.name}` has no parameter {unknown[0]!r}")
        entries = []
        for index, (name, parameter) in enumerate(parameters.items()):
            if parameter.is_constexpr and (index,) in self.constants:
                entries.append(self.constants[index,])
            else:
                type = _CONSTANT if parameter.is_constexpr else self.signature.get(name)
                entries.append(self._entry(type, (index,), name))
        return tuple(entries)

    def _entry(self, type: Any, path: Path, name: str) -> Any:
        """The compiler's entry for a parameter, or for an item of a tuple."""
        if isinstance(type, (tuple, list)):
            return tuple(self._entry(item, (*path, i), name) for i, item in enumerate(type))
        if path in self.constants:
            return _wrap(self.constants[path])
        if type is None or type == _CONSTANT:
            missing = "a value in constexprs" if type else "a type in the signature"
            raise ArgumentError(f"`{self.name}`: the parameter '{name}' needs {missing}")
        return _described(str(type), _is_divisible(self.attrs.get(path, ())), f"parameter '{name}'")

    def _read_entry(self, entry: Any, path: Path, is_constant: bool = False) -> Any:
        """The type of an entry of the compiler; records its constants and attributes."""
        if isinstance(entry, tuple) and not is_constant:
            is_structure = type(entry).__name__ == "Described"  # class, key and parts
            parts = entry[2] if is_structure else entry
            return tuple(self._read_entry(part, (*path, i)) for i, part in enumerate(parts))
        if is_constant or not isinstance(entry, str):
            self.constants[path] = plain_constant(entry)
            return _CONSTANT
        if entry.endswith(_DIVISIBLE):
            self.attrs[path] = [[_DIVISIBILITY, _ALIGNMENT]]
        return entry.removesuffix(_DIVISIBLE)


def _path(fn: Any, key: Any) -> Path:
    """The path of a constant that is given by name, index or path."""
    names = [parameter.name for parameter in fn.params]
    if isinstance(key, str) and key in names:
        return (names.index(key),)
    path = (key,) if isinstance(key, int) else key
    if isinstance(path, tuple) and path and path[0] in range(len(names)):
        return path
    raise ArgumentError(f"`{fn.name}` has no parameter {key!r}")


def _is_divisible(attributes: Iterable[Any]) -> bool:
    return any(
        name == _DIVISIBILITY and isinstance(value, int) and value % _ALIGNMENT == 0
        for name, value in attributes
    )


def _described(type: str, is_divisible: bool, what: str) -> str:
    """The descriptor of an argument of a type as Triton writes it."""
    from tilewright.language.descriptor import parse_descriptor

    plain = type.removesuffix(_DIVISIBLE)
    try:
        found = parse_descriptor(plain)
    except TypeMismatchError as error:
        raise TypeMismatchError(f"{what}: {error.message}") from None
    # Attributes come from programs that describe every aligned argument, also a scalar that was
    # read from an aligned array.
    can_divide = plain.startswith(("*", "i", "u"))
    return str(found._replace(is_divisible=(is_divisible and can_divide) or type != plain))


def plain_constant(value: Any) -> Any:
    """The value of a tl.constexpr; any other value unchanged."""
    return value.value if type(value).__name__ == "constexpr" else value


def _wrap(value: Any) -> Any:
    """A constant as the entry of a parameter that is not a tl.constexpr.

    A text must be distinguished from a descriptor.
    """
    if isinstance(value, str):
        from tilewright.language import constexpr

        return constexpr(value)
    return value
