"""Reintroduces faults that were fixed, and counts the random kernels until each is found.

python test/python/fuzz/reintroduce.py                      all of defects/*.patch
python test/python/fuzz/reintroduce.py aliases --in-place   one, in this working tree

A patch starts with lines `targets: ...` (on which the fault shows), `what: ...` and `family: ...`
(the kernels that find it; with --family only these are run). It is applied and built in a separate
worktree; with --in-place in this one, where only the changed files are rebuilt, before and after.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]


class Defect(NamedTuple):
    name: str
    path: Path
    targets: str
    what: str
    family: str


class Finding(NamedTuple):
    """The seed at which a fault was found, or None, and the message."""

    seed: int | None
    text: str


def read(path: Path) -> Defect:
    head = dict(re.findall(r"^(targets|what|family): (.*)$", path.read_text(), re.M))
    return Defect(path.stem, path, head["targets"], head["what"], head["family"])


def git(folder: Path, *arguments: str | Path) -> None:
    subprocess.run(["git", "-C", folder, *arguments], check=True)


@contextmanager
def applied(folder: Path, patch: Path) -> Iterator[None]:
    git(folder, "apply", patch)
    try:
        yield
    finally:
        git(folder, "apply", "--reverse", patch)


def build(folder: Path) -> None:
    """Builds the extension module of a worktree."""
    target = folder / "build"
    if not (target / "build.ninja").exists():
        launcher = [f"-DCMAKE_{language}_COMPILER_LAUNCHER=ccache" for language in ("C", "CXX")]
        python = f"-DPython_EXECUTABLE={sys.executable}"
        command = ["cmake", "-S", folder, "-B", target, "-G", "Ninja", python, *launcher]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", target, "_core"], check=True, stdout=subprocess.DEVNULL)


def search(folder: Path, defect: Defect, options: argparse.Namespace) -> Finding:
    """Runs the random kernels of this tree with the compiler of another one."""
    command = [sys.executable, HERE / "fuzz.py", "0", str(options.count), "--first"]
    command += ["--targets", defect.targets, "--jobs", str(options.jobs)]
    command += ["--family", defect.family] if options.family else []
    with tempfile.TemporaryDirectory() as cache:
        paths = {"PYTHONPATH": str(folder / "python"), "TILEWRIGHT_CACHE_DIR": cache}
        result = subprocess.run(
            command, env={**os.environ, **paths}, capture_output=True, text=True, check=False
        )
    found = re.search(r"^seed (\d+): (.*)$", result.stdout, re.M)
    if not found:
        return Finding(None, result.stdout.strip() + result.stderr[-500:])
    return Finding(int(found[1]), found[2])


def table(rows: list[tuple[Defect, Finding]]) -> str:
    lines = ["| fault | targets | found at seed | how it shows |", "|---|---|---|---|"]
    for defect, finding in rows:
        seed = "not found" if finding.seed is None else str(finding.seed)
        shown = finding.text.splitlines()[0][:120].replace("|", "\\|") if finding.text else ""
        lines.append(f"| {defect.name}: {defect.what} | {defect.targets} | {seed} | {shown} |")
    return "\n".join(lines)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="defects/NAME.patch; by default all")
    parser.add_argument("--count", type=int, default=2000, help="maximum kernels per fault")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--family", action="store_true", help="only kernels of the fault's family")
    parser.add_argument("--in-place", action="store_true", help="use this working tree")
    parser.add_argument("--worktree", type=Path, help="a folder for the worktree, which is kept")
    return parser.parse_args()


def main() -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the patch is reverted
    options = parse()
    paths = [HERE / "defects" / f"{name}.patch" for name in options.names]
    defects = [read(path) for path in paths or sorted((HERE / "defects").glob("*.patch"))]
    with tempfile.TemporaryDirectory() as scratch:
        folder = ROOT if options.in_place else options.worktree or Path(scratch) / "tilewright"
        if not folder.exists():
            git(ROOT, "worktree", "add", "--detach", folder, "HEAD")
        rows = []
        try:
            for defect in defects:
                with applied(folder, defect.path):
                    build(folder)
                    finding = search(folder, defect, options)
                rows.append((defect, finding))
                print(f"{defect.name}: {finding.seed}, {finding.text}", flush=True)
        finally:
            if options.in_place:
                build(folder)
            elif not options.worktree:
                git(ROOT, "worktree", "remove", "--force", folder)
    print(table(rows))
    sys.exit(any(finding.seed is None for _, finding in rows))


if __name__ == "__main__":
    main()
