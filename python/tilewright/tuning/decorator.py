"""autotune: the decorator that makes an Autotuner."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tilewright.tuning.autotuner import Autotuner, Hook
from tilewright.tuning.config import Config


def autotune(
    configs: Sequence[Config] | None,
    key: Sequence[str],
    prune_configs_by: Mapping[str, Any] | None = None,
    reset_to_zero: Sequence[str] | None = None,
    restore_value: Sequence[str] | None = None,
    pre_hook: Hook | None = None,
    post_hook: Hook | None = None,
    warmup: int | None = None,
    rep: int | None = None,
    use_cuda_graph: bool = False,
    do_bench: Callable[..., Any] | None = None,
    cache_results: bool | None = None,
    *,
    verify: bool | Mapping[str, float] | None = None,
    isolate: bool = False,
    time_limit: float | None = None,
) -> Callable[[Any], Autotuner]:
    """Chooses the fastest of several configurations for each tuning key, as in

        @tilewright.autotune([Config({"BLOCK": 64}), Config({"BLOCK": 128})], key=["n"])
        @tilewright.jit
        def kernel(x, n, BLOCK: tl.constexpr): ...

    A tuning launches the kernel many times. If it changes arrays that it also reads, name these in
    `reset_to_zero` or `restore_value`.

    Args:
        configs: The configurations; none, or an empty list, stands for one with the defaults.
        key: The names of the arguments whose values make another choice necessary.
        prune_configs_by: Functions that shorten the list: `early_config_prune(configs, arguments,
            **kwargs)` returns a list; `perf_model(**arguments)` returns an estimated time, of which
            the `top_k` lowest are kept (a number, or a fraction of all).
        reset_to_zero: The names of arrays that are set to zero before each launch of a tuning.
        restore_value: The names of arrays that get their values back after each.
        pre_hook: Replaces what the two do before a launch: `pre_hook(arguments, reset_only=False)`.
        post_hook: The same after a launch: `post_hook(arguments, exception=None)`.
        warmup: Accepted for compatibility: the race warms the device up.
        rep: How long a configuration is timed at most, in ms; 100 by default.
        use_cuda_graph: Time launches in a CUDA graph.
        do_bench: Times a configuration instead: `do_bench(call, quantiles=(0.5, 0.2, 0.8))`.
        cache_results: Whether results are stored on disk; by default they are.
        verify: True, or a dictionary of `atol` and `rtol`: drop configurations whose results differ
            from the first one's by more.
        isolate: Run each configuration in a child process first, so that one that crashes, hangs or
            stops the device is dropped.
        time_limit: Seconds that one launch may take; a configuration that takes longer is dropped.
            Without `isolate`, only after its launch has returned.

    Raises:
        ArgumentError: An argument of the decorator is invalid.

    Raises, from launches:
        TuningError: No configuration could be chosen, or TILEWRIGHT_TUNING=frozen forbids to tune.
    """

    def decorate(fn: Any) -> Autotuner:
        return Autotuner(
            fn,
            fn.arg_names,
            configs,
            key,
            reset_to_zero,
            restore_value,
            pre_hook=pre_hook,
            post_hook=post_hook,
            prune_configs_by=prune_configs_by,
            warmup=warmup,
            rep=rep,
            use_cuda_graph=use_cuda_graph,
            do_bench=do_bench,
            cache_results=cache_results,
            verify=verify,
            isolate=isolate,
            time_limit=time_limit,
        )

    return decorate
