"""Rotary embeddings and their gradient agree with PyTorch in float64."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from program_errors import assert_exact, doubles  # noqa: E402
from rope import reference, rope, tables  # noqa: E402

SHAPES = [(2, 9, 3, 64, 32), (1, 1, 1, 2, 1), (1, 5, 9, 80, 20), (2, 3, 1, 48, 24)]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("interleaved", [False, True])
@pytest.mark.parametrize(("batch", "length", "heads", "depth", "half"), SHAPES)
def test_rotation_and_gradient(batch, length, heads, depth, half, interleaved, dtype) -> None:
    x = torch.randn(batch, length, heads, depth).to(dtype).requires_grad_()
    cos, sin = tables(length, half)
    exact_x, exact_cos, exact_sin = doubles(x, cos, sin)
    out = rope(x, cos, sin, interleaved=interleaved)
    exact = reference(exact_x, exact_cos, exact_sin, interleaved=interleaved)
    assert_exact(out, exact)
    dout = torch.randn(out.shape).to(dtype)
    out.backward(dout)
    exact.backward(dout.double())
    assert_exact(x.grad, exact_x.grad)


@pytest.mark.parametrize("kind", [torch.int32, torch.int64])
def test_positions_and_strides(kind) -> None:
    """Heads before tokens in memory, tokens in any order, and a table in half precision."""
    x = torch.randn(2, 3, 7, 32).transpose(1, 2)
    positions = torch.randint(0, 50, (2, 7)).to(kind)
    cos, sin = (table.half() for table in tables(50, 16))
    out = rope(x, cos, sin, positions)
    assert_exact(out, reference(*doubles(x, cos, sin, positions.long())))


def test_mismatching_tables() -> None:
    cos, sin = tables(4, 16)
    with pytest.raises(ValueError, match=r"tables \(4, 16\) and \(4, 16\) for depth 16"):
        rope(torch.randn(1, 4, 2, 16), cos, sin)
