"""`tilewright.knobs`: attributes that are environment variables."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tilewright import knobs
from tilewright.cache.folder import find_folder
from tilewright.compiler.assembler import find_assemblers


@pytest.fixture(autouse=True)
def clean(monkeypatch):
    for name in ("TRITON_CACHE_DIR", "TILEWRIGHT_CACHE_DIR", "TILEWRIGHT_CACHE"):
        monkeypatch.delenv(name, raising=False)
    for name in ("TRITON_PRINT_AUTOTUNING", "TILEWRIGHT_DEBUG", "TRITON_REDIS_PORT"):
        monkeypatch.delenv(name, raising=False)


def test_reading_and_assigning(monkeypatch) -> None:
    assert knobs.autotuning.print is False
    monkeypatch.setenv("TRITON_PRINT_AUTOTUNING", "1")
    assert knobs.autotuning.print is True
    knobs.autotuning.print = False
    assert os.environ["TRITON_PRINT_AUTOTUNING"] == "0"
    assert knobs.autotuning.print is False
    knobs.autotuning.print = None
    assert "TRITON_PRINT_AUTOTUNING" not in os.environ


@pytest.mark.parametrize(("text", "expected"), [("on", True), ("TRUE", True), ("", False)])
def test_texts_of_flags(monkeypatch, text, expected) -> None:
    monkeypatch.setenv("TRITON_PRINT_AUTOTUNING", text)
    assert knobs.autotuning.print is expected


def test_values_that_make_no_sense(monkeypatch) -> None:
    monkeypatch.setenv("TRITON_PRINT_AUTOTUNING", "maybe")
    with pytest.raises(ValueError, match="TRITON_PRINT_AUTOTUNING='maybe': expected 1 or 0"):
        knobs.autotuning.print  # noqa: B018
    with pytest.raises(ValueError, match=r"knobs.redis.port = 'many'"):
        knobs.redis.port = "many"
    assert "TRITON_REDIS_PORT" not in os.environ


def test_a_scope_restores() -> None:
    knobs.cache.dir = "/before"
    with knobs.cache.scope():
        knobs.cache.dir = "/inside"
        knobs.cache.manager_class = object
        knobs.cache.home_dir = "/home"
    assert (knobs.cache.dir, knobs.cache.manager_class) == ("/before", None)
    assert knobs.cache.home_dir is None
    assert knobs.cache.knobs["dir"] == "/before"
    knobs.cache.reset()
    assert knobs.cache.dir is None


def test_deleting() -> None:
    knobs.cache.dir = "/before"
    del knobs.cache.dir
    assert knobs.cache.dir is None


def test_the_cache_is_in_the_folder(tmp_path, monkeypatch) -> None:
    with knobs.cache.scope():
        knobs.cache.dir = str(tmp_path)
        found = find_folder()
        assert found is not None
        assert found.path == tmp_path / "tilewright"
        assert not found.explicit
        monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path / "own"))
        found = find_folder()
        assert found is not None
        assert found.path == tmp_path / "own"


def test_without_a_cache() -> None:
    with knobs.compilation.scope():
        knobs.compilation.always_compile = True
        assert find_folder() is None
    assert find_folder() is not None


def test_the_assembler_by_its_path(monkeypatch) -> None:
    for name in ("TILEWRIGHT_PTXAS", "TILEWRIGHT_NVJITLINK"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TRITON_PTXAS_PATH", "/some/ptxas")
    assert find_assemblers() == ("", "/some/ptxas")
    monkeypatch.setenv("TILEWRIGHT_PTXAS", "/other/ptxas")
    assert find_assemblers().ptxas == "/other/ptxas"


def test_debug_is_the_default_of_the_option() -> None:
    from tilewright.compiler import Options

    with knobs.runtime.scope():
        knobs.runtime.debug = True
        assert Options().debug is True
    assert Options().debug is False


def test_all_groups_have_values() -> None:
    for name in knobs.__all__:
        group = getattr(knobs, name)
        if hasattr(group, "scope") and not isinstance(group, type):
            assert repr(group).startswith(f"{name}(")
            assert isinstance(group.knobs, dict)


def test_importing_loads_no_core() -> None:
    code = (
        "import sys, tilewright; tilewright.knobs.runtime.reset();"
        "tilewright.knobs.runtime.jit_post_compile_hook = print;"
        "print('tilewright._core' in sys.modules, 'torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
