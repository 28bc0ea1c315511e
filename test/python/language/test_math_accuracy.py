"""Mathematical functions through the whole compiler: docs/math.md states their errors.

Single precision is checked against double, double against the x87's extended precision; erf, which
NumPy does not have, against mpmath. The inputs are one from each of equally many ranges of bit
patterns, and the format's special values (test/python/conversion/ulps.py).
"""

import re
from pathlib import Path

import numpy as np
import pytest
import seeds
import ulps

import tilewright
import tilewright.language as tl

pytestmark = pytest.mark.cpu_only("a GPU has errors of its own: test/python/gpu/test_gpu_math.py")

FUNCTIONS = ["exp", "exp2", "log", "log2", "sin", "cos", "tanh", "erf", "sqrt", "rsqrt"]
# What is stated was measured on more inputs than are tried here; in double precision with one
# version of the C library.
SINGLE_MARGIN, DOUBLE_MARGIN = 1.02, 1.1
BLOCK = 1024


def stated(section: str) -> dict[str, float]:
    """The largest error in ulp of each function, from the table of a section of docs/math.md."""
    text = (Path(__file__).parents[3] / "docs" / "math.md").read_text()
    table = text.split(f"## {section}\n")[1].split("\n## ")[0]
    # A square root is one instruction, correctly rounded.
    found = {name: float(error) for name, error in re.findall(r"\| (\w+) \| ([\d.]+) \|", table)}
    return {"sqrt": 0.5, **found}


@tilewright.jit
def apply(x, out, FUNCTION: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, FUNCTION(tl.load(x + i)))


def compiled(name, target):
    def run(x):
        out = np.full_like(x, 12345)
        function = getattr(tl, name)
        apply[(x.size // BLOCK,)](x, out, FUNCTION=function, BLOCK=BLOCK, target=target)
        return out

    return run


@pytest.mark.parametrize("target", ["cpu", "cpu:avx2"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_single_precision(name, target):
    seed = seeds.seed()
    error, where = ulps.worst(name, compiled(name, target), 1 << 22, seed)
    assert error <= SINGLE_MARGIN * stated("Errors")[name], (
        f"{name}{where}: {error} ulp, seed {seed}"
    )


@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 63, reason="needs a wider reference")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_double_precision(name):
    seed = seeds.seed()
    if name == "erf":
        pytest.importorskip("mpmath")
    x = ulps.doubles(1 << 13 if name == "erf" else 1 << 21, seed)
    error = ulps.errors(compiled(name, "cpu")(x), ulps.extended(name, x))
    index = int(error.argmax())
    message = f"{name}({x[index]!r}): {error[index]} ulp, seed {seed}"
    assert error[index] <= DOUBLE_MARGIN * stated("Double precision")[name], message


@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 63, reason="needs a wider reference")
@pytest.mark.parametrize("name", ["sin", "cos"])
def test_next_to_multiples_of_half_pi(name):
    """Where a reduced argument is small: 175962 pi/2 is a double but for 8e-16."""
    k = np.arange(1 << 20, dtype=np.longdouble)
    x = (k * np.longdouble("1.57079632679489661923132169163975144")).astype(np.float64)
    error = ulps.errors(compiled(name, "cpu")(x), ulps.extended(name, x))
    index = int(error.argmax())
    assert error[index] <= DOUBLE_MARGIN * stated("Double precision")[name], (error[index], x[index])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["floor", "ceil", "abs"])
def test_exact_functions(name, dtype):
    with np.errstate(all="ignore"):
        x = ulps.doubles(1 << 14, seeds.seed()).astype(dtype)
    with np.errstate(all="ignore"):
        reference = getattr(np, name)(x)
    out = compiled(name, "cpu")(x)
    assert np.array_equal(out, reference, equal_nan=True)
    ordered = ~np.isnan(x)
    assert np.array_equal(np.signbit(out[ordered]), np.signbit(reference[ordered]))
