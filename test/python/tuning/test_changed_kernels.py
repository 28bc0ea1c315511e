"""Programs that change an autotuned kernel, or one with heuristics, after its first launch."""

import copy
import subprocess
import sys

import numpy as np
import pytest
import tuned_kernels as kernels
from tuned_kernels import blocks, configs_of, launch_scale, tuned

import tilewright
import tilewright.language as tl
from tilewright import Autotuner


@tilewright.heuristics({"A": lambda args: 3})
@tilewright.jit
def store_a(out, A: tl.constexpr):
    tl.store(out, A)


@pytest.mark.parametrize("in_place", [False, True])
def test_the_only_configuration_left_is_used(in_place) -> None:
    kernel = tuned()
    chosen = launch_scale(kernel)
    if in_place:
        kernel.configs.remove(chosen)
    else:
        kernel.configs = [config for config in kernel.configs if config != chosen]
    assert launch_scale(kernel) != chosen


def test_a_configuration_is_added() -> None:
    kernel = tuned(configs=configs_of(64))
    launch_scale(kernel)
    kernel.configs += configs_of(128)
    launch_scale(kernel)
    assert kernel.bench_time is not None and len(kernel.configs_timings) == 2


def test_keys_are_added() -> None:
    kernel = tuned(key=[])
    launch_scale(kernel)
    kernel.keys.append("n")
    launch_scale(kernel)
    launch_scale(kernel, 500)
    assert [key[0] for key in kernel.cache] == ["float32", 1000, 500]


def test_copies_of_configurations_and_choices_are_plain() -> None:
    kernel = tuned()
    launch_scale(kernel)
    assert type(copy.deepcopy(kernel.configs)) is list
    assert type(copy.copy(kernel.cache)) is dict
    assert copy.deepcopy(kernel.configs) == kernel.configs


@pytest.mark.parametrize("of_class", [False, True])
def test_a_replaced_run_sees_every_launch(of_class, monkeypatch) -> None:
    kernel, seen = tuned(), []
    launch_scale(kernel)
    plain = Autotuner.run

    def run(self, *args, **kwargs):
        seen.append(kwargs["grid"])
        return plain(self, *args, **kwargs)

    if of_class:
        monkeypatch.setattr(Autotuner, "run", run)
    else:
        kernel.run = run.__get__(kernel)
    launch_scale(kernel)
    launch_scale(kernel)
    assert seen == [blocks, blocks]


def test_a_replaced_run_of_heuristics_sees_every_launch(monkeypatch) -> None:
    seen = []
    monkeypatch.setattr(
        type(store_a), "run", lambda self, *args, **kwargs: seen.append((args, kwargs))
    )
    store_a[2,](5)
    assert seen == [((5,), {"grid": (2,), "warmup": False})]


def test_heuristics_may_change_their_dictionary() -> None:
    def first(args):
        args["out"] = None
        return args.pop("n")

    @tilewright.heuristics({"A": first, "B": lambda args: args["n"] + args["A"]})
    @tilewright.jit
    def kernel(out, n, A: tl.constexpr, B: tl.constexpr):
        tl.store(out, A * 100 + B)

    out = np.zeros(1, np.int32)
    for launch in (kernel[1,], lambda *args: kernel.run(*args, grid=(1,))):
        launch(out, 5)
        assert out[0] == 510
        out[0] = 0


def test_heuristics_get_the_same_names_from_both_paths() -> None:
    seen = []

    @tilewright.heuristics({"A": lambda args: seen.append(sorted(args)) or 1})
    @tilewright.jit
    def kernel(out, A: tl.constexpr):
        tl.store(out, A)

    out = np.zeros(1, np.int32)
    kernel[1,](out, num_warps=4)
    kernel.run(out, num_warps=4, grid=(1,))
    assert seen == [["num_warps", "out"]] * 2
    kernel[1,](out, A=7)  # is computed all the same
    assert seen[2:] == [["A", "out"]] and out[0] == 1


def test_a_kernel_without_its_function_raises() -> None:
    program = (
        "import numpy as np, tuned_kernels as k\n"
        "kernel = k.tuned(configs=k.configs_of(64))\n"
        "k.launch_scale(kernel)\n"
        "del kernel.fn\n"
        "try: k.launch_scale(kernel)\n"
        "except AttributeError: print('raised')\n"
    )
    found = subprocess.run(
        [sys.executable, "-c", program],
        cwd=kernels.__file__.rpartition("/")[0],
        capture_output=True,
        text=True,
    )
    assert found.stdout == "raised\n", found.stderr
