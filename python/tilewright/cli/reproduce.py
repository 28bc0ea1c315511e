"""`tilewright reproduce FILE`: repeats a failure of the compiler.

The file holds tile IR, with the target and the options in its first line. Exit status: 1 where the
failure repeats, 0 where the file compiles.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tilewright.errors import ArgumentError, PassError


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = "Repeat a failure of the compiler from the file that its message names."
    parser.add_argument("file", help="the saved tile IR")
    parser.add_argument("--dump", metavar="FOLDER", help="write the IR after each phase there")


def run(arguments: argparse.Namespace) -> int:
    from tilewright.cache.artifacts import PhaseDump
    from tilewright.compiler import stages

    path = Path(arguments.file)
    try:
        text = path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise ArgumentError(f"{path} can't be read: {error}") from None
    dump = PhaseDump(Path(arguments.dump), path.stem, "reproduced") if arguments.dump else None
    try:
        stages.reproduce(text, dump)
    except ValueError as error:
        raise ArgumentError(f"{path} is not a reproducer: {error}") from None
    except PassError as error:
        print(error, file=sys.stderr)
        print("the failure repeats", file=sys.stderr)
        return 1
    print("compiled without an error: the failure does not repeat with this build")
    return 0
