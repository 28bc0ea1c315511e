import pytest

import tilewright.language as tl
from tilewright.errors import CompileError, ConstantError, ShapeMismatchError, TypeMismatchError


def test_outside_of_a_kernel():
    with pytest.raises(CompileError, match="outside of a kernel"):
        tl.arange(0, 8)


def test_arange(kernel):
    made = kernel()
    assert tl.arange(8, tl.constexpr(16)).type == tl.block_type(tl.int32, (8,))
    assert "tile.make_range 8 to 16 : tensor<8xi32>" in made.text()


@pytest.mark.parametrize(
    "start, end, message",
    [
        (4, 4, "end argument must be greater than the start argument"),
        (0, 2**33, "fit in int32"),
        (-4, 4, "at least 0"),
        (0, 8.0, "found 8.0"),
        (0, None, "found None"),
    ],
)
def test_bad_arange(kernel, start, end, message):
    kernel()
    with pytest.raises(ConstantError, match=message):
        tl.arange(start, end)


def test_arange_of_runtime_bound(values):
    (n,) = values("int32")
    with pytest.raises(ConstantError, match="end of arange must be an integer known at compile"):
        tl.arange(0, n)


def test_grid(kernel):
    made = kernel()
    assert tl.program_id(axis=2).type == tl.int32
    assert tl.num_programs(tl.constexpr(0)).type == tl.int32
    with pytest.raises(ConstantError, match="program_id axis must be 0, 1, or 2, found 3"):
        tl.program_id(3)
    text = made.text()
    assert "tile.program_id 2" in text and "tile.num_programs 0" in text


@pytest.mark.parametrize(
    "dtype, value, text",
    [
        ("fp32", 1.5, "dense<1.500000e+00> : tensor<4x8xf32>"),
        ("uint8", 255, "dense<-1> : tensor<4x8xi8>"),
        ("int8", 300, "dense<44> : tensor<4x8xi8>"),
        ("int32", -2.7, "dense<-2> : tensor<4x8xi32>"),
        ("int1", 3, "dense<true> : tensor<4x8xi1>"),
        ("bf16", float("-inf"), "dense<0xFF80> : tensor<4x8xbf16>"),
    ],
)
def test_full(kernel, dtype, value, text):
    made = kernel()
    assert tl.full((4, tl.constexpr(8)), value, tl.dtype(dtype)).type.shape == (4, 8)
    assert text in made.text()


def test_full_of_a_value(values):
    x, one = values("int32", "fp32[1,1]")
    assert tl.full([8], x, tl.float32).type == tl.block_type(tl.float32, (8,))
    assert tl.full((2, 2), one, tl.float32).type == tl.block_type(tl.float32, (2, 2))
    assert tl.full((), x, tl.float32).type == tl.float32
    with pytest.raises(ShapeMismatchError, match="takes a scalar value"):
        tl.full((8,), tl.arange(0, 8), tl.int32)


def test_bad_full(values):
    (x,) = values("int32")
    with pytest.raises(ShapeMismatchError, match="is 0, which is not positive"):
        tl.zeros((4, 0), tl.float32)
    with pytest.raises(ShapeMismatchError, match="has 2097152 elements, and at most 1048576"):
        tl.zeros((1025, 1024), tl.float32)
    with pytest.raises(ShapeMismatchError, match="too large"):
        tl.arange(0, 2**20 + 1)
    with pytest.raises(ShapeMismatchError, match="constant int"):
        tl.zeros((x,), tl.float32)
    with pytest.raises(TypeMismatchError, match="expected a dtype"):
        tl.zeros((4,), "float32")


def test_zeros_like(values):
    (x,) = values("*fp16[4]")
    assert tl.zeros_like(tl.load(x)).type == tl.block_type(tl.float16, (4,))


def test_where(values):
    m, x, i = values("int1[4,1]", "fp16[8]", "int32")
    assert tl.where(m, x, 0.0).type == tl.block_type(tl.float16, (4, 8))
    assert tl.where(i, x, i).type == tl.block_type(tl.float16, (8,))
    assert tl.where(m, 1, 2).type == tl.block_type(tl.int32, (4, 1))
    p, q = values("*fp16", "*fp32")
    with pytest.raises(TypeMismatchError, match="'where' does not take"):
        tl.where(True, p, q)
