"""Dropout without a stored mask: random numbers are computed where they are needed.

Run it:  .venv/bin/python docs/tutorials/03_dropout.py
"""

import torch

import tilewright
import tilewright.language as tl
from tilewright.testing import compare

# Dropout sets each element to zero with probability p and divides the others by 1 - p, which keeps
# the mean. The backward pass has to drop the same elements again. The usual implementation stores
# the mask: one byte per element, written in one pass and read in the other.
#
# A counter-based generator makes the mask unnecessary. Philox is a function, not a stream: from a
# seed and a position it computes a pseudorandom number, and always the same one. So the whole mask
# is one integer, the seed.


@tilewright.jit
def dropout_kernel(x, out, n, p, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    values = tl.load(x + i, mask=inside)
    # One number in [0, 1) for each position: there is no state, and programs share nothing.
    keep = tl.rand(seed, i) > p
    tl.store(out + i, tl.where(keep, values / (1 - p), 0.0), mask=inside)


def dropout(x: torch.Tensor, p: float, seed: int) -> torch.Tensor:
    out = torch.empty_like(x)
    n = x.numel()
    block = 4096
    dropout_kernel[(tilewright.cdiv(n, block),)](x, out, n, p, seed, BLOCK=block)
    return out


# The gradient of dropout is dropout of the gradient, with the same seed.


class Dropout(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, p, seed):
        ctx.p, ctx.seed = p, seed
        return dropout(x, p, seed)

    @staticmethod
    def backward(ctx, grad):
        return dropout(grad.contiguous(), ctx.p, ctx.seed), None, None


def main() -> None:
    p = 0.3
    x = 1 + torch.rand(1_000_003)  # No zeros: a zero in the result was dropped.
    first = dropout(x, p, seed=42)
    assert torch.equal(first, dropout(x, p, seed=42)), "a seed always gives the same mask"
    assert not torch.equal(first, dropout(x, p, seed=43))
    kept = first != 0
    torch.testing.assert_close(first[kept], x[kept] / (1 - p))
    share = kept.float().mean().item()
    assert abs(share - (1 - p)) < 0.005, share
    print(f"dropout keeps {share:.4f} of the elements, where 1 - p = {1 - p}")

    x.requires_grad_()
    Dropout.apply(x, p, 42).sum().backward()
    assert torch.equal(x.grad != 0, kept), "the backward pass drops the same elements"
    print("the backward pass drops the same elements, and no mask was stored")

    x = torch.randn(1 << 22)
    times = compare(
        {"tilewright": lambda: dropout(x, p, 1), "torch": lambda: torch.dropout(x, p, True)}
    )
    for name, seconds in times.items():
        print(f"{name:12s} {1e3 * seconds:7.3f} ms for {x.numel()} elements")


if __name__ == "__main__":
    main()
