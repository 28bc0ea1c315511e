"""The command `tilewright`. Each subcommand has its own file, which is imported on use.

tilewright compile file.py:kernel --signature "*fp32:D,*fp32:D,i32,1024" --emit asm
tilewright explain file.py:kernel --signature "*fp16:D,i32:D" --target cuda:90a
tilewright profile script.py
tilewright bench file.py
tilewright doctor
tilewright cache info
tilewright tune list
tilewright reproduce FILE
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence

from tilewright import __version__
from tilewright.errors import TilewrightError

_COMMANDS = {
    "compile": "compile a kernel and print its IR after a phase",
    "explain": "print how a kernel is scheduled for a GPU, and what was not possible and why",
    "profile": "run a script on an emulated GPU and profile its kernels line by line",
    "bench": "run a file's benchmarks and compare their lines",
    "doctor": "report what is installed on this machine and what is missing",
    "cache": "show or clear the cache of compiled kernels",
    "tune": "show, export, import or delete the results of autotuning",
    "reproduce": "reproduce a compiler failure from the file named in its message",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status: 0, 1 for a failure, 2 for invalid usage."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    parser = argparse.ArgumentParser(prog="tilewright", description="The Tilewright tile compiler.")
    parser.add_argument("--version", action="version", version=f"tilewright {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, summary in _COMMANDS.items():
        child = commands.add_parser(name, help=summary, add_help=name in given[:1])
        if name in given[:1]:
            importlib.import_module(f"tilewright.cli.{name}").configure(child)
    parsed = parser.parse_args(given)
    try:
        return int(importlib.import_module(f"tilewright.cli.{parsed.command}").run(parsed))
    except BrokenPipeError:
        # The reader, such as `head`, has closed the pipe.
        sys.stderr.close()
        return 1
    except (TilewrightError, OSError) as error:
        print(f"tilewright {parsed.command}: {error}", file=sys.stderr)
        return 1
