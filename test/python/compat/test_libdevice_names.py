"""Every function of NVIDIA's libdevice exists under Triton's name, or the page says what to use."""

from pathlib import Path

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright.compat import (
    libdevice,
    libdevice_bits,
    libdevice_conversions,
    libdevice_math,
    libdevice_norms,
    libdevice_rounding,
    libdevice_special,
)
from tilewright.compat.facade import find
from tilewright.compat.libdevice_symbols import SYMBOLS
from tilewright.compat.table import MODULES

TABLE = MODULES["triton.language.extra.libdevice"]
PAGE = (Path(__file__).parents[3] / "docs" / "math.md").read_text()
PARTS = (
    libdevice, libdevice_bits, libdevice_conversions, libdevice_math, libdevice_norms,
    libdevice_rounding, libdevice_special,
)  # fmt: skip

# Those that Triton has no name for, because they write to pointers or the language has them.
WITHOUT_A_NAME = """
    fast_sincosf float2half_rn fmax fmin frexp half2float llmax llmin max min modf nan norm remquo
    rnorm sincos ullmax ullmin umax umin
"""


def test_the_list_has_the_functions_of_the_library() -> None:
    assert len(SYMBOLS) > 300


@tilewright.jit
def numbered(x, out, POW: tl.constexpr, FMA: tl.constexpr):
    two = tl.load(x)
    tl.store(out, POW(arg0=two, arg1=3.0))
    tl.store(out + 1, FMA(two, arg2=1.0, arg1=5.0))
    tl.store(out + 2, POW(two, 2.0, _semantic=None))


def test_arguments_by_the_names_of_triton() -> None:
    x, out = np.full(1, 2, np.float32), np.zeros(3, np.float32)
    numbered[(1,)](x, out, POW=find(TABLE, "pow"), FMA=find(TABLE, "fma"))
    assert out.tolist() == [8, 11, 4]


@pytest.mark.parametrize(
    "module", ["extra.libdevice", "extra.cuda.libdevice", "extra.hip.libdevice"]
)
def test_every_function_exists(module) -> None:
    table = MODULES[f"triton.language.{module}"]
    for name in sorted(set(SYMBOLS.values())):
        found = find(table, name)
        assert callable(found) and not hasattr(found, "__tilewright_placeholder__"), name


def test_every_name_of_triton_is_a_function() -> None:
    missing = [n for n in TABLE.names if hasattr(find(TABLE, n), "__tilewright_placeholder__")]
    assert not missing
    assert set(TABLE.names) <= set(SYMBOLS.values())


def test_the_page_names_the_others() -> None:
    section = PAGE.split("### Not in the library\n")[1].split("\n## ")[0]
    for name in WITHOUT_A_NAME.split():
        assert f"`{name}`" in section, name


def test_each_name_has_one_home() -> None:
    names = [name for part in PARTS for name in part.__all__]
    assert len(names) == len(set(names))
    assert set(TABLE.names) <= set(names)
    assert set(names) - set(TABLE.names) == {"sincospi"}


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.__name__.rpartition(".")[2])
def test_every_function_is_documented_and_exported(part) -> None:
    for name in part.__all__:
        function = getattr(part, name)
        assert callable(function) and function.__doc__, name
    of_others = {name for other in PARTS if other is not part for name in other.__all__}
    defined = {name for name, value in vars(part).items() if callable(value)}
    assert defined & set(TABLE.names) - of_others == set(part.__all__) - {"sincospi"}
