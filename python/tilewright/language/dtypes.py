"""Types of the language: scalars, pointers and tiles, under Triton's names.

Integers are signless in the IR. In the language they have a sign (`int32`, `uint32`), which selects
the operation. `int1` is the type of masks and counts as unsigned.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar

from tilewright.errors import ShapeMismatchError, TypeMismatchError
from tilewright.language.tile_shapes import check_shape

__all__ = [
    "bfloat16",
    "block_type",
    "dtype",
    "float8e4b8",
    "float8e4b15",
    "float8e4nv",
    "float8e5",
    "float8e5b16",
    "float16",
    "float32",
    "float64",
    "int1",
    "int8",
    "int16",
    "int32",
    "int64",
    "pi32_t",
    "pointer_type",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "void",
]

if TYPE_CHECKING:
    from tilewright import _core


class dtype:
    """A scalar type, such as `tl.float32`; base class of `pointer_type` and `block_type`.

    Attributes:
        name: Triton's name: "int32", "fp16", "bf16", "fp8e4nv", ...
        primitive_bitwidth: Width of one element in bits; 0 for void.
        int_bitwidth: The same, for integers.
        fp_mantissa_width: Width of a float's mantissa without the hidden bit.
        exponent_bias: The bias of a float's exponent.
        address_space: The memory that a pointer points into; 0 for other types.
    """

    address_space: int = 0

    SINT_TYPES: ClassVar[list[str]] = ["int8", "int16", "int32", "int64"]
    UINT_TYPES: ClassVar[list[str]] = ["int1", "uint8", "uint16", "uint32", "uint64"]
    FP_TYPES: ClassVar[list[str]] = [
        "fp8e4b15", "fp8e4nv", "fp8e4b8", "fp8e5", "fp8e5b16", "fp16", "bf16", "fp32", "fp64",
    ]  # fmt: skip
    STANDARD_FP_TYPES: ClassVar[list[str]] = ["fp16", "bf16", "fp32", "fp64"]
    OTHER_TYPES: ClassVar[list[str]] = ["void"]

    class SIGNEDNESS(Enum):
        SIGNED = 0
        UNSIGNED = 1

    class KIND(Enum):
        BOOLEAN = 0
        INTEGRAL = 1
        FLOATING = 2

    def __init__(self, name: Any) -> None:
        # A compile-time constant is accepted wherever its value is.
        name = getattr(name, "value", name)
        row = _SCALARS.get(name)
        if row is None:
            raise TypeMismatchError(f"unknown dtype '{name}'")
        self.name: str = name
        self.primitive_bitwidth, self._ir, self.fp_mantissa_width, self.exponent_bias = row
        self.itemsize = max(self.primitive_bitwidth, 8) // 8
        if self.is_int():
            self.int_bitwidth = self.primitive_bitwidth
            unsigned = self.name in dtype.UINT_TYPES
            kinds = dtype.SIGNEDNESS
            self.int_signedness = kinds.UNSIGNED if unsigned else kinds.SIGNED

    @staticmethod
    def from_name(name: str) -> dtype:
        """The scalar type with a name: Triton's ("int32", "fp16") or a short one ("i32", "u1").

        Raises:
            TypeMismatchError: The name is unknown.
        """
        found = _BY_NAME.get(name)
        if found is None:
            raise TypeMismatchError(f"unknown dtype '{name}'")
        return found

    # The kind of type. For a tile type these describe the tile, not its elements.

    def is_fp8(self) -> bool:
        return self.name.startswith("fp8")

    def is_fp8e4nv(self) -> bool:
        return self.name == "fp8e4nv"

    def is_fp8e4b8(self) -> bool:
        return self.name == "fp8e4b8"

    def is_fp8e4b15(self) -> bool:
        return self.name == "fp8e4b15"

    def is_fp8e5(self) -> bool:
        return self.name == "fp8e5"

    def is_fp8e5b16(self) -> bool:
        return self.name == "fp8e5b16"

    def is_fp16(self) -> bool:
        return self.name == "fp16"

    def is_bf16(self) -> bool:
        return self.name == "bf16"

    def is_fp32(self) -> bool:
        return self.name == "fp32"

    def is_fp64(self) -> bool:
        return self.name == "fp64"

    def is_int1(self) -> bool:
        return self.name == "int1"

    def is_int8(self) -> bool:
        return self.name == "int8"

    def is_int16(self) -> bool:
        return self.name == "int16"

    def is_int32(self) -> bool:
        return self.name == "int32"

    def is_int64(self) -> bool:
        return self.name == "int64"

    def is_uint8(self) -> bool:
        return self.name == "uint8"

    def is_uint16(self) -> bool:
        return self.name == "uint16"

    def is_uint32(self) -> bool:
        return self.name == "uint32"

    def is_uint64(self) -> bool:
        return self.name == "uint64"

    def is_floating(self) -> bool:
        return self.name in dtype.FP_TYPES

    def is_standard_floating(self) -> bool:
        return self.name in dtype.STANDARD_FP_TYPES

    def is_int_signed(self) -> bool:
        return self.name in dtype.SINT_TYPES

    def is_int_unsigned(self) -> bool:
        return self.name in dtype.UINT_TYPES

    def is_int(self) -> bool:
        return self.is_int_signed() or self.is_int_unsigned()

    def is_bool(self) -> bool:
        return self.is_int1()

    def is_void(self) -> bool:
        return self.name == "void"

    def is_block(self) -> bool:
        return False

    def is_ptr(self) -> bool:
        return False

    def is_const(self) -> bool:
        return False

    def is_dtype(self) -> bool:
        return True

    def kind(self) -> dtype.KIND:
        """Boolean, integer or float; the values are ordered as promotion ranks them."""
        if self.is_bool():
            return dtype.KIND.BOOLEAN
        if self.is_int():
            return dtype.KIND.INTEGRAL
        if self.is_floating():
            return dtype.KIND.FLOATING
        raise TypeMismatchError(f"{self} is neither integer nor float")

    def get_int_max_value(self) -> int:
        if self.is_int_signed():
            return int(2 ** (self.int_bitwidth - 1) - 1)
        return int(2**self.int_bitwidth - 1)

    def get_int_min_value(self) -> int:
        return -int(2 ** (self.int_bitwidth - 1)) if self.is_int_signed() else 0

    @property
    def scalar(self) -> dtype:
        """The type of one element."""
        return self

    @property
    def element_ty(self) -> dtype:
        """The element type of a tile or the pointee type of a pointer.

        Raises:
            TypeMismatchError: The type is a scalar.
        """
        raise TypeMismatchError(f"{self} is neither a pointer nor a tile")

    @property
    def shape(self) -> tuple[int, ...]:
        return ()

    @property
    def numel(self) -> int:
        return math.prod(self.shape)

    @property
    def encoding(self) -> _core.Attribute | None:
        """The layout of a tile in the IR; None for a scalar."""
        return None

    def get_block_shapes(self) -> tuple[int, ...]:
        return self.shape

    def with_element_ty(self, scalar: dtype) -> dtype:
        """A type of the same shape with another element type."""
        return scalar

    def tile(self, shape: Iterable[Any], encoding: _core.Attribute | None = None) -> dtype:
        """The type of a tile with elements of this type."""
        return block_type(self, shape, encoding)

    def ir(self, ctx: _core.Context) -> _core.Type:
        """The type in the IR.

        Raises:
            TypeMismatchError: The type is `void`, which has no IR type.
        """
        if not self._ir:
            raise TypeMismatchError(f"a value cannot have the type {self}")
        return ctx.type(self._ir)

    def mangle(self) -> str:
        """A short name made of letters, digits and underscores only."""
        return _SHORT.get(self.name, self.name)

    def __eq__(self, other: object) -> bool:
        other = getattr(other, "value", other)
        return type(other) is dtype and other.name == self.name

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.name)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"tl.{_PUBLIC.get(self.name, self.name)}"


class pointer_type(dtype):
    """The type of a pointer to `element_ty`; an `int1` element occupies one byte in memory.

    A `const` pointer can be loaded from but not stored to. Address space 1 is the memory of arrays
    that are passed to kernels.
    """

    def __init__(self, element_ty: dtype, address_space: int = 1, const: bool = False) -> None:
        element_ty = getattr(element_ty, "value", element_ty)
        if not isinstance(element_ty, dtype) or element_ty.is_block():
            raise TypeMismatchError(f"a pointer must point to a scalar type, found {element_ty!r}")
        self._element = element_ty
        self.address_space = address_space
        self.const = const
        space = f", {address_space}" if address_space != 1 else ""
        self.name = f"{'const_' if const else ''}pointer<{element_ty}{space}>"
        self.primitive_bitwidth = 64
        self.itemsize = 8

    @property
    def element_ty(self) -> dtype:
        return self._element

    def is_ptr(self) -> bool:
        return True

    def is_const(self) -> bool:
        return self.const

    def is_fp8(self) -> bool:
        return False

    def ir(self, ctx: _core.Context) -> _core.Type:
        # In the IR, the memory of arrays is address space 0.
        space = 0 if self.address_space == 1 else self.address_space
        return ctx.ptr_type(self._element.ir(ctx), space)

    def mangle(self) -> str:
        space = "" if self.address_space == 1 else str(self.address_space)
        return f"P{space}{self._element.mangle()}"

    def __eq__(self, other: object) -> bool:
        other = getattr(other, "value", other)
        if not isinstance(other, pointer_type):
            return False
        mine = (self._element, self.address_space, self.const)
        return mine == (other._element, other.address_space, other.const)

    def __hash__(self) -> int:
        return hash((pointer_type, self._element, self.address_space, self.const))

    def __repr__(self) -> str:
        space = f", {self.address_space}" if self.address_space != 1 else ""
        return f"tl.pointer_type({self._element!r}{space})"


class block_type(dtype):
    """The type of a tile of `element_ty` with a shape of at least one dimension.

    The encoding is the IR's attribute of the tile's layout, or None. Types with different encodings
    are different.

    Raises:
        ShapeMismatchError: A size is not positive, or there are more than 2^20 elements.
    """

    def __init__(
        self, element_ty: dtype, shape: Iterable[Any], encoding: _core.Attribute | None = None
    ) -> None:
        self._element = element_ty
        self._shape = check_shape(shape)
        if not self._shape:
            raise ShapeMismatchError("a tile needs at least one dimension, found shape ()")
        self._encoding = encoding
        layout = "" if encoding is None else f", {encoding}"
        self.name = f"<{list(self._shape)}, {element_ty}{layout}>"
        self.primitive_bitwidth = element_ty.primitive_bitwidth
        self.itemsize = element_ty.itemsize

    @property
    def element_ty(self) -> dtype:
        return self._element

    @property
    def scalar(self) -> dtype:
        return self._element

    @property
    def shape(self) -> tuple[int, ...]:
        return self._shape

    @property
    def nbytes(self) -> int:
        """The size of all elements."""
        return self.numel * (self.primitive_bitwidth // 8)

    @property
    def encoding(self) -> _core.Attribute | None:
        return self._encoding

    def is_block(self) -> bool:
        return True

    def is_const(self) -> bool:
        return self._element.is_const()

    def is_fp8(self) -> bool:
        return False

    def with_element_ty(self, scalar: dtype) -> dtype:
        return block_type(scalar, self._shape, self.encoding)

    def ir(self, ctx: _core.Context) -> _core.Type:
        return ctx.tensor_type(self._shape, self._element.ir(ctx), self.encoding)

    def mangle(self) -> str:
        sizes = "_".join(str(size) for size in self._shape)
        return f"{self._element.mangle()}S{sizes}S"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, block_type):
            return False
        mine = (self._shape, self._element, self._encoding)
        return mine == (other._shape, other._element, other._encoding)

    def __hash__(self) -> int:
        return hash((block_type, self._element, self._shape, self.encoding))

    def __repr__(self) -> str:
        return f"tl.block_type({self._element!r}, {list(self._shape)})"


def scalar_from_ir(type: _core.Type) -> dtype:
    """The scalar type for a type of the IR that represents no other type: `int1`, floats.

    Raises:
        TypeMismatchError: The type may represent several, as integers may be signed or not.
    """
    found = _BY_IR.get(str(type))
    if found is None:
        raise TypeMismatchError(f"{type} may represent several types of the language")
    return found


# name: bits, IR type, mantissa bits, exponent bias
_SCALARS: dict[str, tuple[int, str, int, int]] = {
    "void": (0, "", 0, 0),
    "int1": (1, "i1", 0, 0),
    "int8": (8, "i8", 0, 0),
    "int16": (16, "i16", 0, 0),
    "int32": (32, "i32", 0, 0),
    "int64": (64, "i64", 0, 0),
    "uint8": (8, "i8", 0, 0),
    "uint16": (16, "i16", 0, 0),
    "uint32": (32, "i32", 0, 0),
    "uint64": (64, "i64", 0, 0),
    "fp8e5": (8, "f8E5M2", 2, 15),
    "fp8e5b16": (8, "f8E5M2FNUZ", 2, 16),
    "fp8e4nv": (8, "f8E4M3FN", 3, 7),
    "fp8e4b8": (8, "f8E4M3FNUZ", 3, 8),
    "fp8e4b15": (8, "i8", 3, 15),  # MLIR has no such float type.
    "fp16": (16, "f16", 10, 15),
    "bf16": (16, "bf16", 7, 127),
    "fp32": (32, "f32", 23, 127),
    "fp64": (64, "f64", 52, 1023),
}

_PUBLIC = {
    "fp8e5": "float8e5",
    "fp8e5b16": "float8e5b16",
    "fp8e4nv": "float8e4nv",
    "fp8e4b8": "float8e4b8",
    "fp8e4b15": "float8e4b15",
    "fp16": "float16",
    "bf16": "bfloat16",
    "fp32": "float32",
    "fp64": "float64",
}

void = dtype("void")
int1 = dtype("int1")
int8 = dtype("int8")
int16 = dtype("int16")
int32 = dtype("int32")
int64 = dtype("int64")
uint8 = dtype("uint8")
uint16 = dtype("uint16")
uint32 = dtype("uint32")
uint64 = dtype("uint64")
float8e5 = dtype("fp8e5")
float8e5b16 = dtype("fp8e5b16")
float8e4nv = dtype("fp8e4nv")
float8e4b8 = dtype("fp8e4b8")
float8e4b15 = dtype("fp8e4b15")
float16 = dtype("fp16")
bfloat16 = dtype("bf16")
float32 = dtype("fp32")
float64 = dtype("fp64")
pi32_t = pointer_type(int32)

_ALL = (
    void, int1, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float8e5, float8e5b16,
    float8e4nv, float8e4b8, float8e4b15, float16, bfloat16, float32, float64,
)  # fmt: skip
_SHORT = {t.name: t.name.replace("uint", "u").replace("int", "i") for t in _ALL if t.is_int()}
_BY_NAME: dict[str, dtype] = {t.name: t for t in _ALL}
_BY_NAME.update({public: _BY_NAME[name] for name, public in _PUBLIC.items()})
_BY_NAME.update({short: _BY_NAME[name] for name, short in _SHORT.items()})
_BY_NAME.update({"u1": int1, "B": int1})
_BY_IR: dict[str, dtype] = {
    t._ir: t for t in _ALL if t.is_bool() or (t.is_floating() and not t.is_fp8e4b15())
}
