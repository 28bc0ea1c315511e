"""The attributes of a compiled kernel that programs read."""

from __future__ import annotations

import pickle

import pytest

import tilewright
import tilewright.language as tl
from tilewright.compiler.disassembler import disassemble
from tilewright.compiler.gpu_target import GPUTarget
from tilewright.errors import TilewrightError


@tilewright.jit
def negate(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, -tl.load(x + i, mask=i < n), mask=i < n)


@pytest.fixture(scope="module")
def host():
    return negate.warmup(tl.float32, tl.float32, 5, 64, target="cpu")


@pytest.fixture(scope="module")
def gpu():
    return negate.warmup(tl.float32, tl.float32, 5, 64, target="cuda:90a", num_warps=8)


def test_texts_by_phase(host, gpu) -> None:
    assert {"ttir", "llir", "source", "tile", "vector", "llvm", "asm", "obj"} == set(host.asm)
    assert "tile.load" in host.asm["ttir"] == host.asm["tile"]
    assert {"ttir", "ttgir", "llir", "ptx"} <= set(gpu.asm)
    assert ".target sm_90a" in gpu.asm["ptx"]
    assert "define" in gpu.asm["llir"]
    assert ("cubin" in gpu.asm) == gpu.object.startswith(b"\x7fELF")
    assert gpu.asm.get("cubin", gpu.object) == gpu.object
    assert host.asm["obj"] == host.object == host.kernel


@pytest.mark.parametrize("name", ["cubin", "ptx", "ttgir", "amdgcn", ""])
def test_texts_that_do_not_exist(host, name) -> None:
    assert name not in host.asm
    assert host.asm.get(name) is None
    with pytest.raises(KeyError):
        host.asm[name]


def test_metadata_by_attribute_and_by_key(host, gpu) -> None:
    found = gpu.metadata
    assert (found.name, found.num_warps, found.num_ctas, found.num_stages) == ("negate", 8, 1, 3)
    assert (found.shared, found.cluster_dims) == (gpu.shared, (1, 1, 1))
    assert found.target == GPUTarget("cuda", 90, 32)
    assert (found.arch, found.warp_size, found.debug) == (90, 32, False)
    assert found["target"] == "cuda:90a" == gpu.target
    assert found._asdict()["num_warps"] == 8
    assert (host.metadata.target, host.metadata.num_warps) == (GPUTarget("cpu", 0, 1), 1)
    assert not hasattr(found, "misspelled")


def test_attributes(gpu) -> None:
    assert (gpu.num_warps, gpu.num_ctas, gpu.cluster_dims) == (8, 1, (1, 1, 1))
    assert gpu.packed_metadata == (8, 1, gpu.shared, 1, 1, 1)
    assert gpu.hash == gpu.key
    assert gpu.n_spills == 0


def test_what_it_was_compiled_for(gpu) -> None:
    assert gpu.src.fn is negate
    assert gpu.src.signature == {"x": "*fp32", "out": "*fp32", "n": "i32", "BLOCK": "constexpr"}
    assert gpu.src.constants == {(3,): 64}
    assert set(gpu.src.attrs) == {(0,), (1,)}


def test_handles_on_the_host(host) -> None:
    host._init_handles()
    assert host.function == host.load().address
    assert (host.module, host.n_max_threads, host.n_regs) == (None, 1, 0)


def test_what_it_has_in_this_process_is_not_pickled(host) -> None:
    host.load()
    state = dict(host.__dict__)
    copy = type(host).__new__(type(host))
    # Inductor passes these between processes, without the members that a process has of its own.
    changes = {"module": None, "function": None, "run": None, "metadata": ("another", "type")}
    copy.__dict__.update(pickle.loads(pickle.dumps({**state, **changes})))
    assert callable(copy.run)
    assert copy.function == copy.load().address
    assert copy.metadata.target == host.metadata.target


def disassembler(folder, monkeypatch, code: str) -> None:
    program = folder / "nvdisasm"
    program.write_text(f"#!/bin/sh\n{code}\n")
    program.chmod(0o755)
    monkeypatch.setenv("TRITON_NVDISASM_PATH", str(program))


def assembled(kernel):
    """A copy of the kernel with a cubin, as this machine may have no assembler."""
    copy = pickle.loads(pickle.dumps(kernel))
    copy.object = b"\x7fELF of a cubin"
    return copy


def test_disassembly(gpu, host, tmp_path, monkeypatch) -> None:
    disassembler(tmp_path, monkeypatch, 'echo "$1"; cat "$2"')
    made = assembled(gpu)
    assert list(made.asm)[-2:] == ["cubin", "sass"]
    assert made.asm["sass"] == "-c\n\x7fELF of a cubin"
    assert "sass" not in host.asm


def test_a_disassembler_that_fails(gpu, tmp_path, monkeypatch) -> None:
    disassembler(tmp_path, monkeypatch, "echo broken >&2; exit 3")
    with pytest.raises(TilewrightError, match="nvdisasm failed: broken"):
        assembled(gpu).asm["sass"]


def test_without_a_disassembler(gpu, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("TRITON_NVDISASM_PATH", str(tmp_path / "missing"))
    assert assembled(gpu).asm.get("sass") is None
    with pytest.raises(TilewrightError, match="was not found"):
        disassemble(b"")
