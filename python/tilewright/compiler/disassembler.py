"""The disassembly of a cubin, by NVIDIA's program nvdisasm of the CUDA toolkit.

The environment variable TRITON_NVDISASM_PATH names it; else it is searched as ptxas is.
"""

from __future__ import annotations

import os
import shutil

from tilewright.compiler.assembler import toolkits
from tilewright.errors import TilewrightError

_PROGRAM = "nvdisasm"


def find_disassembler() -> str | None:
    """The path of nvdisasm; None if there is none."""
    named = os.environ.get("TRITON_NVDISASM_PATH")
    found = [shutil.which(_PROGRAM), *(folder / "bin" / _PROGRAM for folder in toolkits())]
    places = [named] if named else found
    return next((str(path) for path in places if path and os.access(path, os.X_OK)), None)


def disassemble(cubin: bytes) -> str:
    """The text of the machine code in a cubin.

    Raises:
        TilewrightError: nvdisasm was not found, or failed.
    """
    import subprocess
    import tempfile

    program = find_disassembler()
    if program is None:
        raise TilewrightError(f"{_PROGRAM} was not found; the CUDA toolkit contains it")
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        done = subprocess.run([program, "-c", file.name], capture_output=True, text=True)
    if done.returncode:
        raise TilewrightError(f"{program} failed: {done.stderr.strip() or done.returncode}")
    return done.stdout
