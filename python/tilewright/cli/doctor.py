"""`tilewright doctor`: reports what is installed, what is missing, and how to fix it."""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import os
import platform
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tilewright.errors import TilewrightError

_OLDEST_PYTHON = (3, 10)


@dataclass(frozen=True)
class Finding:
    """One line of the report. `level` is "ok", "note" (optional) or "bad" (must be fixed)."""

    level: str
    subject: str
    found: str
    hint: str = ""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = "Report what is installed, what is missing and how to fix it."
    parser.add_argument(
        "--full", action="store_true", help="also import torch and numpy, and compile a kernel"
    )


def run(arguments: argparse.Namespace) -> int:
    bad = 0
    for finding in examine(arguments.full):
        bad += finding.level == "bad"
        print(f"{finding.level:5} {finding.subject:10} {finding.found}")
        if finding.hint:
            print(f"{'':16} -> {finding.hint}")
    print(f"\nproblems to fix: {bad}" if bad else "\nno problems found")
    return 1 if bad else 0


def examine(full: bool) -> Iterator[Finding]:
    """All findings; each check comes after those on which it depends."""
    checks: list[Callable[[], Iterator[Finding]]] = [_python, _core, _target, _threads, _cache]
    checks += [_cuda, _assembler, _hip]
    checks += [lambda: _library("torch", full), lambda: _library("numpy", full), _settings]
    if full:
        checks.append(_try_kernel)
    for check in checks:
        yield from check()


def _python() -> Iterator[Finding]:
    found = f"{platform.python_version()} at {sys.executable}"
    if sys.version_info < _OLDEST_PYTHON:
        yield Finding("bad", "python", found, "use Python 3.10 or later")
    else:
        yield Finding("ok", "python", found)
    glibc = " ".join(platform.libc_ver()).strip()
    yield Finding("ok", "platform", f"{platform.system()} {platform.machine()} {glibc}".strip())


def _core() -> Iterator[Finding]:
    from tilewright.cache.identity import binary_identity
    from tilewright.compiler.core import core

    try:
        file = core().__file__
    except TilewrightError as error:
        cause = str(error.__cause__)
        hint = "run bin/quickstart in the checkout, or `pip install .` with this Python"
        yield Finding("bad", "core", f"not loadable: {cause}", hint)
        return
    size = os.path.getsize(file) / 1e6
    yield Finding("ok", "core", f"{file} ({size:.0f} MB, {binary_identity(file)[:25]})")


def _target() -> Iterator[Finding]:
    from tilewright.compiler.core import core
    from tilewright.compiler.targets import resolve_target

    try:
        host = core().target_kinds()[0].key("")
    except (TilewrightError, AttributeError):
        return  # there is no core
    try:
        yield Finding("ok", "target", f"{resolve_target()} by default")
    except TilewrightError as error:
        yield Finding("bad", "target", str(error).split("\n")[0], "fix or unset TILEWRIGHT_TARGET")
    shown = host if len(host) <= 100 else host[:97] + "..."
    yield Finding("ok", "processor", shown)


def _threads() -> Iterator[Finding]:
    try:
        usable = len(os.sched_getaffinity(0))
    except AttributeError:
        usable = os.cpu_count() or 1
    yield Finding("ok", "threads", f"{usable} usable of {os.cpu_count()}")


def _cache() -> Iterator[Finding]:
    from tilewright.cache import default_store

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            store = default_store()
        except TilewrightError as error:
            found, _, hint = str(error).partition("\nhint: ")
            yield Finding("bad", "cache", found, hint)
            return
    if store is None:
        yield Finding("note", "cache", "off (TILEWRIGHT_CACHE)", "kernels are compiled every time")
    elif not store.writable:
        why = str(caught[0].message) if caught else f"{store.path} is not writable"
        found, _, hint = why.partition("\nhint: ")
        yield Finding(
            "note", "cache", found, hint or "set TILEWRIGHT_CACHE_DIR to a writable folder"
        )
    else:
        files = store.entries()
        size = sum(path.stat().st_size for path in files) / 1e6
        yield Finding("ok", "cache", f"{store.path} ({len(files)} kernels, {size:.1f} MB)")


