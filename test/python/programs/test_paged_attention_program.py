"""Attention to keys and values in pages agrees with PyTorch in float64."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from paged_attention import paged_attention, reference  # noqa: E402
from program_errors import assert_exact, doubles  # noqa: E402

FLOAT, HALF, BFLOAT = torch.float32, torch.float16, torch.bfloat16


def inputs(lengths, heads, heads_kv, depth, page, dtype):
    """Pages of the sequences in random order, among pages of NaN that no sequence has."""
    per_sequence = max(1, max(-(-n // page) for n in lengths))
    pages = len(lengths) * per_sequence + 3
    tables = torch.randperm(pages)[: len(lengths) * per_sequence].view(len(lengths), -1).int()
    k, v = (torch.full((pages, page, heads_kv, depth), float("nan")) for _ in range(2))
    for i, length in enumerate(lengths):
        for token in range(length):
            at = tables[i, token // page], token % page
            k[at], v[at] = torch.randn(2, heads_kv, depth)
    q = torch.randn(len(lengths), heads, depth).to(dtype)
    return q, k.to(dtype), v.to(dtype), tables, torch.tensor(lengths, dtype=torch.int32)


@pytest.mark.parametrize(
    ("heads", "heads_kv", "depth", "page", "splits", "dtype"),
    [(4, 2, 64, 16, 4, HALF), (1, 1, 128, 1, 1, BFLOAT), (5, 1, 40, 7, 3, FLOAT),
     (8, 4, 64, 64, 2, BFLOAT)],
)  # fmt: skip
def test_lengths(heads, heads_kv, depth, page, splits, dtype) -> None:
    """NaN of tokens and pages that are not read must not reach the result."""
    given = inputs([1, 0, 33, 130, 64], heads, heads_kv, depth, page, dtype)
    out = paged_attention(*given, depth**-0.5, splits=splits)
    exact = reference(*doubles(*given), depth**-0.5)
    assert_exact(out, exact)
    assert not out[1].any()


def test_capped_scores() -> None:
    given = inputs([70, 3], 2, 1, 32, 16, FLOAT)
    out = paged_attention(*given, 1.0, cap=2.0)
    assert_exact(out, reference(*doubles(*given), 1.0, cap=2.0))


def test_float8_cache() -> None:
    q, k, v, tables, lengths = inputs([50, 20], 4, 2, 64, 16, HALF)
    k, v = (x.to(torch.float8_e4m3fn) for x in (k, v))
    out = paged_attention(q, k, v, tables, lengths, 0.125)
    assert_exact(out, reference(q.double(), k, v, tables, lengths, 0.125))
