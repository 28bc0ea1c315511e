"""Reduces a failing kernel: removes lines as long as it still fails.

python test/python/fuzz/minimize.py 1192 --targets cpu:avx2
python test/python/fuzz/minimize.py 40 --family pointers --targets emulator:cuda:90a+checks
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path

from case import Case
from families import FAMILIES
from fuzz import is_gpu, run_apart


def outcome(case: Case, source: str, targets: list[str]) -> str:
    """How a kernel with another source fails: "wrong", or the name of an error; or ""."""

    def check() -> str:
        try:
            case.take(source)
            case.evaluate(rounds_correctly=not any(map(is_gpu, targets)))
        except Exception:
            return ""
        for target in targets:
            try:
                if case.difference(case.launch(target)):
                    return "wrong"
            except Exception as error:
                return type(error).__name__
        return ""

    result = run_apart(check)
    return "crash" if result is None else result


def block_end(lines: list[str], start: int) -> int:
    """The end of a statement including its indented body."""
    indent = len(lines[start]) - len(lines[start].lstrip())
    end = start + 1
    while end < len(lines) and (len(lines[end]) - len(lines[end].lstrip()) > indent):
        end += 1
    return end


def minimize(source: str, still: Callable[[str], bool]) -> str:
    """Removes statements and replaces blocks by their bodies until nothing more can be removed."""
    lines = source.splitlines()
    changed = True
    while changed:
        changed = False
        at = len(lines) - 1
        while at >= 0:
            end = block_end(lines, at) if lines[at].strip() else at + 1
            inner = [line.removeprefix("    ") for line in lines[at + 1 : end]]
            for shorter in ([], inner):
                candidate = lines[:at] + shorter + lines[end:]
                if len(shorter) < end - at and still("\n".join(candidate) + "\n"):
                    lines, changed = candidate, True
                    break
            at -= 1
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seed", type=int)
    parser.add_argument("--targets", default="cpu")
    parser.add_argument("--family", choices=FAMILIES)
    options = parser.parse_args()
    targets = options.targets.split(",")
    with tempfile.TemporaryDirectory() as scratch:
        case = Case(options.seed, Path(scratch), options.family)
        source = case.text
        first = outcome(case, source, targets)
        if not first:
            print("it does not fail")
            return
        case.take(minimize(source, lambda text: outcome(case, text, targets) == first))
        print(f"# {first}\n{case.described()}")


if __name__ == "__main__":
    main()
