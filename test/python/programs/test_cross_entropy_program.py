"""Fused cross entropy and its gradient agree with PyTorch in float64."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from cross_entropy import cross_entropy, reference  # noqa: E402
from program_errors import assert_exact, doubles  # noqa: E402

OPTIONS = [
    {},
    {"smoothing": 0.1, "mean": False},
    {"penalty": 1e-2, "smoothing": 0.3},
    {"cap": 5.0, "penalty": 1e-3},
]


def check(logits, labels, **options) -> None:
    logits = logits.detach().requires_grad_()
    (exact_logits,) = doubles(logits)
    loss, exact = (
        cross_entropy(logits, labels, **options),
        reference(exact_logits, labels.long(), **options),
    )
    assert_exact(loss, exact)
    (3 * loss).backward()
    (3 * exact).backward()
    assert_exact(logits.grad, exact_logits.grad)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: "-".join(options) or "plain")
def test_loss_and_gradient(options, dtype) -> None:
    logits = (3 * torch.randn(7, 2500)).to(dtype)
    labels = torch.randint(0, 2500, (7,))
    labels[2] = -100
    check(logits, labels, **options)


@pytest.mark.parametrize(("rows", "vocabulary"), [(1, 2), (3, 1024), (2, 1025), (5, 33)])
def test_sizes(rows, vocabulary) -> None:
    check(torch.randn(rows, vocabulary), torch.randint(0, vocabulary, (rows,)))


def test_strides_and_narrow_labels() -> None:
    logits = torch.randn(50, 9)
    labels = torch.randint(0, 50, (9,), dtype=torch.int32)
    check(logits.t(), labels, ignored=3)
    check(torch.randn(4, 100)[:, 7:60], torch.randint(0, 53, (4,)))


def test_large_logits() -> None:
    """The greatest logit comes last, and exp of any would overflow."""
    logits = torch.linspace(-30000, 30000, 2100).repeat(2, 1)
    check(logits, torch.tensor([2099, 0]))


def test_one_class_and_hidden_classes() -> None:
    """A loss of zero, and logits of -inf as masks make them."""
    loss = cross_entropy(torch.randn(4, 1), torch.zeros(4, dtype=torch.int64))
    assert loss == 0
    logits = torch.randn(3, 40)
    logits[:, 20:] = -float("inf")
    check(logits, torch.tensor([0, 5, 19]))
    logits = torch.randn(2, 1500)
    logits[:, :1100] = -float("inf")  # the whole first tile
    check(logits, torch.tensor([1100, 1499]))
