"""What users pass to autotune by mistake, and what their functions return."""

import math

import pytest
from tuned_kernels import configs_of, launch_scale, scale, tuned

import tilewright
from tilewright import Config
from tilewright.errors import ArgumentError, TuningError


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"configs": 5}, "configs is 5, not a list of Config"),
        ({"configs": Config({})}, r"configs is Config\(.*\), not a list of Config"),
        ({"key": "factor"}, "key is 'factor', not a list of parameters' names"),
        ({"key": 5}, "key is 5, not a list of"),
        ({"key": [["n"]]}, r"key is \[\['n'\]\], not a list of"),
        ({"reset_to_zero": "out"}, "reset_to_zero is 'out', not a list of"),
        ({"restore_value": "out"}, "restore_value is 'out', not a list of"),
        ({"prune_configs_by": 5}, "prune_configs_by is 5, not a dictionary"),
        ({"prune_configs_by": {"perf_model": 5}}, "perf_model is 5, not a function"),
        ({"prune_configs_by": {"early_config_prune": 5}}, "early_config_prune is 5, not a func"),
        ({"pre_hook": 5}, "pre_hook is 5, not a function"),
        ({"post_hook": 5}, "post_hook is 5, not a function"),
        ({"do_bench": 5}, "do_bench is 5, not a function"),
        ({"rep": "x"}, "rep is 'x', not a number of at least 0"),
        ({"rep": -5}, "rep is -5, not a number"),
        ({"warmup": "x"}, "warmup is 'x', not a number"),
        ({"time_limit": math.nan}, "time_limit is nan, not a number"),
        ({"verify": {"atol": "x"}}, "atol is 'x', not a number"),
        ({"verify": {"rtol": -1}}, "rtol is -1, not a number"),
    ],
)
def test_arguments_of_wrong_types_are_refused(arguments, message) -> None:
    with pytest.raises(ArgumentError, match=f"^autotune: {message}"):
        tilewright.autotune(**{"configs": configs_of(32), "key": ["n"], **arguments})(scale)


def test_a_configurations_hook_must_be_a_function() -> None:
    with pytest.raises(ArgumentError, match="Config: pre_hook is 5, not a function"):
        Config({"BLOCK": 64}, pre_hook=5)


@pytest.mark.parametrize("key", ["n", None, ("n",), iter(["n"])])
def test_keys_of_other_types_are_lists(key) -> None:
    kernel = tilewright.autotune(configs_of(32, 64), key, rep=2)(scale)
    launch_scale(kernel)
    assert kernel.keys == ([] if key is None else ["n"])


@pytest.mark.parametrize("returned", [None, [], "fast", {}])
def test_a_benchmark_must_return_times(returned) -> None:
    kernel = tuned(do_bench=lambda call, quantiles: returned)
    with pytest.raises(TuningError, match="not a time or a list of quantiles"):
        launch_scale(kernel)


def test_a_benchmark_of_nan_has_failed() -> None:
    times = iter([math.nan, 1.0])
    kernel = tuned(do_bench=lambda call, quantiles: next(times))
    assert launch_scale(kernel).kwargs == {"BLOCK": 128}


@pytest.mark.parametrize("returned", [None, 5, ["fast"]])
def test_early_prune_must_return_configurations(returned) -> None:
    kernel = tuned(prune_configs_by={"early_config_prune": lambda *_, **__: returned})
    with pytest.raises(TuningError, match=r"scale: early_config_prune returned .*, not a Config"):
        launch_scale(kernel)
