"""Subclasses of Autotuner, as libraries have them."""

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright.tuning import Autotuner


class Database:
    """Choices by the text of their key: what a library needs, and no mapping."""

    def __init__(self) -> None:
        self.choices = {}

    def __contains__(self, key) -> bool:
        return str(key) in self.choices

    def __getitem__(self, key):
        return self.choices[str(key)]

    def __setitem__(self, key, config) -> None:
        self.choices[str(key)] = config


class Tuner(Autotuner):
    def __init__(self, *args, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        self.cache = Database()


class RunningTuner(Tuner):
    """Launches by itself, as flag-gems' tuner does."""

    def run(self, *args, **kwargs):
        key = tuple(zip(self.arg_names, map(type, args), strict=False))
        if key not in self.cache:
            self.cache[key] = self.configs[-1]
        self.best_config = self.cache[key]
        return self.fn.run(*args, **kwargs, **self.best_config.all_kwargs())


def tuner(kind):
    @tilewright.jit
    def kernel(out, n, BLOCK: tl.constexpr):
        i = tl.arange(0, BLOCK)
        tl.store(out + i, BLOCK, mask=i < n)

    configs = [tilewright.Config({"BLOCK": block}) for block in (64, 128)]
    return kind(kernel, kernel.arg_names, configs, ["n"], None, None)


def test_a_cache_of_its_own() -> None:
    kernel, out = tuner(Tuner), np.zeros(10, np.int32)
    kernel[(1,)](out, 10)
    database = kernel.cache
    assert isinstance(database, Database) and len(database.choices) == 1
    assert out[0] == kernel.best_config.kwargs["BLOCK"]
    (key,) = database.choices
    for config in (*kernel.configs, *kernel.configs):
        # Each launch reads the cache, which other processes may have changed.
        database.choices[key] = config
        kernel[(1,)](out, 10)
        assert kernel.best_config is config and out[0] == config.kwargs["BLOCK"]
    kernel[(1,)](out, 9)
    assert len(database.choices) == 2


def test_a_dictionary_takes_its_place() -> None:
    kernel, out = tuner(Tuner), np.zeros(10, np.int32)
    kernel.cache = {}
    kernel[(1,)](out, 10)
    assert len(kernel.cache) == 1 and isinstance(kernel.cache, dict)


@pytest.mark.parametrize("target", ["cpu", "cuda:80"])
def test_a_tuner_that_launches_by_itself(target) -> None:
    kernel, out = tuner(RunningTuner), np.zeros(10, np.int32)
    if target == "cpu":
        kernel[(1,)](out, 10)
    else:
        with tilewright.emulate(target):
            kernel[(1,)](out, 10)
    assert out.tolist() == [128] * 10 and len(kernel.cache.choices) == 1
