"""`tilewright reproduce FILE`: reproduces a failure of the compiler.

The file has Tile IR, with the target and the options in its first line. Exit status: 1 if the
failure is reproduced, 0 if the file compiles.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tilewright.errors import ArgumentError, PassError


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = "Reproduce a compiler failure from the file named in its message."
    parser.add_argument("file", help="the saved Tile IR")
    parser.add_argument("--dump", metavar="FOLDER", help="write the IR after each phase to FOLDER")


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
        print("the failure is reproduced", file=sys.stderr)
        return 1
    print("compiled without an error: the failure is not reproduced with this build")
    return 0
