"""`tilewright compile file.py:kernel`: compiles a kernel without launching it and prints the IR."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tilewright.cli import signature
from tilewright.cli.module import load_module
from tilewright.compiler.options import Options, OptionSpec, all_options
from tilewright.compiler.targets import target_kinds
from tilewright.errors import ArgumentError

if TYPE_CHECKING:
    from tilewright.compiler.request import Request

_OBJECT = "object"


def configure(parser: argparse.ArgumentParser) -> None:
    add_request_arguments(parser, "Compile a kernel and print its IR after a phase.")
    phases = dict.fromkeys(phase for kind in target_kinds().values() for phase in kind.phases)
    parser.add_argument(
        "--emit", "-e", choices=(*phases, *_file_names()), help="default: the target's assembly"
    )
    parser.add_argument("--output", "-o", metavar="PATH", help="write to a file, not to stdout")


def _file_names() -> tuple[str, ...]:
    """The names of machine code: that of any target, and those of particular kinds."""
    names = dict.fromkeys(kind.code_name for kind in target_kinds().values())
    return (_OBJECT, *(name for name in names if name != "obj"))


def add_request_arguments(parser: argparse.ArgumentParser, description: str) -> None:
    """Adds the arguments that `request_of` reads: kernel, signature, target and options."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = f"{description}\n\n{signature.__doc__}"
    parser.add_argument("kernel", metavar="FILE.py:KERNEL", help="the file and the function in it")
    parser.add_argument("--signature", "-s", default="", help="see above", metavar="ITEMS")
    parser.add_argument(
        "--target", "-t", help='"cpu" (this machine), "cpu:neoverse-v2", "cuda:90a", ...'
    )
    options = parser.add_argument_group(
        "options of the compilation", "as a launch takes them by keyword; docs/language.md"
    )
    for option in all_options().values():
        _add_option(options, option)
    parser.add_argument(
        "--noalias", action="store_true", help="the pointer arguments share no memory"
    )


def _add_option(parser: Any, option: OptionSpec) -> None:
    """The flag for an option of the compilation; None stands for its default."""
    flag = f"--{option.name.replace('_', '-')}"
    doc = option.doc.replace("%", "%%")
    if option.type == "flag":
        parser.add_argument(flag, action=argparse.BooleanOptionalAction, default=None, help=doc)
    elif option.choices:
        parser.add_argument(flag, choices=option.choices, help=doc)
    else:
        parser.add_argument(flag, type=int, metavar="N", help=doc)


def request_of(arguments: argparse.Namespace) -> Request:
    """The request that the arguments of `add_request_arguments` describe."""
    from tilewright.compiler import resolve_target
    from tilewright.compiler.request import Request

    fn = find_kernel(arguments.kernel)
    items = signature.parse_signature(arguments.signature, fn.params)
    given = {name: getattr(arguments, name) for name in Options.names()}
    options = Options.make({name: value for name, value in given.items() if value is not None})
    target = resolve_target(arguments.target)
    return Request(fn, tuple(items), target, options, arguments.noalias)


def run(arguments: argparse.Namespace) -> int:
    from tilewright.compiler import compile
    from tilewright.compiler.stages import build_tile

    request = request_of(arguments)
    target = request.target
    if arguments.emit == "source":
        # Printed even if a later phase would fail.
        return _write(build_tile(request).print(), arguments.output)
    is_file = arguments.emit in _file_names()
    if is_file and arguments.emit not in (_OBJECT, target_kinds()[target.kind].code_name):
        raise ArgumentError(
            f"{target} has no {arguments.emit}: use --emit object for its machine code"
        )
    kernel = compile(
        request.fn, request.signature, target, request.options, noalias=request.noalias
    )
    if is_file:
        if not arguments.output:
            raise ArgumentError("machine code can't be printed; choose a file with --output")
        Path(arguments.output).write_bytes(_machine_code(kernel))
        return 0
    try:
        text = kernel.ir(arguments.emit) if arguments.emit else kernel.assembly()
    except ValueError as problem:
        raise ArgumentError(f"{target}: {problem}") from None  # a phase of other targets
    return _write(text, arguments.output)


def _machine_code(kernel: Any) -> bytes:
    """The machine code of a kernel; without an assembler, a GPU kernel has only PTX."""
    code: bytes = kernel.object
    if not code.startswith(b"\x7fELF"):
        raise ArgumentError(
            "there is no machine code, because no assembler was found (`tilewright doctor` shows "
            "where it was searched for); use --emit ptx to print the PTX"
        )
    return code


def _write(text: str, path: str | None) -> int:
    if path:
        Path(path).write_text(text)
    else:
        print(text)
    return 0


def find_kernel(place: str) -> Any:
    """The @jit function that `file.py:name` denotes; the name is optional if there is only one."""
    from tilewright.dependencies import is_jit_function

    file, name = place, ""
    if not place.endswith(".py"):
        file, _, name = place.rpartition(":")
    module = load_module(file or place)
    kernels = {
        key: value
        for key, value in vars(module).items()
        if is_jit_function(value) and getattr(value.fn, "__module__", None) == module.__name__
    }
    if not name and len(kernels) == 1:
        return next(iter(kernels.values()))
    value = getattr(module, name, None) if name else None
    if value is not None and is_jit_function(value):
        return value
    found = ", ".join(kernels) or "none"
    wanted = f"no @jit function '{name}'" if name else "no single @jit function"
    raise ArgumentError(f"{file} has {wanted}; it has: {found}")
