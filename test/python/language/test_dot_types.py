import pytest

import tilewright
import tilewright.language as tl
from tilewright.errors import ArgumentError, ConstantError, ShapeMismatchError, TypeMismatchError


@pytest.mark.parametrize(
    "dtype, out, result",
    [
        ("fp16", "fp32", "fp32"),
        ("fp16", "fp16", "fp16"),
        ("bf16", "fp32", "fp32"),
        ("bf16", "fp16", "fp32"),
        ("fp32", "fp32", "fp32"),
        ("fp32", "fp16", "fp32"),
        ("fp32", "int32", "fp32"),
        ("fp64", "fp64", "fp64"),
        ("fp64", "fp32", "fp64"),
        ("int8", "fp32", "int32"),
        ("int8", "bf16", "int32"),
        ("fp8e5", "fp32", "fp32"),
        ("fp8e4nv", "fp16", "fp16"),
        ("fp8e4b15", "fp32", "fp32"),
    ],
)
def test_types(values, dtype, out, result):
    a, b = values(f"{dtype}[16,32]", f"{dtype}[32,8]")
    got = tl.dot(a, b, out_dtype=tl.dtype(out))
    assert got.type == tl.block_type(tl.dtype(result), (16, 8))
    assert tl.dot(a, b, got, out_dtype=tl.dtype(out)).type == got.type


def test_batched(values):
    a, b = values("fp32[4,16,32]", "fp32[4,32,8]")
    assert tl.dot(a, b).type.shape == (4, 16, 8)


def test_mixed_float8(values):
    kinds = ["fp8e5", "fp8e4nv", "fp8e4b8", "fp8e5b16", "fp8e4b15"]
    tiles = values(*[f"{kind}[16,16]" for kind in kinds])
    for a in tiles:
        for b in tiles:
            assert tl.dot(a, b).dtype == tl.float32


@pytest.mark.parametrize(
    "options, precision",
    [
        ({}, "tf32"),
        ({"input_precision": "ieee"}, "ieee"),
        ({"input_precision": "tf32x3"}, "tf32x3"),
        ({"allow_tf32": False}, "ieee"),
        ({"allow_tf32": tl.constexpr(True)}, "tf32"),
    ],
)
def test_precision(kernel, options, precision):
    made = kernel("fp32[16,16]", "fp32[16,16]")
    tl.dot(*made.args, **options)
    # The default of the operation is not printed.
    assert (f"#tile.precision<{precision}>" in made.text()) == (precision != "ieee")


@pytest.mark.parametrize("mode, count", [("bf16x3", 3), ("bf16x6", 6)])
def test_precisions_by_several_dots(kernel, mode, count):
    made = kernel("fp32[16,16]")
    assert tl.dot(made.args[0], made.args[0], input_precision=mode).dtype == tl.float32
    assert made.text().count("tile.dot") == count
    half = kernel("fp16[16,16]")
    tl.dot(half.args[0], half.args[0], input_precision=mode)
    assert half.text().count("tile.dot") == 1


def test_bad_precision(values):
    a, b = values("fp32[16,16]", "fp32[16,16]")
    with pytest.raises(ConstantError, match="found 'fast'"):
        tl.dot(a, b, input_precision="fast")
    with pytest.raises(ConstantError, match="not both"):
        tl.dot(a, b, input_precision="ieee", allow_tf32=False)


def test_shapes_that_do_not_fit(values):
    a, b, c = values("fp32[16,32]", "fp32[16,32]", "fp32[2,32,8]")
    with pytest.raises(ShapeMismatchError, match=r"rows in its right one, found \[16, 32\] and"):
        tl.dot(a, b)
    with pytest.raises(ShapeMismatchError, match="rank 2 or two of rank 3"):
        tl.dot(a, c)
    with pytest.raises(ShapeMismatchError, match="equal batch sizes"):
        tl.dot(tl.reshape(a, 1, 16, 32), c)


