"""The results on disk: found by other processes, and harmless whatever is wrong with the file."""

import json
import multiprocessing
import os
import sqlite3
import subprocess
import sys
import textwrap
import warnings
from pathlib import Path
from typing import Any

import pytest
from tuned_kernels import configs_of, launch_scale, tuned

import tilewright
from tilewright.errors import ArgumentError, CacheError, CacheWarning, TuningError
from tilewright.tuning.results import VERSION, Result, export_results, import_results
from tilewright.tuning.store import FILE, TuningStore


@pytest.fixture
def path(fresh_store: Path) -> Path:
    return fresh_store / FILE


def tuned_now(**options) -> bool:
    """Whether a kernel that is made and launched now has to be tuned."""
    kernel = tuned(**options)
    launch_scale(kernel)
    return kernel.bench_time is not None


def test_another_kernel_object_finds_the_result(path) -> None:
    assert tuned_now()
    assert path.exists()
    assert not tuned_now()


@pytest.mark.parametrize(
    "options",
    [
        {"configs": configs_of(32, 128, 256)},
        {"configs": configs_of(128, 32)},
        {"key": ["n", "factor"]},
    ],
    ids=["more", "order", "key"],
)
def test_other_configurations_and_keys_are_tuned(options) -> None:
    assert tuned_now()
    assert tuned_now(**options)


def test_another_target_is_tuned() -> None:
    assert tuned_now()
    with tilewright.emulate("cuda:80"):
        assert tuned_now()


@pytest.mark.parametrize("mode, cache_results", [("memory", None), ("on", False), ("", False)])
def test_results_can_stay_in_memory(mode, cache_results, monkeypatch, path) -> None:
    monkeypatch.setenv("TILEWRIGHT_TUNING", mode)
    assert tuned_now(cache_results=cache_results) and tuned_now(cache_results=cache_results)
    assert not path.exists()


def test_a_disk_cache_that_is_off_stores_nothing(monkeypatch, path) -> None:
    monkeypatch.setenv("TILEWRIGHT_CACHE", "0")
    assert tuned_now() and tuned_now()
    assert not path.exists()


def test_frozen_raises_where_it_would_tune(monkeypatch) -> None:
    monkeypatch.setenv("TILEWRIGHT_TUNING", "frozen")
    with pytest.raises(TuningError, match=r"scale is not tuned for \(1000, 'float32'"):
        tuned_now()
    monkeypatch.setenv("TILEWRIGHT_TUNING", "on")
    assert tuned_now()
    monkeypatch.setenv("TILEWRIGHT_TUNING", "frozen")
    assert not tuned_now()


def test_an_unknown_mode_is_an_error(monkeypatch) -> None:
    monkeypatch.setenv("TILEWRIGHT_TUNING", "freeze")
    with pytest.raises(ArgumentError, match="must be on, frozen or memory, not 'freeze'"):
        tuned_now()


def test_changed_source_is_tuned_again(tmp_path) -> None:
    program = tmp_path / "program.py"
    text = textwrap.dedent(
        """
        import numpy as np, tilewright, tilewright.language as tl
        from tilewright import Config

        @tilewright.autotune([Config({"B": 16}), Config({"B": 32})], key=[], rep=1)
        @tilewright.jit
        def kernel(out, B: tl.constexpr):
            tl.store(out + tl.arange(0, B), 1)

        kernel[1,](np.zeros(32, np.int32))
        print(kernel.bench_time is not None)
        """
    )

    def run(source: str) -> str:
        program.write_text(source)
        return subprocess.run(
            [sys.executable, str(program)], check=True, capture_output=True, text=True
        ).stdout.strip()

    assert [run(text), run(text), run(text.replace(", 1)", ", 2)"))] == ["True", "False", "True"]


# Shipped files


def test_an_exported_file_is_used_without_tuning(tmp_path, monkeypatch, fresh_store) -> None:
    assert tuned_now()
    file = tmp_path / "shipped.json"
    export_results(TuningStore(fresh_store).all(), file)
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("TILEWRIGHT_TUNING", "frozen")
    with pytest.raises(TuningError):
        tuned_now()
    monkeypatch.setenv("TILEWRIGHT_TUNING_FILE", f"{tmp_path / 'none.json'}{os.pathsep}{file}")
    with pytest.raises(CacheError, match=r"none\.json is not a file of exported tuning results"):
        tuned_now()
    monkeypatch.setenv("TILEWRIGHT_TUNING_FILE", str(file))
    assert not tuned_now()


