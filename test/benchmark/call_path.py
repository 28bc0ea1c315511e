"""What a reader meets between `@jit` and PTX: Python files and functions, in order of first use.

    .venv/bin/python test/benchmark/call_path.py              counts for the kernel `add`
    .venv/bin/python test/benchmark/call_path.py --list       also the files with their functions

Counts the functions of Tilewright's package that run while a kernel is compiled for sm_90a without
an assembler, after everything is imported.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from types import FrameType
from typing import Any

os.environ["TILEWRIGHT_CACHE"] = "0"

import tilewright
import tilewright.language as tl
from tilewright.compiler import compile

PACKAGE = Path(tilewright.__file__).parent
SIGNATURE = ("*fp32:D", "*fp32:D", "*fp32:D", "i32:D", 1024)


@tilewright.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(out + i, tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside), mask=inside)


def functions_called() -> dict[str, list[str]]:
    """The functions that a compilation calls, by file; comprehensions and lambdas are left out."""
    called: dict[str, list[str]] = {}

    def note(frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(str(PACKAGE)):
            return
        if code.co_name.startswith("<"):
            return
        functions = called.setdefault(str(Path(code.co_filename).relative_to(PACKAGE)), [])
        if code.co_name not in functions:
            functions.append(code.co_name)

    compile(add, SIGNATURE, "cuda:80").ir("ptx")  # imports what is imported only when compiling
    sys.setprofile(note)
    try:
        compile(add, SIGNATURE, "cuda:90a").ir("ptx")
    finally:
        sys.setprofile(None)
    return called


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--list", action="store_true", help="the files with their functions")
    options = parser.parse_args()
    called = functions_called()
    if options.list:
        for file, functions in called.items():
            print(f"{file}: {', '.join(functions)}")
    print(f"{len(called)} files, {sum(map(len, called.values()))} functions")


if __name__ == "__main__":
    main()
