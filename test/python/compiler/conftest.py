import sys

import fakes
import pytest

from tilewright.compiler import core as core_module
from tilewright.compiler import log, pipeline


@pytest.fixture
def fake(monkeypatch, tmp_path):
    """Installs the fakes and an empty cache, and clears memory; returns the log of compilations."""
    fakes.install(lambda name, module: monkeypatch.setitem(sys.modules, name, module))
    core_module.build_identity.cache_clear()
    calls = tmp_path / "calls"
    calls.touch()
    for name in ("TILEWRIGHT_DUMP", "TILEWRIGHT_LOG", "TILEWRIGHT_TARGET", "TILEWRIGHT_CACHE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("FAKE_CORE_LOG", str(calls))
    pipeline._kernels.clear()
    pipeline._shapes.clear()
    log._variants.clear()
    yield calls
    pipeline._kernels.clear()
    core_module.build_identity.cache_clear()