def test_a_shipped_result_holds_for_any_driver_and_build(
    tmp_path, monkeypatch, fresh_store
) -> None:
    assert tuned_now()
    (result,) = TuningStore(fresh_store).all()
    file = tmp_path / "shipped.json"
    monkeypatch.setenv("TILEWRIGHT_TUNING_FILE", str(file))
    monkeypatch.setenv("TILEWRIGHT_TUNING", "memory")
    export_results([result._replace(driver="1", compiler="other")], file)
    assert not tuned_now()
    for member in ("device", "source", "configs", "arguments"):
        export_results([result._replace(**{member: "other"})], file)
        os.utime(file, ns=(0, hash(member) % 10**15))
        assert tuned_now(), member


def test_a_choice_beyond_the_list_is_not_used(tmp_path, monkeypatch, fresh_store) -> None:
    assert tuned_now()
    store = TuningStore(fresh_store)
    store.save([store.all()[0]._replace(chosen=7)])
    assert tuned_now()


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"format": "other"}', '{"format": "tilewright-tuning", "version": 1}'],
)
def test_other_files_are_refused(text, tmp_path) -> None:
    file = tmp_path / "file.json"
    file.write_text(text)
    with pytest.raises(CacheError, match=r"file.json is not a file of exported tuning results"):
        import_results(file)


def test_files_of_a_newer_version_are_refused(tmp_path) -> None:
    file = tmp_path / "file.json"
    export_results([], file)
    file.write_text(file.read_text().replace(f'"version": {VERSION}', '"version": 99'))
    with pytest.raises(CacheError, match="has version 99; this Tilewright reads versions up to"):
        import_results(file)


def test_members_of_a_wrong_type_are_refused(tmp_path) -> None:
    result = Result("k", "m.f", "s", "a", "d", "", "c", "l", 0, "BLOCK: 1", "[]", 1.0)
    file = tmp_path / "file.json"
    export_results([result], file)
    data = json.loads(file.read_text())
    assert import_results(file) == [result]
    data["results"][0]["chosen"] = "0"
    file.write_text(json.dumps(data))
    with pytest.raises(CacheError, match="wrong type"):
        import_results(file)


# Whatever is wrong with the file


def test_a_corrupt_file_is_set_aside(path, fresh_store) -> None:
    fresh_store.mkdir(mode=0o700)
    path.write_bytes(b"no database" * 1000)
    with pytest.warns(CacheWarning, match="are corrupt .*; they are now"):
        assert tuned_now()
    assert not tuned_now()
    assert list(fresh_store.glob("tuning.corrupt-*"))


def test_a_file_of_a_newer_version_is_left_alone(path, fresh_store) -> None:
    assert tuned_now()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    before = path.read_bytes()
    store = TuningStore(fresh_store)
    with pytest.warns(CacheWarning, match="have version 99; this Tilewright reads versions"):
        assert store.all() == []
    assert not store.save([])
    assert path.read_bytes() == before


def test_a_file_that_cannot_be_written_is_read(path, fresh_store, monkeypatch) -> None:
    assert tuned_now()
    (result,) = TuningStore(fresh_store).all()
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # as in a read-only folder
    assert TuningStore(fresh_store).all() == [result]


def test_a_locked_file_costs_a_tuning_only(path, fresh_store, monkeypatch) -> None:
    assert tuned_now()
    (result,) = TuningStore(fresh_store).all()
    monkeypatch.setattr("tilewright.tuning.store._BUSY", 0.05)
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    try:
        store = TuningStore(fresh_store)
        assert store.all() == [result]  # readers do not wait for a writer
        with pytest.warns(CacheWarning, match="can't be written .*locked"):
            assert not store.save([result])
    finally:
        holder.close()


def test_a_folder_in_its_place_costs_a_tuning_only(path, fresh_store) -> None:
    path.mkdir(parents=True)
    fresh_store.chmod(0o700)
    with pytest.warns(CacheWarning, match="can't be read"):
        assert tuned_now()


