import pytest

import tilewright.language as tl
from tilewright.errors import ConstantError, TypeMismatchError

TABLE = [
    ("int32", "int8", ["arith.trunci"]),
    ("int8", "int32", ["arith.extsi"]),
    ("uint8", "int32", ["arith.extui"]),
    ("int1", "int32", ["arith.extui"]),
    ("int32", "uint32", []),
    ("int32", "int1", ["arith.constant", "arith.cmpi"]),
    ("fp32", "int1", ["arith.constant", "arith.cmpf"]),
    ("int32", "fp32", ["arith.sitofp"]),
    ("uint32", "fp16", ["arith.uitofp"]),
    ("int1", "fp32", ["arith.uitofp"]),
    ("fp32", "int32", ["arith.fptosi"]),
    ("fp16", "uint8", ["arith.fptoui"]),
    ("fp16", "fp64", ["arith.extf"]),
    ("fp64", "fp16", ["arith.truncf"]),
    ("fp16", "bf16", ["arith.extf", "arith.truncf"]),
    ("fp8e5", "fp8e4nv", ["arith.extf", "arith.truncf"]),
    ("fp8e5", "int32", ["arith.extf", "arith.fptosi"]),
    ("int32", "fp8e5", ["arith.sitofp", "arith.truncf"]),
    ("*fp32", "int64", ["tile.ptr_to_int"]),
    ("*fp32", "int1", ["tile.ptr_to_int", "arith.constant", "arith.cmpi"]),
]


def operations(text: str) -> list[str]:
    lines = [line.strip() for line in text.splitlines() if " = " in line]
    return [line.split(" = ")[1].split(" ")[0] for line in lines]


@pytest.mark.parametrize("shape", ["", "[8]"])
@pytest.mark.parametrize("source, target, ops", TABLE)
def test_cast(kernel, source, target, ops, shape):
    made = kernel(source + shape)
    (x,) = made.args
    result = x.to(tl.dtype(target))
    assert result.type == x.type.with_element_ty(tl.dtype(target))
    assert operations(made.text()) == ops


def test_to_the_same_type_is_nothing(values):
    (x,) = values("fp32")
    assert x.to(tl.float32) is x


def test_pointers(values):
    p, i = values("*fp32", "int64")
    to_half = tl.pointer_type(tl.float16)
    assert p.to(to_half).type == to_half
    assert p.to(to_half, bitcast=True).handle.owner.name == "tile.ptr_cast"
    assert i.to(to_half).handle.owner.name == "tile.int_to_ptr"
    with pytest.raises(TypeMismatchError, match="cannot convert pointer<fp32> to fp32"):
        p.to(tl.float32)
    with pytest.raises(TypeMismatchError, match="cannot convert pointer<fp32> to int32"):
        p.to(tl.int32)


@pytest.mark.parametrize(
    "source, target, op",
    [("fp32", "int32", "arith.bitcast"), ("uint16", "bf16", "arith.bitcast")],
)
def test_bitcast(values, source, target, op):
    (x,) = values(source + "[8]")
    result = x.to(tl.dtype(target), bitcast=True)
    assert result.handle.owner.name == op and result.dtype == tl.dtype(target)
    assert tl.cast(x, tl.dtype(target), bitcast=True).type == result.type


def test_bitcast_of_integers_is_nothing(values):
    (x,) = values("int32")
    result = x.to(tl.uint32, bitcast=True)
    assert result.handle == x.handle and result.type == tl.uint32


def test_bitcast_needs_equal_widths(values):
    (x,) = values("fp32")
    with pytest.raises(TypeMismatchError, match="size 32 to data-type of size 16: fp32 to int16"):
        x.to(tl.int16, bitcast=True)


def test_rounding(kernel):
    made = kernel("fp32")
    (x,) = made.args
    x.to(tl.float16, fp_downcast_rounding="rtz")
    assert "arith.select" in made.text()
    assert x.to(tl.float16, fp_downcast_rounding="rtne").handle.owner.name == "arith.truncf"
    with pytest.raises(ConstantError, match="'rtne' or 'rtz', found 'up'"):
        x.to(tl.float16, fp_downcast_rounding="up")
    with pytest.raises(ConstantError, match="a narrower float, not from fp32 to int32"):
        x.to(tl.int32, fp_downcast_rounding="rtz")
    assert x.to(tl.float32, fp_downcast_rounding="rtz") is x
    with pytest.raises(ConstantError, match="'rtne' or 'rtz', found 'up'"):
        x.to(tl.float32, fp_downcast_rounding="up")


def test_not_a_dtype(values):
    (x,) = values("fp32")
    with pytest.raises(
        TypeMismatchError, match=r"expected a dtype such as tl\.float32, found 'i32'"
    ):
        x.to("i32")


@pytest.mark.parametrize(
    "number, dtype",
    [(1, "int32"), (2**31, "uint32"), (-(2**31) - 1, "int64"), (2**63, "uint64"), (True, "int1"),
     (1.5, "fp32"), (1e-40, "fp64"), (float("nan"), "fp32"), (0.0, "fp32")],
)  # fmt: skip
def test_to_tensor(kernel, number, dtype):
    kernel()
    assert tl.to_tensor(tl.constexpr(number)).type == tl.dtype(dtype)


def test_to_tensor_of_others(kernel):
    kernel()
    assert tl.to_tensor(1, tl.float16).type == tl.float16
    with pytest.raises(TypeMismatchError, match="does not fit in 64 bits"):
        tl.to_tensor(2**64)
    with pytest.raises(TypeMismatchError, match="expected a tensor or a number, found 'x'"):
        tl.to_tensor("x")
