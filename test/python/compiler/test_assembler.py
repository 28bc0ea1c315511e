"""Finding NVIDIA's assembler on a simulated machine."""

import sys

import pytest

from tilewright.compiler import assembler
from tilewright.compiler.assembler import Assemblers, find_assemblers

SETTINGS = ("TILEWRIGHT_NVJITLINK", "TILEWRIGHT_PTXAS", "CUDA_HOME", "CUDA_PATH")


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """Creates files in a folder that is the only one with packages and programs."""
    for name in SETTINGS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    monkeypatch.setattr(assembler, "_TOOLKIT", tmp_path / "cuda")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "site")])
    for package in ("nvidia", "torch", "triton"):  # Other tests may have imported them.
        monkeypatch.delitem(sys.modules, package, raising=False)

    def make(name):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch(mode=0o755)
        return str(file)

    return make


def test_nothing_is_found_on_an_empty_machine(machine):
    assert find_assemblers() == Assemblers("", "")


@pytest.mark.parametrize(
    "place",
    [
        "site/nvidia/cu13/lib/libnvJitLink.so.13",
        "site/nvidia/nvjitlink/lib/libnvJitLink.so.12",
        "site/torch/lib/libnvJitLink.so.12",
        "cuda/lib64/libnvJitLink.so.13",
    ],
)
def test_the_library_is_found(machine, place):
    path = machine(place)
    assert find_assemblers().nvjitlink == path


@pytest.mark.parametrize(
    "place",
    [
        "path/ptxas",
        "cuda/bin/ptxas",
        "site/triton/backends/nvidia/bin/ptxas",
        "site/nvidia/cu13/bin/ptxas",
    ],
)
def test_the_program_is_found(machine, place):
    path = machine(place)
    assert find_assemblers().ptxas == path


def test_packages_are_not_imported(machine, tmp_path):
    machine("site/torch/lib/libnvJitLink.so.12")
    machine("site/triton/backends/nvidia/bin/ptxas")
    for package in ("torch", "triton"):
        (tmp_path / "site" / package / "__init__.py").write_text("raise RuntimeError")
    assert all(find_assemblers())


def test_the_newest_library_comes_first(machine):
    machine("site/nvidia/nvjitlink/lib/libnvJitLink.so.12")
    newest = machine("site/nvidia/cu13/lib/libnvJitLink.so.13")
    machine("site/nvidia/old/lib/libnvJitLink.so.9")
    assert find_assemblers().nvjitlink == newest


def test_a_toolkit_can_be_named(machine, monkeypatch, tmp_path):
    machine("cuda/bin/ptxas")
    named = machine("elsewhere/bin/ptxas")
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "elsewhere"))
    assert find_assemblers().ptxas == named


def test_a_program_that_cannot_be_run_is_passed_over(machine, tmp_path):
    machine("path/ptxas")
    (tmp_path / "path" / "ptxas").chmod(0o644)
    usable = machine("cuda/bin/ptxas")
    assert find_assemblers().ptxas == usable


def test_settings_come_before_what_is_found(machine, monkeypatch):
    machine("site/nvidia/cu13/lib/libnvJitLink.so.13")
    machine("path/ptxas")
    monkeypatch.setenv("TILEWRIGHT_NVJITLINK", "/my/library")
    monkeypatch.setenv("TILEWRIGHT_PTXAS", "/my/program")
    assert find_assemblers() == Assemblers("/my/library", "/my/program")


def test_zero_stands_for_none(machine, monkeypatch):
    machine("site/nvidia/cu13/lib/libnvJitLink.so.13")
    program = machine("path/ptxas")
    monkeypatch.setenv("TILEWRIGHT_NVJITLINK", "0")
    assert find_assemblers() == Assemblers("", program)
    monkeypatch.setenv("TILEWRIGHT_PTXAS", "0")
    assert find_assemblers() == Assemblers("", "")


def test_a_program_that_is_named_is_used_instead_of_a_library_that_is_found(machine, monkeypatch):
    machine("site/nvidia/cu13/lib/libnvJitLink.so.13")
    monkeypatch.setenv("TILEWRIGHT_PTXAS", "/my/program")
    assert find_assemblers() == Assemblers("", "/my/program")
