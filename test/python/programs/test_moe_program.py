"""Routing, sorting by expert, and a mixture of experts agree with PyTorch."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from moe import moe, reference, route, sort_by_expert  # noqa: E402
from program_errors import assert_exact, doubles  # noqa: E402

FLOAT, HALF, BFLOAT = torch.float32, torch.float16, torch.bfloat16


@pytest.mark.parametrize("dtype", [FLOAT, HALF, BFLOAT])
@pytest.mark.parametrize(("experts", "k"), [(1, 1), (8, 2), (60, 6), (5, 5), (256, 8)])
def test_routing(experts, k, dtype) -> None:
    """Logits of few different values: of equal ones the first experts are chosen."""
    logits = torch.randint(-3, 4, (9, experts)).to(dtype)
    logits[0] = -float("inf")
    logits[0, 0] = -2
    chosen, weights, counts = route(logits, k)
    best, order = torch.sort(logits.double(), dim=1, descending=True, stable=True)
    assert torch.equal(chosen.long(), order[:, :k])
    assert_exact(weights, torch.softmax(best[:, :k], dim=1))
    assert torch.equal(counts.long(), torch.bincount(order[:, :k].flatten(), minlength=experts))


@pytest.mark.parametrize(("tokens", "experts", "k"), [(1, 3, 1), (7, 4, 2), (50, 3, 3), (9, 64, 2)])
def test_slots(tokens, experts, k) -> None:
    """Each pair has one slot, in a tile of its expert."""
    chosen, _, counts = route(torch.randn(tokens, experts), k)
    slots, tile_experts = sort_by_expert(chosen, counts, 16)
    filled = slots < tokens * k
    assert torch.equal(slots[filled].sort().values.long(), torch.arange(tokens * k))
    owners = tile_experts.repeat_interleave(16)
    assert torch.equal(chosen.flatten()[slots[filled].long()], owners[filled])


@pytest.mark.parametrize(
    ("tokens", "depth", "inner", "experts", "k", "dtype"),
    [(20, 40, 50, 4, 2, FLOAT), (1, 33, 1, 3, 1, HALF), (17, 64, 24, 8, 3, BFLOAT),
     (40, 16, 16, 1, 1, HALF)],
)  # fmt: skip
def test_experts(tokens, depth, inner, experts, k, dtype) -> None:
    x, logits = torch.randn(tokens, depth).to(dtype), torch.randn(tokens, experts)
    w1 = (torch.randn(experts, 2 * inner, depth) / depth**0.5).to(dtype)
    w2 = (torch.randn(experts, depth, inner) / inner**0.5).to(dtype)
    assert_exact(moe(x, logits, w1, w2, k), reference(*doubles(x, logits, w1, w2), k))


def test_all_tokens_choose_one_expert() -> None:
    logits = torch.zeros(37, 6)
    logits[:, 4] = 1
    x, w1, w2 = torch.randn(37, 16), torch.randn(6, 32, 16), torch.randn(6, 16, 16)
    assert_exact(moe(x, logits, w1, w2, 1), reference(*doubles(x, logits, w1, w2), 1))


def test_more_choices_than_experts() -> None:
    with pytest.raises(ValueError, match="can't choose 4 of 3 experts"):
        route(torch.randn(2, 3), 4)
