"""compile(): finds a kernel in memory or in the disk cache, or runs the stages; once per key."""

from __future__ import annotations

import time
import weakref
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tilewright import knobs
from tilewright.cache import KeyedLocks, default_store
from tilewright.cache.artifacts import dump_folder
from tilewright.cache.format import Entry
from tilewright.compiler import log, stages
from tilewright.compiler.kernel import CompiledKernel
from tilewright.compiler.options import Options
from tilewright.compiler.request import Request
from tilewright.compiler.sources import ASTSource
from tilewright.compiler.targets import Target, resolve_target
from tilewright.dependencies import Record, Shape

_locks = KeyedLocks()
# Weak, so that a kernel is freed when no launcher refers to it any more.
_kernels: weakref.WeakValueDictionary[str, CompiledKernel] = weakref.WeakValueDictionary()
# The shapes of what compilations of a request have read, latest first.
_shapes: dict[str, list[Shape]] = {}


class Found(NamedTuple):
    """A kernel, a record of what its compilation reads now, and its origin."""

    kernel: CompiledKernel
    record: Record
    origin: str


def compile(
    fn: Any,
    signature: Sequence[Any],
    target: str | Target | None = None,
    options: Options | Mapping[str, Any] | None = None,
    *,
    noalias: bool = False,
    reason: str | None = None,
) -> CompiledKernel:
    """Compiles the kernel `fn` for a signature, or finds it in memory or in the disk cache.

    Args:
        fn: A @jit function.
        signature: For each parameter a descriptor ("*fp32:D", "i32", ...), a compile-time value,
            or a nested tuple of these.
        target: "cpu", "cpu:avx2", ...; the default is TILEWRIGHT_TARGET, else "cpu".
        options: Options, or values by name.
        noalias: Whether the pointer arguments are known not to share memory.
        reason: The reason shown by TILEWRIGHT_LOG; by default the difference to earlier variants.

    Raises:
        CompileError: The kernel's source can't be compiled.
        OutOfResourcesError: The kernel needs more resources than the target has.
        ArgumentError: An option is unknown, or its value is invalid.
        DeviceError: The target is unknown.
        CacheError: The cache folder that the user chose is not trusted.
    """
    if not isinstance(options, Options):
        options = Options.make(options or {})
    request = Request(fn, tuple(signature), resolve_target(target), options, noalias)
    return find_or_compile(request, reason).kernel


def find_or_compile(request: Request, reason: str | None = None) -> Found:
    """The kernel for a request, with the record of what its code depends on."""
    start = time.perf_counter()
    found = _find_or_make(request)
    if found.kernel.src is None or found.kernel.src.fn is not request.fn:
        # Several functions with the same source, such as copies of a nested one, share a kernel.
        found.kernel.set_source(
            ASTSource.of_request(request.fn, request.signature, request.noalias)
        )
    _tell_listener(found)
    if found.origin != "memory" or log.wanted("compiles"):
        why = log.explain(request, found.record)
        if log.wanted("compiles"):
            elapsed = (time.perf_counter() - start) * 1e3
            log.compiled(request, found.kernel, found.origin, elapsed, reason or why)
    if found.origin != "memory" and log.wanted("schedule"):
        log.schedule(request)
    return found


def _tell_listener(found: Found) -> None:
    """Calls `knobs.compilation.listener`."""
    if knobs.compilation.listener is not None:
        knobs.compilation.listener(
            src=found.kernel.src,
            metadata=found.kernel.metadata,
            metadata_group={},
            times=found.kernel.phases,
            cache_hit=found.origin != "compiled",
        )


def _find_or_make(request: Request) -> Found:
    with _locks.hold(request.base):
        return _in_memory(request) or _fetch_or_run(request)


def _in_memory(request: Request) -> Found | None:
    for shape in _shapes.get(request.base, ()):
        record = request.replay(shape)
        kernel = _kernels.get(request.key(record)) if record else None
        if record and kernel:
            return Found(kernel, record, "memory")
    return None


def _fetch_or_run(request: Request) -> Found:
    store = default_store()
    if store is None:
        return _run(request, None)
    # A dump needs the phases to run.
    fetch = dump_folder() is None
    if fetch and (found := _on_disk(store, request)):
        return found
    with store.lock(request.base):
        # Another process may have compiled it in the meantime.
        if fetch and (found := _on_disk(store, request)):
            return found
        return _run(request, store)


def _on_disk(store: Any, request: Request) -> Found | None:
    for shape in store.load_shapes(request.base):
        record = request.replay(shape)
        entry: Entry | None = store.load(request.key(record)) if record else None
        if record and entry and {"object", "source"} <= entry.sections.keys():
            return _remember(request, record, entry, "disk")
    return None


def _run(request: Request, store: Any) -> Found:
    record, entry = stages.run(request)
    if store is not None:
        store.save(request.key(record), entry)
        store.add_shape(request.base, record.shape)
    return _remember(request, record, entry, "compiled")


def _remember(request: Request, record: Record, entry: Entry, origin: str) -> Found:
    key, shapes = request.key(record), _shapes.setdefault(request.base, [])
    if record.shape not in shapes:
        shapes.insert(0, record.shape)
    kernel = _kernels[key] = CompiledKernel(key, entry, origin)
    return Found(kernel, record, origin)
