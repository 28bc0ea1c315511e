"""Every expansion of expand-math, compiled for this machine, meets the bounds in docs/math.md.

The bounds come from worst_errors.py, which uses more inputs than the tests.
"""

from __future__ import annotations

from pathlib import Path

import expanded
import numpy as np
import pytest
import seeds
import stated
import ulps
import worst_errors


@pytest.fixture(scope="module")
def search(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return worst_errors.build_search(tmp_path_factory.mktemp("search"))


def test_the_table_has_every_function() -> None:
    assert stated.errors("f32").keys() - {"sqrt"} == set(worst_errors.SINGLES)
    assert stated.errors("f64").keys() - {"sqrt"} == set(worst_errors.DOUBLES)


@pytest.mark.parametrize("name", worst_errors.SINGLES)
def test_single_precision(name: str, tmp_path: Path) -> None:
    operation = "powf" if name == "pow" else name
    run = expanded.function(tmp_path, f"math.{operation}", 2 if operation in ulps.BINARY else 1)
    error, where = ulps.worst(operation, run, 1 << 22, seeds.seed())
    assert error <= stated.errors("f32")[name], where


@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 63, reason="needs a wider reference")
@pytest.mark.parametrize("name", worst_errors.DOUBLES)
def test_double_precision(name: str, tmp_path: Path, search: Path) -> None:
    worst = worst_errors.measure(tmp_path, search, name, "f64", 21, seeds.seed())
    assert worst.error <= stated.errors("f64")[name], worst.where


@pytest.mark.parametrize("name", worst_errors.DOUBLES)
def test_every_half_is_rounded_once_more(name: str, tmp_path: Path) -> None:
    run = expanded.function(tmp_path, f"math.{name}", element="f16")
    x = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    with np.errstate(all="ignore"):
        reference = ulps.REFERENCES[name](x.astype(np.float64))
    error = ulps.errors(run(x), reference)
    index = int(error.argmax())
    assert error[index] <= 0.501, f"{name}({x[index]}): {error[index]} ulp"


@pytest.mark.parametrize("name", ["expm1", "log1p"])
def test_double_precision_keeps_small_arguments(name: str, tmp_path: Path) -> None:
    run = expanded.function(tmp_path, f"math.{name}", element="f64")
    sizes = np.exp(np.random.default_rng(0).uniform(-40, 2, 1 << 12))
    x = np.concatenate([sizes, -np.minimum(sizes, 0.99), [0.0, -0.0, np.inf, np.nan] * 4])
    got, reference = run(x), ulps.REFERENCES[name](x)
    np.testing.assert_allclose(got, reference, rtol=1e-15)
    np.testing.assert_array_equal(np.signbit(got), np.signbit(reference))
