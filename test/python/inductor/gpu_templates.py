"""Inductor's templates as it generates them for NVIDIA GPUs, without a GPU.

    import gpu_templates                         before torch.compile, after register()
    gpu_templates.generate_for_gpus()

Inductor then takes a GPU's templates and configurations for tensors in host memory, so that an
emulated GPU (TILEWRIGHT_TARGET) runs them through the same path as a GPU. Every choice of an
autotuned operator is executed and compared with PyTorch's own operator, which is always the first
choice. `compile_for(target)` compiles the kernels for another target.
"""

from __future__ import annotations

import importlib
from typing import Any

import torch
import torch._inductor.config as config

from tilewright.compat import compile as compat_compile
from tilewright.compiler import ast_source

# The calls of `triton.compile` so far: source and options, and the kernels, by their keys.
compiled: dict[str, tuple[Any, Any]] = {}
kernels: dict[str, Any] = {}
# The choices that were executed, by the name of the template.
executed: dict[str, int] = {}

# The choices that could not be executed or have wrong results.
problems: list[str] = []

PROGRAMS = 3  # of persistent kernels


def generate_for_gpus(tolerance: float = 0.02) -> None:
    """Makes Inductor generate for the host's tensors what it would for those of a GPU."""
    _take_configurations_of_gpus()
    _take_tensor_maps()
    _record_compilations()
    _verify_choices(tolerance)
    config.max_autotune_gemm_backends = config.max_autotune_conv_backends = "ATEN,TRITON"
    config.triton.enable_persistent_tma_matmul = True


def compile_for(target: str) -> list[str]:
    """Compiles all kernels for a target, and returns the errors."""
    errors = []
    for source, options in compiled.values():
        try:
            ast_source.compile(source, target, options)
        except Exception as error:
            errors.append(f"{source.fn.__name__}: {type(error).__name__}: {error}")
    return errors


def _module(name: str) -> Any:
    return importlib.import_module(f"torch.{name}")


def _take_configurations_of_gpus() -> None:
    registry = _module("_inductor.template_heuristics.registry")
    table = registry._TEMPLATE_HEURISTIC_REGISTRY
    for (template, device, op), cls in list(table.items()):
        if device == "cuda":
            table[template, "cpu", op] = cls
    choices = _module("_inductor.choices").InductorChoices
    original = choices.get_config_heuristics
    choices.get_config_heuristics = lambda self, device_type="cuda": original(self, "cuda")


def _take_tensor_maps() -> None:
    """Answers Inductor's questions about the device as for one with sm_90."""
    triton, utils, graph = (
        _module(n) for n in ("utils._triton", "_inductor.utils", "_inductor.graph")
    )
    graph.should_assume_input_aligned = utils.tensor_is_aligned
    answers = {
        "has_triton_tma_device": lambda: True,
        "has_triton_stable_tma_api": lambda: True,
        "get_num_sms": lambda: PROGRAMS,
        "get_split_k": lambda *sizes: PROGRAMS,
    }
    readers = (
        "_inductor.codegen.triton", "_inductor.template_heuristics.triton",
        "_inductor.kernel.flex.flex_decoding",
    )  # fmt: skip
    torch.cuda.get_device_capability = lambda *device: (9, 0)
    for module in (triton, utils, *map(_module, readers)):
        for name in answers.keys() & vars(module).keys():
            setattr(module, name, answers[name])


def _record_compilations() -> None:
    original = compat_compile.compile

    def compile(src: Any, target: Any = None, options: Any = None) -> Any:
        kernel = original(src, target, options)
        compiled[kernel.key] = src, options
        kernels[kernel.key] = kernel
        return kernel

    _module("_inductor.runtime.triton_heuristics").triton.compile = compile


def _verify_choices(tolerance: float) -> None:
    """Compares the result of every choice with that of the first one, by the largest value."""
    algorithm = _module("_inductor.select_algorithm")
    algorithm.VERIFY = {"tolerance": tolerance}

    def verify(self: Any, tolerance: float) -> None:
        found, expected = self.extern.output_tensor.double(), self.expected.double()
        # The random inputs of a gradient of attention, such as sums of exponentials, overflow.
        finite = expected.isfinite()
        if not finite.any():
            return
        found, expected = found[finite], expected[finite]
        error, largest = (found - expected).abs().max().item(), expected.abs().max().item()
        if not error <= tolerance * largest:
            raise AssertionError(f"the error is {error:.3g}, and the largest value {largest:.3g}")

    algorithm.AutotuneArgs.verify = verify
    cache = algorithm.AlgorithmSelectorCache
    original = cache.benchmark_choice.__func__

    def benchmark_choice(cls: Any, choice: Any, args: Any) -> Any:
        try:
            result = original(cls, choice, args)
        except Exception as error:
            # Inductor proposes tiles that do not fit, and drops them.
            if "OutOfResourcesError" not in str(error):
                problems.append(f"{choice.name} ({choice.description}): {error}")
            raise
        name = choice.name.rstrip("0123456789").rstrip("_")
        executed[name] = executed.get(name, 0) + 1
        return result

    cache.benchmark_choice = classmethod(benchmark_choice)
