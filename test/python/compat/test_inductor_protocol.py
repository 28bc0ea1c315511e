"""What PyTorch's Inductor reads and calls of `triton`, apart from the language."""

import json
import pickle
import subprocess
import sys
import types
from pathlib import Path

import pytest
from processes import environment

import tilewright.compat
from tilewright.compiler.kernel import CompiledKernel
from tilewright.compiler.relaxed import relax
from tilewright.errors import CompatError
from tilewright.runtime.interface import KernelInterface

OPTIONS = {"num_warps": 4, "num_stages": 1, "debug": True, "sanitize_overflow": False}
TARGET = ("cuda", 90, 32)
DIVISIBLE = [["tt.divisibility", 16]]
KERNEL = """
import triton
import triton.language as tl

@triton.jit
def triton_poi_fused_add_0(in_ptr0, out_ptr0, xnumel, XBLOCK: tl.constexpr):
    xindex = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    tl.store(out_ptr0 + xindex, tl.load(in_ptr0 + xindex, xmask) + 1, xmask)

@triton.jit
def triton_tem_fused_zeros_0(out_ptr0, XBLOCK: tl.constexpr):
    tl.store(out_ptr0 + tl.arange(0, XBLOCK), tl.zeros([XBLOCK], tl.float32))
"""


@pytest.fixture
def triton(monkeypatch):
    tilewright.compat.install()
    import triton

    yield triton
    tilewright.compat.uninstall()


@pytest.fixture
def kernels(triton, tmp_path, monkeypatch):
    (tmp_path / "generated_kernels.py").write_text(KERNEL)
    monkeypatch.syspath_prepend(str(tmp_path))
    import generated_kernels

    yield generated_kernels
    del sys.modules["generated_kernels"]


def source(triton, kernels, **constants):
    from triton.compiler.compiler import ASTSource

    signature = {"in_ptr0": "*fp32", "out_ptr0": "*fp32", "xnumel": "i32", "XBLOCK": "constexpr"}
    signature.update(dict.fromkeys(constants, "constexpr"))
    attributes = {(0,): DIVISIBLE, (1,): DIVISIBLE}
    return ASTSource(
        kernels.triton_poi_fused_add_0, signature, {"XBLOCK": 64, **constants}, attributes
    )


def on_cpu(triton, kernels):
    from triton.backends.compiler import GPUTarget

    return triton.compile(source(triton, kernels), target=GPUTarget("cpu", "", 32), options=OPTIONS)


# Back ends and the driver


def test_backends_have_a_compiler_and_a_driver(triton) -> None:
    from triton.backends import backends
    from triton.backends.compiler import GPUTarget

    assert {"cpu", "nvidia"} <= backends.keys()
    host, nvidia = GPUTarget("cpu", "", 32), GPUTarget(*TARGET)
    assert backends["cpu"].compiler.supports_target(host)
    assert not backends["cpu"].compiler.supports_target(nvidia)
    assert backends["nvidia"].compiler.supports_target(nvidia)
    assert backends["nvidia"].compiler(nvidia).hash() == triton.compiler.make_backend(nvidia).hash()
    assert all(isinstance(backend.driver.is_active(), bool) for backend in backends.values())


def test_the_driver_of_a_back_end_becomes_the_active_one(triton) -> None:
    from triton.backends import backends

    driver = triton.runtime.driver
    try:
        driver.set_active(backends["cpu"].driver())
        assert isinstance(driver.active, backends["cpu"].driver)
        assert driver.active.get_current_target().backend == "cpu"
        assert driver.active.get_current_device() == driver.active.get_current_stream(0) == 0
        assert "max_shared_mem" in driver.active.utils.get_device_properties(0)
    finally:
        driver.reset_active()


def test_a_back_end_is_identified(triton) -> None:
    from triton.compiler.compiler import make_backend, triton_key

    backend = make_backend(triton.compiler.GPUTarget(*TARGET))
    options = backend.parse_options({})
    assert {"num_stages", "supported_fp8_dtypes", "extern_libs"} <= vars(options).keys()
    assert triton_key().startswith("tilewright ") and backend.hash()
    assert triton.runtime.cache.triton_key() == triton_key()


def test_names_that_tell_older_versions_are_absent(triton) -> None:
    for module in (triton.compiler.compiler, triton.backends.compiler):
        assert not hasattr(module, "AttrsDescriptor")
    assert not hasattr(triton.runtime.cache, "_base64")


# Compiled kernels


def test_sources_take_names_and_give_paths(triton, kernels) -> None:
    made = source(triton, kernels, xnumel=1)
    assert made.constants == {(2,): 1, (3,): 64}
    assert made.fn is kernels.triton_poi_fused_add_0 and made.signature["xnumel"] == "constexpr"


