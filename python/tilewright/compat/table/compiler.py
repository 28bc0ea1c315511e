"""The names of `triton.compiler` and `triton.backends`."""

from tilewright.compat.entries import Absent, Entry, Module, Same

_ERRORS: dict[str, Entry] = {
    "CompilationError": Same("tilewright.errors:CompilationError"),
    "CompileTimeAssertionFailure": Same("tilewright.errors:CompileTimeAssertionFailure"),
    "UnsupportedLanguageConstruct": Same("tilewright.errors:UnsupportedLanguageConstruct"),
}

_COMPILER: dict[str, Entry] = {
    "ASTSource": Same("tilewright.compiler.sources:ASTSource"),
    "AttrsDescriptor": Absent(
        "PyTorch's Inductor takes its absence for the form of attributes", is_planned=False
    ),
    "CompiledKernel": Same("tilewright.compiler.kernel:CompiledKernel"),
    "GPUTarget": Same("tilewright.compiler.gpu_target:GPUTarget"),
    "IRSource": Absent("a kernel can't be compiled from the text of its IR"),
    "LazyDict": Absent(),
    "compile": Same("tilewright.compat.compile:compile"),
    "get_cache_key": Absent(),
    "make_backend": Same("tilewright.compiler.backend:make_backend"),
    "triton_key": Same("tilewright.compiler.ast_source:triton_key"),
}

_NO_BACKEND = Absent("Tilewright's back ends are in its core")

MODULES = (
    Module("triton.compiler", {**_COMPILER, "CompilationError": _ERRORS["CompilationError"]}),
    Module("triton.compiler.compiler", _COMPILER),
    Module("triton.compiler.errors", _ERRORS),
    Module(
        "triton.compiler.code_generator",
        {
            "CodeGenerator": Absent(),
            "CompilationError": _ERRORS["CompilationError"],
            "ast_to_ttir": Absent(),
        },
    ),
    Module(
        "triton.backends",
        {
            "Backend": Same("tilewright.compat.backends:Backend"),
            "BaseBackend": Same("tilewright.compiler.backend:BaseBackend"),
            "DriverBase": Same("tilewright.runtime.driver:DriverBase"),
            "backends": Same(
                "tilewright.compat.backends:backends", "has the keys `cpu` and `nvidia`"
            ),
        },
    ),
    Module(
        "triton.backends.compiler",
        {
            "AttrsDescriptor": _COMPILER["AttrsDescriptor"],
            "BaseBackend": Same("tilewright.compiler.backend:BaseBackend"),
            "GPUTarget": _COMPILER["GPUTarget"],
        },
    ),
    Module(
        "triton.backends.driver",
        {
            "DriverBase": Same("tilewright.runtime.driver:DriverBase"),
            "GPUDriver": Same("tilewright.runtime.driver:GPUDriver"),
        },
    ),
    Module("triton.backends.nvidia"),
    Module(
        "triton.backends.nvidia.compiler",
        {"CUDABackend": _NO_BACKEND, "CUDAOptions": _NO_BACKEND, "min_dot_size": _NO_BACKEND},
    ),
    Module(
        "triton.backends.nvidia.driver",
        {"CudaDriver": _NO_BACKEND, "CudaUtils": _NO_BACKEND, "libcuda_dirs": _NO_BACKEND},
    ),
)
