"""The folder of the cache: its path, whether it is trusted, and when it can't be used."""

import os
import warnings
from pathlib import Path

import pytest

from tilewright.cache import Entry, Folder, Store, find_folder
from tilewright.errors import CacheError, CacheWarning

KEY = "ab" * 32
ENTRY = Entry({}, {"object": b"code"})


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    for name in ("TILEWRIGHT_CACHE", "TILEWRIGHT_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)


def test_the_variable_names_the_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path))
    assert find_folder() == Folder(tmp_path, explicit=True)


def test_xdg_cache_home_is_respected(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert find_folder() == Folder(tmp_path / "tilewright", explicit=False)


def test_the_default_is_in_the_home(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert find_folder() == Folder(tmp_path / ".cache" / "tilewright", explicit=False)


def test_it_can_be_turned_off(monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_CACHE", "0")
    assert find_folder() is None


@pytest.mark.parametrize("mode", [0o770, 0o702, 0o777])
def test_a_folder_that_others_can_write_is_refused(tmp_path, mode):
    tmp_path.chmod(mode)
    with pytest.raises(CacheError, match=r"can be written by other users \(mode 7\d\d\)"):
        Store(Folder(tmp_path, explicit=True))


def test_a_folder_of_another_user_is_refused(tmp_path, monkeypatch):
    tmp_path.chmod(0o700)
    owner = tmp_path.stat().st_uid
    if owner == 0:
        os.chown(tmp_path, 1234, -1)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    with pytest.raises(CacheError, match="belongs to another user"):
        Store(Folder(tmp_path, explicit=True))


def test_the_refusal_says_how_to_fix_it(tmp_path):
    tmp_path.chmod(0o777)
    with pytest.raises(CacheError, match=r"hint: run: chmod go-w '.*', or .*TILEWRIGHT_CACHE=0"):
        Store(Folder(tmp_path, explicit=True))


def test_an_untrusted_default_folder_is_neither_read_nor_written(tmp_path):
    trusted = Store(Folder(tmp_path, explicit=False))
    trusted.save(KEY, ENTRY)
    tmp_path.chmod(0o777)
    with pytest.warns(CacheWarning, match=r"not trusted(.|\n)*in memory only"):
        store = Store(Folder(tmp_path, explicit=False))
    store.save("cd" * 32, ENTRY)
    assert store.load(KEY) is None
    assert not trusted.file("cd" * 32).exists()


def test_a_folder_that_cannot_be_made_is_warned_about(tmp_path):
    (tmp_path / "file").touch()
    with pytest.warns(CacheWarning, match=r"can't be used .*in memory only"):
        store = Store(Folder(tmp_path / "file" / "cache", explicit=True))
    store.save(KEY, ENTRY)
    assert store.load(KEY) is None


@pytest.fixture
def unwritable(tmp_path, monkeypatch):
    """A store in which files can be read but not created, even by root."""
    store = Store(Folder(tmp_path / "cache", explicit=True))
    store.save(KEY, ENTRY)
    real = os.open

    def refuse(path, flags, *rest, **options):
        if flags & os.O_CREAT and Path(path).is_relative_to(tmp_path):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, flags, *rest, **options)

    monkeypatch.setattr(os, "open", refuse)
    return store


def test_a_failure_to_write_is_warned_about_once(unwritable):
    with pytest.warns(CacheWarning, match=r"can't be written .*in memory only"):
        unwritable.save("cd" * 32, ENTRY)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        unwritable.save("ef" * 32, ENTRY)


def test_an_unwritable_folder_is_still_read(unwritable):
    with pytest.warns(CacheWarning):
        unwritable.save("cd" * 32, ENTRY)
    assert unwritable.load(KEY) == ENTRY


def test_a_full_disk_leaves_nothing_half_written(tmp_path, monkeypatch):
    store = Store(Folder(tmp_path / "cache", explicit=True))

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.warns(CacheWarning, match="No space left"):
        store.save(KEY, ENTRY)
    assert list(store.path.iterdir()) == []


def test_old_temporary_files_are_deleted(tmp_path):
    old, new = tmp_path / ".old.tmp", tmp_path / ".new.tmp"
    for path in (old, new):
        path.write_bytes(b"half")
    os.utime(old, (0, 0))
    tmp_path.chmod(0o700)
    Store(Folder(tmp_path, explicit=True)).save(KEY, ENTRY)
    assert not old.exists() and new.exists()
