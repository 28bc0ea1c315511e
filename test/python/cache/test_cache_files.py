"""A cache file is used only if it is exactly what was written under its key."""

import os

import pytest

from tilewright.cache import Entry, Folder, Store
from tilewright.cache.format import decode, encode

KEY = "ab" * 32
ENTRY = Entry({"name": "add", "phases": [["frontend", 0.5]]}, {"object": b"\x7fELF", "source": b""})


@pytest.fixture
def store(tmp_path):
    return Store(Folder(tmp_path / "cache", explicit=True))


def test_an_entry_comes_back_as_it_was(store):
    store.save(KEY, ENTRY)
    assert store.load(KEY) == ENTRY


def test_a_missing_entry_is_none(store):
    assert store.load(KEY) is None


def test_the_file_is_the_users_alone(store):
    store.save(KEY, ENTRY)
    assert store.file(KEY).stat().st_mode & 0o777 == 0o600
    assert store.path.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("size", [0, 1, 47, 48, 60, -1])
def test_a_truncated_file_is_not_used(store, size):
    store.save(KEY, ENTRY)
    data = store.file(KEY).read_bytes()
    store.file(KEY).write_bytes(data[:size])
    assert store.load(KEY) is None


def test_no_single_damaged_byte_goes_unnoticed():
    data = encode(KEY, ENTRY)
    for at in range(len(data)):
        damaged = data[:at] + bytes([data[at] ^ 0x20]) + data[at + 1 :]
        assert decode(KEY, damaged) is None, at


def test_bytes_after_the_end_are_noticed():
    assert decode(KEY, encode(KEY, ENTRY) + b"\0") is None


@pytest.mark.parametrize(
    "data", [b"\x7fELF" + bytes(200), b"TWKERNEL" + bytes(200), b"text\n" * 40]
)
def test_a_foreign_file_is_not_used(store, data):
    store.file(KEY).write_bytes(data)
    assert store.load(KEY) is None


def test_a_sound_file_under_a_wrong_name_is_not_used(store):
    store.save("cd" * 32, ENTRY)
    os.rename(store.file("cd" * 32), store.file(KEY))
    assert store.load(KEY) is None


def test_an_unusable_file_is_replaced(store):
    store.file(KEY).write_bytes(b"damaged")
    store.save(KEY, ENTRY)
    assert store.load(KEY) == ENTRY


def test_a_link_to_a_file_elsewhere_is_not_followed(store, tmp_path):
    store.save(KEY, ENTRY)
    os.rename(store.file(KEY), tmp_path / "elsewhere")
    store.file(KEY).symlink_to(tmp_path / "elsewhere")
    assert store.load(KEY) is None


def test_a_pipe_is_not_read(store):
    os.mkfifo(store.file(KEY))
    assert store.load(KEY) is None


def test_a_file_that_others_could_write_is_not_used(store):
    store.save(KEY, ENTRY)
    store.file(KEY).chmod(0o666)
    assert store.load(KEY) is None


def test_clear_removes_entries_and_leftovers_only(store):
    store.save(KEY, ENTRY)
    (store.path / ".x.tmp").write_bytes(b"left by a killed process")
    (store.path / "notes.txt").write_text("the user's")
    assert store.clear() == 1
    assert [path.name for path in store.path.iterdir()] == ["notes.txt"]