def test_a_compiled_kernel_runs(triton, kernels) -> None:
    torch = pytest.importorskip("torch")
    kernel = on_cpu(triton, kernels)
    x, y = torch.arange(100, dtype=torch.float32), torch.empty(100)
    arguments = (None, kernel.function, kernel.packed_metadata, None, None, None)
    kernel.run(2, 1, 1, *arguments, x, y, 100, 64)
    assert torch.equal(y, x + 1)


def test_hooks_of_the_caller_get_its_metadata(triton, kernels) -> None:
    torch = pytest.importorskip("torch")
    kernel, seen = on_cpu(triton, kernels), []
    x = torch.zeros(64)
    kernel.run(1, 1, 1, None, None, None, "launch", seen.append, seen.append, x, x.clone(), 64, 64)
    assert seen == ["launch", "launch"]


def test_hooks_that_are_assigned_later_are_called_once(triton, kernels) -> None:
    torch = pytest.importorskip("torch")
    runtime, calls = triton.knobs.runtime, []
    run = on_cpu(triton, kernels).run
    x = torch.zeros(64)
    runtime.launch_enter_hook = lambda metadata: calls.append("enter")
    runtime.launch_exit_hook = lambda metadata: calls.append("exit")
    try:
        hooks = (None, runtime.launch_enter_hook, runtime.launch_exit_hook)
        run(1, 1, 1, None, None, None, *hooks, x, x.clone(), 64, 64)
    finally:
        runtime.launch_enter_hook = runtime.launch_exit_hook = None
    assert calls == ["enter", "exit"]


def test_hooks_of_knobs_are_called_once(triton, kernels) -> None:
    torch = pytest.importorskip("torch")
    kernel, names = on_cpu(triton, kernels), []
    runtime, x = triton.knobs.runtime, torch.zeros(64)

    def enter(metadata):
        names.append(metadata.get()["name"])

    runtime.launch_enter_hook.add(enter)
    try:
        metadata = kernel.launch_metadata((1, 1, 1), 0, x, x, 64, 64)
        hooks = (metadata, runtime.launch_enter_hook, runtime.launch_exit_hook)
        kernel.run(1, 1, 1, None, None, None, *hooks, x, x.clone(), 64, 64)
    finally:
        runtime.launch_enter_hook.remove(enter)
    assert names == ["triton_poi_fused_add_0"]


def test_metadata_are_attributes(triton, kernels) -> None:
    metadata = on_cpu(triton, kernels).metadata
    values = metadata._asdict()
    assert {
        "name",
        "num_warps",
        "num_ctas",
        "shared",
        "cluster_dims",
        "launch_pdl",
    } <= values.keys()
    assert all(getattr(metadata, name) == value for name, value in values.items())
    # The static launcher passes a pointer for each of these.
    assert not hasattr(metadata, "global_scratch_size")
    assert not hasattr(metadata, "profile_scratch_size")


def test_code_by_its_kind(triton, kernels) -> None:
    from triton.backends.compiler import GPUTarget

    host = on_cpu(triton, kernels)
    assert "cubin" not in host.asm and host.asm.get("ptx") is None and host.asm["llir"]
    kernel = triton.compile(source(triton, kernels), target=GPUTarget(*TARGET), options=OPTIONS)
    assert ".entry triton_poi_fused_add_0(" in kernel.asm["ptx"]
    assert kernel.asm["cubin"] and kernel.n_regs > 0 and kernel.n_spills == 0


def test_a_closed_kernel_is_loaded_again(triton, kernels) -> None:
    torch = pytest.importorskip("torch")
    kernel, x, y = on_cpu(triton, kernels), torch.zeros(64), torch.zeros(64)
    kernel[1,](x, y, 64, 64)
    kernel.close()
    kernel[1,](x, y, 64, 64)
    assert y.sum() == 64


# Files for the static launcher


def folder_of(triton, kernel, cache: Path) -> Path:
    return cache / triton.runtime.cache._base32(kernel.hash)


def without_assumptions(triton, kernels):
    from triton.compiler.compiler import ASTSource, GPUTarget

    fn = kernels.triton_tem_fused_zeros_0
    made = ASTSource(fn, {"out_ptr0": "*fp32", "XBLOCK": "constexpr"}, {"XBLOCK": 64})
    options = OPTIONS | {"specialize_ranges": False}
    return triton.compile(made, target=GPUTarget(*TARGET), options=options)


