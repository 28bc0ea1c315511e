"""Names that libraries use of Triton when they are imported; each must be found.

Counted in liger-kernel, flag-gems, flash-linear-attention, triton_kernels, PyTorch's Inductor,
sglang, unsloth, torchao, mamba and others. Names that Tilewright lacks are in docs/compat.md.
"""

import importlib
import inspect

import pytest
from processes import output

from tilewright import compat


def words(text: str) -> list[str]:
    return text.split()


MODULES = words("""
triton triton.language triton.language.core triton.language.math triton.language.standard
triton.language.random triton.language.extra triton.language.extra.libdevice
triton.language.extra.cuda triton.language.extra.cuda.libdevice triton.language.target_info
triton.language.extra.hip triton.language.extra.hip.libdevice
triton.runtime triton.runtime.driver triton.runtime.autotuner triton.runtime.jit
triton.runtime.cache triton.runtime.errors triton.runtime.interpreter triton.runtime._allocation
triton.compiler triton.compiler.compiler triton.compiler.errors triton.compiler.code_generator
triton.backends triton.backends.compiler triton.backends.nvidia.compiler
triton.backends.nvidia.driver triton.testing triton.tools.tensor_descriptor triton.tools.mxfp
triton.tools.ragged_tma triton.knobs triton.errors triton._utils triton.experimental
""")

NAMES = words("""
triton.jit triton.cdiv triton.next_power_of_2 triton.Config triton.autotune triton.heuristics
triton.__version__ triton.JITFunction triton.KernelInterface triton.set_allocator
triton.constexpr_function triton.OutOfResources triton.CompilationError triton.TritonError
triton.knobs.runtime.launch_enter_hook triton.knobs.runtime.launch_exit_hook
triton.knobs.runtime.jit_post_compile_hook triton.knobs.HookChain triton.knobs.cache.dir
triton.knobs.nvidia.libdevice_path triton.knobs.compilation triton.knobs.autotuning
triton.knobs.amd triton.runtime.driver.active.get_current_target
triton.runtime.driver.active.get_current_device triton.runtime.driver.active.get_current_stream
triton.runtime.driver.active.utils.get_device_properties triton.runtime.driver.set_active
triton.runtime.driver.active.get_active_torch_device triton.runtime.driver.active.clear_cache
triton.runtime.driver.active.get_device_interface triton.runtime.OutOfResources
triton.runtime.driver.active.get_empty_cache_for_benchmark triton.runtime.Autotuner
triton.runtime.Heuristics triton.runtime.JITFunction triton.runtime.KernelInterface
triton.runtime.autotuner.Autotuner triton.runtime.autotuner.Heuristics
triton.runtime.autotuner.Config triton.runtime.autotuner.autotune
triton.runtime.autotuner.OutOfResources triton.runtime.autotuner.PTXASError
triton.runtime.jit.JITFunction triton.runtime.jit.KernelInterface
triton.runtime.errors.OutOfResources triton.runtime.errors.PTXASError
triton.runtime.errors.InterpreterError triton.runtime.cache.triton_key
triton.runtime.cache.FileCacheManager triton.runtime.interpreter.InterpretedFunction
triton.runtime._allocation._allocator triton.runtime._allocation.NullAllocator
triton.compiler.CompiledKernel triton.compiler.ASTSource triton.compiler.compiler.ASTSource
triton.compiler.compiler.CompiledKernel triton.compiler.compiler.triton_key
triton.compiler.errors.CompilationError triton.backends.backends
triton.compiler.errors.CompileTimeAssertionFailure triton.backends.compiler.GPUTarget
triton.testing.do_bench triton.testing.do_bench_cudagraph triton.testing.perf_report
triton.testing.Benchmark triton.testing.assert_close triton.testing.get_dram_gbps
triton.testing.get_max_tensorcore_tflops triton.testing.get_max_simd_tflops triton.testing.nvsmi
triton.tools.tensor_descriptor.TensorDescriptor triton.tools.mxfp.MXFP4Tensor
triton.tools.ragged_tma.create_ragged_descriptor triton._utils.find_paths_if
triton.language.core.get_int_dtype triton.language.core._unwrap_if_constexpr
triton.language.core.view triton.language.core.constexpr triton.language.core.dtype
triton.language.core.CONSTEXPR_0 triton.language.core.static_range triton.language.core.tensor
triton.language.core.reshape triton.language.core.broadcast_to triton.language.core.arange
triton.language.core.int32 triton.language.core.where triton.language.core.static_assert
triton.language.core.PropagateNan triton.language.math.rsqrt triton.language.math.tanh
triton.language.math.exp2 triton.language.math.fma triton.language.math.div_rn
triton.language.standard._log2 triton.language.standard.zeros_like
triton.language.extra.cuda.gdc_wait triton.language.extra.cuda.gdc_launch_dependents
triton.language.extra.cuda.num_threads triton.language.target_info.cuda_capability_geq
triton.language.target_info.is_cuda triton.language.div_rn triton.language.inline_asm_elementwise
triton.language.make_block_ptr triton.language.dot_scaled triton.language.sort
triton.language.extra.libdevice.tanh triton.language.extra.libdevice.fast_expf
triton.language.extra.libdevice.pow triton.language.extra.libdevice.atan2
triton.language.extra.libdevice.isfinited triton.language.extra.libdevice.lgamma
""")


@pytest.fixture(scope="module", autouse=True)
def installed():
    compat.install()
    yield
    compat.uninstall()


@pytest.mark.parametrize("name", MODULES)
def test_the_module_can_be_imported(name) -> None:
    assert importlib.import_module(name).__name__ == name


@pytest.mark.parametrize("name", NAMES)
def test_the_name_is_found(name) -> None:
    path = name.split(".")
    value = importlib.import_module(path[0])
    for part in path[1:]:
        value = getattr(value, part)


def test_the_parameters_that_libraries_look_for() -> None:
    import triton

    init = inspect.signature(triton.runtime.Autotuner.__init__).parameters
    expected = words("fn arg_names configs key reset_to_zero restore_value pre_hook post_hook")
    assert [name for name in init if name in expected] == expected
    assert {"prune_configs_by", "warmup", "rep", "use_cuda_graph", "do_bench"} <= set(init)
    config = inspect.signature(triton.Config.__init__).parameters
    assert {"kwargs", "num_warps", "num_stages", "num_ctas", "maxnreg", "pre_hook"} <= set(config)
    bench = inspect.signature(triton.testing.do_bench).parameters
    assert {"warmup", "rep", "grad_to_none", "quantiles", "return_mode"} <= set(bench)


def test_inductor_imports_its_names() -> None:
    pytest.importorskip("torch")
    output(
        "import tilewright.compat as compat; compat.install()\n"
        "import torch._inductor.runtime.triton_compat as names\n"
        "import torch._inductor.runtime.triton_helpers\n"
        "assert names.HAS_TRITON and names.ASTSource and names.builtins_use_semantic_kwarg\n"
        "assert names.libdevice.__name__ == 'triton.language.extra.libdevice'\n"
        "import torch.utils._triton as probes\n"
        "assert probes.has_triton_package() and probes.has_triton()\n"
    )
