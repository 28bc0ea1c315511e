"""autotune: choices, keys, hooks, pruning and subclasses, on the CPU and an emulated GPU."""

import inspect

import numpy as np
import pytest
import tuned_kernels as kernels
from tuned_kernels import blocks, configs_of, launch_scale, tuned

import tilewright
import tilewright.language as tl
from tilewright import Autotuner, Config
from tilewright.errors import ArgumentError, TuningError, TuningWarning


def test_a_launch_tunes_and_runs_with_the_choice() -> None:
    kernel = tuned()
    chosen = launch_scale(kernel)
    assert chosen in kernel.configs
    assert kernel.cache == {(1000, "float32", "float32"): chosen}
    assert set(kernel.configs_timings) == set(kernel.configs)
    assert kernel.bench_time > 0


def test_the_slow_configuration_loses() -> None:
    # Blocks of 2 make half a million programs instead of some hundred.
    kernel = tuned(configs=configs_of(2, 4096))
    assert launch_scale(kernel, n=1 << 20).kwargs == {"BLOCK": 4096}


def test_a_key_has_values_and_dtypes() -> None:
    kernel = tuned()
    for n, dtype in ((1000, np.float32), (1000, np.float64), (500, np.float32)):
        launch_scale(kernel, n, dtype)
        launch_scale(kernel, n, dtype, factor=5.0)  # no key: not tuned again
    assert list(kernel.cache) == [
        (1000, "float32", "float32"),
        (1000, "float64", "float64"),
        (500, "float32", "float32"),
    ]


def test_arguments_by_name_have_the_same_key() -> None:
    kernel = tuned()
    x, out = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
    kernel[blocks](out, x, 100, 2.0)
    kernel[blocks](out, x, n=100, factor=2.0)
    kernel[blocks](out=out, x=x, n=100, factor=2.0)
    assert len(kernel.cache) == 1


def test_one_configuration_is_not_timed() -> None:
    kernel = tuned(configs=configs_of(64))
    assert launch_scale(kernel).kwargs == {"BLOCK": 64}
    assert kernel.bench_time is None and not kernel.cache


@pytest.mark.parametrize("configs", [None, []])
def test_no_configurations_stand_for_one_with_the_defaults(configs) -> None:
    @tilewright.autotune(configs, key=[])
    @tilewright.jit
    def kernel(out):
        tl.store(out, 7)

    out = np.zeros(1, np.int32)
    kernel[1,](out)
    assert out[0] == 7 and kernel.best_config == Config({})


def test_an_emulated_gpu_has_its_own_choice() -> None:
    kernel = tuned()
    launch_scale(kernel)
    with tilewright.emulate("cuda:90a", checks=True):
        launch_scale(kernel)
        emulated = dict(kernel.cache)
    launch_scale(kernel)
    assert len(kernel.cache) == len(emulated) == 1
    assert len(kernel._caches) == 2


def test_equal_code_is_timed_once() -> None:
    # Warps mean nothing on the CPU.
    kernel = tuned(configs=[*configs_of(64, num_warps=4), *configs_of(64, num_warps=8)])
    launch_scale(kernel)
    assert kernel.best_config.num_warps == 4
    timings = [kernel.configs_timings[config] for config in kernel.configs]
    assert timings[1] == [float("inf")] * 3 or timings[0] != timings[1]


def test_configurations_that_differ_in_the_grid_are_all_timed() -> None:
    # The grid may read a value that the kernel does not.
    @tilewright.jit
    def touch(out, n, BLOCK: tl.constexpr, UNUSED: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + i, 1.0, mask=i < n)

    configs = [Config({"BLOCK": 32, "UNUSED": unused}) for unused in (1, 2)]
    kernel = tuned(touch, configs)
    out = np.zeros(64, np.float32)
    kernel[lambda meta: (meta["UNUSED"] * 2,)](out, 64)
    assert all(kernel.configs_timings[config][0] < 1e9 for config in configs)


# reset_to_zero, restore_value and hooks


def test_restore_value_gives_arrays_their_contents_back() -> None:
    kernel = tuned(kernels.add_to, restore_value=["out"])
    x, out = np.ones(300, np.float32), np.full(300, 5.0, np.float32)
    kernel[blocks](out, x, 300)
    np.testing.assert_array_equal(out, 6.0)
    kernel[blocks](out, x, 300)
    np.testing.assert_array_equal(out, 7.0)


def test_reset_to_zero_holds_for_the_launch_that_tuned() -> None:
    kernel = tuned(kernels.add_to, reset_to_zero=["out"])
    x, out = np.ones(300, np.float32), np.full(300, 5.0, np.float32)
    kernel[blocks](out, x, 300)
    np.testing.assert_array_equal(out, 1.0)


