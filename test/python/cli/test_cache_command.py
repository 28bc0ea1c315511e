"""`tilewright cache` shows and empties the cache."""

import pytest

from tilewright import cli
from tilewright.cache import Entry, Folder, Store


@pytest.fixture
def store(monkeypatch, tmp_path):
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("TILEWRIGHT_CACHE", raising=False)
    store = Store(Folder(tmp_path / "cache", explicit=True))
    store.save("ab" * 32, Entry({}, {"object": bytes(2_000_000)}))
    return store


def test_info_counts_kernels_and_bytes(store, capsys):
    assert cli.main(["cache", "info"]) == 0
    text = capsys.readouterr().out
    assert str(store.path) in text and "kernels   1" in text and "2.0 MB" in text


def test_info_is_what_it_does_unasked(store, capsys):
    assert cli.main(["cache"]) == 0
    assert "kernels   1" in capsys.readouterr().out


def test_clear_empties_it(store, capsys):
    assert cli.main(["cache", "clear"]) == 0
    assert capsys.readouterr().out.startswith("removed 1 kernels")
    assert store.entries() == []


def test_off_is_said(store, capsys, monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_CACHE", "0")
    assert cli.main(["cache"]) == 0
    assert "off" in capsys.readouterr().out


def test_a_refused_folder_is_an_error_without_a_traceback(store, capsys):
    store.path.chmod(0o777)
    assert cli.main(["cache"]) == 1
    assert "tilewright cache: the cache folder" in capsys.readouterr().err
