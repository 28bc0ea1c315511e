"""Builds values of the language in a function that is never run."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

import tilewright.language as tl
from tilewright import _core
from tilewright.language._context import BuildContext, use


class Kernel:
    """A function under construction; the language builds at its end."""

    def __init__(self, types: list[tl.dtype]) -> None:
        self.ctx = _core.Context()
        builder = _core.Builder(self.ctx)
        self.module = _core.Module(self.ctx, self.ctx.unknown_loc())
        self.context = BuildContext(self.ctx, builder)
        ir_types = [self.context.ir(type) for type in types]
        signature = self.ctx.function_type(ir_types, [])
        attrs = {
            "sym_name": self.ctx.string_attr("kernel"),
            "function_type": self.ctx.type_attr(signature),
        }
        builder.set_to_end(self.module.body)
        function = builder.create("func.func", [], types=[], attrs=attrs, regions=1)
        block = function.region(0).add_block(ir_types, builder.loc)
        builder.set_to_end(block)
        self.args = [tl.tensor(block.arg(i), type.scalar) for i, type in enumerate(types)]

    def text(self) -> str:
        """Ends the function and returns the text of the verified module."""
        self.context.builder.create("func.return", [], types=[])
        self.module.verify()
        return str(self.module)


def parse_type(name: str) -> tl.dtype:
    """`fp32`, `*fp32` (a pointer) or `fp32[16,32]` (a tile)."""
    if name.endswith("]"):
        element, _, shape = name[:-1].partition("[")
        return tl.block_type(parse_type(element), [int(size) for size in shape.split(",")])
    if name.startswith("*"):
        return tl.pointer_type(parse_type(name[1:]))
    return tl.dtype.from_name(name)


@pytest.fixture
def kernel() -> Iterator[Callable[..., Kernel]]:
    """`kernel("fp32", "*fp32[16]")` starts a function with these arguments and makes it current."""
    alive = []  # A value is freed with its module.
    with ExitStack() as stack:

        def make(*types: str) -> Kernel:
            made = Kernel([parse_type(name) for name in types])
            alive.append(made)
            stack.enter_context(use(made.context))
            return made

        yield make


@pytest.fixture
def values(kernel: Callable[..., Kernel]) -> Callable[..., list[tl.tensor]]:
    """`values("fp32", "i32[16]")` returns the arguments of a function under construction."""
    return lambda *types: kernel(*types).args
