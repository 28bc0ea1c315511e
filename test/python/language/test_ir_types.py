"""The types of values follow from their types in the IR: layouts and address spaces survive."""

import pytest

import tilewright.language as tl
from tilewright import _core
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


# A 4 x 8 tile: each thread has two neighbors of a row, four lanes a row; the last lane bit and the
# warps hold replicas.
TILE = """register = [[0, 1]],
    lane = [[0, 2], [0, 4], [1, 0], [2, 0], [0, 0]], warp = [[0, 0], [0, 0]], block = [] : 4x8"""


def layout_attr(ctx, text):
    return ctx.attr(f"#tilegpu.layout<{text}>")


def with_tile(kernel, element="i32", layout=TILE, shape=(4, 8)):
    """A function under construction, and a tile with a layout in registers in it."""
    made = kernel()
    encoding = layout_attr(made.ctx, layout)
    scalar = tl.dtype.from_name(element)
    return made, _build.constant(1, tl.block_type(scalar, shape, encoding))


def bits(registers, lanes, shape):
    """A layout whose warps hold replicas."""
    zero = [0] * (shape.count("x") + 1)
    return f"register = {registers}, lane = {lanes}, warp = [{zero}, {zero}], block = [] : {shape}"


CHANGED = {
    "sum of rows": (lambda x: tl.sum(x, 1), bits([], [[0], [0], [1], [2], [0]], "4")),
    "sum of columns": (lambda x: tl.sum(x, 0), bits([[1]], [[2], [4], [0], [0], [0]], "8")),
    "argmax": (lambda x: tl.max(x, 0, True)[1], bits([[1]], [[2], [4], [0], [0], [0]], "8")),
    "sum that keeps the axis": (
        lambda x: tl.sum(x, 1, keep_dims=True),
        bits([], [[0, 0], [0, 0], [1, 0], [2, 0], [0, 0]], "4x1"),
    ),
    "new first dimension": (
        lambda x: x[None],
        bits([[0, 0, 1]], [[0, 0, 2], [0, 0, 4], [0, 1, 0], [0, 2, 0], [0, 0, 0]], "1x4x8"),
    ),
    "new last dimension": (
        lambda x: tl.expand_dims(x, -1),
        bits([[0, 1, 0]], [[0, 2, 0], [0, 4, 0], [1, 0, 0], [2, 0, 0], [0, 0, 0]], "4x8x1"),
    ),
    "transposed": (
        lambda x: tl.trans(x),
        bits([[1, 0]], [[2, 0], [4, 0], [0, 1], [0, 2], [0, 0]], "8x4"),
    ),
    "transposed twice": (lambda x: tl.trans(tl.permute(x, 1, 0)), TILE),
    "flat": (lambda x: tl.ravel(x), bits([[1]], [[2], [4], [8], [16], [0]], "32")),
    "reshaped": (
        lambda x: tl.reshape(x, 2, 16),
        bits([[0, 1]], [[0, 2], [0, 4], [0, 8], [1, 0], [0, 0]], "2x16"),
    ),
    "reordered": (lambda x: tl.view(x, 32), bits([[1]], [[2], [4], [8], [16], [0]], "32")),
    "reshaped twice": (lambda x: tl.reshape(tl.reshape(x, 2, 16), 4, 8), TILE),
    "joined": (
        lambda x: tl.join(x, x),
        bits(
            [[0, 0, 1], [0, 1, 0]], [[0, 2, 0], [0, 4, 0], [1, 0, 0], [2, 0, 0], [0] * 3], "4x8x2"
        ),
    ),
    "joined and split": (lambda x: tl.split(tl.join(x, x))[1], TILE),
    "interleaved": (
        lambda x: tl.interleave(x, x),
        bits([[0, 1], [0, 2]], [[0, 4], [0, 8], [1, 0], [2, 0], [0, 0]], "4x16"),
    ),
    "concatenated": (
        lambda x: tl.cat(x, x),
        bits([[0, 1], [4, 0]], [[0, 2], [0, 4], [1, 0], [2, 0], [0, 0]], "8x8"),
    ),
    "broadcast": (
        lambda x: tl.broadcast_to(tl.sum(x, 0)[None], 4, 8),
        bits([[0, 1], [1, 0], [2, 0]], [[0, 2], [0, 4], [0, 0], [0, 0], [0, 0]], "4x8"),
    ),
    "a row less the maximum of rows": (lambda x: x - tl.max(x, 1)[:, None], TILE),
    "the maximum of columns and a column": (lambda x: tl.max(x, 0) + x, TILE),
    "selected by a row": (lambda x: tl.where(tl.max(x, 0) > 1, x, 0), TILE),
    "greater than an operand without a layout": (
        lambda x: x > tl.zeros((8,), tl.int32),
        TILE,
    ),
}


