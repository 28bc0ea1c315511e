import pytest

import tilewright.language as tl
from tilewright import _core
from tilewright.errors import ShapeMismatchError, TypeMismatchError

IR = {
    "int1": "i1", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "i8",
    "uint16": "i16", "uint32": "i32", "uint64": "i64", "fp8e5": "f8E5M2", "fp8e4nv": "f8E4M3FN",
    "fp8e4b8": "f8E4M3FNUZ", "fp8e5b16": "f8E5M2FNUZ", "fp16": "f16", "bf16": "bf16",
    "fp32": "f32", "fp64": "f64",
}  # fmt: skip


@pytest.mark.parametrize("name", IR)
def test_ir_type(name):
    assert str(tl.dtype(name).ir(_core.Context())) == IR[name]


@pytest.mark.parametrize(
    "short, full", [("i1", "int1"), ("u8", "uint8"), ("i64", "int64"), ("float16", "fp16")]
)
def test_names(short, full):
    assert tl.dtype.from_name(short) == tl.dtype(full)


def test_unknown_name():
    with pytest.raises(TypeMismatchError, match="unknown dtype 'int7'"):
        tl.dtype("int7")


def test_predicates():
    assert tl.int32.is_int_signed() and tl.uint8.is_int_unsigned() and tl.int1.is_bool()
    assert tl.bfloat16.is_floating() and not tl.int8.is_floating()
    assert tl.float8e5.is_fp8() and not tl.float8e5.is_standard_floating()
    assert not tl.pointer_type(tl.float8e5).is_fp8()
    assert (tl.int16.get_int_min_value(), tl.uint16.get_int_max_value()) == (-32768, 65535)
    assert (tl.float16.primitive_bitwidth, tl.float64.fp_mantissa_width) == (16, 52)


def test_equality():
    assert tl.pointer_type(tl.float32) == tl.pointer_type(tl.float32)
    assert tl.pointer_type(tl.float32) != tl.pointer_type(tl.float32, const=True)
    assert tl.block_type(tl.int8, (2, 4)) == tl.block_type(tl.int8, [2, 4])
    assert tl.int32 != tl.uint32
    assert tl.int32 != "int32" and tl.int32 != tl.block_type(tl.int32, (1,))


def test_block_and_pointer():
    ctx = _core.Context()
    block = tl.block_type(tl.pointer_type(tl.float16), (4, 8))
    assert str(block.ir(ctx)) == "tensor<4x8x!tile.ptr<f16>>"
    assert block.scalar.element_ty == tl.float16
    assert block.numel == 32
    assert block.with_element_ty(tl.int1) == tl.block_type(tl.int1, (4, 8))


@pytest.mark.parametrize("shape", [(0,), (-4,), (4, 0), (True,), ("4",), (), (1025, 1024)])
def test_bad_shape(shape):
    with pytest.raises(ShapeMismatchError):
        tl.block_type(tl.float32, shape)


def test_mangled_names_are_identifiers():
    types = [tl.float16, tl.pointer_type(tl.uint8), tl.block_type(tl.pointer_type(tl.int1), (2, 4))]
    names = {type.mangle() for type in types}
    assert len(names) == 3 and all(name.isidentifier() for name in names)
