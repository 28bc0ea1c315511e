"""The basic names under `tl.core`, for compatibility with Triton."""

from tilewright.language._build import to_tensor
from tilewright.language.casts import cast
from tilewright.language.constexpr import builtin, constexpr
from tilewright.language.dtypes import block_type, dtype, pointer_type
from tilewright.language.iterators import range, static_range
from tilewright.language.math import PropagateNan
from tilewright.language.tensor import tensor

__all__ = [
    "PropagateNan", "block_type", "builtin", "cast", "constexpr", "dtype", "pointer_type", "range",
    "static_range", "tensor", "to_tensor",
]  # fmt: skip
