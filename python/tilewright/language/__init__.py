"""The kernel language: `import tilewright.language as tl`. Names and semantics follow Triton.

The functions are not listed here: each is exported by the decorator of its family (registry.py).
"""

from builtins import tuple as tuple
from typing import TYPE_CHECKING

from tilewright.language import core as core
from tilewright.language import math as math
from tilewright.language._build import to_tensor as to_tensor
from tilewright.language.aggregates import aggregate_replace as aggregate_replace
from tilewright.language.constexpr import builtin as builtin
from tilewright.language.constexpr import constexpr as constexpr
from tilewright.language.constexpr import constexpr_function as constexpr_function
from tilewright.language.constexpr import constexpr_value as constexpr_value
from tilewright.language.dtypes import *
from tilewright.language.iterators import condition as condition
from tilewright.language.iterators import range as range
from tilewright.language.iterators import static_range as static_range
from tilewright.language.tensor import tensor as tensor
from tilewright.language.type_names import *

if TYPE_CHECKING:
    from tilewright.language.atomic_access import *
    from tilewright.language.atomics import *
    from tilewright.language.block_pointers import *
    from tilewright.language.casts import *
    from tilewright.language.creation import *
    from tilewright.language.debug import *
    from tilewright.language.dot import *
    from tilewright.language.extrema import *
    from tilewright.language.hints import *
    from tilewright.language.inline_asm import *
    from tilewright.language.mapping import *
    from tilewright.language.math import *
    from tilewright.language.memory import *
    from tilewright.language.operators import *
    from tilewright.language.random import *
    from tilewright.language.reductions import *
    from tilewright.language.scaled_dot import *
    from tilewright.language.shape import *
    from tilewright.language.sorting import *
    from tilewright.language.standard import *
    from tilewright.language.tensor_descriptors import *
else:
    from tilewright.language import (  # importing a family registers its functions
        atomic_access,
        atomics,
        block_pointers,
        casts,
        creation,
        debug,
        dot,
        extrema,
        hints,
        inline_asm,
        mapping,
        memory,
        operators,
        random,
        reductions,
        scaled_dot,
        shape,
        sorting,
        standard,
        tensor_descriptors,
    )  # fmt: skip
    from tilewright.language.dtypes import __all__ as _dtypes
    from tilewright.language.registry import ENTRIES as _ENTRIES
    from tilewright.language.type_names import __all__ as _type_names

    # What docs/language.md describes by hand, and the functions.
    __all__ = [
        "aggregate_replace", "builtin", "condition", "constexpr", "constexpr_function",
        "constexpr_value", "core", "extra", "math", "range", "static_range", "tensor", "to_tensor",
        "tuple",
    ]  # fmt: skip
    __all__ += _dtypes
    __all__ += _type_names
    for _entry in _ENTRIES:
        __all__.append(_entry.name)
        globals()[_entry.name] = _entry.value

from tilewright.language import extra as extra
