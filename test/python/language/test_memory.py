import pytest

import tilewright.language as tl
from tilewright.errors import ConstantError, ShapeMismatchError, TypeMismatchError


def test_load(kernel):
    made = kernel("*fp32", "*fp16[16]", "int1[16]")
    p, block, mask = made.args
    assert tl.load(p).type == tl.float32
    assert tl.load(block).type == tl.block_type(tl.float16, (16,))
    assert tl.load(block, mask=mask, other=0).type == tl.block_type(tl.float16, (16,))
    assert tl.load(block, True).type == tl.block_type(tl.float16, (16,))
    text = made.text()
    assert "mask %arg2 other" in text
    assert "constant 0.000000e+00 : f16" in text


def test_mask_and_pointers_broadcast_together(values):
    p, mask = values("*fp32[16,1]", "int1[1,8]")
    assert tl.load(p, mask=mask).type.shape == (16, 8)


def test_options(kernel):
    made = kernel("*fp32", "fp32")
    p, x = made.args
    tl.load(p, cache_modifier=".cg", eviction_policy="evict_last", volatile=True)
    tl.store(p, x, cache_modifier=".wt", eviction_policy="evict_first")
    text = made.text()
    for part in ("#tile.cache<cg>", "#tile.evict<last>", "volatile", "#tile.cache<wt>"):
        assert part in text


def test_bool_memory(values):
    (p,) = values("*int1[8]")
    assert tl.load(p).type == tl.block_type(tl.int1, (8,))


def test_store(kernel):
    made = kernel("*fp16[16]", "int32", "int1", "fp32[1]")
    p, i, mask, one = made.args
    assert tl.store(p, i, mask=mask) is None
    tl.store(p, 1.5)
    tl.store(p, one)
    text = made.text()
    assert text.count("tile.store") == 3 and "arith.sitofp %arg1 : i32 to f16" in text


def test_store_of_another_shape(values):
    p, wide, other, mask = values("*fp32[16]", "fp32[4,16]", "fp32[8]", "int1[4,1]")
    with pytest.raises(
        ShapeMismatchError, match=r"store has pointers of shape \[16\] but .*\[4, 16"
    ):
        tl.store(p, wide)
    with pytest.raises(
        ShapeMismatchError, match=r"store: .*shapes \[16\] and \[8\] do not broadcast"
    ):
        tl.store(p, other)
    with pytest.raises(ShapeMismatchError, match="pointers of shape"):
        tl.store(p, 1.0, mask=mask)


def test_scalar_pointer_beside_blocks(values):
    p, x, mask = values("*fp32", "fp32[8]", "int1[8]")
    for wrong in (lambda: tl.store(p, x), lambda: tl.load(p, mask), lambda: tl.store(p, 0, mask)):
        with pytest.raises(ShapeMismatchError, match="scalar pointer<fp32> beside a tile"):
            wrong()


def test_not_a_pointer(values):
    (x,) = values("fp32[8]")
    with pytest.raises(TypeMismatchError, match=r"load takes a pointer.* found <\[8\], fp32>"):
        tl.load(x)
    with pytest.raises(TypeMismatchError, match="store takes a pointer"):
        tl.store(x, 1)


def test_bad_mask(values):
    p, x = values("*fp32[8]", "int32[8]")
    with pytest.raises(TypeMismatchError, match="the mask of load must be int1"):
        tl.load(p, mask=x)
    with pytest.raises(TypeMismatchError, match="`other` only together with a mask"):
        tl.load(p, other=0)


def test_constant_memory(kernel):
    kernel()
    pointer = tl.pointer_type(tl.float32, const=True)
    x = tl.to_tensor(0, tl.int64).to(pointer)
    with pytest.raises(TypeMismatchError, match="Cannot store to a constant pointer"):
        tl.store(x, 1.0)


def test_bad_options(values):
    (p,) = values("*fp32")
    with pytest.raises(ConstantError, match=r"cache_modifier must be one of .*found '\.wt'"):
        tl.load(p, cache_modifier=".wt")
    with pytest.raises(ConstantError, match="eviction_policy"):
        tl.load(p, eviction_policy="never")
    with pytest.raises(TypeMismatchError, match="block pointers"):
        tl.load(p, boundary_check=(0,))


def test_atomics(kernel):
    made = kernel("*fp32[8]", "*int32", "*uint32", "int1[8]")
    f, i, u, mask = made.args
    assert tl.atomic_add(f, 1.0, mask=mask, sem="relaxed", scope="cta").type == tl.block_type(
        tl.float32, (8,)
    )
    assert tl.atomic_add(i, 1).type == tl.atomic_max(i, 1).type == tl.int32
    assert tl.atomic_max(u, 1).type == tl.atomic_min(u, 1).type == tl.uint32
    assert tl.atomic_min(f, 1.0, mask).type == tl.block_type(tl.float32, (8,))
    assert tl.atomic_xchg(f, 0.0).type == tl.block_type(tl.float32, (8,))
    assert tl.atomic_cas(i, 0, 1).type == tl.int32
    for function in (tl.atomic_and, tl.atomic_or, tl.atomic_xor):
        function(i, 1)
    text = made.text()
    for kind in ("fadd", "add", "umax", "umin", "min", "max", "xchg", "and", "or", "xor"):
        assert f"tile.atomic_rmw <{kind}>" in text
    assert "#tile.sem<relaxed>" in text and "tile.atomic_cas" in text


def test_atomics_refuse(values):
    h, b, f = values("*fp16", "*int8", "*fp32")
    tl.atomic_add(h, 1.0)
    with pytest.raises(TypeMismatchError, match="atomic_max does not take elements of type int8"):
        tl.atomic_max(b, 1)
    with pytest.raises(TypeMismatchError, match="atomic_add does not take elements of type int8"):
        tl.atomic_add(b, 1)
    with pytest.raises(TypeMismatchError, match="atomic_xor does not take elements of type fp32"):
        tl.atomic_xor(f, 1)
    with pytest.raises(TypeMismatchError, match="16, 32 or 64 bits"):
        tl.atomic_cas(b, 1, 2)
    with pytest.raises(ConstantError, match="sem must be one of"):
        tl.atomic_add(f, 1.0, sem="seq_cst")


def test_store_as_a_method(kernel):
    made = kernel("*fp32")
    pointers = made.args[0] + tl.arange(0, 8)
    pointers.store(1.0, mask=tl.arange(0, 8) < 3)
    made.args[0].store(2, cache_modifier="cg")
    assert made.text().count("tile.store") == 2


def test_cache_modifiers_without_a_dot(kernel):
    made = kernel("*fp32")
    tl.load(made.args[0], cache_modifier="cg")
    tl.store(made.args[0], 1.0, cache_modifier="wt")
    text = made.text()
    assert "cg" in text and "wt" in text
    with pytest.raises(ConstantError, match="cache_modifier must be one of"):
        tl.load(made.args[0], cache_modifier="ab")
