"""The names of `triton.runtime`: kernels, launches, devices, autotuning."""

from tilewright.compat.entries import Absent, Entry, Module, Same

_AUTOTUNER: dict[str, Entry] = {
    "Autotuner": Same("tilewright:Autotuner"),
    "Config": Same("tilewright:Config"),
    "Heuristics": Same("tilewright:Heuristics"),
    "OutOfResources": Same("tilewright.errors:OutOfResources"),
    "PTXASError": Same("tilewright.errors:PTXASError"),
    "autotune": Same("tilewright:autotune"),
    "heuristics": Same("tilewright:heuristics"),
}

_JIT: dict[str, Entry] = {
    "ConstexprFunction": Same("tilewright.language.constexpr:ConstexprFunction"),
    "JITCallable": Same("tilewright:JITFunction"),
    "JITFunction": Same("tilewright:JITFunction"),
    "KernelInterface": Same("tilewright.runtime.interface:KernelInterface"),
    "KernelParam": Same("tilewright.runtime.parameters:JITParam"),
    "MockTensor": Same("tilewright.runtime.mock:MockTensor"),
    "TensorWrapper": Same("tilewright.runtime.reinterpreted:TensorWrapper"),
    "constexpr_function": Same("tilewright.language:constexpr_function"),
    "jit": Same("tilewright:jit"),
    "mangle_type": Absent(),
    "reinterpret": Same("tilewright.runtime.reinterpreted:reinterpret"),
}

_ERRORS: dict[str, Entry] = {
    "InterpreterError": Same("tilewright.errors:InterpreterError"),
    "IntelGPUError": Absent("Tilewright has no target for Intel's GPUs", is_planned=False),
    "OutOfResources": Same("tilewright.errors:OutOfResources"),
    "PTXASError": Same("tilewright.errors:PTXASError"),
    "TritonError": Same("tilewright.errors:TilewrightError"),
}

_CACHE: dict[str, Entry] = {
    "FileCacheManager": Same(
        "tilewright.compat.cache:FileCacheManager",
        "for a program's own files; kernels are cached elsewhere",
    ),
    "_base32": Same("tilewright.compat.cache:base32"),
    "default_cache_dir": Same("tilewright.compat.cache:default_cache_dir"),
    "get_cache_manager": Same("tilewright.compat.cache:get_cache_manager"),
    "triton_key": Same("tilewright.compiler.ast_source:triton_key"),
}

_DRIVER: dict[str, Entry] = {
    "driver": Same("tilewright.runtime.driver:driver", "`triton.runtime.driver` is the object"),
}

MODULES = (
    Module(
        "triton.runtime",
        {
            **{n: e for n, e in _AUTOTUNER.items() if n != "PTXASError"},
            **{n: e for n, e in _ERRORS.items() if n in ("InterpreterError", "OutOfResources")},
            **{n: _JIT[n] for n in ("JITFunction", "KernelInterface", "MockTensor")},
            **{n: _JIT[n] for n in ("TensorWrapper", "reinterpret")},
            **_DRIVER,
        },
    ),
    Module("triton.runtime.autotuner", {**_AUTOTUNER, "KernelInterface": _JIT["KernelInterface"]}),
    Module("triton.runtime.jit", _JIT),
    Module(
        "triton.runtime.driver",
        {**_DRIVER, "DriverConfig": Same("tilewright.runtime.driver:DriverConfig")},
    ),
    Module("triton.runtime.errors", _ERRORS),
    Module("triton.runtime.cache", _CACHE),
    Module(
        "triton.runtime._allocation",
        {
            "NullAllocator": Same("tilewright.runtime.allocator:NullAllocator"),
            "_allocator": Same("tilewright.runtime.allocator:_allocator"),
            "set_allocator": Same("tilewright.runtime.allocator:set_allocator"),
        },
    ),
    Module(
        "triton.runtime.interpreter",
        {
            "InterpretedFunction": Same(
                "tilewright.compat.objects:InterpretedFunction",
                "has no instances: the target cpu takes the interpreter's place",
            ),
            "GridExecutor": Absent(),
        },
    ),
)
