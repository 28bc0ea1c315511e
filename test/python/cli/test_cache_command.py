"""`tilewright cache` shows and clears the cache."""

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
    assert cli.main(["cache", "clear", "--yes"]) == 0
    assert capsys.readouterr().out.startswith("deleted 1 kernels")
    assert store.entries() == []


@pytest.mark.parametrize(("answer", "left"), [("y", 0), ("", 1), ("no", 1)])
def test_clear_asks_first(store, capsys, monkeypatch, answer, left):
    questions = []
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("builtins.input", lambda text: questions.append(text) or answer)
    assert cli.main(["cache", "clear"]) == left
    assert len(store.entries()) == left
    assert questions == [f"Delete 1 kernels in {store.path}? [y/N] "]


def test_clear_without_a_terminal_needs_yes(store, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin.isatty", lambda: False)
    assert cli.main(["cache", "clear"]) == 1
    assert "pass --yes" in capsys.readouterr().err
    assert len(store.entries()) == 1


def test_off_is_said(store, capsys, monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_CACHE", "0")
    assert cli.main(["cache"]) == 0
    assert "off" in capsys.readouterr().out


def test_a_refused_folder_is_an_error_without_a_traceback(store, capsys):
    store.path.chmod(0o777)
    assert cli.main(["cache"]) == 1
    assert "tilewright cache: the cache folder" in capsys.readouterr().err
