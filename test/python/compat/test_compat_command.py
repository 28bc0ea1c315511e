"""`python -m tilewright.compat` runs programs as Python does, except for what `triton` means."""

import os
import signal
import subprocess
import sys

import pytest
from processes import environment, fake_triton, program, python

SHOW = (
    "import json, sys, triton\n"
    "main = sys.modules['__main__']\n"
    "print(json.dumps([sys.argv, __name__, getattr(main, '__file__', None), sys.path[0],\n"
    "    str(main.__spec__ and main.__spec__.name), triton.__version__, __debug__]))\n"
)


@pytest.fixture
def folder(tmp_path):
    """A folder with a script and a package that show what they see of their start."""
    (tmp_path / "script.py").write_text(SHOW)
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "__main__.py").write_text(SHOW)
    (package / "inner.py").write_text(SHOW)
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        ["script.py"],
        ["./script.py", "-a", "--names", "b c", ""],
        ["-m", "package", "-m", "x"],
        ["-m", "package.inner", "--help"],
        ["-c", SHOW, "1", "-c"],
        ["package"],
    ],
)
def test_a_program_sees_what_python_gives_it(folder, arguments) -> None:
    under = program(*arguments, cwd=folder)
    stub = folder / "stub"
    stub.mkdir()
    (stub / "triton.py").write_text("__version__ = '3.6.0'\n")
    path = os.pathsep.join([str(stub), environment()["PYTHONPATH"]])
    expected = python(*arguments, cwd=folder, PYTHONPATH=path)
    assert under.returncode == expected.returncode == 0, under.stderr
    assert under.stdout == expected.stdout


@pytest.mark.parametrize("flags", [["-O"], ["-X", "dev"], ["-W", "error"], ["-B"]])
def test_the_interpreters_flags_are_kept(folder, flags) -> None:
    code = "import sys; print(sys.flags, sys.warnoptions, sys._xoptions)"
    under = python(*flags, "-m", "tilewright.compat", "-c", code)
    assert under.stdout == python(*flags, "-c", code).stdout != "", under.stderr


@pytest.mark.parametrize("status", ["0", "7", "None", "'text'"])
def test_the_exit_status_passes_through(status) -> None:
    code = f"import sys; sys.exit({status})"
    under, expected = program("-c", code), python("-c", code)
    assert (under.returncode, under.stderr) == (expected.returncode, expected.stderr)


def test_a_signal_passes_through() -> None:
    code = "import os, signal; os.kill(os.getpid(), signal.SIGTERM)"
    assert program("-c", code).returncode == -signal.SIGTERM


def test_a_traceback_is_pythons(tmp_path) -> None:
    script = tmp_path / "wrong.py"
    script.write_text("def f():\n    return 1 / 0\n\nf()\n")
    under, expected = program(script), python(script)
    assert under.returncode == expected.returncode == 1
    assert under.stderr == expected.stderr
    assert "ZeroDivisionError" in under.stderr


def test_a_missing_file_is_pythons_error(tmp_path) -> None:
    done = program("missing.py", cwd=tmp_path)
    assert done.returncode == 2
    assert "can't open file" in done.stderr and "missing.py" in done.stderr
    assert "Traceback" not in done.stderr


def test_standard_input_is_a_program(tmp_path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tilewright.compat", "-", "x"],
        input="import sys, triton; print(triton.__version__, sys.argv)",
        capture_output=True,
        text=True,
        env=environment(),
    )
    assert done.stdout.strip() == "3.6.0 ['-', 'x']", done.stderr


def test_help_and_usage() -> None:
    assert "-m tilewright.compat script.py args..." in program("--help").stdout
    assert program("--help").returncode == 0
    assert program().returncode == 2


def test_a_wrong_version_is_an_error_without_a_traceback() -> None:
    done = program("-c", "pass", TILEWRIGHT_COMPAT_VERSION="new")
    assert done.returncode == 2
    assert done.stderr.strip() == (
        "tilewright.compat: a version must have the form '3.6.0', found 'new'"
    )


@pytest.mark.parametrize("flag", ["-E", "-I"])
def test_an_isolated_interpreter_is_an_error(flag, tmp_path) -> None:
    if python("-I", "-c", "import tilewright").returncode:
        pytest.skip("an isolated Python does not find this source tree")
    done = python(flag, "-m", "tilewright.compat", "-c", "import triton; print('imported')")
    has_pth = "imported" in done.stdout
    assert has_pth or "call tilewright.compat.install() in the program instead" in done.stderr


def test_an_installed_triton_is_hidden(tmp_path) -> None:
    installed = fake_triton(tmp_path)
    path = os.pathsep.join([str(installed), environment()["PYTHONPATH"]])
    code = "import triton; print(triton.__version__)"
    assert python("-c", code, PYTHONPATH=path).stdout.strip() == "9.9.9"
    assert program("-c", code, PYTHONPATH=path).stdout.strip() == "3.6.0"


def test_the_names_are_printed() -> None:
    text = program("--names").stdout
    assert "### `triton.language.extra.libdevice`" in text
    assert "`triton.profiler`" in text
