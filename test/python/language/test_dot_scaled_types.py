"""tl.dot_scaled: result types, and arguments that it refuses."""

import pytest

import tilewright.language as tl
from tilewright.errors import ConstantError, ShapeMismatchError, TypeMismatchError


@pytest.mark.parametrize(
    "lhs, left, rhs, right, shape",
    [
        ("uint8[16,32]", "e2m1", "uint8[32,8]", "e2m1", (16, 8)),
        ("uint8[16,64]", "e4m3", "fp8e5[64,8]", "e5m2", (16, 8)),
        ("uint16[16,64]", "bf16", "bf16[64,8]", "bf16", (16, 8)),
        ("uint16[4,16,64]", "fp16", "uint8[4,32,8]", "e2m1", (4, 16, 8)),
    ],
)
def test_types(values, lhs, left, rhs, right, shape):
    a, b = values(lhs, rhs)
    got = tl.dot_scaled(a, None, tl.constexpr(left), b, tl.constexpr(None), right)
    assert got.type == tl.block_type(tl.float32, shape)
    assert a.dot_scaled(None, left, b, None, right, got).type == got.type


def test_float16_result(values):
    a, b, acc = values("fp16[16,64]", "uint8[32,8]", "fp16[16,8]")
    got = tl.dot_scaled(a, None, "fp16", b, None, "e2m1", acc, out_dtype=tl.float16)
    assert got.dtype == tl.float16


@pytest.mark.parametrize(
    "tile, format, message",
    [
        ("int8[16,32]", "e2m1", "lhs of the format 'e2m1' is uint8, found int8"),
        ("fp8e5[16,64]", "e4m3", "lhs of the format 'e4m3' is fp8e4nv or uint8, found fp8e5"),
        ("fp8e4b8[16,64]", "e4m3", "found fp8e4b8"),
        ("uint8[16,64]", "bf16", "lhs of the format 'bf16' is bf16 or uint16, found uint8"),
        ("fp32[16,64]", "fp16", "found fp32"),
    ],
)
def test_dtypes_that_do_not_fit_the_format(values, tile, format, message):
    a, b = values(tile, "bf16[64,8]")
    with pytest.raises(TypeMismatchError, match=message):
        tl.dot_scaled(a, None, format, b, None, "bf16")


def test_unknown_formats(values):
    a, b = values("uint8[16,32]", "bf16[64,8]")
    with pytest.raises(ConstantError, match=r"rhs_format must be one of .e2m1., .* found 'e3m2'"):
        tl.dot_scaled(a, None, "e2m1", b, None, "e3m2")
    with pytest.raises(ConstantError, match=r"lhs_format must be one of .* found None"):
        tl.dot_scaled(a, None, None, b, None, "bf16")
    with pytest.raises(ConstantError, match=r"lhs_format must be one of .* found a Python list"):
        tl.dot_scaled(a, None, ["e2m1"], b, None, "bf16")
    with pytest.raises(ConstantError, match="rhs_k_pack=False applies to the format 'e2m1' only"):
        tl.dot_scaled(a, None, "e2m1", b, None, "bf16", rhs_k_pack=False)


@pytest.mark.parametrize(
    "scale, message",
    [
        ("uint8[16,4]", r"lhs_scale must have the shape \[16, 2\], which is \(M, K / 32\), found"),
        ("uint8[2,16]", r"found \[2, 16\]"),
        ("uint8[32]", r"found \[32\]"),
        ("uint8", r"found \[\]"),
        ("fp8e4nv[16,2]", r"must have the shape \[16, 4\], which is \(M, K / 16\)"),
    ],
)
def test_shapes_of_scales(values, scale, message):
    a, b, s = values("uint8[16,32]", "uint8[32,8]", scale)
    with pytest.raises(ShapeMismatchError, match=message):
        tl.dot_scaled(a, s, "e2m1", b, None, "e2m1")


def test_the_scales_of_rhs_are_not_transposed(values):
    a, b, s, across = values("uint8[16,32]", "uint8[32,8]", "uint8[8,2]", "uint8[2,8]")
    assert tl.dot_scaled(a, None, "e2m1", b, s, "e2m1").type.shape == (16, 8)
    with pytest.raises(ShapeMismatchError, match=r"shape \[8, 2\], which is \(N, K / 32\), found"):
        tl.dot_scaled(a, None, "e2m1", b, across, "e2m1")


def test_dtypes_of_scales(values):
    a, b, signed, bad = values("uint8[16,32]", "uint8[32,8]", "int8[16,2]", "fp32[16,2]")
    assert tl.dot_scaled(a, signed, "e2m1", b, None, "e2m1").dtype == tl.float32
    with pytest.raises(TypeMismatchError, match=r"lhs_scale must be uint8 .* found fp32"):
        tl.dot_scaled(a, bad, "e2m1", b, None, "e2m1")


def test_fewer_elements_than_share_a_scale(values):
    a, b, s = values("uint8[16,8]", "uint8[8,8]", "uint8[16,1]")
    assert tl.dot_scaled(a, None, "e2m1", b, None, "e2m1").type.shape == (16, 8)
    with pytest.raises(ShapeMismatchError, match="16 elements along K, which is not a multiple"):
        tl.dot_scaled(a, s, "e2m1", b, None, "e2m1")
    a, b, s = values("uint8[16,24]", "uint8[24,8]", "uint8[16,1]")
    with pytest.raises(ShapeMismatchError, match="48 elements along K, which is not a multiple"):
        tl.dot_scaled(a, s, "e2m1", b, None, "e2m1")


def test_shapes_that_do_not_fit(values):
    a, b, row, cube = values("uint8[16,32]", "fp8e5[32,8]", "uint8[32]", "uint8[2,64,8]")
    with pytest.raises(ShapeMismatchError, match=r"\[32, 8\] of e5m2: 64 and 32"):
        tl.dot_scaled(a, None, "e2m1", b, None, "e5m2")
    for other in (row, cube):
        with pytest.raises(ShapeMismatchError, match="two tiles of rank 2 or two of rank 3"):
            tl.dot_scaled(a, None, "e2m1", other, None, "e2m1")


def test_batch_sizes_that_differ(values):
    a, b = values("uint8[2,16,32]", "uint8[4,32,8]")
    with pytest.raises(ShapeMismatchError, match="equal batch sizes"):
        tl.dot_scaled(a, None, "e2m1", b, None, "e2m1")


def test_bad_accumulator(values):
    a, b, small, half = values("uint8[16,32]", "uint8[32,8]", "fp32[8,8]", "fp16[16,8]")
    with pytest.raises(ShapeMismatchError, match=r"gives shape \[16, 8\] but acc has \[8, 8\]"):
        tl.dot_scaled(a, None, "e2m1", b, None, "e2m1", small)
    with pytest.raises(TypeMismatchError, match="gives fp32 but acc is fp16"):
        tl.dot_scaled(a, None, "e2m1", b, None, "e2m1", half)


def test_operands_that_are_no_tiles(values):
    (a,) = values("uint8[16,32]")
    with pytest.raises(TypeMismatchError, match="expected a tensor or a number, found"):
        tl.dot_scaled(a, None, "e2m1", "b", None, "e2m1")
    with pytest.raises(TypeMismatchError, match="lhs of the format 'e2m1' is uint8, found int32"):
        tl.dot_scaled(1, None, "e2m1", a, None, "e2m1")
