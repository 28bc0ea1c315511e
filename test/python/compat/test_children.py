"""Child processes mean Tilewright by `triton` as well, and the start of others costs nothing."""

import os
import subprocess
import sys
import venv

import pytest
from processes import PTH, ROOT, environment, output, program, python, site_folder

ASK = "import triton; print(triton.__version__)"
INSTALL = "import tilewright.compat as compat; compat.install('3.5.1')\n"
CHILD = f"subprocess.run([sys.executable, '-c', {ASK!r}], check=True)\n"

# A program that multiprocessing starts again: workers import it under another name.
WORKERS = """\
import multiprocessing
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    tl.store(x, tl.load(x) + 1)


def work(number):
    import numpy as np

    x = np.full(1, number, np.int32)
    kernel[(1,)](x)
    return f"{x[0]} {triton.__version__}"


if __name__ == "__main__":
    context = multiprocessing.get_context({method!r})
    with context.Pool(2) as pool:
        print(*pool.map(work, [1, 2]), sep=", ")
"""


def test_a_subprocess_of_a_program(tmp_path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import subprocess, sys\n" + CHILD)
    assert program(script).stdout.strip() == "3.6.0"


def test_a_grandchild(tmp_path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import subprocess, sys\n"
        f"subprocess.run([sys.executable, '-c', 'import subprocess, sys;' + {CHILD!r}])\n"
    )
    done = program(script, TILEWRIGHT_COMPAT_VERSION="3.4.0")
    assert done.stdout.strip() == "3.4.0", done.stderr


def test_a_subprocess_after_install() -> None:
    assert output("import subprocess, sys\n" + INSTALL + CHILD) == "3.5.1"


def test_no_subprocess_after_uninstall() -> None:
    code = "import subprocess, sys\n" + INSTALL + "compat.uninstall()\n" + CHILD
    done = python("-c", code)
    assert "No module named 'triton'" in done.stderr


def test_uninstall_in_a_child_reaches_its_children() -> None:
    inner = f"import tilewright.compat as c; c.uninstall(); import subprocess, sys\n{CHILD}"
    done = program("-c", inner)
    assert "No module named 'triton'" in done.stderr


@pytest.mark.parametrize("method", ["spawn", "fork", "forkserver"])
def test_workers_of_multiprocessing(tmp_path, method) -> None:
    pytest.importorskip("numpy")
    script = tmp_path / "script.py"
    script.write_text(WORKERS.replace("{method!r}", repr(method)))
    assert program(script).stdout.strip() == "2 3.6.0, 3 3.6.0"
    script.write_text(INSTALL + script.read_text())
    assert python(script).stdout.strip() == "2 3.5.1, 3 3.5.1"


def test_the_programs_own_sitecustomize_is_imported(tmp_path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys; sys.customized = __file__\n")
    path = os.pathsep.join([str(tmp_path), environment()["PYTHONPATH"]])
    done = program(
        "-c", f"import sys, sitecustomize; {ASK}; print(sys.customized)", PYTHONPATH=path
    )
    assert done.stdout.split() == ["3.6.0", str(tmp_path / "sitecustomize.py")], done.stderr


def test_an_error_of_the_programs_sitecustomize_is_reported(tmp_path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import frobnicate_missing\n")
    path = os.pathsep.join([str(tmp_path), environment()["PYTHONPATH"]])
    done = program("-c", ASK, PYTHONPATH=path)
    assert "frobnicate_missing" in done.stderr and done.stdout.strip() == "3.6.0"


def test_the_package_is_found_by_children_if_only_the_parent_knows_its_path(tmp_path) -> None:
    folder = environment()["PYTHONPATH"]
    done = python("-m", "tilewright.compat", "-c", ASK, cwd=folder, PYTHONPATH="")
    assert done.stdout.strip() == "3.6.0", done.stderr


# The .pth file of the wheel. `site.addsitedir` reads a folder as Python does at start-up.


def start_with_pth(tmp_path, code: str, **settings: str):
    folder = site_folder(tmp_path / "site")
    return python("-c", f"import site; site.addsitedir({str(folder)!r})\n{code}", **settings)


def test_the_pth_file_installs_if_switched_on(tmp_path) -> None:
    done = start_with_pth(tmp_path, ASK, TILEWRIGHT_COMPAT="1", TILEWRIGHT_COMPAT_VERSION="3.4.2")
    assert done.stdout.strip() == "3.4.2", done.stderr


@pytest.mark.parametrize("settings", [{}, {"TILEWRIGHT_COMPAT": ""}, {"TILEWRIGHT_COMPAT": "0"}])
def test_the_pth_file_does_nothing_otherwise(tmp_path, settings) -> None:
    code = "import sys; print([n for n in sys.meta_path if 'tilewright' in type(n).__module__])"
    done = start_with_pth(tmp_path, code, **settings)
    assert done.stdout.strip() == "[]" and not done.stderr


def test_the_pth_file_imports_nothing_if_it_is_off() -> None:
    lines = PTH.read_text().splitlines()
    assert len(lines) == 1 and lines[0].startswith("import os; os.environ.get(")
    code = "import sys; before = set(sys.modules)\n" + lines[0]
    assert output(code + "\nprint(set(sys.modules) - before)") == "set()"


def test_a_pth_file_takes_the_place_of_the_path(tmp_path) -> None:
    """With the wheel's file, PYTHONPATH stays as it is."""
    folder = site_folder(tmp_path / "site")
    code = (
        f"import os, site; site.getsitepackages = lambda prefixes: [{str(folder)!r}]\n"
        "before = os.environ['PYTHONPATH']\n"
        + INSTALL
        + "print(os.environ['PYTHONPATH'] == before)"
    )
    assert output(code) == "True"


def test_a_virtual_environment_with_the_wheels_file(tmp_path) -> None:
    """Also where Python ignores the environment variables that are its own."""
    venv.create(tmp_path / "env", with_pip=False, symlinks=True)
    (packages,) = (tmp_path / "env" / "lib").glob("python*/site-packages")
    site_folder(packages)
    (packages / "tilewright-dev.pth").write_text(f"{ROOT / 'python'}\n")
    settings = environment(TILEWRIGHT_COMPAT="1")
    del settings["PYTHONPATH"]
    code = f"{ASK}; import os; print(os.environ.get('PYTHONPATH'))"
    for flags in ([], ["-I"], ["-m", "tilewright.compat"], ["-I", "-m", "tilewright.compat"]):
        command = [tmp_path / "env" / "bin" / "python", *flags, "-c", code]
        done = subprocess.run(command, capture_output=True, text=True, env=settings)
        assert done.stdout.split() == ["3.6.0", "None"], (flags, done.stderr)


def test_a_script_outside_of_the_interpreters_path(tmp_path) -> None:
    """sys.path does not keep the folder by which children are switched on."""
    done = program("-c", "import sys; print(*sys.path, sep='\\n')", cwd=tmp_path)
    assert not [path for path in done.stdout.split() if "startup" in path]
    assert sys.executable
