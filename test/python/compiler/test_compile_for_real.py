"""Compiling with the real front end and core, in this and in other processes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import tilewright
import tilewright.language as tl
from tilewright import cli, compiler
from tilewright.compiler import pipeline

FILL = ("*fp32:D", "i32", 64)


@tilewright.jit
def fill(out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, i.to(tl.float32), mask=i < n)


@pytest.fixture
def cache(monkeypatch, tmp_path):
    for name in ("TILEWRIGHT_CACHE", "TILEWRIGHT_DUMP", "TILEWRIGHT_LOG", "TILEWRIGHT_TARGET"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path / "cache"))
    pipeline._kernels.clear()
    yield tmp_path / "cache"
    pipeline._kernels.clear()


def filled(kernel_function):
    """The contents of an array of eight zeros after the kernel has written five elements."""
    numpy = pytest.importorskip("numpy")
    out = numpy.zeros(8, dtype=numpy.float32)
    kernel_function[(1,)](out, 5, BLOCK=64)
    return out.tolist()


RIGHT = [0.0, 1.0, 2.0, 3.0, 4.0, 0.0, 0.0, 0.0]


def fresh():
    """The same kernel as if it had never been launched."""
    pipeline._kernels.clear()
    return tilewright.JITFunction(fill.fn)


def test_every_phase_can_be_seen(cache):
    kernel = compiler.compile(fill, FILL)
    assert kernel.phase_names() == ["source", "tile", "vector", "llvm", "asm"]
    assert "func.func @fill" in kernel.ir("source") and "tile.store" in kernel.ir("tile")
    assert "vector<" in kernel.ir("vector") and "define " in kernel.ir("llvm")
    assert "\tret" in kernel.assembly()


def test_a_kernel_from_the_disk_does_the_same(cache):
    assert filled(fresh()) == RIGHT
    assert filled(fresh()) == RIGHT
    assert compiler.compile(fresh(), FILL).origin == "compiled"
    assert compiler.compile(fresh(), FILL).origin == "disk"


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[: len(data) // 2],
        lambda data: data[:-20] + bytes(20),
        lambda data: b"\x7fELF" + bytes(1000),
    ],
    ids=["empty", "truncated", "damaged", "foreign"],
)
def test_an_unsound_file_is_compiled_again(cache, damage):
    assert filled(fresh()) == RIGHT
    for file in cache.glob("*.kernel"):
        file.write_bytes(damage(file.read_bytes()))
    assert filled(fresh()) == RIGHT


def test_a_failing_compilation_is_reproduced_by_the_command(cache, tmp_path, capsys):
    file = tmp_path / "nothing.mlir"
    file.write_text('// tilewright-reproducer: {"target": "cpu", "options": {}}\nmodule {}\n')
    assert cli.main(["reproduce", str(file)]) == 1
    assert "the module has no kernel" in capsys.readouterr().err


def test_a_reproducer_that_compiles_says_so(cache, tmp_path, capsys):
    tile = compiler.compile(fill, FILL).ir("source")
    file = tmp_path / "fill.mlir"
    file.write_text(f'// tilewright-reproducer: {{"target": "cpu", "options": {{}}}}\n{tile}')
    dump = tmp_path / "dump"
    assert cli.main(["reproduce", str(file), "--dump", str(dump)]) == 0
    assert "is not reproduced" in capsys.readouterr().out
    assert list(dump.glob("*/*-vector.mlir"))


_PROCESS = """
from concurrent.futures import ThreadPoolExecutor
from test_compile_for_real import FILL, fill
from tilewright import compiler
with ThreadPoolExecutor(16) as pool:
    kernels = list(pool.map(lambda _: compiler.compile(fill, FILL), range(16)))
assert all(kernel is kernels[0] for kernel in kernels)
kernels[0].load()
print(kernels[0].origin)
"""


def test_sixteen_processes_of_sixteen_threads_share_one_compilation(cache):
    package = Path(tilewright.__file__).parent.parent
    env = {**os.environ, "PYTHONPATH": f"{Path(__file__).parent}:{package}"}
    running = [
        subprocess.Popen([sys.executable, "-c", _PROCESS], env=env, stdout=subprocess.PIPE)
        for _ in range(16)
    ]
    origins = [process.communicate(timeout=600)[0].decode().strip() for process in running]
    assert sorted(origins) == ["compiled"] + ["disk"] * 15
    assert len(list(cache.glob("*.kernel"))) == 1
