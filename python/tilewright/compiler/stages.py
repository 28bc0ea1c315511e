"""The stages of a compilation in order, from a request to a cache entry.

front end   Python source -> Tile IR
core        Tile IR -> machine code, through the phases that the core reports
"""

from __future__ import annotations

import importlib
import json
import os
import time
from collections.abc import Callable
from typing import Any

from tilewright.cache import artifacts
from tilewright.cache.format import Entry
from tilewright.compiler.collection import postponed
from tilewright.compiler.core import core
from tilewright.compiler.diagnostics import from_ir_error, is_about_assembly, warn
from tilewright.compiler.gpu_target import gpu_target_of
from tilewright.compiler.ir_override import parse_module, replace_module
from tilewright.compiler.request import Request
from tilewright.compiler.targets import target_kinds
from tilewright.dependencies import Record
from tilewright.errors import (
    AssemblyError,
    CompileError,
    OutOfResourcesError,
    PassError,
    PTXASError,
    TilewrightError,
)

# The front end sets this attribute on a module if it has omitted assertions.
_OMITS_ASSERTS = "tile.omits_asserts"
# The phase that NVIDIA's assembler produces.
_ASSEMBLY = "cubin"
_REPRODUCER = "// tilewright-reproducer: "
Dump = Callable[[str, str], None]


def run(request: Request) -> tuple[Record, Entry]:
    """Compiles a request; returns the record of what was read and the kernel's cache entry.

    Raises:
        CompileError: The kernel's source is invalid.
        OutOfResourcesError: The kernel needs more resources than the target has.
        PassError: The compiler failed; carries a command that reproduces the failure.
    """
    folder = artifacts.dump_folder()
    options = request.options.relevant(request.target.kind)
    start = time.perf_counter()
    record = request.record()
    module = _module_of(request, record)
    key = request.key(record)
    source_ir = module.print(debug_info=True)
    frontend = ("frontend", time.perf_counter() - start)
    # Must be read before compiling, which consumes the module.
    omits_asserts = module.op.get_attr(_OMITS_ASSERTS) is not None
    dump = artifacts.PhaseDump(folder, request.fn.name, key) if folder else None
    compiled = _run_core(request, key, module, source_ir, options, dump)
    warn(compiled.warnings)
    metadata = {
        "name": request.name,
        "symbol": compiled.symbol,
        "omits_asserts": omits_asserts,
        "target": str(request.target),
        "options": options,
        "signature": request.describe(),
        "launch_conditions": compiled.launch_conditions,
        "written_slots": compiled.written_slots,
        "phases": [frontend, *compiled.phases],
        "accesses": compiled.accesses if options["checks"] else None,
        **compiled.metadata,
    }
    texts = {"source": source_ir, **compiled.texts}
    kept = {name: text.encode() for name, text in texts.items()}
    return record, Entry(metadata, {"object": bytes(compiled.object), **kept})


def explain(request: Request) -> tuple[dict[str, Any], TilewrightError | None]:
    """Compiles a request for what the passes decided; nothing is cached.

    Returns:
        The metadata of the kernel with `schedule` (lib/Pipeline/ScheduleReport.h), and None. If the
        compilation fails, what passes had decided until then, and the error.
    """
    record = request.record()
    module = _module_of(request, record)
    source_ir = module.print(debug_info=True)
    options = {**request.options.relevant(request.target.kind), "explain": True}
    try:
        compiled = _run_core(request, request.key(record), module, source_ir, options, None)
    except (OutOfResourcesError, PassError) as failure:
        schedule = getattr(failure.__cause__, "schedule", None)
        return ({"schedule": schedule} if schedule else {}), failure
    return dict(compiled.metadata), None


def _module_of(request: Request, record: Record) -> Any:
    """The Tile IR that is compiled; fills the record."""
    if request.ir is not None and request.lacks_function:
        return parse_module(request.ir)
    module = build_tile(request, record)
    return module if request.ir is None else replace_module(module, request.ir)


def build_tile(request: Request, record: Record | None = None) -> Any:
    """Builds and verifies the Tile IR module; fills the record."""
    frontend = importlib.import_module("tilewright.frontend")
    context = core().Context()
    try:
        with postponed():
            module = frontend.build_module(
                context,
                request.fn,
                list(request.signature),
                request.noalias,
                request.options,
                record or request.record(),
                gpu_target_of(request.target),
                request.name,
            )
    except core().IRError as error:
        raise from_ir_error(error, CompileError) from error
    return module


def all_texts(source_ir: str, target: str, options: dict[str, Any]) -> dict[str, str]:
    """The IR after every phase, and the assembly, of a kernel that has compiled before."""
    texts: dict[str, str] = {}
    _compile_text(source_ir, target, options, texts.__setitem__)
    return texts


def without_locations(source_ir: str) -> str:
    """Tile IR without locations."""
    text: str = core().Module.parse(core().Context(), source_ir).print()
    return text


def reproduce(text: str, dump: Dump | None = None) -> None:
    """Runs the core on the text of a reproducer.

    Raises:
        PassError: The failure is reproduced.
        ValueError: The text is not a reproducer.
    """
    first = text.partition("\n")[0]
    if not first.startswith(_REPRODUCER):
        raise ValueError(f"the first line does not start with '{_REPRODUCER.strip()}'")
    header = json.loads(first[len(_REPRODUCER) :])
    try:
        _compile_text(text, header["target"], header["options"], dump)
    except core().IRError as error:
        raise _pass_error(error) from error


def _run_core(
    request: Request,
    key: str,
    module: Any,
    source_ir: str,
    options: dict[str, Any],
    dump: Dump | None,
) -> Any:
    try:
        return _compile_module(module, str(request.target), options, dump)
    except core().IRError as error:
        if excess := getattr(error, "excess", None):
            raise OutOfResourcesError(_about(request, error), *excess) from error
        failure = _pass_error(error)
        if not isinstance(failure, PassError):
            raise failure from None
        failure.reproducer = _save_reproducer(request, key, source_ir, options)
        raise failure from error


def _about(request: Request, error: Exception) -> str:
    """The core's message, with the kernel's name and position."""
    fn = request.fn
    return f"{fn.name} ({os.path.basename(fn.source_file)}:{fn.first_line}): {error}"


def _pass_error(error: Exception) -> CompileError:
    phase = getattr(error, "phase", None)
    if phase != _ASSEMBLY and is_about_assembly(error):
        return from_ir_error(error, AssemblyError)
    failure = from_ir_error(error, PTXASError if phase == _ASSEMBLY else PassError)
    if phase:
        failure.add_note_at(f"the compiler failed in the phase '{phase}'")
    return failure


def _save_reproducer(request: Request, key: str, source_ir: str, options: dict[str, Any]) -> str:
    """Saves the Tile IR with target and options; returns the command that compiles it again."""
    header = json.dumps({"target": str(request.target), "options": options})
    text = f"{_REPRODUCER}{header}\n{source_ir}"
    path = artifacts.save_reproducer(request.fn.name, key, text)
    return f"python -m tilewright reproduce '{path}'"


def _compile_text(source_ir: str, target: str, options: dict[str, Any], dump: Dump | None) -> Any:
    context = core().Context()
    module = core().Module.parse(context, source_ir)
    return _compile_module(module, target, options, dump)


def _compile_module(module: Any, target: str, options: dict[str, Any], dump: Dump | None) -> Any:
    kind = target_kinds()[target.partition(":")[0]]
    return core().compile(module, target, kind.core_options(options), dump)
