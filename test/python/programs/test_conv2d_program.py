"""Convolutions agree with PyTorch in float64."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from conv2d import conv2d, reference  # noqa: E402
from program_errors import assert_exact, doubles  # noqa: E402

FLOAT, HALF, BFLOAT = torch.float32, torch.float16, torch.bfloat16

CASES = [
    ((2, 5, 9, 11), (7, 5, 3, 3), {"padding": (1, 1)}, HALF),
    ((1, 1, 1, 1), (1, 1, 1, 1), {}, FLOAT),
    ((1, 16, 12, 8), (20, 16, 1, 1), {}, BFLOAT),
    ((1, 4, 13, 10), (6, 4, 3, 2), {"stride": (2, 3), "padding": (2, 0)}, FLOAT),
    ((1, 6, 12, 12), (4, 3, 3, 3), {"groups": 2, "dilation": (2, 3), "padding": (4, 1)}, HALF),
    ((2, 4, 6, 6), (4, 1, 5, 5), {"groups": 4, "padding": (2, 2)}, FLOAT),
]


@pytest.mark.parametrize(("x", "w", "options", "dtype"), CASES)
def test_convolution(x, w, options, dtype) -> None:
    x, w, bias = (torch.randn(shape).to(dtype) for shape in (x, w, w[:1]))
    assert_exact(conv2d(x, w, bias, **options), reference(*doubles(x, w, bias), **options))


def test_channels_last_and_no_bias() -> None:
    x = torch.randn(2, 8, 7, 5).to(memory_format=torch.channels_last)
    w = torch.randn(12, 8, 3, 3).to(memory_format=torch.channels_last)
    out = conv2d(x, w)
    assert out.is_contiguous(memory_format=torch.channels_last)
    assert_exact(out, reference(*doubles(x, w)))


def test_filters_that_do_not_fit() -> None:
    x = torch.ones(1, 4, 3, 3)
    with pytest.raises(ValueError, match="a filter of 4 x 1 does not fit into 3 x 3 pixels"):
        conv2d(x, torch.ones(2, 4, 4, 1))
    with pytest.raises(ValueError, match=r"2 groups of \(2, 4, 1, 1\) for 4 channels"):
        conv2d(x, torch.ones(2, 4, 1, 1), groups=2)
