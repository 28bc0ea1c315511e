"""`tilewright tune`: list, show, export, import and clear."""

import pytest

from tilewright.cli import main
from tilewright.tuning.results import Result
from tilewright.tuning.store import TuningStore


@pytest.fixture
def store(tmp_path, monkeypatch) -> TuningStore:
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path / "cache"))
    return TuningStore(tmp_path / "cache")


TIMES = '[["BLOCK: 1", 0.5, ""], ["BLOCK: 2", null, "launching: DeviceError: no"]]'


def result(key: str, kernel: str = "app.add") -> Result:
    return Result(
        key, kernel, "s", "1024, float32", "GPU", "1", "c", "l", 0, "BLOCK: 1", TIMES, 1.0
    )


def test_list(store, capsys) -> None:
    assert main(["tune", "list"]) == 0
    assert capsys.readouterr().out.startswith("there are no results in ")
    store.save([result("a" * 64)])
    assert main(["tune", "list"]) == 0
    assert capsys.readouterr().out == "aaaaaaaaaaaa  app.add  1024, float32  BLOCK: 1\n"


@pytest.mark.parametrize("wanted", ["aaa", "app.add", "add"])
def test_show(store, capsys, wanted) -> None:
    store.save([result("a" * 64), result("b" * 64, "app.other")])
    assert main(["tune", "show", wanted]) == 0
    out = capsys.readouterr().out
    assert "device     GPU" in out and "BLOCK: 1: 0.5000 ms" in out
    assert "BLOCK: 2: launching: DeviceError: no" in out and "app.other" not in out


def test_show_of_nothing(store, capsys) -> None:
    assert main(["tune", "show", "zzz"]) == 1
    assert "there is no result 'zzz'" in capsys.readouterr().err


def test_export_and_import(store, tmp_path, monkeypatch, capsys) -> None:
    file = str(tmp_path / "results.json")
    assert main(["tune", "export", file]) == 1
    store.save([result("a" * 64), result("b" * 64, "app.other")])
    assert main(["tune", "export", file, "--kernel", "add"]) == 0
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path / "other"))
    assert main(["tune", "import", file]) == 0
    assert TuningStore(tmp_path / "other").all() == [result("a" * 64)]
    assert "imported 1 results" in capsys.readouterr().out


def test_import_of_another_file(store, tmp_path, capsys) -> None:
    file = tmp_path / "other.json"
    file.write_text("{}")
    assert main(["tune", "import", str(file)]) == 1
    assert "is not a file of exported tuning results" in capsys.readouterr().err


def test_clear(store, capsys) -> None:
    store.save([result("a" * 64), result("b" * 64, "app.other")])
    assert main(["tune", "clear"]) == 1  # no terminal, no confirmation
    assert len(store.all()) == 2
    assert main(["tune", "clear", "--kernel", "app.other", "--yes"]) == 0
    assert store.all() == [result("a" * 64)]
    assert main(["tune", "clear", "-y"]) == 0
    assert store.all() == []


def test_without_a_cache(monkeypatch, capsys) -> None:
    monkeypatch.setenv("TILEWRIGHT_CACHE", "0")
    assert main(["tune", "list"]) == 1
    assert "the disk cache is off" in capsys.readouterr().err
