"""The random kernels call every function of the language, or this file says why not."""

import ast
import inspect
import itertools
import random
import re
from collections.abc import Iterable

import libdevice_approximate
import libdevice_exact
from execute import METHODS
from families import FAMILIES, write
from instructions import NARROWING, TABLE

import tilewright.language as tl
from tilewright.compat.table import MODULES
from tilewright.language.registry import ENTRIES

MOST, GROUP = 3000, 100  # kernels of each family, and how many before those of the next one

ABSENT = {
    "aggregate_replace": "language/test_aggregates.py",
    "device_print": "prints: language/test_device_print.py",
    "static_print": "prints: language/test_hints_and_debug.py",
    "tensor_descriptor": "an annotation",
    "tensor_descriptor_type": "a type",
}
# Other names of `tl` than functions.
NO_FUNCTIONS = {
    "builtin", "condition", "const", "constexpr_type", "constexpr_value", "core", "dtype",
    "block_type", "extra", "pi32_t", "pointer_type", "slice", "str_to_ty", "to_tensor",
    "tuple_type", "void",
}  # fmt: skip
ABSENT_METHODS = {
    "dot_scaled": "called as a function, of two tiles and their scales",
}
ABSENT_LIBRARY = {
    "fma": "is tl.fma", "rcp64h": "is more accurate than NVIDIA's",
}  # fmt: skip


def missing(wanted: Iterable[str], pattern: str, *families: str, most: int = MOST) -> set[str]:
    """The texts that `pattern` finds in no kernel of the families."""
    left, find = set(wanted), re.compile(pattern, re.M)
    groups = range(0, most, GROUP)
    for start, family in itertools.product(groups, families or ["functions", *FAMILIES]):
        for seed in range(start, start + GROUP):
            if left:
                left.difference_update(find.findall(write(family, random.Random(seed)).source))
    return left


def test_functions() -> None:
    names = {*tl.__all__, *(entry.name for entry in ENTRIES)} - NO_FUNCTIONS
    assert missing(names - {*ABSENT}, r"\btl\.(\w+)") == set()
    assert missing(ABSENT, r"\btl\.(\w+)", "functions", "mixed", most=500) == {
        *ABSENT
    }  # or remove it


def options() -> set[tuple[str, str]]:
    """The functions with the names of their optional arguments."""
    return {
        (entry.name, parameter.name)
        for entry in ENTRIES
        if callable(entry.value) and not isinstance(entry.value, type)
        for parameter in inspect.signature(entry.value).parameters.values()
        if parameter.default is not parameter.empty
    }


def keywords(source: str) -> set[tuple[str, str]]:
    return {
        (call.func.attr, keyword.arg)
        for call in ast.walk(ast.parse(source))
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
        for keyword in call.keywords
        if keyword.arg
    }


def test_options() -> None:
    """All optional arguments are given by name."""
    left = {pair for pair in options() if pair[0] not in {*ABSENT, *ABSENT_METHODS}}
    families = ("functions", "counts", "descriptors", "maps", "assembly", "handover")
    for start, family in itertools.product(range(0, MOST, GROUP), families):
        for seed in range(start, start + GROUP):
            source = write(family, random.Random(seed)).source if left else ""
            if any(f"{name}=" in source and f"{function}(" in source for function, name in left):
                left -= keywords(source)
    assert left == set()


def test_methods() -> None:
    pattern = r"(?<!\btl)\.(\w+)\("
    assert missing({*METHODS} - {*ABSENT_METHODS}, pattern, "functions") == set()
    descriptors = {name for name in vars(tl.tensor_descriptor) if not name.startswith("_")}
    descriptors -= {"flatten", "unflatten", "dtype", "block_type", "type"}
    assert missing(descriptors, pattern, "descriptors") == set()


def test_operators() -> None:
    symbols = [
        "+", "-", "*", "/", "//", "%", "&", "|", "^", "<<", ">>", "==", "!=", "<", "<=", ">", ">=",
        "and", "or", "not", "~", "+=", "-=", "*=", "&=", "|=", "^=",
    ]  # fmt: skip
    assert missing(symbols, r"(?<= )[-+*/%&|^<>=!]{1,2}(?= )|\b(?:and|or|not)\b|~") == set()


def test_functions_of_libdevice() -> None:
    names = {*libdevice_exact.TABLE, *libdevice_approximate.TABLE}
    assert missing(names, r"\blibdevice\w*\.(\w+)", "libdevice") == set()
    public = {*MODULES["triton.language.extra.libdevice"].names}
    assert public - names == {*ABSENT_LIBRARY}


def test_instructions_of_inline_assembly() -> None:
    names = {*(instruction.name for instruction in TABLE), *NARROWING.values()}
    assert missing(names, r"(?:\\n)([a-z][\w.]+)(?= )", "assembly") == set()
