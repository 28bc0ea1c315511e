"""The selective scan agrees with the recurrence in float64."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from program_errors import assert_exact, doubles  # noqa: E402
from selective_scan import reference, selective_scan  # noqa: E402

FLOAT, HALF, BFLOAT = torch.float32, torch.float16, torch.bfloat16


def inputs(batch, length, channels, n, dtype):
    """x, dt, a, b, c."""
    x = torch.randn(batch, length, channels).to(dtype)
    dt = torch.rand(batch, length, channels).to(dtype)
    b, c = torch.randn(2, batch, length, n).to(dtype)
    return x, dt, -torch.rand(channels, n) * 4, b, c


@pytest.mark.parametrize(
    ("batch", "length", "channels", "n", "dtype"),
    [(2, 40, 13, 16, FLOAT), (1, 1, 1, 1, FLOAT), (1, 100, 8, 5, HALF), (2, 17, 20, 16, BFLOAT)],
)
def test_scan(batch, length, channels, n, dtype) -> None:
    given = inputs(batch, length, channels, n, dtype)
    y, state = selective_scan(*given)
    exact, exact_state = reference(*doubles(*given))
    assert_exact(y, exact)
    assert_exact(state, exact_state)


@pytest.mark.parametrize("dtype", [FLOAT, BFLOAT])
def test_gate_skip_bias_and_softplus(dtype) -> None:
    given = inputs(2, 23, 9, 8, dtype)
    d, bias = torch.randn(2, 9).to(dtype)
    z = torch.randn(2, 23, 9).to(dtype)
    y, _ = selective_scan(*given, d, z, bias, softplus=True)
    exact, _ = reference(*doubles(*given, d, z, bias), softplus=True)
    assert_exact(y, exact)


def test_a_state_that_is_passed_on() -> None:
    x, dt, a, b, c = given = inputs(1, 50, 10, 16, FLOAT)
    exact, exact_state = reference(*doubles(*given))
    parts = []
    state = None
    for low, high in ((0, 7), (7, 8), (8, 50)):
        one = [y[:, low:high] for y in (x, dt, b, c)]
        y, state = selective_scan(one[0], one[1], a, one[2], one[3], initial=state)
        parts.append(y)
    assert_exact(torch.cat(parts, dim=1), exact)
    assert_exact(state, exact_state)


def test_channels_of_a_wider_projection() -> None:
    """x, dt, B and C as parts of one matrix, the way that Mamba computes them."""
    wide = torch.randn(2, 19, 60)
    x, dt, b, c = wide[..., :12], wide[..., 12:24], wide[..., 24:32], wide[..., 32:40]
    a = -torch.rand(12, 8)
    y, _ = selective_scan(x, dt, a, b, c, softplus=True)
    exact, _ = reference(*doubles(x, dt, a, b, c), softplus=True)
    assert_exact(y, exact)
