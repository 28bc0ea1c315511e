import pytest

import tilewright.language as tl
from tilewright.errors import (
    ConstantError,
    ShapeMismatchError,
    StaticAssertError,
    TypeMismatchError,
)


def test_facts_on_operations(kernel):
    made = kernel("int32")
    x = tl.arange(0, 16)
    y = tl.multiple_of(x, 8)
    tl.max_contiguous(y, [16])
    z = (y * made.args[0])[:, None]
    z.max_constancy((1, 1))
    text = made.text()
    assert "%1 = tile.hint %0 divisibility [8] : tensor<16xi32>" in text
    assert "%2 = tile.hint %1 contiguity [16] : tensor<16xi32>" in text
    assert "arith.muli %2, " in text
    assert "constancy [1, 1] : tensor<16x1xi32>" in text


def test_fact_on_an_argument(kernel):
    made = kernel("int32")
    _ = tl.multiple_of(made.args[0], tl.constexpr(16)) + 1
    text = made.text()
    assert "%arg0: i32)" in text
    assert "%0 = tile.hint %arg0 divisibility [16] : i32" in text and "arith.addi %0, " in text


def test_hints_of_constants_are_nothing(kernel):
    kernel()
    assert tl.multiple_of(tl.constexpr(32), 16) == 32


def test_bad_hints(values):
    x, n, y = values("int32[4,8]", "int32", "fp32")
    with pytest.raises(ShapeMismatchError, match=r"one value per dimension: 2 for .* found 1"):
        tl.multiple_of(x, 8)
    with pytest.raises(ConstantError, match="value of contiguity must be"):
        tl.max_contiguous(n, n)
    with pytest.raises(
        ConstantError, match=r"values of divisibility must be positive, found \[0\]"
    ):
        tl.multiple_of(n, 0)
    with pytest.raises(ConstantError, match="less than 2"):
        tl.multiple_of(n, 2**31)
    with pytest.raises(TypeMismatchError, match="takes integers and pointers, found fp32"):
        tl.multiple_of(y, 8)


def test_constancy_of_floats_changes_nothing(kernel):
    made = kernel("fp32[8]")
    assert tl.max_constancy(made.args[0], 4) is made.args[0]
    assert "tile.hint" not in made.text()


def test_assume(values):
    (n,) = values("int32")
    assert tl.assume(n > 0) is None
    with pytest.raises(TypeMismatchError):
        tl.assume("n > 0")


def test_static_assert(values):
    (n,) = values("int32")
    tl.static_assert(tl.constexpr(4) > 3, "fine")
    with pytest.raises(StaticAssertError, match="BLOCK must be small"):
        tl.static_assert(tl.constexpr(False), "BLOCK must be small")
    with pytest.raises(ConstantError, match="known at compile time"):
        tl.static_assert(n > 3)


def test_static_print(values, capsys):
    (x,) = values("fp32[4]")
    tl.static_print("x is", x, tl.constexpr(3), sep=" | ")
    assert capsys.readouterr().out == "x is | tensor(<[4], fp32>) | 3\n"


def test_device_print(kernel):
    made = kernel("fp32[4]", "uint32")
    tl.device_print("values", *made.args, 7, hex=True)
    text = made.text()
    assert 'tile.print ["values: (operand 0) ", ""] [".9g"]' in text
    assert 'tile.print ["values: (operand 1) 0x", ""] ["08x"]' in text
    with pytest.raises(ConstantError, match="prefix of device_print must be a constant string"):
        tl.device_print(3)


@pytest.mark.parametrize("options, there", [({}, True), ({"debug": False}, False), (None, True)])
def test_assertions_are_an_option(kernel, options, there):
    made = kernel("int32")
    made.context.options = options
    tl.device_assert(made.args[0] > 0, "positive")
    assert ("tile.assert" in made.text()) == there


def test_device_assert(kernel):
    made = kernel("int32[4]", "int1[4]")
    x, mask = made.args
    tl.device_assert(x, "x is zero", mask=mask)
    tl.debug_barrier()
    text = made.text()
    assert '"x is zero" : tensor<4xi1>' in text and "tile.barrier" in text
