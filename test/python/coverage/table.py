"""All operations of the table, and the public functions that other tests cover."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator

import conversion_table
import elementwise_table
import memory_table
import reduction_table
import shape_table
from number_formats import DTYPES
from operation import Operation

from tilewright.language.tensor import tensor

FUNCTIONS: list[Operation] = [
    *elementwise_table.OPERATORS,
    *elementwise_table.MATH,
    *elementwise_table.FUNCTIONS,
    *elementwise_table.NUMBER,
    *conversion_table.OPERATIONS,
    *shape_table.OPERATIONS,
    *reduction_table.OPERATIONS,
    *memory_table.OPERATIONS,
]


def methods(operations: Iterable[Operation]) -> Iterator[Operation]:
    """The functions as methods of their first argument, each for one dtype."""
    seen = set()
    for k, operation in enumerate(operations):
        call = re.fullmatch(r"tl\.(\w+)\(a(?:, (.*))?\)", operation.code)
        if call is None or call[1] in seen or not hasattr(tensor, call[1]):
            continue
        seen.add(call[1])
        yield dataclasses.replace(
            operation,
            name=f"a.{call[1]}",
            code=f"a.{call[1]}({call[2] or ''})",
            takes=(operation.takes[k % len(operation.takes)],),
            skips=DTYPES,
        )


OPERATIONS: list[Operation] = [*FUNCTIONS, *methods(FUNCTIONS)]

_RANDOM_VALUES = "philox randint4x rand randn"
_RANDOM_TYPES = "randint uint_to_uniform_float rand4x randn4x"
# Functions that take no tile, have no result, or are composed of others.
ELSEWHERE = {
    "PropagateNan": "language/test_elementwise_values.py",
    "arange": "language/test_any_size.py",
    "assume": "language/test_hints_and_debug.py",
    "atomic_load": "language/test_atomic_access.py",
    "atomic_poll": "language/test_atomic_poll.py",
    "atomic_store": "language/test_atomic_access.py",
    "debug_barrier": "language/test_hints_and_debug.py",
    "device_assert": "language/test_device_assert.py",
    "device_print": "language/test_device_print.py",
    "dot_scaled": "language/test_dot_scaled_values.py",
    "expect_zero": "language/test_device_assert.py",
    "inline_asm_elementwise": "language/test_inline_asm.py",
    "map_elementwise": "language/test_map_elementwise.py",
    "max_constancy": "language/test_hints_and_debug.py",
    "max_contiguous": "language/test_hints_and_debug.py",
    "multiple_of": "language/test_hints_and_debug.py",
    "num_programs": "language/test_memory_values.py",
    "program_id": "language/test_memory_values.py",
    "static_assert": "language/test_constexpr.py",
    "static_print": "language/test_hints_and_debug.py",
    "swizzle2d": "language/test_shape_values.py",
    **dict.fromkeys(_RANDOM_VALUES.split(), "language/test_random_values.py"),
    **dict.fromkeys(_RANDOM_TYPES.split(), "language/test_random_types.py"),
}
# Tested as a part of another function.
WITHIN = {
    "N_ROUNDS_DEFAULT": "philox",
    "pair_uniform_to_normal": "randn",
    "philox_impl": "philox",
    "tensor_descriptor": "make_tensor_descriptor",
    "tensor_descriptor_type": "make_tensor_descriptor",
}
