"""Translates a kernel's signature to func.func; holds the state of building a module.

The kernel has one argument per leaf parameter that is not a constant. Its `tile.slot` is the index
of its value in the launcher's argument array:

    func.func @add(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32, tile.slot = 0 : i32}, ...)
        attributes {tile.kernel}
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from tilewright import _core
from tilewright.dependencies import Record
from tilewright.errors import CompileError, TypeMismatchError
from tilewright.language import constexpr, dtype, tensor
from tilewright.language._build import known_integer
from tilewright.language._context import BuildContext, use
from tilewright.language.descriptor import ByValueType, Descriptor, parse_descriptor
from tilewright.language.dtypes import int32, pointer_type
from tilewright.language.parameter_bytes import ParameterBytes
from tilewright.language.value import Described, is_structure, map_parts, unflatten

from . import (  # noqa: F401  (each registers its handlers)
    assign,
    branches,
    calls,
    early_exit,
    expressions,
    functions,
    loops,
    names,
    operators,
)
from .functions import Specialization, definition_loc, materialize_assigned
from .scope import Scope
from .values import Value, unwrap, use_class
from .visitor import FunctionVisitor


@dataclass
class ModuleBuild:
    """The state of building one module.

    Attributes:
        context: The context in which the language's functions build operations.
        module: The module.
        specializations: The private functions built so far.
        record: Records what is read of the program around the kernel.
        place: The visitor and the node that is being visited.
        nested_guards: The number of statement sequences and guards around the current node.
        locations: The IR locations of nodes, by their file, line and column.
        exit_codes: Unused exit codes.
    """

    context: BuildContext
    module: _core.Module
    record: Record
    specializations: dict[Any, Specialization] = field(default_factory=dict)
    place: tuple[FunctionVisitor, ast.AST] | None = None
    nested_guards: int = 0
    locations: dict[str, dict[tuple[int, int], Any]] = field(default_factory=dict)
    exit_codes: Iterator[int] = field(default_factory=lambda: itertools.count(-1, -1))


@dataclass(frozen=True)
class _Argument:
    """An argument of the kernel: a leaf parameter whose value is known only at launch."""

    slot: int
    type: dtype | ByValueType
    is_divisible: bool


@dataclass(frozen=True)
class _KnownInteger:
    """An argument of the kernel whose value is compiled in.

    It can be used as a constant. In arithmetic it is a scalar like any other, so what a launch
    computes does not depend on whether the value was compiled in.
    """

    value: int


def build_module(
    ctx: _core.Context,
    fn: Any,
    signature: Sequence[Any],
    noalias: bool,
    options: Any,
    record: Record | None = None,
    target: Any = None,
    name: str = "",
) -> _core.Module:
    """Builds the Tile IR of a kernel.

    Args:
        ctx: The context to build in.
        fn: The @jit function.
        signature: For each parameter a descriptor such as "*fp32:D" or "i32", a constant, or a
            tuple of these. The entry of a tl.constexpr parameter is always a constant.
        noalias: Whether all pointers are known to point to disjoint memory.
        options: The options of this compilation.
        record: Receives what is read of the program around the kernel.
        target: Describes the target to functions that ask for it.
        name: The name of the kernel's code; by default the function's.

    Raises:
        CompileError: The kernel is not valid; names file, line and column.
    """
    builder = _core.Builder(ctx)
    builder.loc = definition_loc(ctx, fn)
    module = _core.Module(ctx, builder.loc)
    record = record or Record(fn, signature)
    context = BuildContext(ctx, builder, options, record=record, target=target)
    build = ModuleBuild(context, module, record)
    # The front end calls these through the context because functions.py imports it.
    context.call = lambda callee, args, kwargs: functions.call(build, callee, args, kwargs)
    context.initialize = lambda *given: functions.initialize(build, *given)
    context.inline = lambda callee, args: functions.inline(build, callee, args)
    builder.set_to_end(module.body)
    try:
        with use(context):
            _build_kernel(build, fn, signature, noalias, name or fn.name)
    except CompileError as error:
        # The front end's own traceback does not help the user.
        raise error.with_traceback(None) from error.__cause__
    if context.omits_asserts:
        module.op.set_attr("tile.omits_asserts", ctx.unit_attr())
    module.verify()
    return module


def _build_kernel(
    build: ModuleBuild, fn: Any, signature: Sequence[Any], noalias: bool, name: str
) -> None:
    ctx, builder = build.context.ctx, build.context.builder
    read = _Signature(fn, signature)
    arguments = read.arguments
    types = [argument.type.ir(ctx) for argument in arguments]
    attrs = {
        "sym_name": ctx.string_attr(name),
        "function_type": ctx.type_attr(ctx.function_type(types, [])),
        "tile.kernel": ctx.unit_attr(),
    }
    op = builder.create("func.func", attrs=attrs, types=[], regions=1)
    block = op.region(0).add_block(types, builder.loc)
    for index, argument in enumerate(arguments):
        _set_argument_attributes(build.context, op, index, argument, noalias)
    builder.set_to_end(block)
    handles = iter(block.args)
    scope = Scope()
    for param, value in zip(fn.params, read.values, strict=True):
        scope.set(param.name, _fill(value, handles), fn.tree().lineno)
    visitor = FunctionVisitor(build, fn, scope, is_kernel=True)
    materialize_assigned(visitor)
    visitor.run()
    builder.create("func.return", types=[])


def _set_argument_attributes(
    context: BuildContext, op: Any, index: int, argument: _Argument, noalias: bool
) -> None:
    ctx, i32 = context.ctx, context.ir(int32)
    op.set_arg_attr(index, "tile.slot", ctx.int_attr(i32, argument.slot))
    if argument.is_divisible:
        op.set_arg_attr(index, "tile.divisibility", ctx.int_attr(i32, 16))
    if noalias and not isinstance(argument.type, ByValueType) and argument.type.is_ptr():
        op.set_arg_attr(index, "tile.noalias", ctx.unit_attr())


class _Signature:
    """Reads the entries of a signature in order, and counts the slots of the launch.

    Attributes:
        values: The parameters' values, with placeholders for those known only at launch.
        arguments: These placeholders, in order.
    """

    def __init__(self, fn: Any, signature: Sequence[Any]) -> None:
        if len(signature) != len(fn.params):
            raise TypeMismatchError(
                f"the signature of `{fn.name}` has {len(signature)} entries "
                f"for {len(fn.params)} parameters",
                file=fn.source_file,
                line=fn.tree().lineno,
            )
        self._free_slot = 0
        self.arguments: list[_Argument] = []
        self.values = [
            self._constant(entry) if param.is_constexpr else self._entry(entry, param.is_const)
            for param, entry in zip(fn.params, signature, strict=True)
        ]

    def _constant(self, entry: Any) -> Value:
        self._free_slot += 1
        return constexpr(unwrap(entry))

    def _entry(self, entry: Any, is_const: bool = False) -> Value:
        if isinstance(entry, Described):
            use_class(entry.kind)
            return unflatten(entry.kind, [self._entry(part) for part in entry.parts], entry.key)
        if is_structure(entry):
            return map_parts(entry, self._entry)
        if isinstance(entry, str):
            return self._described(parse_descriptor(entry), is_const)
        self._free_slot += 1
        plain = unwrap(entry)
        if type(plain) is int:
            return _KnownInteger(plain)
        return constexpr(plain) if isinstance(plain, (bool, float, str)) else plain

    def _described(self, descriptor: Descriptor, is_const: bool) -> Value:
        type = descriptor.type
        if is_const and not isinstance(type, ByValueType) and type.is_ptr():
            descriptor = descriptor._replace(type=pointer_type(type.element_ty, const=True))
        slot = descriptor.first_slot(self._free_slot)
        self._free_slot = slot + descriptor.slots
        argument = _Argument(slot, descriptor.type, descriptor.is_divisible)
        self.arguments.append(argument)
        return argument


def _fill(value: Value, handles: Iterator[Any]) -> Value:
    """The value with its placeholders replaced by tensors."""
    if isinstance(value, _Argument):
        if isinstance(value.type, ByValueType):
            return ParameterBytes(next(handles), value.type)
        return tensor(next(handles), value.type)
    if isinstance(value, _KnownInteger):
        return known_integer(value.value)
    return map_parts(value, lambda part: _fill(part, handles))