@pytest.mark.parametrize(("build", "layout"), CHANGED.values(), ids=CHANGED)
def test_the_layout_of_a_result_of_another_shape_follows(kernel, build, layout):
    made, x = with_tile(kernel)
    result = build(x)
    assert result.type.encoding == layout_attr(made.ctx, layout)
    assert result.type.ir(made.ctx) == result.handle.type
    made.text()


@pytest.mark.parametrize(
    "build",
    [
        lambda x: tl.sum(x, 0),
        lambda x: tl.sum(x),
        lambda x: x[:, None],
        lambda x: tl.trans(x),
        lambda x: tl.reshape(x, 32),
        lambda x: tl.join(x, x),
        lambda x: tl.cat(x, x),
        lambda x: broadcast_all(x, x[None])[0],
    ],
)
def test_a_layout_that_determines_no_other_is_an_error(kernel, build):
    _, x = with_layout(kernel, shape=(4, 8))
    with pytest.raises(_core.IRError, match='"rows">\' determines none for the result, of shape'):
        build(x)


def test_a_tile_whose_pairs_are_in_different_threads_is_not_split(kernel):
    apart = bits([[1, 0]], [[0, 1], [2, 0], [0, 0], [0, 0], [0, 0]], "4x2")
    _, x = with_tile(kernel, layout=apart, shape=(4, 2))
    with pytest.raises(_core.IRError, match="determines none for the result, of shape 4"):
        tl.split(x)
    assert tl.sum(x, 1).type.encoding is not None


def test_a_tile_is_not_broadcast_to_a_layout_that_it_does_not_fit(kernel):
    made, x = with_tile(kernel)
    row = tl.sum(x, 0)
    assert tl.broadcast_to(row[None], 1, 8) is not None
    for column in (row[:, None], tl.reshape(row, 8, 1)):
        with pytest.raises(_core.IRError, match="does not fit that of the tile"):
            broadcast_all(column, tl.cat(x, x))
    one = _build.constant(1, tl.block_type(tl.int32, (1, 8), made.ctx.attr(LAYOUT)))
    with pytest.raises(_core.IRError, match="does not fit that of the tile"):
        _ = x + one


def test_the_first_operand_determines_the_layout_of_a_broadcast(kernel):
    made, x = with_tile(kernel)
    row, plain = tl.sum(x, 0)[None], tl.zeros((4, 1), tl.int32)
    expected = bits([[0, 1], [1, 0], [2, 0]], [[0, 2], [0, 4], [0, 0], [0, 0], [0, 0]], "4x8")
    for operands in ((row, plain), (plain, row)):
        for result in broadcast_all(*operands):
            assert result.type.encoding == layout_attr(made.ctx, expected)


def test_operands_whose_layouts_do_not_matter_may_have_any(kernel):
    made, x = with_tile(kernel)
    flat = tl.ravel(x)
    assert tl.gather(flat, tl.arange(0, 4), 0).type == tl.block_type(tl.int32, [4])
    assert tl.gather(tl.arange(0, 4), flat, 0).type == flat.type
    assert tl.histogram(flat, 4).type == tl.block_type(tl.int32, [4])
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
