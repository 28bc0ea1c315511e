"""Embedding lookups and their gradients, summed by atomics, agree with PyTorch in float64."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from embedding import embedding, reference  # noqa: E402
from program_errors import assert_exact, doubles  # noqa: E402

DTYPES = [torch.float32, torch.float16, torch.bfloat16]


def check(table, tokens, padding=-1, **options) -> None:
    table = table.detach().requires_grad_()
    (exact_table,) = doubles(table)
    out = embedding(table, tokens, padding, **options)
    exact = reference(exact_table, tokens, padding)
    assert torch.equal(out.double(), exact)
    dout = torch.randn(out.shape).to(out.dtype)
    out.backward(dout)
    exact.backward(dout.double())
    # Rows that occur often are sums that may cancel.
    assert_exact(table.grad, exact_table.grad, terms=1)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("columns", [1, 7, 64, 200])
@pytest.mark.parametrize("vocabulary", [1, 50])
def test_lookup_and_gradient(vocabulary, columns, dtype) -> None:
    check(torch.randn(vocabulary, columns).to(dtype), torch.randint(0, vocabulary, (3, 13)))


def test_padding_and_narrow_tokens() -> None:
    tokens = torch.tensor([[0, 2, 2], [3, 2, 0]], dtype=torch.int32)
    check(torch.randn(4, 33), tokens, padding=2)


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_token_is_the_same(dtype) -> None:
    """All programs add to one row; sums of small integers are exact in every dtype and order."""
    table = torch.zeros(3, 40).to(dtype).requires_grad_()
    out = embedding(table, torch.full((100,), 1), accumulator=None)
    dout = torch.randint(-1, 2, out.shape).to(dtype)
    out.backward(dout)
    assert torch.equal(table.grad[1], dout.sum(0))
    assert not table.grad[0].any() and not table.grad[2].any()


def test_rows_of_a_wider_table() -> None:
    check(torch.randn(20, 64)[:, :24], torch.randint(0, 20, (17,)))
