"""Comparing results with references."""

import numpy as np
import pytest
import torch

from tilewright.errors import BenchmarkError
from tilewright.testing import assert_close


def test_the_worst_element_is_named():
    x = torch.zeros(3, 4)
    y = x.clone()
    y[1, 2], y[2, 0] = 0.5, 0.25
    with pytest.raises(AssertionError, match=r"^sum: 2 of 12 .* most at \[1, 2\]: 0.0 and 0.5"):
        assert_close(x, y, err_msg="sum")


@pytest.mark.parametrize(
    "dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.float8_e5m2]
)
def test_the_default_tolerance_is_absolute(dtype):
    x = torch.tensor([0.0, 8.0], dtype=torch.float64)
    assert_close(x.to(dtype), x + 0.009)
    with pytest.raises(AssertionError, match=r"2 of 2 .*rtol=0, atol=0\.01"):
        assert_close(x.to(dtype), x + 0.011)


def test_given_tolerances():
    x = np.array([1.0, 2.0], np.float32)
    assert_close(x, x + 0.1, atol=0.2, rtol=0)
    assert_close(x, x * 1.1, rtol=0.2)
    with pytest.raises(AssertionError, match=r"rtol=0, atol=0\.01"):
        assert_close(x, x + 0.1, atol=0.01, rtol=0)
    with pytest.raises(AssertionError):
        assert_close(x, x * 1.001, rtol=0.0005, atol=0)


def test_the_relative_tolerance_is_of_the_reference():
    assert_close(2.0, 4.0, rtol=0.5, atol=0)
    with pytest.raises(AssertionError):
        assert_close(4.0, 2.0, rtol=0.5, atol=0)


def test_tolerances_by_dtype():
    tolerances = {torch.float16: 0.1, np.dtype("float32"): 0.01}
    assert_close(torch.ones(2).half(), torch.ones(2) * 1.05, atol=tolerances.get)
    assert_close(np.ones(2, np.float32), np.ones(2) * 1.05, rtol=lambda dtype: 0.1, atol=0)
    with pytest.raises(AssertionError):
        assert_close(np.ones(2, np.float32), np.ones(2) * 1.05, atol=tolerances.get)
    with pytest.raises(BenchmarkError, match="atol must be a number, not None"):
        assert_close(torch.ones(2), torch.ones(2), atol=tolerances.get)


@pytest.mark.parametrize("bad", [-1, float("nan"), "small"])
def test_bad_tolerances(bad):
    for name in ("atol", "rtol"):
        with pytest.raises(BenchmarkError, match=name):
            assert_close(1.0, 1.0, **{name: bad})


def test_integers_are_equal_or_not():
    x = np.array([2**53, -(2**63)], np.int64)
    assert_close(x, x.copy())
    with pytest.raises(AssertionError, match=r"most at \[0\]"):
        assert_close(x, np.array([2**53 + 1, -(2**63)], np.int64))
    assert_close(np.array([255], np.uint8), np.array([254], np.uint8), atol=1)
    with pytest.raises(AssertionError):
        assert_close(torch.tensor([True]), torch.tensor([False]))
    assert_close(torch.tensor([True]), torch.tensor([True]))


def test_differences_of_large_integers_do_not_wrap():
    x, y = np.array([-(2**63)]), np.array([2**63], np.uint64)
    with pytest.raises(AssertionError, match="-9223372036854775808 and 9223372036854775808"):
        assert_close(x, y, atol=1)
    large = np.array([2**62])
    assert_close(large, large + 3, atol=3)
    with pytest.raises(AssertionError):
        assert_close(large, large + 3, atol=2)


def test_complex_numbers():
    x = np.array([1 + 1j, 2])
    assert_close(x, torch.from_numpy(x + 0.001j))
    with pytest.raises(AssertionError, match=r"most at \[1\]"):
        assert_close(x, x + np.array([0, 1j]))


def test_nan_and_infinity():
    x = np.array([np.nan, np.inf, -np.inf], np.float32)
    assert_close(x, torch.from_numpy(x.copy()))
    for other in ([0, np.inf, -np.inf], [np.nan, -np.inf, -np.inf], [np.nan, np.inf, 3e38]):
        with pytest.raises(AssertionError, match="1 of 3"):
            assert_close(x, np.array(other, np.float32))
        with pytest.raises(AssertionError, match="1 of 3"):
            assert_close(np.array(other, np.float32), x, rtol=1)


def test_shapes():
    with pytest.raises(AssertionError, match=r"the shapes are \(3,\) and \(1,\)"):
        assert_close(np.zeros(3), np.zeros(1))
    assert_close(np.float32(2), 2.0)
    assert_close([1, 2], torch.tensor([1, 2]))
    assert_close(torch.ones(3), 1)
    with pytest.raises(AssertionError, match=r"3 of 3 .* most at \[0\]: 1.0 and 2"):
        assert_close(torch.ones(3), 2)
    assert_close(np.zeros((0, 2)), np.ones((0, 2)))


def test_text_is_no_number():
    with pytest.raises(BenchmarkError, match="can't be compared"):
        assert_close(["1"], ["1"])
