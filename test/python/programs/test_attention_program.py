"""Fused attention and its gradient agree with PyTorch in float64."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from attention import attention_forward, reference  # noqa: E402
from attention_backward import attention  # noqa: E402
from program_errors import assert_exact, doubles  # noqa: E402


def inputs(heads, heads_kv, m, n, depth, dtype, batch=1):
    """q, k and v as views of [batch, length, heads, depth], the way that projections give them."""
    shapes = ((m, heads), (n, heads_kv), (n, heads_kv))
    return [torch.randn(batch, *s, depth).to(dtype).transpose(1, 2) for s in shapes]


FLOAT, HALF, BFLOAT = torch.float32, torch.float16, torch.bfloat16


@pytest.mark.parametrize(
    ("depth", "causal", "dtype"),
    [(64, False, FLOAT), (64, True, HALF), (64, True, BFLOAT), (128, False, HALF),
     (128, True, BFLOAT)],
)  # fmt: skip
def test_forward(depth, causal, dtype) -> None:
    q, k, v = inputs(2, 1, 100, 100, depth, dtype)
    out, lse = attention_forward(q, k, v, causal, depth**-0.5)
    exact, exact_lse = reference(*doubles(q, k, v), causal, depth**-0.5)
    assert_exact(out, exact)
    assert_exact(lse, exact_lse)


SIZES = [(1, 1), (1, 70), (70, 1), (33, 65), (97, 31)]


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(("m", "n"), SIZES)
def test_odd_sizes(m, n, causal) -> None:
    """With fewer keys than queries, the first queries see no key and give zero."""
    q, k, v = inputs(1, 1, m, n, 16, torch.float32, batch=2)
    out, lse = attention_forward(q, k, v, causal, 0.3)
    exact, exact_lse = reference(*doubles(q, k, v), causal, 0.3)
    assert_exact(out, exact)
    assert_exact(lse, exact_lse)


@pytest.mark.parametrize(
    ("heads", "heads_kv", "m", "n", "depth", "causal", "dtype"),
    [(1, 1, 50, 50, 64, True, HALF), (4, 2, 33, 40, 64, False, BFLOAT),
     (2, 1, 40, 33, 40, True, FLOAT), (1, 1, 1, 1, 128, True, BFLOAT),
     (1, 1, 65, 33, 128, True, HALF)],
)  # fmt: skip
def test_gradients(heads, heads_kv, m, n, depth, causal, dtype) -> None:
    given = [x.requires_grad_() for x in inputs(heads, heads_kv, m, n, depth, dtype)]
    exact = doubles(*given)
    dout = torch.randn(1, heads, m, depth).to(dtype)
    out = attention(*given, causal)
    out.backward(dout)
    want, _ = reference(*exact, causal, depth**-0.5)
    want.backward(dout.double())
    assert_exact(out, want)
    for ours, theirs in zip(given, exact, strict=True):
        # The gradient of the scores of a query that sees a single key is zero.
        assert_exact(ours.grad, theirs.grad, factor=2, terms=1 if m == 1 else 0)


def test_scores_that_would_overflow() -> None:
    q, k, v = inputs(1, 1, 40, 40, 16, FLOAT)
    out, _ = attention_forward(q * 100, k * 100, v, True, 1.0)
    exact, _ = reference(*doubles(q * 100, k * 100, v), True, 1.0)
    assert_exact(out, exact, factor=100)  # the scores are near 1e5, and their errors near 1e-2


def test_mismatching_heads() -> None:
    q, k, v = inputs(3, 2, 8, 8, 16, FLOAT)
    with pytest.raises(ValueError, match="3 heads of Q can't share 2"):
        attention(q, k, v)
