"""The phases of the pipeline for GPUs.

docs/gpu-pipeline.md runs the passes of lib/Pipeline/GpuPasses.cpp in their order, and the phase
"thread" has no operation of a vendor. The compiler checks the latter for every kernel
(verifyPhase); the tests here look at the IR of kernels that use what vendors have instructions for.
"""

import re
from collections.abc import Callable
from typing import Any

import console
import pytest

import tilewright
import tilewright.language as tl
from tilewright import _core, compiler
from tilewright.compiler import stages
from tilewright.errors import PassError

NAMES = {
    "CSE": "cse",
    "Canonicalizer": "canonicalize",
    "TileGPUToThread": "tilegpu-to-thread",
}


def passes_of_the_pipeline() -> list[str]:
    source = (console.ROOT / "lib" / "Pipeline" / "GpuPasses.cpp").read_text()
    bodies = dict(re.findall(r"^(?:static )?void (add\w+Passes)\((.*?^})", source, re.M | re.S))

    def created_in(function: str) -> list[str]:
        """The passes that a function creates, and those that it calls, in order."""
        created: list[str] = []
        for called, name in re.findall(
            r"\b(add\w+Passes)\(|create(\w+?)(?:Pass)?\(", bodies[function]
        ):
            created += created_in(called) if called else [name]
        return created

    created = created_in("addTileGPUPasses") + created_in("addThreadPasses")
    return [NAMES.get(name) or re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower() for name in created]


def passes_on_the_page() -> list[str]:
    page = (console.ROOT / "docs" / "gpu-pipeline.md").read_text()
    runs = [run for run in console.commands(page) if run.startswith("tilewright-opt")]
    found = re.findall(r" --([a-z0-9-]+)", " ".join(runs))
    return [name for name in found if not name.startswith("cuda-")]


def test_the_page_has_every_pass_in_order() -> None:
    assert passes_of_the_pipeline()
    assert passes_on_the_page() == passes_of_the_pipeline()


@tilewright.jit
def functions(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    b = tl.exp(a) + tl.exp2(a) + tl.sqrt(a) + tl.rsqrt(a) + tl.tanh(a) + tl.erf(a) + tl.sin(a)
    c = a / b + tl.div_rn(a, b) + tl.sqrt_rn(b) + a % b + a / tl.sum(b, axis=0)
    tl.store(out + i, c)


@tilewright.jit
def bytes_of_floats(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i).to(tl.float8e4nv).to(tl.float32)
    tl.store(out + i, (a + tl.load(x + i)).to(tl.float8e5).to(tl.float32))


@tilewright.jit
def exchanges(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i, mask=i < 100, other=0.0, eviction_policy="evict_first")
    n = tl.sum(i, axis=0) + tl.max(tl.histogram(i, 32), axis=0)
    tl.atomic_add(out + i, tl.cumsum(a, axis=0) + n, mask=i < 50)
    tl.device_assert(n > 0, "positive")
    tl.device_print("n", n)


@tilewright.jit
def product(x, out, BLOCK: tl.constexpr):
    i, j = tl.arange(0, 32)[:, None], tl.arange(0, 32)[None, :]
    total = tl.zeros((32, 32), dtype=tl.float32)
    for step in range(0, BLOCK, 32):
        a = tl.load(x + i * BLOCK + j + step).to(tl.float16)
        total = tl.dot(a, tl.trans(a), total)
        total = tl.dot(tl.load(x + i * 32 + j), tl.load(x + i * BLOCK + j), total)
    tl.store(out + i * 32 + j, total)


OF_A_VENDOR = re.compile(r"\b(ptx|nvvm)\.|llvm\.inline_asm|llvm\.call_intrinsic|llvm\.nvvm")


@pytest.mark.parametrize("kernel", [functions, bytes_of_floats, exchanges, product])
@pytest.mark.parametrize("target", ["cuda:80", "cuda:90a"])
def test_the_thread_phase_has_no_operation_of_a_vendor(kernel: Any, target: str) -> None:
    compiled = compiler.compile(kernel, ("*fp32:D", "*fp32:D", 128), target, {"debug": True})
    assert not OF_A_VENDOR.findall(compiled.ir("thread"))
    assert "llvm.nvvm." in compiled.ir("llvm")


@pytest.mark.parametrize(
    "operation",
    [
        'llvm.call_intrinsic "llvm.nvvm.barrier0"() : () -> ()',
        'llvm.inline_asm has_side_effects "bar.sync 0;", "" : () -> ()',
    ],
)
def test_an_operation_of_a_vendor_before_the_vendors_phase_is_an_error(
    operation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def compile(module: Any, target: str, options: dict[str, Any], dump: Callable[..., Any]) -> Any:
        made = _core.compile(module, target, options, keep_phases=True)
        text, changes = re.subn("( +)tile.store ", rf"\1{operation}\n\g<0>", made.ir["tilegpu"])
        assert changes == 1
        changed = _core.Module.parse(_core.Context(), text)
        return _core.compile(changed, target, {**options, "start_after": "tilegpu"}, dump)

    monkeypatch.setattr(stages, "_compile_module", compile)
    monkeypatch.setenv("TILEWRIGHT_CACHE", "0")
    monkeypatch.delenv("TILEWRIGHT_VERIFY_LOCATIONS", raising=False)  # this operation has none
    name = operation.split()[0]
    with pytest.raises(PassError, match=f"'{name}' remains after the phase 'thread'"):
        compiler.compile(bytes_of_floats, ("*fp32:D", "*fp32:D", 256), "cuda:90a")
