"""Tuning keys: which launches share a choice."""

import math

import numpy as np
import pytest
from tuned_kernels import blocks, configs_of, launch_scale, tuned

import tilewright
import tilewright.language as tl
from tilewright import Config


@tilewright.jit
def with_defaults(out, a=1, b=1, BLOCK: tl.constexpr = 4):
    tl.store(out, a * 10 + b)


def test_defaults_are_part_of_the_key() -> None:
    kernel = tuned(with_defaults, key=["a", "b"])
    out = np.zeros(1, np.int32)
    for arguments, result in (({"a": 5}, 51), ({"b": 5}, 15), ({}, 11), ({"b": 1, "a": 1}, 11)):
        kernel[1,](out, **arguments)
        assert out[0] == result
    assert list(kernel.cache) == [(5, 1, "int32"), (1, 5, "int32"), (1, 1, "int32")]


def test_dtypes_are_in_the_order_of_the_parameters() -> None:
    kernel = tuned()
    single, half = np.zeros(100, np.float32), np.zeros(100, np.float16)
    kernel[blocks](out=single, x=half, n=100, factor=2.0)
    kernel[blocks](x=single, out=half, n=100, factor=2.0)
    kernel[blocks](half, factor=2.0, n=100, x=single)
    assert list(kernel.cache) == [(100, "float32", "float16"), (100, "float16", "float32")]


@pytest.mark.parametrize("nan", [lambda: float("nan"), lambda: np.float32("nan")])
def test_all_nans_are_one_key(nan) -> None:
    kernel = tuned(key=["factor"], cache_results=False)
    for _ in range(3):
        x, out = np.ones(100, np.float32), np.zeros(100, np.float32)
        kernel[blocks](out, x, 100, nan())
        assert np.isnan(out).all()
    ((found, *_),) = kernel.cache
    assert math.isnan(found) and len(kernel._choices) == 0


def test_results_of_other_keys_are_not_taken_from_the_store() -> None:
    first, second = tuned(with_defaults, key=["a"]), tuned(with_defaults, key=["b"])
    for kernel in (first, second):
        kernel[1,](np.zeros(1, np.int32), 5, 5)
        assert kernel.bench_time is not None


# Configurations that early_config_prune makes


def halve(configs, arguments, **others):
    for config in configs:
        yield Config({"BLOCK": config.kwargs["BLOCK"] // 2})


def test_a_prune_function_makes_configurations() -> None:
    kernel = tuned(prune_configs_by={"early_config_prune": halve})
    chosen = launch_scale(kernel)
    assert chosen in configs_of(16, 64)
    assert launch_scale(kernel) == chosen
    assert set(kernel.configs_timings) == set(configs_of(16, 64))


def test_the_store_has_configurations_that_a_prune_function_makes() -> None:
    chosen = launch_scale(tuned(prune_configs_by={"early_config_prune": halve}))
    again = tuned(prune_configs_by={"early_config_prune": halve})
    assert launch_scale(again) == chosen and again.bench_time is None
    others = tuned(prune_configs_by={"early_config_prune": lambda *_, **__: configs_of(8, 256)})
    assert launch_scale(others) in configs_of(8, 256) and others.bench_time is not None


def test_a_small_fraction_leaves_one() -> None:
    model = {"perf_model": lambda BLOCK, **others: BLOCK, "top_k": 0.1}
    assert launch_scale(tuned(prune_configs_by=model)).kwargs == {"BLOCK": 32}
