"""The external tools that kinds of targets need: NVIDIA's assemblers.

They are the library nvJitLink, which comes with PyTorch's CUDA builds, and the program ptxas. The
search imports neither PyTorch nor Triton.

An environment variable takes precedence over the search; 0 disables that assembler:

    TILEWRIGHT_NVJITLINK=/path/of/libnvJitLink.so.13
    TILEWRIGHT_PTXAS=/path/of/ptxas, or TRITON_PTXAS_PATH
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from tilewright.cache.identity import binary_identity
from tilewright.compiler.core import core

# The environment variables that affect the search.
ASSEMBLER_SETTINGS = (
    "TILEWRIGHT_NVJITLINK",
    "TILEWRIGHT_PTXAS",
    "TRITON_PTXAS_PATH",
    "CUDA_HOME",
    "CUDA_PATH",
    "PATH",
)
_LIBRARY = "libnvJitLink*.so*"
_TOOLKIT = Path("/usr/local/cuda")


class Assemblers(NamedTuple):
    """Paths, empty if not found.

    If both are found, the library is used, but for kernels in which warp groups exchange
    registers.
    """

    nvjitlink: str
    ptxas: str

    def describe(self) -> str:
        """Name and version of the assembler that is used, such as "nvJitLink 13.0".

        Raises:
            AssembleError: No assembler was found, or it can't be run.
        """
        return str(core().describe_assembler(*self))

    def paths(self) -> dict[str, str]:
        """The options of the core that name them."""
        return self._asdict()

    def identity(self) -> str:
        """Identifies the assemblers in a cache key: others may generate other code."""
        return " ".join(_identity(path) for path in self if path) or "no assembler"


def _identity(path: str) -> str:
    try:
        return binary_identity(os.path.realpath(path))
    except OSError:
        return f"unreadable: {path}"  # the compilation reports the error


def find_assemblers() -> Assemblers:
    library, program = (_setting(name) for name in ("TILEWRIGHT_NVJITLINK", "TILEWRIGHT_PTXAS"))
    if program is None:
        program = os.environ.get("TRITON_PTXAS_PATH") or None
    if library is None:
        # A ptxas named by the user takes precedence over a library that was found.
        library = "" if program else next(_libraries(), "")
    if program is None:
        program = next(_programs(), "")
    return Assemblers(library, program)


def _setting(name: str) -> str | None:
    value = os.environ.get(name)
    return "" if value == "0" else value or None


def _libraries() -> Iterator[str]:
    for folder in _package_folders("nvidia"):
        yield from _newest_first(folder.glob(f"*/lib/{_LIBRARY}"))
    for folder in _package_folders("torch"):
        yield from _newest_first(folder.glob(f"lib/{_LIBRARY}"))
    for toolkit in toolkits():
        yield from _newest_first(
            [*toolkit.glob(f"lib64/{_LIBRARY}"), *toolkit.glob(f"lib/{_LIBRARY}")]
        )


def _programs() -> Iterator[str]:
    found = shutil.which("ptxas")
    if found:
        yield found
    folders = [toolkit / "bin" for toolkit in toolkits()]
    folders += [triton / "backends" / "nvidia" / "bin" for triton in _package_folders("triton")]
    folders += [path for nvidia in _package_folders("nvidia") for path in nvidia.glob("*/bin")]
    for folder in folders:
        path = folder / "ptxas"
        if os.access(path, os.X_OK):
            yield str(path)


def toolkits() -> list[Path]:
    """The folders in which a CUDA toolkit may be."""
    named = [os.environ.get(name) for name in ("CUDA_HOME", "CUDA_PATH")]
    return [*(Path(name) for name in named if name), _TOOLKIT]


def _package_folders(name: str) -> list[Path]:
    """The folders of a package; does not import it."""
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return []
    return [Path(folder) for folder in (spec.submodule_search_locations if spec else None) or ()]


def _newest_first(paths: Iterable[Path]) -> list[str]:
    """The paths ordered by the version number after ".so.", newest first."""

    def version(path: Path) -> list[int]:
        return [int(number) for number in re.findall(r"\d+", path.name.partition(".so")[2])]

    return [str(path) for path in sorted(paths, key=version, reverse=True)]


class Tools(NamedTuple):
    """The external tools that a kind of target needs to generate code.

    Attributes:
        find: Searches for them.
        settings: The environment variables that affect the search.
    """

    find: Callable[[], Assemblers]
    settings: tuple[str, ...]

    def identity(self) -> str:
        return self.find().identity()

    def paths(self) -> dict[str, str]:
        return self.find().paths()


# By kind of target.
TOOLS = {"cuda": Tools(lambda: find_assemblers(), ASSEMBLER_SETTINGS)}
