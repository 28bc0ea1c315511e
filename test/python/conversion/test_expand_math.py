"""Every expansion of expand-math against double precision, compiled for this machine.

`python test/python/conversion/test_expand_math.py 28` prints the table of docs/math.md, from 2^28
inputs of each function.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import expanded
import numpy as np
import pytest
import seeds
import ulps

# A little above what 2^28 inputs each gave: docs/math.md.
LIMITS = {
    "cos": 1.7,
    "erf": 1.2,
    "exp": 1.75,
    "exp2": 1.3,
    "expm1": 1.6,
    "log": 1.0,
    "log10": 1.0,
    "log1p": 1.6,
    "log2": 1.0,
    "powf": 0.51,
    "rsqrt": 1.501,
    "sin": 1.7,
    "tanh": 1.4,
}


@pytest.mark.parametrize("name", LIMITS)
def test_largest_error(name: str, tmp_path: Path) -> None:
    seed = seeds.seed()
    run = expanded.function(tmp_path, f"math.{name}", 2 if name in ulps.BINARY else 1)
    error, where = ulps.worst(name, run, 1 << 22, seed)
    assert error <= LIMITS[name], f"{name}{where}: {error} ulp, seed {seed}"


@pytest.mark.parametrize("name", sorted(LIMITS.keys() - ulps.BINARY))
def test_half_precision_is_rounded_once_more(name: str, tmp_path: Path) -> None:
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


def main() -> None:
    bits = int(sys.argv[1])
    for name in sys.argv[2:] or LIMITS:
        with tempfile.TemporaryDirectory() as folder:
            run = expanded.function(Path(folder), f"math.{name}", 2 if name in ulps.BINARY else 1)
            error, where = ulps.worst(name, run, 1 << bits, seed=1)
        print(f"| {name} | {error:.3f} | {', '.join(f'{x!r}' for x in where)} |", flush=True)


if __name__ == "__main__":
    main()
