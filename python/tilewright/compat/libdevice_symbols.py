"""The symbols of NVIDIA's libdevice, such as `__nv_sinf`, and Triton's names of the functions.

Symbols without one are in docs/math.md: Triton has no name for them.
"""

# Functions with a variant of float32 whose name ends in f; both are one function here.
_OF_BOTH_FLOATS = """
    acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh cospi cyl_bessel_i0
    cyl_bessel_i1 erf erfc erfcinv erfcx erfinv exp exp10 exp2 expm1 fdim floor fma fmod hypot ilogb
    j0 j1 jn ldexp lgamma llrint llround log log10 log1p log2 logb nearbyint nextafter norm3d norm4d
    normcdf normcdfinv pow rcbrt remainder rhypot rint rnorm3d rnorm4d round rsqrt scalbn sin sinh
    sinpi sqrt tan tanh tgamma trunc y0 y1 yn
"""
_SAME = """
    abs brev byte_perm clz double2hiint double2loint double_as_longlong fast_cosf fast_exp10f
    fast_expf fast_log10f fast_log2f fast_logf fast_powf fast_sinf fast_tanf fast_tanhf ffs finitef
    float_as_int float_as_uint hadd hiloint2double int2double_rn int_as_float isfinited
    longlong_as_double mul24 mulhi popc rcp64h rhadd sad saturatef sincospi uint2double_rn
    uint_as_float
"""
_RENAMED = {
    "brevll": "brev", "clzll": "clz", "fabs": "abs", "fabsf": "abs", "ffsll": "ffs",
    "fast_fdividef": "fast_dividef", "frsqrt_rn": "rsqrt_rn", "isinfd": "isinf",
    "isinff": "isinf", "isnand": "isnan", "isnanf": "isnan", "llabs": "abs",
    "mul64hi": "mulhi", "popcll": "popc", "powi": "pow",
    "powif": "pow", "signbitd": "signbit", "signbitf": "signbit", "sincospif": "sincospi",
    "uhadd": "hadd", "umul24": "mul24", "umul64hi": "mulhi", "umulhi": "mulhi", "urhadd": "rhadd",
    "usad": "sad",
}  # fmt: skip
_MODES = ("rd", "rn", "ru", "rz")
_ARITHMETIC = ("add", "sub", "mul", "div", "rcp", "sqrt")
_CONVERSIONS = [
    *(f"{a}2{b}" for a in ("float", "double") for b in ("int", "uint", "ll", "ull")),
    *(f"{a}2float" for a in ("double", "int", "uint", "ll", "ull")), "ll2double", "ull2double",
]  # fmt: skip


def _names() -> dict[str, str]:
    names = {name: name for name in _SAME.split()}
    names |= {name + end: name for name in _OF_BOTH_FLOATS.split() for end in ("", "f")}
    names |= _RENAMED
    for mode in _MODES:
        names |= {f"{kind}{op}_{mode}": f"{op}_{mode}" for op in _ARITHMETIC for kind in "df"}
        names |= {f"{base}_{mode}": f"{base}_{mode}" for base in _CONVERSIONS}
        names |= {f"fma{end}_{mode}": f"fma_{mode}" for end in ("", "f")}
    return {f"__nv_{symbol}": name for symbol, name in names.items()}


SYMBOLS: dict[str, str] = _names()