def test_a_kernel_without_assumptions_has_a_cubin_file(
    triton, kernels, tmp_path, monkeypatch
) -> None:
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    kernel = without_assumptions(triton, kernels)
    folder = folder_of(triton, kernel, tmp_path)
    assert (folder / f"{kernel.name}.cubin").read_bytes() == kernel.asm["cubin"]
    described = json.loads((folder / f"{kernel.name}.json").read_text())
    assert described["hash"] == kernel.hash and described["num_warps"] == 4


def test_a_kernel_with_conditions_has_none(triton, kernels, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    target = triton.compiler.GPUTarget(*TARGET)
    kernel = triton.compile(source(triton, kernels), target=target, options=OPTIONS)
    assert kernel.launch_conditions
    assert not folder_of(triton, kernel, tmp_path).exists()


@pytest.mark.parametrize("assumes", [True, False])
def test_generated_cpp_launches_only_what_assumes_nothing(
    triton, kernels, assumes, monkeypatch
) -> None:
    monkeypatch.setattr(CompiledKernel, "load", lambda self: None)  # there may be no GPU
    config = types.SimpleNamespace(cpp_wrapper=True)
    monkeypatch.setitem(sys.modules, "torch._inductor.config", config)
    target = triton.compiler.GPUTarget(*TARGET)
    if assumes:
        kernel = triton.compile(source(triton, kernels), target=target, options=OPTIONS)
        with pytest.raises(CompatError, match=r"'triton_poi.*can't be launched from C\+\+"):
            kernel._init_handles()
        config.cpp_wrapper = False
    else:
        kernel = without_assumptions(triton, kernels)
    kernel._init_handles()


def test_a_folder_name_is_the_hash_in_base_32(triton) -> None:
    assert triton.runtime.cache._base32("00" * 32) == "A" * 52


# Between processes


class Wrapper(KernelInterface):
    """As Inductor's: the state is a dictionary of what the program has set."""

    def __init__(self, fn) -> None:
        self.fn = fn
        self.results = []

    def __getstate__(self):
        return {**self.__dict__, "lock": None}

    def run(self, *args, **kwargs): ...


def test_a_wrapped_kernel_keeps_its_function_in_a_pickle(kernels) -> None:
    fn = kernels.triton_poi_fused_add_0
    fn.__qualname__ = "not_found_by_its_name"
    fn.fn = fn.__globals__ = fn.used_global_vals = None
    copy = pickle.loads(pickle.dumps(Wrapper(fn)))
    assert copy.fn.arg_names == fn.arg_names and copy.lock is None and copy.results == []


@pytest.mark.parametrize("relaxed_before", [False, True])
def test_launches_beyond_what_a_kernel_assumes_need_no_function(
    triton, kernels, relaxed_before
) -> None:
    """Inductor drops the function of a kernel; a variant is compiled from the kernel's IR."""
    torch = pytest.importorskip("torch")
    kernel, fn, x, y = on_cpu(triton, kernels), kernels.triton_poi_fused_add_0, *torch.zeros(2, 64)
    assert kernel.launch_conditions
    if relaxed_before:
        relax(kernel, noalias=False, specialize_ranges=False, tensor_maps=False)
    fn.fn = fn.__globals__ = fn.used_global_vals = None
    variant = relax(kernel, noalias=False, specialize_ranges=False, tensor_maps=False)
    assert not variant.launch_conditions
    variant[1,](x, y, 64, 64)
    assert y.sum() == 64


WORKERS = """
import tilewright.compat
tilewright.compat.install()
import torch, torch._inductor.config as config
from torch._inductor.async_compile import AsyncCompile

config.cpu_backend = "triton"
config.compile_threads = 2
if __name__ == "__main__":
    AsyncCompile.wait_pool_ready()
    assert AsyncCompile.use_process_pool()
    f = torch.compile(lambda x: (x.sin() + 1).sum(-1))
    x = torch.randn(8, 100)
    torch.testing.assert_close(f(x), (x.sin() + 1).sum(-1))
"""


def test_compile_workers_compile_the_kernels(tmp_path) -> None:
    pytest.importorskip("torch")
    settings = {
        "TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "inductor"),
        "TILEWRIGHT_CACHE_DIR": str(tmp_path / "kernels"),
        "TILEWRIGHT_LOG": "compiles",
    }
    done = subprocess.run(
        [sys.executable, "-c", WORKERS],
        capture_output=True, text=True, timeout=300, env=environment(**settings),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    # The workers' outputs are dropped, so this would be a kernel that the parent compiles.
    assert "tilewright: triton_" not in done.stderr
    assert list(tmp_path.glob("kernels/*.kernel"))
