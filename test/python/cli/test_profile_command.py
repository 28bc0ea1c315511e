"""`tilewright profile script.py` runs a script under emulation and prints its kernels' profiles."""

import json
import subprocess
import sys

import pytest

import tilewright
from tilewright import cli
from tilewright.runtime.profile import KernelProfile

MEMORY = {"requests": 1, "bytes": 128, "transfers": 4, "ideal": 4}
SITE = {
    "file": "",
    "line": 0,
    "column": 0,
    "global_loads": MEMORY,
    "global_stores": MEMORY,
    "shared_loads": MEMORY,
    "shared_stores": MEMORY,
    "barriers": 1,
    "instructions": {"float": 2},
}


class Emulation:
    """Replaces tilewright.emulate; a script launches a kernel with launch(name)."""

    current = None

    def __init__(self, target, *, profile):
        assert profile
        self.target = target
        self.profiles = []

    def __enter__(self):
        Emulation.current = self
        return self

    def __exit__(self, *exception):
        Emulation.current = None

    def launch(self, name):
        target = f"emulator:{self.target}"
        self.profiles.append(KernelProfile.make(name, target, (2, 1, 1), [SITE]))


@pytest.fixture
def profile(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(tilewright, "emulate", Emulation, raising=False)
    monkeypatch.setattr(sys, "emulation", Emulation, raising=False)

    def run(text, *options, arguments=()):
        script = tmp_path / "script.py"
        script.write_text("import sys\nlaunch = sys.emulation.current.launch\n" + text)
        status = cli.main(["profile", *options, str(script), *arguments])
        return status, *capsys.readouterr()

    return run


def test_each_kernel_is_printed(profile):
    status, text, _ = profile("launch('add')\nlaunch('softmax')")
    assert status == 0
    titles = [line for line in text.splitlines() if " on emulator:cuda:90a, grid 2" in line]
    assert [title.split()[0] for title in titles] == ["add", "softmax"]


def test_launches_of_a_kernel_are_added_up(profile):
    _, text, _ = profile("launch('add')\nlaunch('add')")
    assert text.startswith("add on emulator:cuda:90a, grid 2 x 1 x 1, 2 launches\n")


def test_one_kernel_can_be_chosen(profile):
    _, text, _ = profile("launch('add')\nlaunch('softmax')", "--kernel", "softmax")
    assert text.startswith("softmax on") and "add on" not in text


def test_a_kernel_that_was_not_launched_is_an_error(profile):
    status, _, error = profile("launch('add')\nlaunch('mul')", "--kernel", "sub")
    assert status == 1
    assert error == "tilewright profile: no kernel 'sub' was launched; there were: add, mul\n"


def test_the_target_is_passed_on(profile):
    _, text, _ = profile("launch('add')", "--target", "cuda:80")
    assert text.startswith("add on emulator:cuda:80,")


def test_json_is_all_that_is_printed(profile):
    _, text, error = profile("print('hello')\nlaunch('add')\nlaunch('add')", "--json")
    (found,) = json.loads(text)
    assert error == "hello\n"
    assert (found["name"], found["launches"]) == ("add", 2)
    assert found["sites"][0]["global_loads"] == {key: 2 * n for key, n in MEMORY.items()}


def test_what_is_printed_past_python_is_no_json(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("import os\nos.write(1, b'as a kernel prints')")
    command = [sys.executable, "-m", "tilewright", "profile", "--json", str(script)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (json.loads(done.stdout), done.stderr) == ([], "as a kernel prints")


def test_without_launches_it_says_so(profile):
    assert profile("")[1] == "no kernel was launched\n"
    assert json.loads(profile("", "--json")[1]) == []


def test_the_script_is_a_program_with_arguments(profile):
    script = "assert __name__ == '__main__'\nprint(sys.argv[0].endswith('script.py'), sys.argv[1:])"
    _, text, _ = profile(script, arguments=["--json", "-n", "5"])
    assert text.startswith("True ['--json', '-n', '5']\n")


def test_the_script_finds_modules_beside_it(profile, tmp_path):
    (tmp_path / "beside_the_script.py").write_text("name = 'found'")
    _, text, _ = profile("import beside_the_script\nlaunch(beside_the_script.name)")
    assert text.startswith("found on")


def test_what_the_script_is_given_is_taken_back(profile, tmp_path):
    argv, path = list(sys.argv), list(sys.path)
    profile("sys.path.append('x')", arguments=["1"])
    assert (sys.argv, sys.path) == (argv, path)


def test_a_failing_script_shows_its_traceback_and_the_profile(profile):
    status, text, error = profile("launch('add')\nraise ValueError('too small')")
    assert status == 1
    assert "ValueError: too small" in error and "script.py" in error
    assert text.startswith("add on")


@pytest.mark.parametrize(("code", "status"), [("", 0), ("0", 0), ("3", 3), ("'no input'", 1)])
def test_the_scripts_exit_status_is_kept(profile, code, status):
    found, text, error = profile(f"launch('add')\nsys.exit({code})")
    assert found == status
    assert text.startswith("add on")
    assert error == ("no input\n" if "input" in code else "")


def test_a_missing_script_is_an_error(profile, tmp_path, capsys):
    assert cli.main(["profile", str(tmp_path / "gone.py")]) == 1
    assert "there is no file" in capsys.readouterr().err