def test_types_that_do_not_fit(values):
    a, b, u = values("fp32[16,16]", "fp16[16,16]", "uint8[16,16]")
    with pytest.raises(TypeMismatchError, match="must be same dtype: dot found fp32 and fp16"):
        tl.dot(a, b)
    with pytest.raises(TypeMismatchError, match="found uint8 and uint8: unsupported left operand"):
        tl.dot(u, u)
    (byte,) = values("fp8e5[16,16]")
    with pytest.raises(TypeMismatchError, match="must be same dtype: dot found fp8e5 and fp16"):
        tl.dot(byte, b)
    with pytest.raises(TypeMismatchError, match="must be same dtype: dot found fp16 and fp8e5"):
        tl.dot(b, byte)
    with pytest.raises(TypeMismatchError, match="found fp16 and uint8: unsupported right operand"):
        tl.dot(b, u)


@pytest.mark.parametrize("dtype, out", [("fp16", "fp64"), ("fp16", "int32"), ("fp8e5", "fp8e5")])
def test_results_that_dot_cannot_give(values, dtype, out):
    (a,) = values(f"{dtype}[16,16]")
    with pytest.raises(TypeMismatchError, match=f"dot of {dtype} cannot give {out}"):
        tl.dot(a, a, out_dtype=tl.dtype(out))


@pytest.mark.parametrize("dtype", ["fp16", "bf16", "fp32", "fp64"])
def test_dot_never_gives_bfloat16(values, dtype):
    (a,) = values(f"{dtype}[16,16]")
    with pytest.raises(TypeMismatchError, match="dot cannot give bf16") as caught:
        tl.dot(a, a, out_dtype=tl.bfloat16)
    assert ".to(tl.bfloat16)" in str(caught.value.hint)


def test_imprecise_accumulation(values):
    a, half = values("fp8e5[16,32]", "fp16[16,32]")
    for count in (0, 32, tl.constexpr(16)):
        assert tl.dot(a, a.T, max_num_imprecise_acc=count).dtype == tl.float32
    with pytest.raises(
        ConstantError, match="max_num_imprecise_acc must be at most K, 32, found 64"
    ):
        tl.dot(a, a.T, max_num_imprecise_acc=64)
    assert tl.dot(half, half.T, max_num_imprecise_acc=64).dtype == tl.float32
    with pytest.raises(ConstantError, match="max_num_imprecise_acc must be an integer"):
        tl.dot(a, a.T, max_num_imprecise_acc="16")


def test_bad_accumulator(values):
    a, small, half = values("fp32[16,16]", "fp32[8,16]", "fp16[16,16]")
    with pytest.raises(ShapeMismatchError, match=r"gives shape \[16, 16\] but acc has \[8, 16\]"):
        tl.dot(a, a, small)
    with pytest.raises(TypeMismatchError, match="gives fp32 but acc is fp16"):
        tl.dot(a, a, half)


@tilewright.jit
def product(x, out):
    i, j = tl.arange(0, 16)[:, None], tl.arange(0, 16)[None, :]
    value = tl.load(x + 16 * i + j)
    tl.store(out + 16 * i + j, tl.dot(value, value))


@pytest.mark.parametrize("mode", ["ieee", "tf32", "tf32x3"])
def test_the_environment_sets_the_default_precision(monkeypatch, mode) -> None:
    monkeypatch.setenv("TRITON_F32_DEFAULT", mode)
    made = product.warmup(tl.float32, tl.float32)
    assert made.metadata["options"]["default_dot_input_precision"] == mode
    monkeypatch.delenv("TRITON_F32_DEFAULT")
    named = product.warmup(tl.float32, tl.float32, default_dot_input_precision=mode)
    assert named.asm["source"] == made.asm["source"]
    other = product.warmup(tl.float32, tl.float32)
    assert (other.asm["source"] == made.asm["source"]) == (mode == "tf32")


def test_a_default_precision_that_does_not_exist(monkeypatch) -> None:
    monkeypatch.setenv("TRITON_F32_DEFAULT", "bf16")
    with pytest.raises(ArgumentError, match="TRITON_F32_DEFAULT must be 'ieee' or 'tf32'"):
        product.warmup(tl.float32, tl.float32)


def test_no_out_dtype_is_the_default(values):
    (x,) = values("fp16[16,16]")
    assert tl.dot(x, x, out_dtype=None).dtype == tl.float32
