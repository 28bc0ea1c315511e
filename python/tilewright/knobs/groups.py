"""The groups of knobs; each docstring says which of the group's knobs have an effect."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, NamedTuple

from tilewright.knobs.variables import Knobs, flag, number, text


class Build(Knobs):
    """How Triton builds its C code. No effect: Tilewright builds none."""

    impl: Callable[..., Any] | None = None
    cc = text("CC")
    cudacrt_path = text("TRITON_CUDACRT_PATH")
    cudart_path = text("TRITON_CUDART_PATH")


class Redis(Knobs):
    """Triton's cache on a server. No effect."""

    key_format = text("TRITON_REDIS_KEY_FORMAT", "triton:{key}:{filename}")
    host = text("TRITON_REDIS_HOST", "localhost")
    port = number("TRITON_REDIS_PORT", 6379)


class Cache(Knobs):
    """The disk cache.

    Attributes:
        dir: The folder whose subfolder `tilewright` is the cache, unless TILEWRIGHT_CACHE_DIR
            names the cache itself.
        home_dir: The parent of the folder `.triton`; by default the user's home directory.
        dump_dir, override_dir: Folders of `triton.runtime.cache` (compat/cache.py) only.
        manager_class, remote_manager_class: No effect.
    """

    dir = text("TRITON_CACHE_DIR")
    home_dir = text("TRITON_HOME")
    dump_dir = text("TRITON_DUMP_DIR")
    override_dir = text("TRITON_OVERRIDE_DIR")
    manager_class: Any = None
    remote_manager_class: Any = None

    def get_triton_dir(self, dirname: str) -> str:
        """The folder of a name in Triton's folder in the user's home directory."""
        return os.path.join(self.home_dir or os.path.expanduser("~"), ".triton", dirname)


class Compilation(Knobs):
    """How kernels are compiled.

    Attributes:
        always_compile: Turns the disk cache off.
        listener: Called after each compilation, also one that finds the kernel in a cache:
            listener(src=, metadata=, metadata_group=, times=, cache_hit=), where `times` are pairs
            of a phase and its duration in seconds.
        override, dump_ir, store_binary_only, use_ir_loc, enable_asan, disable_line_info,
            front_end_debugging, allow_non_constexpr_globals, enable_experimental_consan,
            instrumentation_mode: No effect. TILEWRIGHT_DUMP dumps the phases.
    """

    always_compile = flag("TRITON_ALWAYS_COMPILE")
    override = flag("TRITON_KERNEL_OVERRIDE")
    dump_ir = flag("TRITON_KERNEL_DUMP")
    store_binary_only = flag("TRITON_STORE_BINARY_ONLY")
    use_ir_loc = text("USE_IR_LOC")
    enable_asan = flag("TRITON_ENABLE_ASAN")
    disable_line_info = flag("TRITON_DISABLE_LINE_INFO")
    front_end_debugging = flag("TRITON_FRONT_END_DEBUGGING")
    allow_non_constexpr_globals = flag("TRITON_ALLOW_NON_CONSTEXPR_GLOBALS")
    enable_experimental_consan = flag("TRITON_ENABLE_EXPERIMENTAL_CONSAN")
    instrumentation_mode = text("TRITON_INSTRUMENTATION_MODE", "")
    listener: Callable[..., Any] | None = None


class Autotuning(Knobs):
    """What autotuning prints and keeps.

    Attributes:
        print: Whether the table of configurations is printed, as with TILEWRIGHT_LOG=tuning.
        cache: No effect: results are stored on disk unless TILEWRIGHT_TUNING=memory or
            `autotune(cache_results=False)` prevents it.
    """

    print = flag("TRITON_PRINT_AUTOTUNING")
    cache = flag("TRITON_CACHE_AUTOTUNING")


class Language(Knobs):
    """Defaults of the language.

    Attributes:
        fp32_default: The default of the option default_dot_input_precision.
        default_fp_fusion: No effect; the option is enable_fp_fusion.
    """

    fp32_default = text("TRITON_F32_DEFAULT")
    default_fp_fusion = flag("TRITON_DEFAULT_FP_FUSION", True)


class NvidiaTool(NamedTuple):
    """A program of NVIDIA: its path and its version."""

    path: str
    version: str


class Nvidia(Knobs):
    """NVIDIA's tools.

    Attributes:
        ptxas: The assembler that compiles kernels, which may be the library nvJitLink; assigning a
            path makes it that program (TILEWRIGHT_PTXAS). None if there is none.
        nvdisasm: The program that disassembles `asm["sass"]`.
        cuobjdump, libdevice_path, libcuda_path, dump_nvptx, disable_ptxas_opt,
            ptxas_options, mock_ptx_version, dump_ptxas_log: No effect.
    """

    cuobjdump = text("TRITON_CUOBJDUMP_PATH")
    nvdisasm = text("TRITON_NVDISASM_PATH")
    libdevice_path = text("TRITON_LIBDEVICE_PATH")
    libcuda_path = text("TRITON_LIBCUDA_PATH")
    dump_nvptx = flag("NVPTX_ENABLE_DUMP")
    disable_ptxas_opt = flag("DISABLE_PTXAS_OPT")
    ptxas_options = text("PTXAS_OPTIONS")
    mock_ptx_version = text("TRITON_MOCK_PTX_VERSION")
    dump_ptxas_log = flag("TRITON_DUMP_PTXAS_LOG")

    @property
    def ptxas(self) -> NvidiaTool | None:
        from tilewright.compiler.assembler import find_assemblers

        found = find_assemblers()
        path = found.nvjitlink or found.ptxas
        return NvidiaTool(path, found.describe().split()[-1]) if path else None

    @ptxas.setter
    def ptxas(self, path: str | None) -> None:
        if path is None:
            os.environ.pop("TILEWRIGHT_PTXAS", None)
        else:
            os.environ["TILEWRIGHT_PTXAS"] = str(path)


class Amd(Knobs):
    """AMD's GPUs. `use_buffer_ops` sets the default of `buffer_ops`; the others have no effect."""

    use_buffer_ops = flag("AMDGCN_USE_BUFFER_OPS", True)
    use_buffer_atomics = flag("AMDGCN_USE_BUFFER_ATOMICS", True)
    dump_amdgcn = flag("AMDGCN_ENABLE_DUMP")
    libhip_path = text("TRITON_LIBHIP_PATH")
    lld_path = text("TRITON_HIP_LLD_PATH")
    use_async_copy = flag("TRITON_HIP_USE_ASYNC_COPY")
    use_block_pingpong = flag("TRITON_HIP_USE_BLOCK_PINGPONG")
    use_in_thread_transpose = flag("TRITON_HIP_USE_IN_THREAD_TRANSPOSE")
    scalarize_packed_fops = flag("AMDGCN_SCALARIZE_PACKED_FOPS")


class Proton(Knobs):
    """Triton's profiler. No effect."""

    disable = flag("TRITON_PROTON_DISABLE")
    cupti_lib_dir = text("TRITON_CUPTI_LIB_PATH")
    enable_nvtx = flag("TRITON_ENABLE_NVTX", True)
