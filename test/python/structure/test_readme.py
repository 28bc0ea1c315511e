"""The commands and examples in README.md work."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
README = (ROOT / "README.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.M | re.S)


def test_every_command_exists() -> None:
    commands = re.findall(r"^\s*(?:bash )?(bin/[\w-]+)", "\n".join(blocks("sh")), re.M)
    assert {"bin/quickstart", "bin/test"} <= set(commands)
    for command in commands:
        assert (ROOT / command).stat().st_mode & 0o111, command


def test_the_examples_run(tmp_path) -> None:
    pytest.importorskip("torch")
    examples = blocks("python")
    assert examples
    script = tmp_path / "readme.py"
    script.write_text("\n".join(examples))
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
