"""`tilewright doctor` reports what it finds and how to fix what is missing."""

import re
import subprocess
import sys

import pytest

from tilewright import cli
from tilewright.cli import doctor
from tilewright.compiler import assembler
from tilewright.compiler import core as core_module


@pytest.fixture
def report(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("TILEWRIGHT_TARGET", raising=False)

    def run(*arguments):
        code = cli.main(["doctor", *arguments])
        return code, capsys.readouterr().out

    return run


def lines(text, subject):
    return [line for line in text.splitlines() if line[6:].startswith(subject)]


def test_it_names_python_and_the_platform(report):
    _, text = report()
    assert sys.executable in lines(text, "python")[0]
    assert lines(text, "platform")[0].startswith("ok")


def test_it_names_the_cache_and_what_is_in_it(report, tmp_path):
    _, text = report()
    assert f"{tmp_path / 'cache'} (0 kernels, 0.0 MB)" in lines(text, "cache")[0]


def test_a_folder_that_others_can_write_is_bad_and_can_be_fixed(report, tmp_path):
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache").chmod(0o777)
    code, text = report()
    assert code == 1
    assert lines(text, "cache")[0].startswith("bad")
    assert f"-> run: chmod go-w '{tmp_path / 'cache'}'" in text


def test_an_unusable_folder_is_only_noted(report, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path / "file" / "cache"))
    _, text = report()
    assert lines(text, "cache")[0].startswith("note")


def test_an_unknown_default_target_is_bad(report, monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_TARGET", "vax")
    code, text = report()
    assert code == 1
    assert "unknown target 'vax'" in lines(text, "target")[0]


def test_a_missing_core_is_bad_and_says_how_to_build_it(report, monkeypatch):
    monkeypatch.setitem(sys.modules, "tilewright._core", None)
    code, text = report()
    assert code == 1
    assert lines(text, "core")[0].startswith("bad") and "-> run bin/quickstart" in text


def test_a_missing_library_is_only_noted(report, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    _, text = report()
    assert lines(text, "torch")[0].startswith("note") and "pip install torch" in text


@pytest.fixture
def platform(monkeypatch):
    """Replaces the core's report on CUDA; devices are (name, compute capability)."""

    def put(*devices, problem="", version=12080, newest_ptx=87):
        found = [
            {
                "name": name,
                "architecture": f"{major}{minor}",
                "capability": f"the compute capability {major}.{minor}",
                "memory_bytes": 80 << 30,
            }
            for name, (major, minor) in devices
        ]
        facts = {"problem": problem, "version": version, "newest_ptx": newest_ptx}
        core = core_module.core()
        others = core.devices
        cuda = {**facts, "devices": found}
        monkeypatch.setattr(core, "devices", lambda kind: cuda if kind == "cuda" else others(kind))

    return put


def test_no_driver_is_only_noted(report, platform):
    platform(problem="the driver's library can't be opened: libcuda.so.1: not there")
    code, text = report()
    assert code == 0
    assert lines(text, "cuda")[0].startswith("note") and "libcuda.so.1: not there" in text


def test_driver_and_devices_are_named(report, platform):
    platform(("Fast GPU", (9, 0)), ("Slow GPU", (7, 5)))
    code, text = report()
    assert code == 0
    driver, fast, slow = lines(text, "cuda")
    assert driver.endswith("driver of CUDA 12.8, PTX up to 8.7")
    assert fast.startswith("ok    cuda:0")
    assert fast.endswith("Fast GPU, compute capability 9.0, 80 GiB, target cuda:90a")
    assert slow.startswith("note  cuda:1") and "which is not supported" in text


def test_a_driver_too_old_for_a_device_is_bad(report, platform):
    platform(("New GPU", (10, 3)), version=12040, newest_ptx=84)
    code, text = report()
    assert code == 1
    assert lines(text, "cuda:0")[0].startswith("bad")
    assert "code for it is PTX 8.8: install a newer driver" in text


@pytest.fixture
def hip(monkeypatch):
    """Replaces the core's report on HIP; devices are (name, architecture, features)."""
    core = core_module.core()
    others = core.devices

    def put(*devices, problem=""):
        found = {
            "problem": problem,
            "library": "" if problem else "/opt/rocm/lib/libamdhip64.so.7",
            "version": "" if problem else "7.1.25424",
            "devices": [
                {
                    "name": name,
                    "architecture": architecture,
                    "capability": f"the architecture {architecture}",
                    "features": features,
                    "memory_bytes": 192 << 30,
                }
                for name, architecture, features in devices
            ],
        }
        monkeypatch.setattr(core, "devices", lambda kind: found if kind == "hip" else others(kind))

    return put


def test_no_hip_library_is_only_noted(report, hip):
    hip(problem="the HIP runtime's library can't be opened; looked for libamdhip64.so.7")
    code, text = report()
    assert code == 0
    (line,) = lines(text, "hip")
    assert line.startswith("note") and line.endswith("looked for libamdhip64.so.7")
    assert "needed only to run kernels on AMD GPUs" in text


def test_the_hip_library_and_its_devices_are_named(report, hip):
    hip(
        ("Fast GPU", "gfx942", "sramecc+:xnack-"),
        ("Slow GPU", "gfx1100", ""),
        ("Old", "gfx803", ""),
    )
    code, text = report()
    assert code == 0
    library, fast, slow, old = lines(text, "hip")
    assert library.endswith("HIP 7.1.25424 (/opt/rocm/lib/libamdhip64.so.7)")
    assert fast.startswith("ok    hip:0")
    assert fast.endswith("Fast GPU, gfx942:sramecc+:xnack-, 192 GiB, target hip:gfx942")
    assert slow.endswith("Slow GPU, gfx1100, 192 GiB, target hip:gfx1100")
    assert old.startswith("note  hip:2") and old.endswith("Old, gfx803, 192 GiB")
    assert "has the architecture gfx803, which is not supported" in text


def test_settings_are_shown(report, monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_LOG", "compiles")
    _, text = report()
    assert "TILEWRIGHT_LOG=compiles" in text


def test_a_broken_library_is_found_in_full_only(monkeypatch, tmp_path):
    (tmp_path / "numpy").mkdir()
    (tmp_path / "numpy" / "__init__.py").write_text("raise ImportError('half installed')")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "numpy", raising=False)
    (unopened,) = doctor._library("numpy", full=False)
    (opened,) = doctor._library("numpy", full=True)
    assert (unopened.level, opened.level) == ("ok", "bad")
    assert "half installed" in opened.found


def test_it_imports_neither_torch_nor_numpy():
    script = (
        "import sys; from tilewright import cli; cli.main(['doctor']);"
        "assert not {'torch', 'numpy'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_without_an_assembler_it_says_what_to_install(report, monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_NVJITLINK", "0")
    monkeypatch.setenv("TILEWRIGHT_PTXAS", "0")
    _, text = report()
    assert lines(text, "assembler")[0].startswith("note")
    assert "-> pip install nvidia-nvjitlink" in text


def test_an_assembler_that_cannot_be_used_is_bad(report, monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_NVJITLINK", "/nowhere/libnvJitLink.so")
    code, text = report()
    assert code == 1
    assert lines(text, "assembler")[0].startswith("bad") and "/nowhere/libnvJitLink.so" in text


def test_it_names_the_assembler_and_its_version(report):
    assert any(assembler.find_assemblers()), "the tests' requirements include nvJitLink"
    _, text = report()
    assert re.match(r"ok +assembler +(nvJitLink|ptxas) 1\d\.\d", lines(text, "assembler")[0])
