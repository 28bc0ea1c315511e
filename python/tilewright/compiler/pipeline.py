"""compile(): from memory, from the disk cache, or through the stages; once per key."""

from __future__ import annotations

import time
import weakref
from collections.abc import Mapping, Sequence
from typing import Any

from tilewright.cache import KeyedLocks, default_store
from tilewright.cache.artifacts import dump_folder
from tilewright.cache.format import Entry
from tilewright.compiler import log, stages
from tilewright.compiler.kernel import CompiledKernel
from tilewright.compiler.options import Options
from tilewright.compiler.request import Request
from tilewright.compiler.targets import Target, resolve_target

_locks = KeyedLocks()
# A kernel lives as long as somebody can launch it.
_kernels: weakref.WeakValueDictionary[str, CompiledKernel] = weakref.WeakValueDictionary()


def compile(
    fn: Any,
    signature: Sequence[Any],
    target: str | Target | None = None,
    options: Options | Mapping[str, Any] | None = None,
    *,
    noalias: bool = False,
    reason: str | None = None,
) -> CompiledKernel:
    """The kernel `fn` compiled for a signature.

    Args:
        fn: A @jit function.
        signature: Per parameter a descriptor ("*fp32:D", "i32", ...), a compile-time value, or a
            nested tuple of these.
        target: "cpu", "cpu:avx2", ...; the default is TILEWRIGHT_TARGET, else "cpu".
        options: Options, or values by name.
        noalias: Whether the pointer arguments are known not to share memory.
        reason: Why it is asked for, for TILEWRIGHT_LOG; worked out where not given.

    Raises:
        CompileError: the kernel's source can't be compiled.
        OutOfResourcesError: it asks for more than the target has.
        CacheError: the cache folder that the user chose is not to be trusted.
    """
    start = time.perf_counter()
    if not isinstance(options, Options):
        options = Options.make(options or {})
    request = Request(fn, tuple(signature), resolve_target(target), options, noalias)
    kernel, origin = _find_or_make(request)
    if origin != "memory" or log.wanted("compiles"):
        why = log.explain(request)
        if log.wanted("compiles"):
            elapsed = (time.perf_counter() - start) * 1e3
            log.compiled(request, kernel, origin, elapsed, reason or why)
    return kernel


def _find_or_make(request: Request) -> tuple[CompiledKernel, str]:
    key = request.key
    with _locks.hold(key):
        kernel = _kernels.get(key)
        if kernel is not None:
            return kernel, "memory"
        entry, origin = _fetch_or_run(request)
        _kernels[key] = kernel = CompiledKernel(key, entry, origin)
        return kernel, origin


def _fetch_or_run(request: Request) -> tuple[Entry, str]:
    store = default_store() if request.portable else None
    if store is None:
        return stages.run(request), "compiled"
    # Who asks for dumps wants the phases to run.
    fetch = dump_folder() is None
    if fetch and (entry := _fetch(store, request.key)):
        return entry, "disk"
    with store.lock(request.key):
        # Another process may have been quicker.
        if fetch and (entry := _fetch(store, request.key)):
            return entry, "disk"
        entry = stages.run(request)
        store.save(request.key, entry)
        return entry, "compiled"


def _fetch(store: Any, key: str) -> Entry | None:
    entry: Entry | None = store.load(key)
    complete = entry is not None and {"object", "tile"} <= entry.sections.keys()
    return entry if complete else None
