"""Makes a failing kernel small: takes lines away as long as it fails.

python test/python/fuzz/minimise.py 1192 --targets cpu:avx2
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections.abc import Callable
from pathlib import Path

from fuzz import Case, run_apart


def fails(seed: int, source: str, targets: list[str], folder: Path, crash: bool, size: int) -> bool:
    """Whether the kernel still runs and gives something wrong, or still crashes."""

    loops = re.findall(r"while (\w+)", source)
    if any(f"{index} = {index} + 1" not in source for index in loops):
        return False  # it would never end

    def check() -> str:
        try:
            case = Case(seed, folder, size, source)
            case.evaluate()
        except Exception:
            return ""
        for target in targets:
            try:
                if case.difference(case.launch(target)):
                    return "wrong"
            except Exception:
                return ""
        return ""

    result = run_apart(check)
    return result is None if crash else result == "wrong"


def block_end(lines: list[str], start: int) -> int:
    """The end of a statement with all that is indented below it."""
    indent = len(lines[start]) - len(lines[start].lstrip())
    end = start + 1
    while end < len(lines) and (len(lines[end]) - len(lines[end].lstrip()) > indent):
        end += 1
    return end


def minimise(source: str, still: Callable[[str], bool]) -> str:
    """Takes away statements and unwraps blocks until nothing can go."""
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
    parser.add_argument("--size", type=int, default=12)
    parser.add_argument("--crash", action="store_true", help="it ends the process")
    options = parser.parse_args()
    targets = options.targets.split(",")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        source = Case(options.seed, folder, options.size).text

        def still(text: str) -> bool:
            return fails(options.seed, text, targets, folder, options.crash, options.size)

        print(minimise(source, still) if still(source) else "it does not fail")


if __name__ == "__main__":
    main()
