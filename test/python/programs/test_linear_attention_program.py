"""Linear attention by chunks agrees with the recurrence in float64."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from linear_attention import linear_attention, reference  # noqa: E402
from program_errors import assert_exact, doubles  # noqa: E402

FLOAT, HALF, BFLOAT = torch.float32, torch.float16, torch.bfloat16


def inputs(batch, length, heads, k, v, dtype, decay=1.0):
    queries, keys = torch.randn(2, batch, length, heads, k).to(dtype)
    values = torch.randn(batch, length, heads, v).to(dtype)
    return queries, keys, values, -decay * torch.rand(batch, length, heads)


@pytest.mark.parametrize(
    ("batch", "length", "heads", "k", "v", "dtype"),
    [(1, 100, 2, 64, 32, HALF), (2, 33, 1, 20, 50, FLOAT), (1, 1, 1, 1, 1, FLOAT),
     (1, 64, 3, 32, 16, BFLOAT)],
)  # fmt: skip
def test_chunks(batch, length, heads, k, v, dtype) -> None:
    given = inputs(batch, length, heads, k, v, dtype)
    out, last = linear_attention(*given, k**-0.5)
    assert last is None
    assert_exact(out, reference(*doubles(*given), k**-0.5)[0])


@pytest.mark.parametrize("dtype", [FLOAT, BFLOAT])
def test_states(dtype) -> None:
    """Two calls that pass the state on are one call."""
    given = inputs(2, 70, 2, 32, 24, dtype)
    initial = torch.randn(2, 2, 32, 24)
    exact, exact_last = reference(*doubles(*given), 1.0, initial.double())
    first = [x[:, :40].contiguous() for x in given]
    second = [x[:, 40:].contiguous() for x in given]
    out1, middle = linear_attention(*first, 1.0, initial, final=True)
    out2, last = linear_attention(*second, 1.0, middle, final=True)
    assert_exact(torch.cat((out1, out2), dim=1), exact)
    assert_exact(last, exact_last, factor=1 if dtype == FLOAT else 300)  # products of bfloat16


def test_decays_beyond_the_range_of_exp() -> None:
    given = inputs(1, 80, 1, 16, 16, FLOAT, decay=100.0)
    out, _ = linear_attention(*given, 1.0)
    # Differences of cumulative sums near 1,600 have errors near 1e-4; so have their exponentials.
    assert_exact(out, reference(*doubles(*given), 1.0)[0], factor=20)
