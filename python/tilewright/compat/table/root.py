"""The names of `triton` itself."""

from tilewright.compat.entries import Module, Same

MODULES = (
    Module(
        "triton",
        {
            "AsyncCompileMode": Same("tilewright.runtime.async_compile:AsyncCompileMode"),
            "Config": Same("tilewright:Config"),
            "CompilationError": Same("tilewright.errors:CompilationError"),
            "FutureKernel": Same("tilewright.runtime.async_compile:FutureKernel"),
            "InterpreterError": Same("tilewright.errors:InterpreterError"),
            "JITFunction": Same("tilewright:JITFunction"),
            "KernelInterface": Same("tilewright.runtime.interface:KernelInterface"),
            "MockTensor": Same("tilewright.runtime.mock:MockTensor"),
            "OutOfResources": Same("tilewright.errors:OutOfResources"),
            "TensorWrapper": Same("tilewright.runtime.reinterpreted:TensorWrapper"),
            "TritonError": Same("tilewright.errors:TilewrightError"),
            "aggregate": Same("tilewright:aggregate"),
            "autotune": Same("tilewright:autotune"),
            "cdiv": Same("tilewright:cdiv"),
            "compile": Same("tilewright.compat.compile:compile"),
            "constexpr_function": Same("tilewright.language:constexpr_function"),
            "heuristics": Same("tilewright:heuristics"),
            "jit": Same("tilewright:jit"),
            "must_use_result": Same("tilewright:must_use_result"),
            "next_power_of_2": Same("tilewright:next_power_of_2"),
            "reinterpret": Same("tilewright.runtime.reinterpreted:reinterpret"),
            "set_allocator": Same("tilewright.runtime.allocator:set_allocator"),
        },
    ),
    Module("triton.errors", {"TritonError": Same("tilewright.errors:TilewrightError")}),
    Module("triton.knobs", sources=("tilewright.knobs",)),
    Module("triton.testing", sources=("tilewright.testing",)),
    Module(
        "triton._utils",
        {
            "find_paths_if": Same("tilewright.compat.paths:find_paths_if"),
            "get_iterable_path": Same("tilewright.compat.paths:get_iterable_path"),
        },
    ),
)
