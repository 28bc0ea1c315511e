"""The types of values follow from their types in the IR: layouts and address spaces survive."""

import pytest

import tilewright.language as tl
from tilewright.errors import CompileError, TypeMismatchError
from tilewright.language import _build
from tilewright.language._build import emit
from tilewright.language.shape import broadcast_all

LAYOUT = '"rows"'


def with_layout(kernel, element="i32", shape=(8,)):
    """A function under construction, and a tile with an encoding in it."""
    made = kernel()
    scalar = tl.dtype.from_name(element)
    type = tl.block_type(scalar, shape, made.ctx.attr(LAYOUT))
    return made, _build.constant(1, type)


def test_the_type_of_a_tile_names_its_layout(kernel):
    _, x = with_layout(kernel)
    assert str(x.type) == '<[8], int32, "rows">'
    assert x.type != tl.block_type(tl.int32, [8])
    assert x.type.ir(kernel().ctx).encoding is not None


@pytest.mark.parametrize(
    "build",
    [
        lambda x: x + 1,
        lambda x: 1 - x,
        lambda x: x + x.to(tl.int8),
        lambda x: -x,
        lambda x: ~x,
        lambda x: x < 4,
        lambda x: x.to(tl.float32),
        lambda x: x.to(tl.float64).to(tl.bfloat16),
        lambda x: x.to(tl.float32).to(tl.float8e5, fp_downcast_rounding="rtz"),
        lambda x: x.to(tl.float32, bitcast=True),
        lambda x: tl.exp(x.to(tl.float32)),
        lambda x: tl.maximum(x, 3),
        lambda x: tl.where(x > 2, x, 0),
        lambda x: tl.umulhi(x, x),
        lambda x: tl.zeros_like(x),
        lambda x: tl.multiple_of(x, 8),
        lambda x: tl.cumsum(x, 0),
        lambda x: tl.to_tensor(3).to(tl.pointer_type(tl.float32)) + x,
        lambda x: tl.load(tl.to_tensor(3).to(tl.pointer_type(tl.float32)) + x),
        lambda x: tl.load(tl.to_tensor(3).to(tl.pointer_type(tl.uint8)) + x, x < 3, 0),
        lambda x: tl.atomic_add(tl.to_tensor(3).to(tl.pointer_type(tl.int32)) + x, 1),
        lambda x: tl.atomic_max(tl.to_tensor(3).to(tl.pointer_type(tl.float32)) + x, 1.0),
        lambda x: tl.atomic_cas(tl.to_tensor(3).to(tl.pointer_type(tl.int32)) + x, 1, 2),
        lambda x: broadcast_all(x, tl.to_tensor(2.0))[1],
        lambda x: broadcast_all(x, tl.zeros((1,), tl.float16))[1],
        lambda x: tl.dot(*[tl.full((16, 16), 1.0, tl.float16)] * 2, acc=matrix(x)),
    ],
)
def test_operations_keep_the_layout(kernel, build):
    made, x = with_layout(kernel)
    result = build(x)
    assert str(result.type.encoding) == LAYOUT
    assert result.type.ir(made.ctx) == result.handle.type
    made.text()


def matrix(x):
    encoding = x.type.encoding
    return _build.constant(0, tl.block_type(tl.float32, (16, 16), encoding))


def test_a_tile_of_another_shape_has_no_layout(kernel):
    made, x = with_layout(kernel, shape=(4, 8))
    for result in (tl.sum(x, 1), x[:, None], tl.trans(x), tl.reshape(x, 32), tl.join(x, x)):
        assert result.type.encoding is None
    made.text()


def test_a_scalar_mask_gets_the_layout_of_the_counted_tile(kernel):
    made, x = with_layout(kernel)
    assert tl.histogram(x, 4, tl.to_tensor(True)).type == tl.block_type(tl.int32, [4])
    made.text()


def test_counts_of_unsigned_integers_are_signed(kernel):
    [x] = kernel("u32[8]").args
    assert tl.histogram(x, 4).dtype == tl.int32


