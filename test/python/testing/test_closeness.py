"""Comparing results with references."""

import numpy as np
import pytest
import torch

from tilewright.testing import assert_close


def test_the_worst_element_is_named():
    x = torch.zeros(3, 4)
    y = x.clone()
    y[1, 2], y[2, 0] = 0.5, 0.25
    with pytest.raises(AssertionError, match=r"^sum: 2 of 12 .* most at \[1, 2\]: 0.0 and 0.5"):
        assert_close(x, y, err_msg="sum")


@pytest.mark.parametrize(
    ("dtype", "small", "large"),
    [
        (torch.float64, 1e-8, 1e-6),
        (torch.float32, 1e-6, 1e-4),
        (torch.float16, 1e-4, 1e-2),
        (torch.bfloat16, 1e-2, 1e-1),
    ],
)
def test_tolerances_depend_on_the_narrower_dtype(dtype, small, large):
    reference = torch.linspace(1, 2, 50, dtype=torch.float64)
    assert_close((reference * (1 + small)).to(dtype), reference)
    with pytest.raises(AssertionError):
        assert_close(reference, (reference * (1 + large)).to(dtype))


def test_given_tolerances():
    x = np.array([1.0, 2.0], np.float32)
    assert_close(x, x + 0.1, atol=0.2, rtol=0)
    assert_close(x, x * 1.1, rtol=0.2)
    with pytest.raises(AssertionError, match=r"rtol=0, atol=0\.01"):
        assert_close(x, x + 0.1, atol=0.01, rtol=0)


def test_integers_are_equal_or_not():
    x = np.array([2**53, -(2**63)], np.int64)
    assert_close(x, x.copy())
    with pytest.raises(AssertionError, match=r"most at \[0\]"):
        assert_close(x, np.array([2**53 + 1, -(2**63)], np.int64))
    assert_close(np.array([255], np.uint8), np.array([254], np.uint8), atol=1)
    with pytest.raises(AssertionError):
        assert_close(torch.tensor([True]), torch.tensor([False]))


def test_nan_and_infinity():
    x = np.array([np.nan, np.inf, -np.inf], np.float32)
    assert_close(x, torch.from_numpy(x.copy()))
    for other in ([0, np.inf, -np.inf], [np.nan, -np.inf, -np.inf], [np.nan, np.inf, 3e38]):
        with pytest.raises(AssertionError, match="1 of 3"):
            assert_close(x, np.array(other, np.float32))


def test_shapes():
    with pytest.raises(AssertionError, match=r"the shapes are \(3,\) and \(1,\)"):
        assert_close(np.zeros(3), np.zeros(1))
    assert_close(np.float32(2), 2.0)
