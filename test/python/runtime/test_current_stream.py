"""Which stream is known to be the current one, with a stand-in for PyTorch."""

import sys
from types import SimpleNamespace

import pytest

from tilewright.compiler.streams import is_current


@pytest.mark.parametrize(("is_initialized", "known"), [(True, True), (False, False)])
def test_the_current_stream_of_the_current_device(is_initialized, known, monkeypatch) -> None:
    core = SimpleNamespace(
        _cuda_getDevice=lambda: 1, _cuda_getCurrentRawStream=lambda device: 70 + device
    )
    cuda = SimpleNamespace(is_initialized=lambda: is_initialized)
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=cuda, _C=core))
    assert is_current(None)
    assert is_current(71) is known
    assert not is_current(72)


def test_without_pytorch(monkeypatch) -> None:
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    assert is_current(None) and not is_current(0)
