"""Samples of PyTorch's operators, compiled by torch.compile and compared with eager mode.

A case is an operator of torch.testing's OpInfo, one of three dtypes, and the first sample of inputs
for it whose result can be compared. `outcome` runs one.
"""

from __future__ import annotations

import functools
import random
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
import torch._inductor.config as config
import torch._inductor.metrics as metrics
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils._pytree import tree_map

DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "int64": torch.int64}
# Results that are memory as it was, or that differ from run to run.
UNDEFINED = (
    "empty",
    "new_empty",
    "rand",
    "normal",
    "uniform",
    "exponential",
    "bernoulli",
    "cauchy",
)
UNDEFINED += ("geometric", "log_normal", "multinomial", "dropout", "rrelu", "nonzero_static")
UNDEFINED += ("resize_", "tensor_split_undefined", "as_strided_partial_views")
# Decompositions without a unique result.
AMBIGUOUS = (
    "linalg.eig",
    "linalg.eigh",
    "linalg.svd",
    "svd",
    "svd_lowrank",
    "pca_lowrank",
    "geqrf",
)
AMBIGUOUS += ("linalg.qr", "qr", "linalg.lu_factor_ex", "linalg.ldl_factor", "linalg.ldl_factor_ex")


@dataclass(frozen=True)
class Case:
    """An operator and a dtype."""

    operator: str
    dtype: str

    def __str__(self) -> str:
        return f"{self.operator}/{self.dtype}"


@dataclass(frozen=True)
class Outcome:
    """What a case gave.

    Attributes:
        case: The case.
        kind: "agrees", "differs", "fails" (an error while compiling or running), "eager fails",
            "no sample", "crashes" or "is too slow".
        kernels: How many kernels Inductor generated.
        message: The beginning of the error, or the difference.
    """

    case: str
    kind: str
    kernels: int = 0
    message: str = ""


def all_cases(device: str = "cpu") -> list[Case]:
    """Every operator with every dtype that it supports on a device."""
    names = {}
    for op in op_db:
        skipped = any(word in op.name for word in UNDEFINED) or op.name in AMBIGUOUS
        if not skipped:
            names[_full_name(op)] = op
    return [
        Case(name, dtype)
        for name, op in sorted(names.items())
        for dtype, value in DTYPES.items()
        if value in op.supported_dtypes(device)
    ]


def fixed_sample(count: int, device: str = "cpu") -> list[Case]:
    """`count` cases, the same ones each time."""
    cases = all_cases(device)
    chosen = random.Random(17).sample(cases, min(count, len(cases)))
    return sorted(chosen, key=str)


def _full_name(op: Any) -> str:
    return f"{op.name}.{op.variant_test_name}" if op.variant_test_name else str(op.name)


@functools.cache
def _operators() -> dict[str, Any]:
    return {_full_name(op): op for op in op_db}


def calls(case: Case, device: str) -> Iterator[tuple[Callable[..., Any], tuple[Any, ...]]]:
    """A function of tensors for each sample, and the tensors."""
    op = _operators()[case.operator]
    torch.manual_seed(0)
    for sample in op.sample_inputs(device, DTYPES[case.dtype], requires_grad=False):
        arguments = (sample.input, *sample.args, sample.kwargs)
        yield functools.partial(_call, op.op), arguments


def _call(function: Callable[..., Any], *arguments: Any) -> Any:
    *positional, named = arguments
    return function(*positional, **named)


def outcome(case: Case, device: str = "cpu") -> Outcome:
    """Compares the first sample of a case with eager mode, by PyTorch's tolerances."""
    warnings.simplefilter("ignore")
    config.fallback_random = True
    metrics.reset()
    for function, arguments in calls(case, device):
        try:
            expected = function(*_copy(arguments))
        except Exception:
            continue
        torch._dynamo.reset()
        try:
            found = torch.compile(function)(*_copy(arguments))
        except Exception as error:
            return Outcome(str(case), "fails", metrics.generated_kernel_count, _first(error))
        if problem := _difference(found, expected, function, arguments):
            return Outcome(str(case), "differs", metrics.generated_kernel_count, problem)
        return Outcome(str(case), "agrees", metrics.generated_kernel_count)
    return Outcome(str(case), "no sample")


def _copy(arguments: Any) -> Any:
    return tree_map(lambda x: x.clone() if isinstance(x, torch.Tensor) else x, arguments)


def _difference(found: Any, expected: Any, function: Any, arguments: Any) -> str:
    """How a result differs from eager mode's; empty if it is as accurate.

    A result in bfloat16 may be closer to the exact one than eager mode's, which rounds after every
    operator; it is then compared with eager mode in float32.
    """
    problem = _mismatch(found, expected)
    if not problem or not _has_halves(arguments):
        return problem
    try:
        wide = function(*tree_map(_widen, _copy(arguments)))
    except Exception:
        return problem
    return _mismatch(tree_map(_widen, found), wide, rtol=1.6e-2, atol=1e-2) and problem


def _mismatch(found: Any, expected: Any, **tolerances: float) -> str:
    try:
        torch.testing.assert_close(found, expected, equal_nan=True, **tolerances)
    except (AssertionError, TypeError, ValueError) as error:
        return " ".join(str(error).split())[:300]
    return ""


def _has_halves(arguments: Any) -> bool:
    seen = []
    tree_map(
        lambda x: seen.append(isinstance(x, torch.Tensor) and x.dtype.itemsize == 2), arguments
    )
    return any(seen)


def _widen(value: Any) -> Any:
    is_half = isinstance(value, torch.Tensor) and value.dtype == torch.bfloat16
    return value.float() if is_half else value


def _first(error: Exception) -> str:
    text = f"{type(error).__name__}: {error}"
    return " ".join(text.split())[:400]