def test_restored_arrays_may_be_views_tensors_or_none() -> None:
    torch = pytest.importorskip("torch")

    @tilewright.jit
    def bump(out, maybe, n, stride, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        at = out + i * stride
        tl.store(at, tl.load(at, mask=i < n) + 1.0, mask=i < n)

    kernel = tuned(bump, restore_value=["out", "maybe"])
    base = torch.zeros(200, requires_grad=True)
    view = base.detach()[::2]
    kernel[blocks](view, None, 100, view.stride(0))
    assert view.eq(1).all() and base[1::2].eq(0).all()


def test_hooks_replace_the_usual_ones_and_see_all_arguments() -> None:
    seen = []

    def before(arguments, reset_only=False):
        seen.append(("before", arguments.get("BLOCK"), arguments["n"], reset_only))

    def after(arguments, exception):
        seen.append(("after", arguments.get("BLOCK"), arguments["n"], exception))

    kernel = tuned(pre_hook=before, post_hook=after)
    chosen = launch_scale(kernel).kwargs["BLOCK"]
    assert kernel.user_defined_pre_hook and kernel.user_defined_post_hook
    assert ("before", 32, 1000, False) in seen and ("after", 128, 1000, None) in seen
    assert seen[-1] == ("before", chosen, 1000, True)


def test_a_configurations_hook_runs_before_each_launch() -> None:
    seen = []
    configs = [Config({"BLOCK": 64}, pre_hook=lambda arguments: seen.append(arguments["BLOCK"]))]
    kernel = tuned(configs=configs)
    launch_scale(kernel)
    launch_scale(kernel)
    assert seen == [64, 64]


def test_a_hook_that_raises_is_not_swallowed() -> None:
    def fail(arguments):
        raise KeyError("no such descriptor")

    configs = [Config({"BLOCK": 64}, pre_hook=fail), *configs_of(32)]
    with pytest.raises(KeyError, match="no such descriptor"):
        launch_scale(tuned(configs=configs))


# Pruning


def test_early_prune_gets_the_arguments() -> None:
    def prune(configs, arguments, **kwargs):
        assert arguments["n"] == 1000 and "grid" in kwargs
        return [config for config in configs if config.kwargs["BLOCK"] > 100]

    kernel = tuned(prune_configs_by={"early_config_prune": prune})
    assert launch_scale(kernel).kwargs == {"BLOCK": 128}
    assert list(kernel.configs_timings) == configs_of(128)


@pytest.mark.parametrize("top_k", [1, 0.5])
def test_a_model_keeps_the_best(top_k) -> None:
    def model(BLOCK, n, factor, **others):
        return -BLOCK

    kernel = tuned(prune_configs_by={"perf_model": model, "top_k": top_k})
    assert launch_scale(kernel).kwargs == {"BLOCK": 128}
    assert list(kernel.configs_timings) == configs_of(128)


def test_pruning_everything_is_an_error() -> None:
    kernel = tuned(prune_configs_by={"early_config_prune": lambda *_, **__: []})
    with pytest.raises(TuningError, match="scale: early_config_prune left no configuration"):
        launch_scale(kernel)


def test_an_unknown_way_to_prune_is_an_error() -> None:
    with pytest.raises(ArgumentError, match="'top'; it takes early_config_prune, perf_model"):
        tuned(prune_configs_by={"top": 3})


# Names


def test_the_constructors_arguments_have_their_order() -> None:
    names = "self fn arg_names configs key reset_to_zero restore_value pre_hook post_hook"
    names += " prune_configs_by warmup rep use_cuda_graph do_bench cache_results"
    found = list(inspect.signature(Autotuner.__init__).parameters)
    assert " ".join(found).startswith(names)
    names = "self kwargs num_warps num_stages num_ctas maxnreg pre_hook ir_override"
    assert " ".join(inspect.signature(Config.__init__).parameters) == names


def test_a_configuration_prints_and_compares_by_its_values() -> None:
    config = Config({"BLOCK": 64}, num_warps=8, maxnreg=128)
    assert str(config) == "BLOCK: 64, num_warps: 8, num_ctas: 1, num_stages: 3, maxnreg: 128"
    assert config == Config({"BLOCK": 64}, num_warps=8, maxnreg=128)
    assert hash(config) == hash(Config({"BLOCK": 64}, num_warps=8, maxnreg=128))
    assert config != Config({"BLOCK": 64}, num_warps=8)
    assert config.all_kwargs() == {
        "BLOCK": 64,
        "num_warps": 8,
        "num_ctas": 1,
        "num_stages": 3,
        "maxnreg": 128,
    }


@pytest.mark.parametrize("kwargs", [[("BLOCK", 1)], {1: 2}, None])
def test_a_configuration_takes_values_by_name(kwargs) -> None:
    with pytest.raises(ArgumentError, match="dictionary of values by name"):
        Config(kwargs)


def test_a_configuration_may_name_its_ir(tmp_path) -> None:
    x, out = np.arange(4, dtype=np.float32), np.zeros(4, np.float32)
    source = kernels.scale.warmup(out, x, 4, 2.0, BLOCK=4, grid=(1,)).ir("source")
    file = tmp_path / "scale.ttir"
    file.write_text(source.replace("arith.mulf", "arith.addf"))
    kernel = tuned(configs=[Config({"BLOCK": 4}, ir_override=str(file))])
    kernel[blocks](out, x, 4, 2.0)
    np.testing.assert_array_equal(out, x + 2)


def test_a_kernel_is_a_kernel_interface() -> None:
    kernel = tuned()
    assert isinstance(kernel, tilewright.KernelInterface)
    assert isinstance(kernels.scale, tilewright.KernelInterface)
    assert kernel.fn is kernels.scale and kernel.base_fn is kernels.scale.fn
    assert kernel.arg_names == ["out", "x", "n", "factor", "BLOCK"]
    assert (kernel.__name__, kernel.keys, kernel.nargs) == ("scale", ["n"], None)


def test_warmup_compiles_every_configuration() -> None:
    kernel = tuned()
    out = np.zeros(100, np.float32)
    compiled = kernel.warmup(out, out.copy(), 100, 2.0, grid=(1,))
    assert len(compiled) == 2 and len({id(each) for each in compiled}) == 2


def test_entries_of_the_cache_are_used() -> None:
    kernel = tuned(configs=configs_of(2, 4096))
    wanted = kernel.configs[0]
    kernel.cache[(1000, "float32", "float32")] = wanted
    assert launch_scale(kernel) is wanted
    kernel.cache.clear()
    assert launch_scale(kernel) is not None and kernel.bench_time is not None


def test_clearing_the_cache_tunes_again(monkeypatch) -> None:
    monkeypatch.setenv("TILEWRIGHT_TUNING", "memory")
    kernel = tuned()
    launch_scale(kernel)
    kernel.bench_time = None
    kernel.cache.clear()
    launch_scale(kernel)
    assert kernel.bench_time is not None


def test_subclasses_decide_with_their_own_benchmark() -> None:
    timed = []

    class Library(Autotuner):
        def __init__(self, *args, **kwargs) -> None:
            super().__init__(*args, **kwargs)
            self.launches = 0

        def run(self, *args, **kwargs):
            self.launches += 1
            return super().run(*args, **kwargs)

        def _bench(self, *args, config, **meta):
            timed.append(config.kwargs["BLOCK"])
            found = super()._bench(*args, config=config, **meta)
            assert len(found) == 3 and found[1] <= found[0] <= found[2]
            return [config.kwargs["BLOCK"], 0, 0]

    function = kernels.scale
    kernel = Library(
        function, function.arg_names, configs_of(128, 32), ["n"], None, None, None, None, None, 1, 2
    )
    assert launch_scale(kernel).kwargs == {"BLOCK": 32}
    launch_scale(kernel)
    assert timed == [128, 32] and kernel.launches == 2


def test_do_bench_decides() -> None:
    calls = []

    def do_bench(call, quantiles):
        assert quantiles == (0.5, 0.2, 0.8)
        call()
        calls.append(1)
        return [len(calls), 0, 0]

    kernel = tuned(do_bench=do_bench)
    assert launch_scale(kernel).kwargs == {"BLOCK": 32}
    assert len(calls) == 2


def test_do_bench_can_be_replaced() -> None:
    kernel = tuned()
    kernel.do_bench = lambda call, quantiles: [next(times), 0, 0]
    times = iter([2.0, 1.0])
    assert launch_scale(kernel).kwargs == {"BLOCK": 128}
    with pytest.raises(ArgumentError, match="do_bench is 'fast', not a function"):
        kernel.do_bench = "fast"


# Bad input


def test_a_key_that_is_no_parameter_warns() -> None:
    with pytest.warns(TuningWarning, match="the key 'm' is not a parameter of scale and is"):
        kernel = tuned(key=["n", "m"])
    launch_scale(kernel)
    assert list(kernel.cache) == [(1000, "float32", "float32")]


@pytest.mark.parametrize("argument", ["reset_to_zero", "restore_value"])
def test_arrays_to_restore_must_be_parameters(argument) -> None:
    with pytest.raises(ArgumentError, match=f"{argument} names 'y', which is not a parameter of"):
        tuned(**{argument: ["y"]})


def test_arrays_to_restore_must_be_arrays() -> None:
    with pytest.raises(ArgumentError, match="restore_value names 'n', which is 1000, not an array"):
        launch_scale(tuned(restore_value=["n"]))


@pytest.mark.parametrize("by_name", [False, True])
def test_a_launch_cannot_pass_what_tuning_chooses(by_name) -> None:
    x = np.zeros(4, np.float32)
    with pytest.raises(ArgumentError, match="Conflicting meta-parameters: BLOCK"):
        if by_name:
            tuned()[1,](x, x.copy(), 4, 1.0, BLOCK=16)
        else:
            tuned()[1,](x, x.copy(), 4, 1.0, 16)


def test_a_key_must_be_hashable() -> None:
    @tilewright.jit
    def kernel(out, SIZES: tl.constexpr, BLOCK: tl.constexpr):
        tl.store(out, BLOCK)

    out = np.zeros(1, np.int32)
    with pytest.raises(ArgumentError, match="the key 'SIZES' has a value of type list"):
        tuned(kernel, key=["SIZES"])[1,](out, [1, 2])


def test_configurations_must_be_configs() -> None:
    with pytest.raises(ArgumentError, match=r"a configuration is \{'BLOCK': 4\}, not a Config"):
        tuned(configs=[{"BLOCK": 4}])