def space_3(kernel):
    made = kernel("*fp32")
    [p] = made.args
    return made, p.to(tl.int64).to(tl.pointer_type(tl.float32, 3))


@pytest.mark.parametrize(
    "build",
    [
        lambda p: p + 1,
        lambda p: p + tl.arange(0, 8),
        lambda p: p - tl.arange(0, 8),
        lambda p: (p + tl.arange(0, 8))[:, None],
        lambda p: tl.broadcast_to((p + tl.arange(0, 8))[:, None], 8, 4),
        lambda p: tl.join(p, p),
        lambda p: tl.trans((p + tl.arange(0, 8))[:, None]),
        lambda p: tl.where(tl.arange(0, 8) < 3, p, p + 1),
        lambda p: tl.multiple_of(p, 16),
        lambda p: p.to(tl.pointer_type(tl.int8, 3)),
        lambda p: tl.full((4,), p, p.dtype),
        lambda p: tl.load(p.to(tl.pointer_type(tl.pointer_type(tl.int8, 3)))) if 0 else p,
    ],
)
def test_operations_keep_the_address_space(kernel, build):
    made, p = space_3(kernel)
    result = build(p)
    assert result.dtype.address_space == 3
    assert str(result.handle.type.element).endswith(", 3>")
    assert result.type.ir(made.ctx) == result.handle.type
    made.text()


def test_memory_is_accessed_in_the_address_space(kernel):
    made, p = space_3(kernel)
    x = tl.load(p + tl.arange(0, 8), tl.arange(0, 8) < 4, other=0)
    assert x.type == tl.block_type(tl.float32, [8])
    tl.store(p + tl.arange(0, 8), x)
    tl.atomic_max(p, 1.0)
    text = made.text()
    assert "tile.load %" in text and "tensor<8x!tile.ptr<f32, 3>>, mask" in text
    assert "!tile.ptr<f32, 3> -> !tile.ptr<i32, 3>" in text


def test_a_cast_does_not_change_the_address_space(kernel):
    _, p = space_3(kernel)
    with pytest.raises(TypeMismatchError, match="keeps the address space"):
        p.to(tl.pointer_type(tl.int32))


def test_pointers_into_different_address_spaces_are_not_mixed(kernel):
    made, p = space_3(kernel)
    with pytest.raises(TypeMismatchError, match="'where' does not take pointer<fp32, 3>"):
        tl.where(True, p, made.args[0])


def test_the_default_address_space_is_not_printed(kernel):
    made = kernel("*fp32")
    assert str(made.args[0].handle.type) == "!tile.ptr<f32>"
    assert str(made.args[0].type) == "pointer<fp32>"


def test_unsigned_integers_stay_unsigned(kernel):
    x, p = kernel("u8[8]", "*u16[8]").args
    assert (x + x).dtype == tl.uint8
    assert tl.where(x > 1, x, x).dtype == tl.uint8
    assert tl.load(p).dtype == tl.uint16
    assert tl.atomic_xchg(p.to(tl.pointer_type(tl.uint32)), 1).dtype == tl.uint32
    assert tl.reshape(x, 2, 4).dtype == tl.uint8
    assert tl.gather(x, tl.arange(0, 4), 0).dtype == tl.uint8
    assert tl.max(x.to(tl.uint32), 0).dtype == tl.uint32
    assert tl.split(tl.join(x, x))[1].dtype == tl.uint8


def test_an_integer_that_no_operand_determines_needs_its_sign(kernel):
    made = kernel()
    axis = made.ctx.int_attr(made.ctx.type("i32"), 0)
    with pytest.raises(TypeMismatchError, match="i32 may represent several types"):
        emit("tile.program_id", [], {"axis": axis})


def test_a_tensor_whose_elements_have_another_type_is_rejected(kernel):
    [x] = kernel("fp32[8]").args
    with pytest.raises(CompileError, match="does not have elements of type int32"):
        _ = tl.tensor(x.handle, tl.int32).type
