import pytest

import tilewright
import tilewright.language as tl
from tilewright.errors import ShapeMismatchError, TypeMismatchError

SUM_TYPES = {
    "int1": "uint32", "int8": "int32", "uint8": "uint32", "int16": "int32", "int32": "int32",
    "int64": "int64", "uint64": "uint64", "fp16": "fp16", "bf16": "bf16", "fp32": "fp32",
    "fp64": "fp64",
}  # fmt: skip
MAX_TYPES = {
    "int8": "int32", "uint8": "int32", "int32": "int32", "uint32": "uint32", "fp16": "fp32",
    "bf16": "fp32", "fp32": "fp32", "fp64": "fp64",
}  # fmt: skip


@pytest.mark.parametrize("dtype", SUM_TYPES)
def test_type_of_sum(values, dtype):
    (x,) = values(dtype + "[4,8]")
    assert tl.sum(x, 1).type == tl.block_type(tl.dtype(SUM_TYPES[dtype]), (4,))
    if dtype != "bf16":
        assert tl.cumsum(x, 1).type == tl.block_type(tl.dtype(SUM_TYPES[dtype]), (4, 8))


def test_bfloat16_cumsum_is_float32(values):
    (x,) = values("bf16[8]")
    assert tl.cumsum(x).dtype == tl.cumprod(x).dtype == tl.float32


def test_type_of_scans_on_request(values):
    x, y = values("int8[8]", "bf16[8]")
    assert x.cumprod().dtype == tl.int8
    assert x.cumprod(dtype=tl.int64).dtype == x.cumsum(dtype=tl.int64).dtype == tl.int64
    assert tl.cumprod(y, dtype=tl.float64).dtype == tl.float64


def test_half_is_added_in_float32(kernel):
    made = kernel("fp16[8]")
    assert tl.sum(made.args[0]).type == tl.float16
    assert "(tensor<8xf32>) -> f32" in made.text()


@pytest.mark.parametrize("dtype", MAX_TYPES)
def test_type_of_extrema(values, dtype):
    (x,) = values(dtype + "[8]")
    assert tl.max(x).type == tl.min(x, 0).type == tl.dtype(MAX_TYPES[dtype])


def test_chosen_type(values):
    (x,) = values("int8[8]")
    assert tl.sum(x, dtype=tl.int8).type == tl.int8
    assert tl.sum(x, dtype=tl.float32).type == tl.float32


def test_shapes(values):
    (x,) = values("fp32[2,4,8]")
    assert tl.sum(x, 1).type.shape == (2, 8)
    assert x.sum(-1).type.shape == (2, 4)
    assert tl.sum(x, 1, keep_dims=True).type.shape == (2, 1, 8)
    assert tl.sum(x).type == tl.float32
    assert tl.sum(x, keep_dims=True).type.shape == (1, 1, 1)
    assert tl.cumsum(x, 2, reverse=True).type == x.type


def test_max_ignores_nan(kernel):
    made = kernel("fp32[8]")
    tl.max(made.args[0], 0)
    assert "arith.maxnumf" in made.text()


def test_unsigned_extrema(kernel):
    made = kernel("uint32[8]")
    tl.max(made.args[0]), tl.min(made.args[0])
    text = made.text()
    assert "arith.maxui" in text and "arith.minui" in text


def test_indices(values):
    x, h = values("fp32[4,8]", "fp16[8]")
    value, position = tl.max(x, 1, return_indices=True)
    assert value.type == tl.block_type(tl.float32, (4,))
    assert position.type == tl.block_type(tl.int32, (4,))
    value, position = tl.min(h, 0, return_indices=True, return_indices_tie_break_left=False)
    assert (value.type, position.type) == (tl.float16, tl.int32)
    assert tl.argmax(x, 0).type.shape == (8,)
    assert tl.argmin(x, 0, keep_dims=True).type.shape == (1, 8)
    assert tl.argmax(x, None).type == tl.int32


def test_xor_sum(values):
    x, f = values("uint8[8]", "fp32[8]")
    assert tl.xor_sum(x).type == tl.uint8
    with pytest.raises(TypeMismatchError, match="xor_sum takes integers, found fp32"):
        tl.xor_sum(f)


@tilewright.jit
def of_two(a, b):
    return a


@tilewright.jit
def of_four(a, b, c, d):
    return a, b


def test_user_combiner_is_inlined(kernel):
    made = kernel("fp32[8]", "int32[8]")
    asked = []

    def inline(fn, args):
        asked.append(([a.type for a in args], fn))
        return args[0] + args[2], args[1] * args[3]

    made.context.inline = inline
    a, b = tl.reduce(tuple(made.args), 0, of_four)
    assert asked == [([tl.float32, tl.int32] * 2, of_four)]
    assert (a.type, b.type) == (tl.float32, tl.int32)
    a, b = tl.associative_scan(tuple(made.args), 0, of_four, reverse=True)
    assert (a.type, b.type) == tuple(x.type for x in made.args)
    text = made.text()
    assert "tile.yield %" in text and "reverse" in text


def test_builtin_as_combiner(kernel):
    made = kernel("fp32[8]")
    assert tl.reduce(made.args[0], 0, tl.minimum).type == tl.float32
    assert "arith.minnumf" in made.text()


def test_bad_combiner(kernel):
    made = kernel("fp16[8]")
    (x,) = made.args
    made.context.inline = lambda fn, args: args[0].to(tl.float32)
    with pytest.raises(TypeMismatchError, match="combiner returns fp32 where it was given fp16"):
        tl.reduce(x, 0, of_two)
    made.context.inline = lambda fn, args: (args[0], args[1])
    with pytest.raises(TypeMismatchError, match="returns 2 values where 1 are expected"):
        tl.reduce(x, 0, of_two)


def test_bad_input(values):
    x, s, p = values("fp32[8]", "fp32", "*fp32[8]")
    with pytest.raises(ShapeMismatchError, match="axis 1 is out of range for 1 dimensions"):
        tl.sum(x, 1)
    with pytest.raises(ShapeMismatchError, match="sum takes a tile, found a scalar fp32"):
        tl.sum(s)
    with pytest.raises(ShapeMismatchError, match="reduce takes tiles, found a scalar"):
        tl.reduce(s, 0, tl.maximum)
    with pytest.raises(TypeMismatchError, match="max takes integers or floats"):
        tl.max(p)
