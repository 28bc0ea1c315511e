"""Products in microscaling formats agree with PyTorch in float64."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from block_scaled_matmul import (  # noqa: E402
    block_scaled_matmul,
    random_matrix,
    reference,
    swizzle,
)
from program_errors import assert_exact  # noqa: E402

FORMATS = [
    ("e4m3", "e4m3"), ("e2m1", "e2m1"), ("e5m2", "e2m1"), ("bf16", "e2m1"), ("e4m3", "fp16"),
]  # fmt: skip


@pytest.mark.parametrize(("left", "right"), FORMATS)
def test_formats(left, right) -> None:
    """Decoded elements are exact, so that only sums are rounded."""
    for m, n, k in ((40, 33, 160), (1, 1, 32)):
        a, b = random_matrix(m, k, left), random_matrix(n, k, right)
        assert_exact(block_scaled_matmul(a, b), reference(a, b, torch.float64))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_results_in_half_precision(dtype) -> None:
    a, b = random_matrix(20, 64, "e2m1"), random_matrix(50, 64, "e4m3")
    assert_exact(block_scaled_matmul(a, b, dtype), reference(a, b, torch.float64))


def test_swizzled_scales() -> None:
    a, b = random_matrix(150, 288, "e4m3"), random_matrix(70, 288, "e2m1")
    exact = reference(a, b, torch.float64)
    a, b = (x._replace(scales=swizzle(x.scales)) for x in (a, b))
    assert_exact(block_scaled_matmul(a, b, swizzled=True), exact)


def test_the_order_of_swizzled_scales() -> None:
    scales = torch.arange(256 * 8).view(256, 8)
    swizzled = swizzle(scales)
    for row, column in ((0, 0), (31, 3), (32, 0), (127, 7), (128, 4), (200, 5)):
        tile = column // 4 * 512 + 16 * (row % 32) + 4 * (row % 128 // 32) + column % 4
        assert swizzled[row // 128, tile] == scales[row, column]


def test_sizes_that_do_not_fit() -> None:
    with pytest.raises(ValueError, match="K is 64 and 32, expected equal multiples of 32"):
        block_scaled_matmul(random_matrix(2, 64, "e4m3"), random_matrix(2, 32, "e4m3"))
