"""triton.runtime.cache: a program's own files by key."""

import os
import threading

import pytest

from tilewright.compat.cache import FileCacheManager, default_cache_dir
from tilewright.errors import CacheError


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_files_of_a_key(folder) -> None:
    files = FileCacheManager("key")
    assert files.cache_dir == str(folder / "key") == os.path.dirname(files.lock_path)
    assert not files.has_file("a.bin") and files.get_file("a.bin") is None
    path = files.put(b"\x00\xff", "a.bin")
    assert files.put("text é", "b.txt", binary=False) != path
    again = FileCacheManager("key")
    assert again.get_file("a.bin") == path and (folder / "key" / "a.bin").read_bytes() == b"\0\xff"
    assert (folder / "key" / "b.txt").read_text(encoding="utf-8") == "text é"
    assert not FileCacheManager("other").has_file("a.bin")


def test_a_group_has_the_files_that_still_exist(folder) -> None:
    files = FileCacheManager("key")
    assert files.get_group("kernel.json") is None
    group = {name: files.put(name, name) for name in ("a", "b")}
    files.put_group("kernel.json", group)
    assert FileCacheManager("key").get_group("kernel.json") == group
    os.unlink(group["a"])
    assert files.get_group("kernel.json") == {"b": group["b"]}


def test_writing_at_the_same_time(folder) -> None:
    files = FileCacheManager("key")
    texts = [letter * 100_000 for letter in "abcd"]
    threads = [threading.Thread(target=files.put, args=(text, "f")) for text in texts * 4]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (folder / "key" / "f").read_text() in texts
    assert os.listdir(folder / "key") == ["f"], "no temporary files are left"


@pytest.mark.parametrize("key", ["", ".", "..", "a/b", "../up"])
def test_a_key_that_is_no_name_of_a_folder(folder, key) -> None:
    with pytest.raises(CacheError, match="a key must be usable as the name of a folder"):
        FileCacheManager(key)


def test_the_folder_of_the_user(monkeypatch, tmp_path) -> None:
    monkeypatch.delenv("TRITON_CACHE_DIR", raising=False)
    monkeypatch.setenv("TRITON_HOME", str(tmp_path))
    assert default_cache_dir() == str(tmp_path / ".triton" / "cache")
    assert not FileCacheManager("key", override=True).has_file("a")
    assert not (tmp_path / ".triton" / "override").exists()
