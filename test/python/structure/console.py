"""The commands in the pages of docs/, with their output.

    ```console                 a command is a line that starts with "$ "; a backslash at its end
    $ tilewright-layout ...    continues it. Its output is below it.
    ```
    ```python matmul.py        a file that the commands use
    ```

All code blocks of a page are run in order in one folder, as a reader would run them.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import tilewright

ROOT = Path(__file__).resolve().parents[3]
TOOLS = Path(os.environ.get("TILEWRIGHT_BUILD", ROOT / "build")) / "bin"
BLOCK = re.compile(r"^```(?:console|\w+ (?P<file>\S+\.\w+))\n(?P<text>.*?)^```$", re.M | re.S)
COMMAND = re.compile(r"^\$ (?P<command>(?:.*\\\n)*.*)\n(?P<output>(?:(?!\$ ).*\n)*)", re.M)


def pages() -> list[Path]:
    return [
        page for page in sorted((ROOT / "docs").glob("*.md")) if "```console\n" in page.read_text()
    ]


def missing_tools() -> list[str]:
    tools = (TOOLS / name for name in ("tilewright-opt", "tilewright-layout"))
    return [str(tool) for tool in tools if not tool.exists()]


def commands(page: str) -> Iterator[str]:
    for block in BLOCK.finditer(page):
        if not block["file"]:
            yield from (found["command"] for found in COMMAND.finditer(block["text"]))


def rerun(page: str, folder: Path) -> str:
    """The page with the current output of its commands. Fails if a command fails."""
    environment = _environment(folder / "bin")

    def print_again(found: re.Match[str]) -> str:
        return f"$ {found['command']}\n" + _run(found["command"], folder, environment)

    def run_block(block: re.Match[str]) -> str:
        if block["file"]:
            (folder / block["file"]).write_text(block["text"])
            return block[0]
        return "```console\n" + COMMAND.sub(print_again, block["text"]) + "```"

    return BLOCK.sub(run_block, page)


def _environment(bin_folder: Path) -> dict[str, str]:
    """The environment with our tools in PATH, and with `tilewright` as installed by a wheel."""
    bin_folder.mkdir()
    command = bin_folder / "tilewright"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tilewright "$@"\n')
    command.chmod(0o755)
    folders = [bin_folder, TOOLS]
    folders.append(Path(sys.executable).parent)
    path = os.pathsep.join([*map(str, folders), os.environ["PATH"]])
    package = str(Path(tilewright.__file__).parents[1])
    return os.environ | {"PATH": path, "PYTHONPATH": package, "LC_ALL": "C"}


def _run(command: str, folder: Path, environment: dict[str, str]) -> str:
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=folder, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    assert done.returncode == 0, f"$ {command}\n{done.stdout}"
    return "".join(line.rstrip() + "\n" for line in done.stdout.splitlines())
