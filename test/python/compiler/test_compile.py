"""compile(): runs once per key; a kernel comes from memory, from disk or from the stages."""

import gc
import os
import subprocess
import sys
import types
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import fakes
import pytest

import tilewright
from tilewright import compiler
from tilewright.cache import default_store
from tilewright.compiler import pipeline
from tilewright.compiler.targets import target_kinds
from tilewright.errors import CacheError, CacheWarning, DeviceError

SIGNATURE = ("*fp32:D", "i32")


@fakes.Jit
def add(x, n):
    return x + n


def count(calls):
    return len(calls.read_text().splitlines())


def forget():
    gc.collect()
    pipeline._kernels.clear()


def files(tmp_path):
    return list((tmp_path / "cache").glob("*.kernel"))


def test_a_kernel_carries_what_the_launcher_needs(fake):
    kernel = compiler.compile(add, SIGNATURE)
    assert (kernel.name, kernel.symbol, kernel.scratch_bytes) == ("add", "kernel", 64)
    assert kernel.object.startswith(b"\x7fELF")
    assert [name for name, _ in kernel.phases] == ["frontend", "tile", "vector", "llvm"]


def test_the_second_request_is_served_from_memory(fake):
    assert compiler.compile(add, SIGNATURE) is compiler.compile(add, SIGNATURE)
    assert count(fake) == 1


def test_another_process_is_served_from_the_disk(fake):
    compiled = compiler.compile(add, SIGNATURE)
    forget()
    fetched = compiler.compile(add, SIGNATURE)
    assert (compiled.origin, fetched.origin, count(fake)) == ("compiled", "disk", 1)
    assert fetched.object == compiled.object
    assert fetched.phases == compiled.phases


@pytest.mark.parametrize("data", [b"", b"\x7fELF" + bytes(300), b"TWKERNEL"])
def test_a_damaged_file_is_compiled_again_and_replaced(fake, tmp_path, data):
    object_ = compiler.compile(add, SIGNATURE).object
    forget()
    (file,) = files(tmp_path)
    file.write_bytes(data)
    kernel = compiler.compile(add, SIGNATURE)
    assert (kernel.origin, kernel.object, count(fake)) == ("compiled", object_, 2)
    forget()
    assert compiler.compile(add, SIGNATURE).origin == "disk"


def test_the_cache_can_be_turned_off(fake, monkeypatch, tmp_path):
    monkeypatch.setenv("TILEWRIGHT_CACHE", "0")
    compiler.compile(add, SIGNATURE)
    forget()
    assert compiler.compile(add, SIGNATURE).origin == "compiled"
    assert not (tmp_path / "cache").exists()


def test_an_unwritable_folder_leaves_the_memory(fake, monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path / "file" / "cache"))
    with pytest.warns(CacheWarning):
        kernel = compiler.compile(add, SIGNATURE)
    assert compiler.compile(add, SIGNATURE) is kernel


def test_a_chosen_folder_that_others_can_write_is_refused(fake, tmp_path):
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache").chmod(0o777)
    with pytest.raises(CacheError):
        compiler.compile(add, SIGNATURE)
    assert count(fake) == 0


def test_an_object_of_which_nothing_is_read_makes_no_difference(fake, tmp_path):
    kernel = compiler.compile(add, ("i32", object()))
    assert compiler.compile(add, ("i32", object())) is kernel
    assert len(files(tmp_path)) == 1


def test_what_was_read_is_kept_beside_the_kernels_and_removed_with_them(fake, tmp_path):
    compiler.compile(add, SIGNATURE)
    suffixes = sorted(path.suffix for path in (tmp_path / "cache").glob("*.*"))
    assert suffixes == [".kernel", ".shapes"]
    assert default_store().clear() == 1
    assert list((tmp_path / "cache").glob("*.*")) == []


def test_a_kernel_that_is_gone_from_the_disk_is_compiled_again(fake, tmp_path):
    compiler.compile(add, SIGNATURE)
    forget()
    (file,) = files(tmp_path)
    file.unlink()
    assert compiler.compile(add, SIGNATURE).origin == "compiled"


