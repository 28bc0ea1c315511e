"""Which arguments a kernel reads and writes that a program calls in a compiled function.

PyTorch asks Triton's compiler for the kernel's IR and walks it. Tilewright's compiler knows what
the code writes, so this module gives PyTorch an IR that says just that:

    tt.func @kernel(%x: pointer, %out: pointer) {
      tt.load %x
      tt.load %out
      tt.store %out
      tt.return
    }

Only arrays are parameters, and every array counts as read. Where the analysis fails, PyTorch
assumes that all arrays are written.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tilewright.runtime.interface import jit_function

_MODULE = "torch._higher_order_ops.triton_kernel_wrap"
_original: list[Callable[..., Any]] = []


def replace_analysis() -> None:
    """Makes PyTorch ask Tilewright."""
    if not _original:
        module: Any = importlib.import_module(_MODULE)
        _original.append(module.generate_ttir)
        module.generate_ttir = describe


def restore_analysis() -> None:
    """Undoes `replace_analysis`."""
    if _original:
        importlib.import_module(_MODULE).generate_ttir = _original.pop()  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Value:
    """A value or a region, which has an identity only."""

    number: int

    def id(self) -> int:
        return self.number


@dataclass(frozen=True)
class Block:
    """The body of the function."""

    arguments: list[Value]

    def id(self) -> int:
        return 0

    def get_num_arguments(self) -> int:
        return len(self.arguments)

    def get_argument(self, index: int) -> Value:
        return self.arguments[index]

    def get_parent(self) -> Value:
        return Value(0)


@dataclass(frozen=True)
class Operation:
    """An operation without results, as PyTorch reads it."""

    name: str
    block: Block | None
    operands: list[Value] = field(default_factory=list)
    symbol: str = ""

    def get_name(self) -> str:
        return self.name

    def get_block(self) -> Block | None:
        return self.block

    def get_num_operands(self) -> int:
        return len(self.operands)

    def get_operand(self, index: int) -> Value:
        return self.operands[index]

    def get_num_results(self) -> int:
        return 0

    def get_num_regions(self) -> int:
        return 0 if self.block else 1

    def get_region(self, index: int) -> Value:
        return Value(0)

    def get_str_attr(self, name: str) -> str:
        return self.symbol


@dataclass(frozen=True)
class Module:
    """The IR of a kernel: the number of arrays, and the positions of those that are written."""

    name: str
    count: int
    written: list[int]

    def walk(self, visit: Callable[[Operation], None]) -> None:
        """Calls a function for every operation, the function's last."""
        for operation in self._operations():
            visit(operation)

    def _operations(self) -> Iterator[Operation]:
        block = Block([Value(number) for number in range(self.count)])
        for argument in block.arguments:
            yield Operation("tt.load", block, [argument])
        for position in self.written:
            yield Operation("tt.store", block, [block.arguments[position]])
        yield Operation("tt.return", block)
        yield Operation("tt.func", None, symbol=self.name)


def describe(
    kernel: Any, kwargs: Mapping[str, Any], tma_descriptor_metadata: Any = None
) -> tuple[Module, list[str]]:
    """What a kernel reads and writes.

    Args:
        kernel: A @jit function, or what wraps one. Of an autotuned one the first configuration is
            taken.
        kwargs: The arguments by name; tensors may be fake ones or Inductor's.
        tma_descriptor_metadata: Which arguments are tensor descriptors; not supported.

    Returns:
        The IR, and the names of the arrays, which are its parameters.

    Raises:
        ValueError: There are tensor descriptors.
        TilewrightError: The kernel can't be compiled for the CPU.
    """
    if tma_descriptor_metadata:
        raise ValueError("Tilewright does not analyze kernels with tensor descriptors as arguments")
    fn = jit_function(kernel)
    assert fn is not None
    configs = getattr(kernel, "configs", None)
    given = {**kwargs, **(configs[0].kwargs if configs else {})}
    arguments = {name: _placeholder(given[name]) for name in fn.arg_names}
    constants = {parameter.name for parameter in fn.params if parameter.is_constexpr}
    arrays = [n for n, value in arguments.items() if n not in constants and _is_dtype(value)]
    compiled = fn.warmup(*arguments.values(), target="cpu")
    written = {fn.arg_names[slot] for slot in compiled.written_slots}
    return Module(fn.name, len(arrays), [arrays.index(n) for n in arrays if n in written]), arrays


def _placeholder(value: Any) -> Any:
    """What represents an argument for the compiler: a dtype for a tensor, 2 for a symbol."""
    torch: Any = importlib.import_module("torch")
    if isinstance(value, torch.Tensor):
        return value.dtype
    if type(value).__module__ == "torch._inductor.ir":
        return value.get_dtype()
    if isinstance(value, torch.SymFloat):
        return 2.0
    if isinstance(value, (torch.SymInt, torch.SymBool, _expressions())):
        return 2
    return value


def _expressions() -> Any:
    """The class of the symbolic sizes of Inductor."""
    return importlib.import_module("sympy").Expr


def _is_dtype(value: Any) -> bool:
    return type(value).__module__ == "torch" and type(value).__name__ == "dtype"
