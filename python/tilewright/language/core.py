"""The names of the language under `tl.core`, for compatibility with Triton."""

import sys
from typing import Any

from tilewright.language._build import to_tensor
from tilewright.language.aggregates import aggregate, aggregate_replace
from tilewright.language.casts import cast
from tilewright.language.constexpr import builtin, constexpr, known_value
from tilewright.language.dtypes import block_type, dtype, pointer_type
from tilewright.language.iterators import range, static_range
from tilewright.language.math import PropagateNan
from tilewright.language.tensor import tensor
from tilewright.language.type_names import get_int_dtype

__all__ = [
    "PropagateNan", "aggregate_replace", "block_type", "builtin", "cast", "constexpr", "dtype",
    "extern", "get_int_dtype", "pointer_type", "range", "static_range", "tensor", "to_tensor",
]  # fmt: skip

_aggregate = aggregate
extern = builtin
_unwrap_if_constexpr = known_value


def __getattr__(name: str) -> Any:
    """The other names of `tl`, which import this module before they exist."""
    language = sys.modules["tilewright.language"]
    if name in getattr(language, "__all__", ()):
        return getattr(language, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
