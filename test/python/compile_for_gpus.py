"""Also compiles the kernels that tests launch for architectures of GPUs; needs no GPU.

A pytest plugin, for `--compile-for-gpus one` and `all`, which are NVIDIA's, and for `amd-one` and
`amd-all`: the Tile IR of each launch is recorded, and compiled and assembled when its test has
ended, for all architectures or for one, which the IR's digest selects. A failure is an error of the
test. The same IR is compiled only once per run, by the first pytest process that claims it.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tilewright import _core
from tilewright.compiler import Options, Target
from tilewright.compiler.assembler import find_assemblers
from tilewright.compiler.request import Request
from tilewright.compiler.stages import build_tile
from tilewright.compiler.targets import target_kinds
from tilewright.runtime.function import JITFunction

# Names a folder with an empty file for each kernel and architecture that a process has claimed.
_FOLDER = "TILEWRIGHT_TEST_COMPILED"
# What AMD's GPUs lack so far, or have less of than the tests need; warps may have 64 threads.
_LACKS = {
    "hip": re.compile(
        r"bytes of shared memory|is not supported on AMD's GPUs yet|needs 2048 threads|"
        r"the library .* is for nvptx64"
    )
}


class _Kernel(NamedTuple):
    name: str
    tile: str  # with locations, for the errors
    options: dict[str, Any]
    digest: str  # of the code without locations


_launched: list[_Kernel] = []
_emulated_only = False  # whether the current test runs only on GPUs
_kind = target_kinds()["cuda"]


def install(gpus: str) -> None:
    """Starts recording launches; `gpus` is the value of the option."""
    global _kind
    _kind = target_kinds()["hip" if gpus.startswith("amd") else "cuda"]
    if _kind.name == "cuda" and not any(find_assemblers()):
        raise pytest.UsageError(
            "--compile-for-gpus needs an assembler: pip install nvidia-nvjitlink"
        )
    if "PYTEST_XDIST_WORKER" not in os.environ:
        os.environ[_FOLDER] = tempfile.mkdtemp(prefix="tilewright-compiled-")
    compile_for_launch = JITFunction._compile

    def compile_and_note(
        self: JITFunction, signature: Any, options: Any, noalias: bool, device: str
    ) -> Any:
        target = str(options.get("target") or "")
        # A file of IR is for the launch's target.
        given = {n: value for n, value in options.items() if n not in ("target", "ir_override")}
        made = compile_for_launch(self, signature, options, noalias, device)
        if self.debug is not None:
            given.setdefault("debug", self.debug)
        # Launches on emulated GPUs are the same as on the CPU, if there are any on the CPU. What is
        # only for GPUs of another kind, such as a library for them, does not compile for this one.
        is_own = _emulated_only and target.startswith(f"emulator:{_kind.name}:")
        if is_own or not target.startswith("emulator:"):
            some = Target(_kind.name, _kind.architectures[0])
            _note(Request(self, tuple(signature), some, Options.make(given), noalias))
        return made

    JITFunction._compile = compile_and_note  # type: ignore[method-assign]


def _note(request: Request) -> None:
    module = build_tile(request)
    options = request.options.relevant(_kind.name)
    text = f"{sorted(options.items())}\n{module.print()}"
    digest = hashlib.sha256(text.encode()).hexdigest()
    _launched.append(_Kernel(request.fn.name, module.print(debug_info=True), options, digest))


@pytest.fixture(autouse=True)
def _compile_for_gpus(request: pytest.FixtureRequest) -> Iterator[None]:
    global _emulated_only
    _launched.clear()
    _emulated_only = request.node.get_closest_marker("needs_gpu") is not None
    yield
    cpu_only = request.node.get_closest_marker("cpu_only")
    if not cpu_only or cpu_only.kwargs.get("compiles", True):
        refused = request.node.get_closest_marker("gpu_refuses")
        all_gpus = request.config.getoption("--compile-for-gpus").endswith("all")
        problems = [
            problem
            for kernel in _launched
            for problem in _problems(kernel, refused, _architectures(kernel, refused, all_gpus))
        ]
        if problems:
            pytest.fail("\n".join(problems), pytrace=False)


def _architectures(kernel: _Kernel, refused: pytest.Mark | None, all_gpus: bool) -> tuple[str, ...]:
    """All architectures, or one for this kernel and those that refuse it.

    There are about as many kernels for each architecture.
    """
    if all_gpus:
        return tuple(_kind.architectures)
    own = _kind.architectures[int(kernel.digest, 16) % len(_kind.architectures)]
    others = refused.kwargs["architectures"] if refused else ()
    return (own, *(arch for arch in others if arch != own and arch in _kind.architectures))


def _problems(
    kernel: _Kernel, refused: pytest.Mark | None, architectures: tuple[str, ...]
) -> Iterator[str]:
    """Compiles for the architectures that no process has claimed; yields the errors."""
    for arch in architectures:
        if not _take(f"{kernel.digest}-{arch}"):
            continue
        problem = _compile(kernel, arch)
        if (lacks := _LACKS.get(_kind.name)) and lacks.search(problem):
            continue
        if not refused or arch not in refused.kwargs["architectures"]:
            if problem:
                yield f"{kernel.name}, {_kind.name}:{arch}: {problem}"
        elif not re.search(refused.args[0], problem):
            yield f"{kernel.name}, {_kind.name}:{arch} is not refused as expected, but: {problem}"


def _take(name: str) -> bool:
    """Claims a kernel and architecture; returns whether no process has claimed it before."""
    try:
        (Path(os.environ[_FOLDER]) / name).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def _compile(kernel: _Kernel, arch: str) -> str:
    """The error of compiling for an architecture, or an empty string."""
    module = _core.Module.parse(_core.Context(), kernel.tile)
    try:
        made = _core.compile(module, f"{_kind.name}:{arch}", _kind.core_options(kernel.options))
    except _core.IRError as error:
        return str(error)
    registers = made.metadata["registers"]
    # A kernel that computes only the same in all threads needs no vector registers of an AMD GPU.
    ready = made.object.startswith(b"\x7fELF") and (registers > 0 or _kind.name != "cuda")
    return "" if ready else f"{len(made.object)} bytes of code, {registers} registers"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if "PYTEST_XDIST_WORKER" in os.environ:
        return
    folder = Path(os.environ[_FOLDER])
    taken = [file.name.partition("-") for file in folder.iterdir()]
    shutil.rmtree(folder)
    kernels, architectures = ({name[part] for name in taken} for part in (0, 2))
    terminalreporter.write_line(
        f"{len(kernels)} kernels were compiled and assembled for {len(architectures)} "
        f"architectures of GPUs ({len(taken)} times in all)"
    )
