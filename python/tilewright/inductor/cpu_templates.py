"""Inductor's templates of matmul, convolution and attention on the CPU.

Inductor has them for GPUs, and generates them for the CPU as well, but was not run that way: this
module corrects what does not work there. Each part looks for the code that it corrects, and does
nothing where PyTorch has other code.

timed kernels     The line that defines the stream of a kernel has to be one line: Inductor inserts
                  it into an indented text. The device has to be a context.
convolutions      The template has no bias. For GPUs, Inductor adds it behind the convolution.
flex attention    Its lowering takes a template in C++ for the CPU. The one for GPUs is the same
                  function without this branch, and only PyTorch's checks of the arguments keep
                  gradients from working.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import inspect
import types
from collections.abc import Callable
from typing import Any

# Functions that undo what `enable` did, in order.
_undo: list[Callable[[], None]] = []


def enable() -> None:
    """Corrects Inductor in this process, until `disable`."""
    if _undo:
        return
    for correct in (
        _define_stream_in_one_line, _enter_device, _add_bias_behind_convolutions,
        _lower_flex_attention,
    ):  # fmt: skip
        # Other versions of PyTorch may lack what is corrected.
        with contextlib.suppress(ImportError, AttributeError):
            correct()


def disable() -> None:
    """Undoes `enable`."""
    while _undo:
        _undo.pop()()


def _module(name: str) -> Any:
    return importlib.import_module(f"torch.{name}")


def _replace(owner: Any, name: str, value: Any) -> None:
    _undo.append(functools.partial(setattr, owner, name, getattr(owner, name)))
    setattr(owner, name, value)


def _is_for_triton(device: Any) -> bool:
    """Whether Inductor generates Triton's language for a device, and this is the CPU."""
    return bool(device.type == "cpu" and _module("_inductor.config").cpu_backend == "triton")


def _define_stream_in_one_line() -> None:
    common = _module("_inductor.codegen.common")
    before = common.get_device_op_overrides("cpu")

    class HostOperations(type(before)):  # type: ignore[misc]
        def import_get_raw_stream_as(self, name: str) -> str:
            return f"{name} = lambda _: 0"

    _undo.append(functools.partial(common.register_device_op_overrides, "cpu", before))
    common.register_device_op_overrides("cpu", HostOperations())


def _enter_device() -> None:
    interfaces = _module("_dynamo.device_interface")
    before = interfaces.get_interface_for_device("cpu")

    class HostInterface(before):  # type: ignore[misc, valid-type]
        class device(contextlib.nullcontext[None]):
            """What `with interface.device(...)` enters."""

    _undo.append(functools.partial(interfaces.register_interface_for_device, "cpu", before))
    interfaces.register_interface_for_device("cpu", HostInterface)


def _wrap_lowering(lowering: Any, wrapper: Any) -> None:
    """Replaces a lowering of operators."""
    table = _module("_inductor.lowering").lowerings
    for operator in [key for key, value in table.items() if value is lowering]:
        _undo.append(functools.partial(table.__setitem__, operator, lowering))
        table[operator] = wrapper


def _add_bias_behind_convolutions() -> None:
    original = _module("_inductor.kernel.conv").convolution
    config = _module("_inductor.config")
    aten = importlib.import_module("torch").ops.aten

    @functools.wraps(original)
    def convolution(x: Any, weight: Any, bias: Any, *args: Any, **kwargs: Any) -> Any:
        tuned = config.max_autotune or config.max_autotune_gemm
        if bias is None or not tuned or not _is_for_triton(x.get_device()):
            return original(x, weight, bias, *args, **kwargs)
        lowerings = _module("_inductor.lowering").lowerings
        result = original(x, weight, None, *args, **kwargs)
        dimensions = len(weight.get_size()) - 2
        shaped = lowerings[aten.view](bias, [bias.get_size()[0], *[1] * dimensions])
        return lowerings[aten.add](result, shaped)

    _wrap_lowering(original, convolution)


def _lower_flex_attention() -> None:
    lowering = _module("_inductor.kernel.flex.flex_attention").flex_attention
    general = _without_host_branch(inspect.unwrap(lowering))
    if general is None:
        return

    @functools.wraps(lowering)
    def flex_attention(query: Any, *args: Any, **kwargs: Any) -> Any:
        chosen = general if _is_for_triton(query.get_device()) else lowering
        return chosen(query, *args, **kwargs)

    _wrap_lowering(lowering, flex_attention)
    _split_by_threads()
    _allow_gradients()


def _without_host_branch(function: Any) -> Any:
    """A copy of a function whose comparison with "cpu" is never true; None if there is not one."""
    code = function.__code__
    if code.co_consts.count("cpu") != 1 or "lower_cpu" not in code.co_names:
        return None
    constants = tuple("no device" if value == "cpu" else value for value in code.co_consts)
    copied = types.FunctionType(
        code.replace(co_consts=constants), function.__globals__, function.__name__,
        function.__defaults__, function.__closure__,
    )  # fmt: skip
    return functools.wraps(function)(copied)


def _split_by_threads() -> None:
    """Chooses into how many parts decoding splits the keys, which depends on a GPU otherwise."""
    torch: Any = importlib.import_module("torch")
    if torch.cuda.is_available() or torch.xpu.is_available():
        return

    def get_split_k(B: int, H: int, Mk: int) -> int:
        threads: int = torch.get_num_threads()
        return max(1, 2 * threads // max(1, B * H))

    _replace(_module("_inductor.kernel.flex.flex_decoding"), "get_split_k", get_split_k)


def _allow_gradients() -> None:
    """Lets PyTorch's checks of the arguments accept what the lowering can compile."""
    module = _module("nn.attention.flex_attention")
    check, complete = module._validate_device, module._apply_kernel_options
    is_grad_enabled = _module("_C").is_grad_enabled

    def _validate_device(query: Any, key: Any, value: Any) -> None:
        if query.device.type != "cpu":
            check(query, key, value)

    def _apply_kernel_options(query: Any, *args: Any, **kwargs: Any) -> Any:
        options = complete(query, *args, **kwargs)
        # Not only if these inputs have gradients: what `score_mod` reads may have some.
        if query.device.type == "cpu" and is_grad_enabled():
            options["OUTPUT_LOGSUMEXP"] = True
        return options

    _replace(module, "_validate_device", _validate_device)
    _replace(module, "_apply_kernel_options", _apply_kernel_options)
