"""Every function of NVIDIA's libdevice exists under Triton's name, or the page says what to use."""

from pathlib import Path

import pytest

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
from tilewright.compat.table import MODULES

TABLE = MODULES["triton.language.extra.libdevice"]
PAGE = (Path(__file__).parents[3] / "docs" / "math.md").read_text()
PARTS = (
    libdevice, libdevice_bits, libdevice_conversions, libdevice_math, libdevice_norms,
    libdevice_rounding, libdevice_special,
)  # fmt: skip

# Functions with a variant of float32 whose name ends in f; both are one function here.
OF_BOTH_FLOATS = """
    acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh cospi cyl_bessel_i0
    cyl_bessel_i1 erf erfc erfcinv erfcx erfinv exp exp10 exp2 expm1 fdim floor fma fmod hypot ilogb
    j0 j1 jn ldexp lgamma llrint llround log log10 log1p log2 logb nearbyint nextafter norm3d norm4d
    normcdf normcdfinv pow rcbrt remainder rhypot rint rnorm3d rnorm4d round rsqrt scalbn sin sinh
    sinpi sqrt tan tanh tgamma trunc y0 y1 yn
"""
SAME = """
    abs brev byte_perm clz double2hiint double2loint double_as_longlong fast_cosf fast_exp10f
    fast_expf fast_log10f fast_log2f fast_logf fast_powf fast_sinf fast_tanf fast_tanhf ffs finitef
    float_as_int float_as_uint hadd hiloint2double int2double_rn int_as_float isfinited
    longlong_as_double mul24 mulhi popc rcp64h rhadd sad saturatef sincospi uint2double_rn
    uint_as_float
"""
RENAMED = {
    "brevll": "brev", "clzll": "clz", "fabs": "abs", "fabsf": "abs", "ffsll": "ffs",
    "fast_fdividef": "fast_dividef", "frsqrt_rn": "rsqrt_rn", "isinfd": "isinf",
    "isinff": "isinf", "isnand": "isnan", "isnanf": "isnan", "llabs": "abs",
    "mul64hi": "mulhi", "popcll": "popc", "powi": "pow",
    "powif": "pow", "signbitd": "signbit", "signbitf": "signbit", "sincospif": "sincospi",
    "uhadd": "hadd", "umul24": "mul24", "umul64hi": "mulhi", "umulhi": "mulhi", "urhadd": "rhadd",
    "usad": "sad",
}  # fmt: skip
MODES = ("rd", "rn", "ru", "rz")
ARITHMETIC = {"add": "add", "sub": "sub", "mul": "mul", "div": "div", "rcp": "rcp", "sqrt": "sqrt"}
CONVERSIONS = [
    *(f"{a}2{b}" for a in ("float", "double") for b in ("int", "uint", "ll", "ull")),
    *(f"{a}2float" for a in ("double", "int", "uint", "ll", "ull")), "ll2double", "ull2double",
]  # fmt: skip
# Those that Triton has no name for, because they write to pointers or the language has them.
WITHOUT_A_NAME = """
    fast_sincosf float2half_rn fmax fmin frexp half2float llmax llmin max min modf nan norm remquo
    rnorm sincos ullmax ullmin umax umin
"""


def names_of_nvidia() -> dict[str, str]:
    """Triton's name for each function, whose name is without __nv_."""
    names = {name: name for name in SAME.split()}
    names |= {name + end: name for name in OF_BOTH_FLOATS.split() for end in ("", "f")}
    names |= RENAMED
    for mode in MODES:
        names |= {f"{kind}{op}_{mode}": f"{op}_{mode}" for op in ARITHMETIC for kind in "df"}
        names |= {f"{base}_{mode}": f"{base}_{mode}" for base in CONVERSIONS}
        names |= {f"fma{end}_{mode}": f"fma_{mode}" for end in ("", "f")}
    return names


def test_the_list_has_the_functions_of_the_library() -> None:
    assert len(names_of_nvidia()) > 300


@pytest.mark.parametrize("module", ["extra.libdevice", "extra.cuda.libdevice"])
def test_every_function_exists(module) -> None:
    table = MODULES[f"triton.language.{module}"]
    for name in sorted(set(names_of_nvidia().values())):
        found = find(table, name)
        assert callable(found) and not hasattr(found, "__tilewright_placeholder__"), name


def test_every_name_of_triton_is_a_function() -> None:
    missing = [n for n in TABLE.names if hasattr(find(TABLE, n), "__tilewright_placeholder__")]
    assert not missing
    assert set(TABLE.names) <= set(names_of_nvidia().values())


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