def test_stored_text_is_no_code(fresh_store) -> None:
    store = TuningStore(fresh_store)
    name = "x'); DROP TABLE results; --"
    result = Result("k", name, "s", "a", "d", "", "c", "l", 0, "BLOCK: 1", "[]", 1.0)
    assert store.save([result]) and store.all() == [result]
    assert store.clear("other") == 0 and store.clear(name) == 1 and store.all() == []


# Many processes


def _tune_in_process(start, found) -> None:
    warnings.simplefilter("error")
    start.wait()
    found.put(tuned_now(configs=configs_of(32, 64, 128, 256)))


def test_of_many_processes_one_tunes() -> None:
    context = multiprocessing.get_context("spawn")
    start, found = context.Barrier(4), context.SimpleQueue()
    processes = [context.Process(target=_tune_in_process, args=(start, found)) for _ in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(120)
    assert sorted(found.get() for _ in processes) == [False, False, False, True]


@pytest.mark.parametrize(
    "member",
    [
        {"created": None},
        {"created": "today"},
        {"created": float("nan")},
        {"created": 1e300},
        {"config": None},
        {"chosen": 1 << 70},
        {"chosen": -1},
        {"chosen": True},
        {"times": None},
        {"times": [1, 2]},
        {"times": "abc"},
        {"kernel": "\ud800"},
    ],
)
def test_odd_members_of_a_file_are_refused(member, tmp_path, path) -> None:
    launch_scale(tuned())
    (result,) = TuningStore(path.parent).all()
    row = {**result._asdict(), "times": [], **member}
    document = {"format": "tilewright-tuning", "version": VERSION, "results": [row]}
    file = tmp_path / "results.json"
    file.write_text(json.dumps(document))
    with pytest.raises(CacheError, match="is not a file of exported tuning results"):
        import_results(file)


def test_a_deep_file_is_refused(tmp_path) -> None:
    file = tmp_path / "results.json"
    file.write_text("[" * 100_000)
    with pytest.raises(CacheError, match="is not a file of exported tuning results"):
        import_results(file)


@pytest.mark.parametrize(
    "change", ["chosen = 'abc'", "chosen = 0.5", "times = '5'", "times = x'00ff'", "created = ''"]
)
def test_odd_rows_of_the_store_are_ignored(change, path) -> None:
    assert tuned_now()
    with sqlite3.connect(path) as connection:
        connection.execute(f"UPDATE results SET {change}")
    connection.close()
    assert TuningStore(path.parent).all() == []
    assert tuned_now() and not tuned_now()


def test_columns_may_have_another_order(path) -> None:
    assert tuned_now()
    names = ", ".join(["created", *Result._fields[:-1]])
    with sqlite3.connect(path) as connection:
        connection.execute("ALTER TABLE results RENAME TO old")
        connection.execute(f"CREATE TABLE results AS SELECT {names}, 1 AS more FROM old")
    connection.close()
    assert not tuned_now()


def test_a_row_that_the_table_refuses_does_not_discard_the_others(path) -> None:
    assert tuned_now()
    store = TuningStore(path.parent)
    (result,) = store.all()
    with pytest.warns(CacheWarning, match="can't be written"):
        assert not store.save([result._replace(key="k", created=None)])
    assert TuningStore(path.parent).all() == [result]


def test_a_database_without_a_table_is_empty(path) -> None:
    # As another process leaves it between its first steps.
    store = TuningStore(path.parent)
    sqlite3.connect(path).execute("PRAGMA journal_mode = WAL").connection.close()
    assert path.exists() and store.all() == []
    assert tuned_now() and not tuned_now()


def _save_one(folder: Path, number: int, starts: Any) -> None:
    warnings.simplefilter("error")
    result = Result(str(number), *"abcdefg", 0, "BLOCK: 64", "[]", 1.0)
    starts.wait()
    TuningStore(folder).save([result])


def test_processes_create_the_database_at_once(tmp_path) -> None:
    context = multiprocessing.get_context("fork")
    for attempt in range(5):
        folder, starts = tmp_path / str(attempt), context.Event()
        children = [
            context.Process(target=_save_one, args=(folder, number, starts)) for number in range(12)
        ]
        for child in children:
            child.start()
        starts.set()
        for child in children:
            child.join()
        assert len(TuningStore(folder).all()) == 12
