"""`tilewright profile script.py`: runs a script on an emulated GPU and profiles its kernels.

Each kernel's source is printed next to its counts: sectors of global memory and wavefronts of
shared memory, or what AMD's GPUs have instead, compared with the ideal, bytes, barriers,
instructions. The emulator has no model of time.

Addresses are those of the arrays in host memory. PyTorch arrays start at multiples of 64 bytes and
need as many sectors as on a GPU. NumPy arrays start at multiples of 16 bytes, so a request may need
one sector more; so may PyTorch arrays where lines of 128 bytes are counted.
"""

from __future__ import annotations

import argparse
import json
import os
import runpy
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, redirect_stdout
from pathlib import Path

import tilewright
from tilewright.errors import ArgumentError
from tilewright.runtime.profile import KernelProfile, merge


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Run a Python script on an emulated GPU, and print the source of each kernel that it "
        "launches with counts of what the hardware would do for each line."
    )
    parser.add_argument(
        "--target", "-t", default="cuda:90a", help="the GPU to emulate; default: %(default)s"
    )
    parser.add_argument("--kernel", "-k", metavar="NAME", help="print this kernel only")
    parser.add_argument(
        "--json",
        action="store_true",
        help="print a list of profiles; the script's output goes to stderr",
    )
    parser.add_argument("script", help="a Python file")
    parser.add_argument(
        "arguments", nargs=argparse.REMAINDER, metavar="...", help="the script's arguments"
    )


def run(arguments: argparse.Namespace) -> int:
    """Runs the script and prints the profiles; returns the script's exit status."""
    printed = _printing_to_stderr() if arguments.json else nullcontext()
    with printed, tilewright.emulate(arguments.target, profile=True) as emulation:
        status = _run_script(arguments.script, arguments.arguments)
    profiles = merge(emulation.profiles)
    if arguments.kernel:
        profiles = _named(profiles, arguments.kernel)
    if arguments.json:
        print(json.dumps([profile.to_dict() for profile in profiles], indent=2))
    else:
        print("\n\n\n".join(map(str, profiles)) or "no kernel was launched")
    return status


def _run_script(script: str, arguments: list[str]) -> int:
    """Runs it as `python script arguments...` does; returns the exit status."""
    if not Path(script).is_file():
        raise ArgumentError(f"there is no file {script}")
    with _program([script, *arguments]):
        try:
            runpy.run_path(script, run_name="__main__")
        except SystemExit as stopped:
            return _status(stopped.code)
        except Exception:
            traceback.print_exc()
            return 1
    return 0


@contextmanager
def _printing_to_stderr() -> Iterator[None]:
    """Redirects stdout to stderr, including output of kernels, which bypasses Python."""
    sys.stdout.flush()
    stdout = os.dup(1)
    os.dup2(2, 1)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        os.dup2(stdout, 1)
        os.close(stdout)


@contextmanager
def _program(argv: list[str]) -> Iterator[None]:
    """Sets sys.argv for a script, and adds its folder to sys.path."""
    saved = sys.argv, sys.path[:]
    sys.argv = argv
    sys.path.insert(0, str(Path(argv[0]).absolute().parent))
    try:
        yield
    finally:
        sys.argv, sys.path[:] = saved


def _status(code: object) -> int:
    if code is None or isinstance(code, int):
        return code or 0
    print(code, file=sys.stderr)
    return 1


def _named(profiles: list[KernelProfile], name: str) -> list[KernelProfile]:
    found = [profile for profile in profiles if profile.name == name]
    if profiles and not found:
        names = ", ".join(sorted({profile.name for profile in profiles}))
        raise ArgumentError(f"no kernel '{name}' was launched; there were: {names}")
    return found