@pytest.mark.parametrize("data", [b"", b"TWKERNEL" + bytes(100)])
def test_damaged_notes_of_what_was_read_are_replaced(fake, tmp_path, data):
    compiler.compile(add, SIGNATURE)
    for expected in ("compiled", "disk"):
        forget()
        pipeline._shapes.clear()
        if expected == "compiled":
            (file,) = (tmp_path / "cache").glob("*.shapes")
            file.write_bytes(data)
        assert compiler.compile(add, SIGNATURE).origin == expected


def test_sixteen_threads_compile_once(fake):
    with ThreadPoolExecutor(16) as pool:
        kernels = list(pool.map(lambda _: compiler.compile(add, SIGNATURE), range(16)))
    assert count(fake) == 1
    assert all(kernel is kernels[0] for kernel in kernels)


_PROCESS = """
import fakes, sys
fakes.install()
from concurrent.futures import ThreadPoolExecutor
from tilewright import compiler
def source(x, n):
    return x + n
fn = fakes.Jit.__new__(fakes.Jit)
import ast, types
fn.fn, fn.name, fn.source_file, fn.first_line = source, "source", "k.py", 1
fn.globals = globals()
fn.params = [types.SimpleNamespace(name=n, default=None, is_constexpr=False) for n in "xn"]
fn.tree = lambda: ast.parse("def source(x, n):\\n    return x + n").body[0]
with ThreadPoolExecutor(16) as pool:
    kernels = list(pool.map(lambda _: compiler.compile(fn, ("i32", "i32")), range(16)))
assert len({kernel.object for kernel in kernels}) == 1
"""


def test_sixteen_processes_of_sixteen_threads_compile_once(fake):
    here = Path(__file__).parent
    package = Path(tilewright.__file__).parent.parent
    env = {**os.environ, "PYTHONPATH": f"{here}:{package}"}
    running = [subprocess.Popen([sys.executable, "-c", _PROCESS], env=env) for _ in range(16)]
    assert [process.wait(timeout=600) for process in running] == [0] * 16
    assert count(fake) == 1


def test_ir_is_shown_at_each_phase(fake):
    kernel = compiler.compile(add, SIGNATURE)
    assert kernel.phase_names() == ["source", "tile", "vector", "llvm", "asm"]
    assert kernel.ir("source").startswith("add ")
    assert kernel.ir("vector").startswith("vector of add")
    assert kernel.ir("asm") == kernel.assembly() != ""


def test_ir_is_shown_of_a_kernel_from_the_disk(fake):
    compiler.compile(add, SIGNATURE)
    forget()
    kernel = compiler.compile(add, SIGNATURE)
    assert kernel.origin == "disk" and kernel.ir("llvm").startswith("llvm of add")


def test_an_unknown_phase_names_those_there_are(fake):
    with pytest.raises(
        ValueError, match="no phase 'ptx'; the phases are source, tile, vector, llvm, asm"
    ):
        compiler.compile(add, SIGNATURE).ir("ptx")


def test_the_code_is_linked_once(fake):
    kernel = compiler.compile(add, SIGNATURE)
    assert kernel.load() is kernel.load()
    assert kernel.load().symbol == "kernel"


def test_code_for_another_processor_is_not_linked(fake, monkeypatch):
    older, newer = (compiler.compile(add, SIGNATURE, f"cpu:{arch}") for arch in ("sse2", "avx512"))
    host = types.SimpleNamespace(
        why_not_runnable=lambda arch: "it lacks avx512f" if arch == "avx512" else ""
    )
    monkeypatch.setattr(target_kinds()["cpu"], "_kind", host)
    with pytest.raises(DeviceError, match=r"'cpu:avx512' can't run here: it lacks avx512f"):
        newer.load()
    assert older.load().symbol == "kernel"


def test_every_phase_is_dumped(fake, monkeypatch, tmp_path):
    compiler.compile(add, SIGNATURE)
    forget()
    monkeypatch.setenv("TILEWRIGHT_DUMP", str(tmp_path / "dump"))
    kernel = compiler.compile(add, SIGNATURE)
    (folder,) = (tmp_path / "dump").iterdir()
    assert folder.name == f"add-{kernel.key[:12]}"
    assert sorted(path.name for path in folder.iterdir()) == [
        "00-source.mlir",
        "01-tile.mlir",
        "02-vector.mlir",
        "03-llvm.mlir",
        "04-asm.s",
    ]
