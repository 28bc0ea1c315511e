"""Tuning in several threads at once, in hooks of a tuning, and in a fork."""

import gc
import os
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import tuned_kernels as kernels
from tuned_kernels import blocks, configs_of, launch_scale, tuned

from tilewright import Config
from tilewright.runtime.source import Source


@pytest.mark.parametrize("option", ["restore_value", "reset_to_zero"])
def test_threads_tune_with_their_own_arrays(option) -> None:
    kernel = tuned(kernels.add_to, cache_results=False, **{option: ["out"]})
    before = 5.0 if option == "restore_value" else 0.0

    def launch(number: int) -> None:
        x, out = np.full(100 + number, number, np.float32), np.full(100 + number, 5.0, np.float32)
        kernel[blocks](out, x, 100 + number)
        np.testing.assert_array_equal(out, before + number)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(launch, range(1, 25)))
    assert sorted(key[0] for key in kernel.cache) == list(range(101, 125))


def test_a_hook_launches_the_same_kernel_while_it_tunes() -> None:
    inner = []

    def hook(arguments, reset_only=False):
        kernel._reset_and_save(arguments, reset_only)
        if not inner:
            inner.append(np.ones(50, np.float32))
            kernel[blocks](inner[0], np.ones(50, np.float32), 50)

    kernel = tuned(kernels.add_to, restore_value=["out"], pre_hook=hook)
    x, out = np.ones(300, np.float32), np.full(300, 5.0, np.float32)
    kernel[blocks](out, x, 300)
    np.testing.assert_array_equal(out, 6.0)
    np.testing.assert_array_equal(inner[0], 2.0)
    assert kernel.nargs is None


def test_a_configurations_hook_launches_the_same_kernel_in_do_bench() -> None:
    launched, inner = [], []

    def hook(arguments):
        if not launched:
            launched.append(50)
            inner.append(launch_scale(kernel, 50))

    configs = [Config(each.kwargs, pre_hook=hook) for each in configs_of(32, 64)]

    def do_bench(call, quantiles):
        call()
        return 1.0

    kernel = tuned(configs=configs, do_bench=do_bench)
    launch_scale(kernel)
    assert inner[0] in configs


def test_a_failed_restore_does_not_affect_the_next_tuning() -> None:
    class Fails(np.ndarray):
        def __setitem__(self, index, value):
            raise ValueError("no")

    kernel = tuned(kernels.add_to, restore_value=["out"])
    x = np.ones(300, np.float32)
    with pytest.raises(ValueError, match="no"):
        kernel[blocks](np.full(300, 5.0, np.float32).view(Fails), x, 300)
    out = np.full(300, 50.0, np.float32)
    kernel[blocks](out, x, 300)
    np.testing.assert_array_equal(out, 51.0)


def test_a_fork_tunes_while_another_thread_of_its_parent_does() -> None:
    is_tuning, has_forked = threading.Event(), threading.Event()

    def hook(arguments, reset_only=False):
        if arguments["n"] == 1000:
            is_tuning.set()
            has_forked.wait()

    kernel = tuned(pre_hook=hook, post_hook=lambda arguments, exception: None, cache_results=False)
    thread = threading.Thread(target=launch_scale, args=(kernel,))
    thread.start()
    is_tuning.wait()
    child = os.fork()
    if child == 0:
        signal.alarm(5)  # of a deadlock it dies
        launch_scale(kernel, 500)
        os._exit(0)
    has_forked.set()
    status = os.waitpid(child, 0)[1]
    thread.join()
    assert status == 0


class Garbage:
    """A cycle; Python may switch to another thread while it is collected."""

    def __init__(self) -> None:
        self.itself = self

    def __del__(self) -> None:
        for _ in range(300):
            pass


def test_threads_parse_while_garbage_is_collected() -> None:
    def parse(number: int) -> None:
        for _ in range(5):
            Garbage()
            Source.of_text("f", text)

    text = "def f(x):\n" + "".join(f"    y{i} = [x + {i}, (x, lambda z: z)]\n" for i in range(150))
    threshold, interval = gc.get_threshold(), sys.getswitchinterval()
    gc.set_threshold(10)
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as threads:
            list(threads.map(parse, range(8)))
    finally:
        gc.set_threshold(*threshold)
        sys.setswitchinterval(interval)
