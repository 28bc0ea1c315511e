"""RMS norm and its gradients agree with PyTorch in float64."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from program_errors import assert_exact, doubles  # noqa: E402
from rms_norm import reference, rms_norm  # noqa: E402

DTYPES = [torch.float32, torch.float16, torch.bfloat16]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1, 1), (3, 1), (1, 130), (20, 64), (2, 5, 1000)])
def test_values_and_gradients(shape, dtype) -> None:
    x = torch.randn(shape).to(dtype).requires_grad_()
    weight = torch.randn(shape[-1]).to(dtype).requires_grad_()
    exact_x, exact_weight = doubles(x, weight)
    y, exact = rms_norm(x, weight, offset=1.0), reference(exact_x, exact_weight, offset=1.0)
    assert_exact(y, exact)
    dy = torch.randn(shape).to(dtype)
    y.backward(dy)
    exact.backward(dy.double())
    # A row of one element is divided by its own magnitude, so that its gradient is almost zero.
    assert_exact(x.grad, exact_x.grad, terms=10 if shape[-1] == 1 else 0)
    assert_exact(weight.grad, exact_weight.grad)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("columns", [7, 128])
def test_residual(columns, dtype) -> None:
    """The gradients of the norm and of the sum meet in those of x and the residual."""
    given = [torch.randn(11, columns).to(dtype).requires_grad_() for _ in range(2)]
    y, total = rms_norm(given[0], residual=given[1])
    # The sum is rounded before it is normalized: the exact result starts from the same sum.
    assert_exact(total, given[0].double() + given[1].double())
    (rounded,) = doubles(total.detach().requires_grad_())
    exact = reference(rounded)
    assert_exact(y, exact)
    dy, dtotal = torch.randn(2, 11, columns).to(dtype)
    torch.autograd.backward((y, total), (dy, dtotal))
    exact.backward(dy.double())
    for x in given:
        assert_exact(x.grad, rounded.grad + dtotal.double())


def test_columns_that_are_a_part_of_a_matrix() -> None:
    x = torch.randn(6, 200)[:, 50:150]
    assert_exact(rms_norm(x), reference(*doubles(x)))


def test_transposed_rows() -> None:
    x = torch.randn(40, 6).t()
    assert_exact(rms_norm(x), reference(*doubles(x)))


def test_no_rows() -> None:
    assert rms_norm(torch.empty(0, 16), torch.ones(16)).shape == (0, 16)
