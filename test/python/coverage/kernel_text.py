"""Writes the kernel of an operation, as text: the front end reads kernels from files."""

from __future__ import annotations

from number_formats import BITS_ONLY, language_name
from operands import Shape
from operation import Operation

HEADER = """import tilewright
import tilewright.language as tl
"""


def offsets(shape: Shape) -> str:
    """The indices of a contiguous array's elements, an expression."""
    terms = []
    stride = 1
    for axis in reversed(range(len(shape))):
        index = ", ".join(":" if other == axis else "None" for other in range(len(shape)))
        selected = f"tl.arange(0, {shape[axis]})"
        selected += f"[{index}]" if len(shape) > 1 else ""
        terms.append(f"{selected} * {stride}" if stride > 1 else selected)
        stride *= shape[axis]
    return " + ".join(reversed(terms)) or "0"


def _loads(operation: Operation, dtype: str, shape: Shape) -> list[str]:
    lines = []
    for name, operand in zip("abc", operation.operands, strict=False):
        element = operand.dtype or dtype
        load = f"tl.load({name}_ptr + {offsets(operand.shape(shape))})"
        if element in BITS_ONLY:
            load += f".to({language_name(element)}, bitcast=True)"
        lines.append(f"{name} = {load}")
    return lines


def _stores(results: list[tuple[str, Shape]]) -> list[str]:
    """Checks the type of each result and stores it."""
    lines = []
    for k, (dtype, shape) in enumerate(results):
        name = f"r{k}"
        lines.append(f"tl.static_assert({name}.dtype == {language_name(dtype)}, 'dtype')")
        lines.append(f"tl.static_assert(len({name}.shape) == {len(shape)}, 'rank')")
        for axis, size in enumerate(shape):
            lines.append(f"tl.static_assert({name}.shape[{axis}] == {size}, 'size')")
        value = f"{name}.to(tl.uint8, bitcast=True)" if dtype in BITS_ONLY else name
        lines.append(f"tl.store({name}_ptr + {offsets(shape)}, {value})")
    return lines


def parameters(operation: Operation, count: int) -> list[str]:
    """The names of a kernel's arguments: its operands, then its results."""
    operands = [f"{name}_ptr" for name, _ in zip("abc", operation.operands, strict=False)]
    return operands + [f"r{k}_ptr" for k in range(count)]


def function(
    operation: Operation, name: str, dtype: str, shape: Shape, results: list[tuple[str, Shape]]
) -> str:
    """The kernel for one dtype and shape; `results` are the dtypes and shapes of its results."""
    words = {
        "T": language_name(dtype),
        "shape": shape,
        "last": len(shape) - 1,
        "M": shape[0],
        "N": shape[-1],
    }
    targets = ", ".join(f"r{k}" for k in range(len(results)))
    before = operation.before.format(**words).splitlines()
    body = [
        f"at = {offsets(shape)}",
        *_loads(operation, dtype, shape),
        *before,
        f"{targets} = {operation.code.format(**words)}",
        *_stores(results),
    ]
    head = f"@tilewright.jit\ndef {name}({', '.join(parameters(operation, len(results)))}):\n"
    return head + "".join(f"    {line}\n" for line in body)


def batch(
    operation: Operation, dtype: str, parts: list[tuple[Shape, list[tuple[str, Shape]]]]
) -> str:
    """A module whose `kernel` does the work of several shapes."""
    text = [HEADER, operation.helpers]
    names: list[str] = []
    calls = []
    for k, (shape, results) in enumerate(parts):
        text.append(function(operation, f"part_{k}", dtype, shape, results))
        own = [f"{name}_{k}" for name in parameters(operation, len(results))]
        calls.append(f"    part_{k}({', '.join(own)})\n")
        names += own
    text.append(f"@tilewright.jit\ndef kernel({', '.join(names)}):\n" + "".join(calls))
    return "\n\n".join(part for part in text if part)
