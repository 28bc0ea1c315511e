"""docs/emulator-faults.md lists the planted faults as the tests have them.

After a change of the faults, `pytest test/python/emulator/test_fault_list.py --update` writes it.
"""

from __future__ import annotations

import linecache
from pathlib import Path

import faults_of_buffers
import faults_of_threads
import pytest
from correct_kernels import ORDERS, PROBLEMS
from planting import Fault, marked_line
from wrong_kernels import WRONG

from tilewright.runtime.function import JITFunction

PAGE = Path(__file__).resolve().parents[3] / "docs" / "emulator-faults.md"

HEAD = """# Faults that the emulator finds

This page is made of the tables of test/python/emulator, whose tests plant each of these faults and
require that the emulator finds it: as the kind of finding that is named here, at the line of the
kernel that is shown, which is that of one of the two parties where there are two. A fault that is
found by *numbers* breaks no rule that could be checked; the result is wrong.

Of the {correct} correct kernels nothing is reported: each runs with its threads in {orders} orders
that are drawn from seeds, in each with copies that arrive as late and as early as they may.
"""

WRONG_HEAD = """
## Wrong kernels

| Kernel | Found as | At |
| --- | --- | --- |
"""

BROKEN_HEAD = """
## Broken lowerings

The kernel is correct, and its IR is changed at the end of a phase of the compilation.

| Kernel | Fault | Phase | Found as | At |
| --- | --- | --- | --- | --- |
"""


def source(kernel: JITFunction, mark: str) -> str:
    """The code of a marked line."""
    line = linecache.getline(kernel.source_file, marked_line(kernel, mark))
    code = line.rpartition("  # <- ")[0].strip()
    return f"`{code}`".replace("|", r"\|")


def wrong_row(kind: str, kernel: JITFunction) -> str:
    return f"| {kernel.name.replace('_', ' ')} | {kind} | {source(kernel, 'here')} |\n"


def broken_row(fault: Fault) -> str:
    at = source(PROBLEMS[fault.problem]().kernel, fault.mark) if fault.mark else ""
    return f"| {fault.problem} | {fault.name} | {fault.phase} | {fault.finds} | {at} |\n"


def page() -> str:
    wrong = [wrong_row(kind, kernel) for kind, kernels in WRONG.items() for kernel in kernels]
    faults = [*faults_of_buffers.FAULTS, *faults_of_threads.FAULTS]
    head = HEAD.format(correct=len(PROBLEMS), orders=ORDERS)
    return "".join([head, WRONG_HEAD, *wrong, BROKEN_HEAD, *map(broken_row, faults)])


def test_page_lists_the_faults(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--update"):
        PAGE.write_text(page())
    assert PAGE.read_text() == page(), "run with --update"
