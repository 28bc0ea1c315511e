"""docs/emulator-faults.md lists the faults that the tests plant.

`pytest test/python/emulator/test_fault_list.py --update` writes it after a change of the faults.
"""

from __future__ import annotations

import linecache
from pathlib import Path

import faults_of_boxes
import faults_of_buffers
import faults_of_threads
import faults_of_wgmma
import pytest
from correct_kernels import ORDERS, PROBLEMS
from planting import Fault, marked_line
from wrong_kernels import WRONG

from tilewright.runtime.function import JITFunction

PAGE = Path(__file__).resolve().parents[3] / "docs" / "emulator-faults.md"

HEAD = """# Faults that the emulator finds

This page lists the faults that the tests in test/python/emulator plant. The emulator must report
each with the kind of finding and at the line of the kernel that are given here. If a finding
involves two accesses, the line is that of either. A fault that is found by *numbers* breaks no rule
that the emulator checks, but the result of the kernel is wrong.

The emulator reports nothing for the {correct} correct kernels. Each runs with its threads in
{orders} random orders, and in each order with asynchronous copies that complete as late and as
early as possible.
"""

WRONG_HEAD = """
## Wrong kernels

| Kernel | Found as | At |
| --- | --- | --- |
"""

BROKEN_HEAD = """
## Broken lowerings

The kernel is correct, but its IR is changed at the end of a phase of the compilation.

| Kernel | Fault | Phase | Found as | At |
| --- | --- | --- | --- | --- |
"""

WGMMA_HEAD = """
## Kernels with wgmma

The kernels of a warp group execute these steps in inline assembly. The finding is at the step in
bold.

| Fault | Steps | Found as |
| --- | --- | --- |
"""

BOXES_HEAD = """
## Kernels that copy boxes

The kernels consist of these steps of threads (test/python/emulator/faults_of_boxes.py). The finding
is at the step in bold, and of one of the given kinds: which of them depends on the order of the
threads.

| Fault | Steps | Found as |
| --- | --- | --- |
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


def row_of_steps(fault: faults_of_wgmma.WgmmaFault | faults_of_boxes.BoxFault) -> str:
    steps = fault.steps.split()
    steps[fault.at - 1] = f"**{steps[fault.at - 1]}**"
    kinds = " or ".join(fault.finds.split())
    return f"| {fault.name} | {' '.join(steps)} | {kinds} |\n"


def page() -> str:
    wrong = [wrong_row(kind, kernel) for kind, kernels in WRONG.items() for kernel in kernels]
    faults = [*faults_of_buffers.FAULTS, *faults_of_threads.FAULTS]
    head = HEAD.format(correct=len(PROBLEMS), orders=ORDERS)
    broken = [BROKEN_HEAD, *map(broken_row, faults)]
    wgmma = [WGMMA_HEAD, *map(row_of_steps, faults_of_wgmma.FAULTS)]
    boxes = [BOXES_HEAD, *map(row_of_steps, faults_of_boxes.FAULTS)]
    return "".join([head, WRONG_HEAD, *wrong, *broken, *wgmma, *boxes])


def test_page_lists_the_faults(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--update"):
        PAGE.write_text(page())
    assert PAGE.read_text() == page(), "run with --update"
