"""`tilewright explain file.py:kernel`: prints how a kernel is scheduled for a GPU, and why."""

from __future__ import annotations

import argparse
import json

from tilewright.cli.compile import add_request_arguments, request_of


def configure(parser: argparse.ArgumentParser) -> None:
    add_request_arguments(
        parser,
        "Compile a kernel for a GPU and print its schedule: for each loop its stages and matrix\n"
        "instructions, the buffers in shared memory, registers, and what the compiler could not\n"
        "do and why. docs/reading-a-schedule.md explains the output.",
    )
    parser.add_argument("--json", action="store_true", help="print it as JSON, for tools")


def run(arguments: argparse.Namespace) -> int:
    from tilewright.compiler.schedule import explain
    from tilewright.compiler.schedule_text import schedule_text

    report, failure = explain(request_of(arguments))
    if arguments.json:
        print(json.dumps(report, indent=2))
    else:
        print(schedule_text(report), end="")
    if failure is not None:
        raise failure
    return 0
