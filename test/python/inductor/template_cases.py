"""Functions whose kernels are Inductor's templates, with their arguments, for tests on any device.

Each is `name: (function, arguments)`, by `operators(device)`; `flex_cases(device)` has the cases of
flex attention.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor


def operators(device: str = "cpu") -> dict[str, tuple[Callable[..., Tensor], tuple[Tensor, ...]]]:
    """Products and convolutions; the sizes are no multiples of tiles unless a template needs it."""

    def r(*sizes: int, dtype: torch.dtype = torch.float32) -> Tensor:
        return torch.randn(*sizes, device=device).to(dtype)

    def i8(*sizes: int) -> Tensor:
        return torch.randint(-9, 9, sizes, dtype=torch.int8, device=device)

    half, bf16 = torch.float16, torch.bfloat16
    conv1d, conv2d, conv3d = F.conv1d, F.conv2d, F.conv3d
    return {
        "addmm": (lambda c, a, b: torch.addmm(c, a, b).relu(), (r(48), r(32, 64), r(64, 48))),
        "mm": (lambda a, b: (a @ b).sin(), (r(50, 70), r(70, 33))),
        "mm half": (lambda a, b: (a @ b).sin(), (r(50, 70, dtype=half), r(70, 33, dtype=half))),
        "mm transposed": (lambda a, b: a.t() @ b.t() + 1, (r(72, 40), r(136, 72))),
        "mm bf16": (lambda a, b: (a @ b).relu(), (r(200, 72, dtype=bf16), r(72, 136, dtype=bf16))),
        "int_mm": (torch._int_mm, (i8(32, 64), i8(64, 48))),
        "bmm": (lambda a, b: torch.bmm(a, b) * 2, (r(3, 20, 30), r(3, 30, 40))),
        "baddbmm": (torch.baddbmm, (r(3, 20, 40), r(3, 20, 30), r(3, 30, 40))),
        "mm_plus_mm": (
            lambda a, b, c, d: a @ b + c @ d,
            (r(32, 64), r(64, 48), r(32, 64), r(64, 48)),
        ),
        "conv2d": (lambda x, w: conv2d(x, w, None, 1, 1), (r(2, 8, 10, 12), r(16, 8, 3, 3))),
        "conv2d bias": (
            lambda x, w, b: conv2d(x, w, b, 2, 1).relu(),
            (r(2, 8, 10, 12), r(16, 8, 3, 3), r(16)),
        ),
        "conv2d groups": (
            lambda x, w, b: conv2d(x, w, b, 1, 0, 1, 2),
            (r(2, 8, 10, 12), r(16, 4, 3, 3), r(16)),
        ),
        "conv2d 1x1": (conv2d, (r(2, 8, 10, 12), r(16, 8, 1, 1), r(16))),
        "conv3d bias": (
            lambda x, w, b: conv3d(x, w, b, 1, 1),
            (r(1, 4, 5, 6, 7), r(8, 4, 3, 3, 3), r(8)),
        ),
        "depthwise conv1d": (
            lambda x, w: conv1d(x, w, None, 1, 1, 1, 8),
            (r(2, 8, 40), r(8, 1, 3)),
        ),
    }


class Flex(NamedTuple):
    """Sizes, the dtype, and the modifications of scores and masks of flex attention."""

    batch: int
    heads: int
    kv_heads: int
    queries: int
    keys: int
    width: int
    v_width: int
    dtype: torch.dtype = torch.float32
    mask: Callable[..., Tensor] | None = None
    score: Callable[..., Tensor] | None = None
    gradients: bool = True


def causal(b: Tensor, h: Tensor, q: Tensor, k: Tensor) -> Tensor:
    return q >= k


def window(b: Tensor, h: Tensor, q: Tensor, k: Tensor) -> Tensor:
    return (q >= k) & (q - k < 40)


def prefix(b: Tensor, h: Tensor, q: Tensor, k: Tensor) -> Tensor:
    return k <= q + 200


def by_distance(score: Tensor, b: Tensor, h: Tensor, q: Tensor, k: Tensor) -> Tensor:
    return score + (q - k) * 0.01


def soft_cap(score: Tensor, b: Tensor, h: Tensor, q: Tensor, k: Tensor) -> Tensor:
    return torch.tanh(score / 5) * 5


_HALF, _BF16 = torch.float16, torch.bfloat16
FLEX = {
    "plain": Flex(1, 2, 2, 128, 128, 32, 32),
    "causal": Flex(1, 2, 2, 256, 256, 32, 32, mask=causal),
    "window": Flex(2, 2, 2, 200, 200, 32, 32, mask=window),
    "grouped heads": Flex(1, 4, 2, 128, 128, 32, 32, mask=causal),
    "short": Flex(1, 2, 2, 100, 77, 24, 24),
    "widths": Flex(1, 2, 2, 128, 128, 32, 64, score=by_distance),
    "half": Flex(1, 2, 2, 256, 256, 64, 64, _HALF, mask=causal),
    "bf16": Flex(1, 2, 1, 130, 130, 64, 64, _BF16, mask=window, score=soft_cap),
    "decode": Flex(1, 4, 4, 1, 256, 64, 64, _HALF, gradients=False),
    "decode grouped": Flex(2, 4, 2, 3, 300, 32, 32, mask=prefix, gradients=False),
}
_TOLERANCES = {torch.float32: 1e-5, torch.float16: 3e-3, torch.bfloat16: 2e-2, torch.int32: 0.0}


def relative_error(found: Tensor, expected: Tensor) -> float:
    """The largest difference over the largest expected value; NaN if a value is NaN."""
    difference = (found.double() - expected.double()).abs().max().item()
    return difference / max(expected.double().abs().max().item(), 1e-30)


def check_operator(name: str, mode: str = "max-autotune", device: str = "cpu") -> float:
    """The error of a compiled operator beside eager mode, which must be small."""
    torch.manual_seed(0)
    function, arguments = operators(device)[name]
    found, expected = torch.compile(function, mode=mode)(*arguments), function(*arguments)
    error = relative_error(found, expected)
    assert error <= _TOLERANCES[found.dtype], (name, error)
    return error


def check_flex(
    name: str, mode: str | None = None, device: str = "cpu", tolerance: float = 0.0
) -> list[float]:
    """The errors of the result and the gradients of flex attention, beside float64 in eager mode.

    Args:
        name: The case.
        mode: That of torch.compile.
        device: Where the tensors are.
        tolerance: The largest error, if that of the dtype is not meant.
    """
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    torch.manual_seed(0)
    case = FLEX[name]
    sizes = (
        (case.batch, case.heads, case.queries, case.width),
        (case.batch, case.kv_heads, case.keys, case.width),
        (case.batch, case.kv_heads, case.keys, case.v_width),
    )
    inputs = [torch.randn(s, device=device).to(case.dtype) for s in sizes]
    exact = [x.double().requires_grad_(case.gradients) for x in inputs]
    inputs = [x.requires_grad_(case.gradients) for x in inputs]
    options: dict[str, Any] = {"score_mod": case.score, "enable_gqa": case.heads != case.kv_heads}
    if case.mask is not None:
        options["block_mask"] = create_block_mask(
            case.mask, 1, 1, case.queries, case.keys, device=device
        )
    compiled = torch.compile(lambda q, k, v: flex_attention(q, k, v, **options), mode=mode)
    found, expected = [compiled(*inputs)], [flex_attention(*exact, **options)]
    if case.gradients:
        gradient = torch.randn(found[0].shape, device=device).to(case.dtype)
        found += torch.autograd.grad(found[0], inputs, gradient)
        expected += torch.autograd.grad(expected[0], exact, gradient.double())
    errors = [relative_error(a, b) for a, b in zip(found, expected, strict=True)]
    limit = tolerance or _TOLERANCES[case.dtype]
    assert all(error <= limit for error in errors), (name, errors)
    return errors