def _cuda() -> Iterator[Finding]:
    from tilewright.compiler.core import core

    try:
        platform = core().devices("cuda")
    except (TilewrightError, AttributeError):
        return  # there is no core
    if problem := platform["problem"]:
        hint = "needed only to run kernels on NVIDIA GPUs"
        yield Finding("note", "cuda", problem, hint)
        return
    major, minor = divmod(platform["version"] // 10, 100)
    takes = f"PTX up to {_ptx(platform['newest_ptx'])}"
    yield Finding("ok", "cuda", f"driver of CUDA {major}.{minor}, {takes}")
    for ordinal, device in enumerate(platform["devices"]):
        yield _device(f"cuda:{ordinal}", device, platform["newest_ptx"])


def _device(name: str, device: dict[str, Any], newest_ptx: int) -> Finding:
    from tilewright.compiler.core import core
    from tilewright.compiler.targets import resolve_target

    memory = device["memory_bytes"] / 2**30
    found = f"{device['name']}, {device['capability'].removeprefix('the ')}, "
    found += f"{memory:.0f} GiB"
    try:
        arch = resolve_target("cuda", name).arch
    except TilewrightError as error:
        return Finding("note", name, found, str(error))
    needed = next(t.code_ptx_version for t in core().nvidia_targets() if t.name == f"sm_{arch}")
    if needed > newest_ptx:
        hint = f"code for it is PTX {_ptx(needed)}: install a newer driver"
        return Finding("bad", name, found, hint)
    return Finding("ok", name, f"{found}, target cuda:{arch}")


def _hip() -> Iterator[Finding]:
    from tilewright.compiler.core import core
    from tilewright.compiler.targets import target_kinds

    try:
        if "hip" not in target_kinds():
            return
        platform = core().devices("hip")
    except (TilewrightError, AttributeError):
        return  # there is no core
    if problem := platform["problem"]:
        yield Finding("note", "hip", problem, "needed only to run kernels on AMD GPUs")
        return
    yield Finding("ok", "hip", f"HIP {platform['version']} ({platform['library']})")
    for ordinal, device in enumerate(platform["devices"]):
        yield _hip_device(f"hip:{ordinal}", device)


def _hip_device(name: str, device: dict[str, Any]) -> Finding:
    from tilewright.compiler.targets import resolve_target

    full = ":".join(filter(None, (device["architecture"], device["features"])))
    found = f"{device['name']}, {full}, {device['memory_bytes'] / 2**30:.0f} GiB"
    try:
        target = resolve_target("hip", name)
    except TilewrightError as error:
        return Finding("note", name, found, str(error))
    return Finding("ok", name, f"{found}, target {target}")


def _ptx(version: int) -> str:
    """ "8.7" of 87."""
    return f"{version // 10}.{version % 10}"


def _assembler() -> Iterator[Finding]:
    from tilewright.compiler.assembler import Assemblers, find_assemblers

    found = find_assemblers()
    used = found._replace(ptxas="") if found.nvjitlink else found
    others = [Assemblers("", found.ptxas)] if found.nvjitlink and found.ptxas else []
    only = ", for kernels that move registers between warps"
    for assembler, remark in ((used, ""), *((other, only) for other in others)):
        path = assembler.nvjitlink or assembler.ptxas
        try:
            yield Finding("ok", "assembler", f"{assembler.describe()} ({path}){remark}")
        except (TilewrightError, AttributeError):
            return  # there is no core
        except RuntimeError as error:
            message, _, hint = str(error).partition("\nhint: ")
            yield Finding("bad" if path else "note", "assembler", message, hint)


def _library(name: str, full: bool) -> Iterator[Finding]:
    if importlib.util.find_spec(name) is None:
        hint = f"needed only to pass arrays of {name}: pip install {name}"
        yield Finding("note", name, "not found", hint)
        return
    try:
        version = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        version = "of unknown version"
    if full:
        try:
            importlib.import_module(name)
        except Exception as error:
            hint = f"reinstall it: pip install --force-reinstall {name}"
            yield Finding("bad", name, f"{version} can't be imported: {error}", hint)
            return
    yield Finding("ok", name, version)


def _settings() -> Iterator[Finding]:
    for name, value in sorted(os.environ.items()):
        if name.startswith("TILEWRIGHT_"):
            yield Finding("ok", "setting", f"{name}={value}")


def _try_kernel() -> Iterator[Finding]:
    from tilewright import compiler
    from tilewright.cli.sample import fill

    start = time.perf_counter()
    try:
        kernel = compiler.compile(fill, ["*fp32:D", "i32", 64])
        kernel.load()
    except TilewrightError as error:
        hint = "please report it, with the output of `tilewright doctor`"
        yield Finding("bad", "compiling", str(error), hint)
        return
    took = (time.perf_counter() - start) * 1e3
    how = "compiled" if kernel.origin == "compiled" else "read from the cache"
    yield Finding("ok", "compiling", f"a kernel was {how} and loaded in {took:.0f} ms")
