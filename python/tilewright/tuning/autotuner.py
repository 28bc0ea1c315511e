"""Autotuner: a kernel that runs with the fastest of several configurations."""

from __future__ import annotations

import contextlib
import math
import numbers
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from tilewright.cache.locks import KeyedLocks
from tilewright.errors import ArgumentError, TuningError, TuningWarning
from tilewright.runtime.interface import KernelInterface, jit_function
from tilewright.testing import do_bench, do_bench_cudagraph
from tilewright.tuning import checking, placement
from tilewright.tuning.choosing import choose
from tilewright.tuning.config import Config
from tilewright.tuning.restoring import arrays_named, copy_into, copy_of, set_to_zero
from tilewright.tuning.sequential import bench
from tilewright.tuning.verifying import tolerance_of
from tilewright.tuning.watched import WatchedDict, WatchedList

Hook = Callable[..., object]
_Choices = WatchedDict[tuple[Any, ...], Config]

# One thread at a time tunes a kernel; the kernels' ids are the keys.
_tunings = KeyedLocks()


class Autotuner(KernelInterface):
    """A kernel that runs with the fastest of several configurations; made by `autotune`.

    The first launch for each tuning key tunes. The key has the values of the arguments that `key`
    names, and the dtypes of all arguments. The positional arguments are those of `autotune`, in an
    order on which subclasses in libraries rely.

    Attributes:
        fn, base_fn, arg_names: See KernelInterface.
        configs: The configurations.
        keys: The names of the arguments in the tuning key.
        cache: The choices so far, by tuning key, on the device of the latest launch. A subclass
            can set an object of its own, with `cache[key]`, which may raise KeyError, and
            `cache[key] = ...`.
        best_config: The configuration of the latest launch, or None.
        bench_time: How long the latest tuning took, in seconds.
        configs_timings: The times of the latest tuning by configuration: a list of the median and
            the 0.2 and 0.8 quantiles in ms, infinite for one that failed.
        nargs: During a launch of this thread, the positional arguments by name; else None.
        pre_hook, post_hook: Called before and after each trial launch.
    """

    def __init__(
        self,
        fn: Any,
        arg_names: Sequence[str],
        configs: Sequence[Config] | None,
        key: Sequence[str],
        reset_to_zero: Sequence[str] | None,
        restore_value: Sequence[str] | None,
        pre_hook: Hook | None = None,
        post_hook: Hook | None = None,
        prune_configs_by: Mapping[str, Any] | None = None,
        warmup: int | None = None,
        rep: int | None = None,
        use_cuda_graph: bool = False,
        do_bench: Callable[..., Any] | None = None,
        cache_results: bool | None = None,
        *,
        verify: bool | Mapping[str, float] | None = None,
        isolate: bool = False,
        time_limit: float | None = None,
    ) -> None:
        super().__init__(fn, list(arg_names))
        self.configs = checking.configurations(configs)
        self.keys = checking.names(key, "key")
        self.reset_to_zero = checking.names(reset_to_zero, "reset_to_zero")
        self.restore_value = checking.names(restore_value, "restore_value")
        self.user_defined_pre_hook = pre_hook is not None
        self.user_defined_post_hook = post_hook is not None
        self.pre_hook: Hook = checking.function(pre_hook, "pre_hook") or self._reset_and_save
        self.post_hook: Hook = checking.function(post_hook, "post_hook") or self._restore
        self.restore_copies: dict[str, Any] = {}
        prune = checking.prunes(prune_configs_by)
        self.early_config_prune = prune.get("early_config_prune")
        self.perf_model = prune.get("perf_model")
        self.configs_top_k = prune.get("top_k", 1.0)
        self.num_warmups = checking.at_least_zero(warmup, "warmup")
        self.num_reps = checking.at_least_zero(rep, "rep")
        self.use_cuda_graph = use_cuda_graph
        self.cache_results = cache_results
        self._user_do_bench: Callable[..., Any] | None = checking.function(do_bench, "do_bench")
        self.tolerance = tolerance_of(verify)
        self.isolate = isolate
        self.time_limit = checking.at_least_zero(time_limit, "time_limit")
        self._caches: dict[Any, _Choices] = {}
        self._own_cache: Any = None
        # What C++ launches without calling `run`; see lib/Launcher/Wrapped.cpp.
        self._default_run, self._choices = _RUN, {}
        self._launch = threading.local()
        function = jit_function(fn)
        self._defaults = {
            each.name: each.default
            for each in (function.params if function else ())
            if each.has_default
        }
        self.bench_time: float | None = None
        self.configs_timings: dict[Config, list[float]] = {}
        self._check_names()

    def _check_names(self) -> None:
        unknown = [name for name in self.keys if name not in self.arg_names]
        if unknown:
            warnings.warn(
                f"autotune: the key '{unknown[0]}' is not a parameter of {self.__name__} and is "
                f"ignored; the parameters are {', '.join(self.arg_names)}",
                TuningWarning,
                stacklevel=4,
            )
        for what in ("reset_to_zero", "restore_value"):
            names = getattr(self, what)
            if missing := [name for name in names if name not in self.arg_names]:
                raise ArgumentError(
                    f"autotune: {what} names '{missing[0]}', which is not a parameter of "
                    f"{self.__name__}; the parameters are {', '.join(self.arg_names)}"
                )

    @property
    def configs(self) -> list[Config]:
        return self._configs

    @configs.setter
    def configs(self, configs: Iterable[Config]) -> None:
        self._configs = WatchedList(self._forget, configs)
        self._forget()

    @property
    def keys(self) -> list[str]:
        return self._key_names

    @keys.setter
    def keys(self, names: Iterable[str]) -> None:
        self._key_names = WatchedList(self._forget, names)
        self._forget()

    @property
    def nargs(self) -> dict[str, Any] | None:
        found: dict[str, Any] | None = getattr(self._launch, "nargs", None)
        return found

    @nargs.setter
    def nargs(self, named: dict[str, Any] | None) -> None:
        self._launch.nargs = named

    @contextlib.contextmanager
    def _launching(self, args: tuple[Any, ...]) -> Iterator[None]:
        """Sets `nargs` in its body. A hook may launch this kernel again within a launch."""
        outer, self.nargs = self.nargs, dict(zip(self.arg_names, args, strict=False))
        try:
            yield
        finally:
            self.nargs = outer

    @property
    def cache(self) -> Any:
        return self._cache_at(self._place)

    @cache.setter
    def cache(self, choices: Any) -> None:
        self._forget()
        if isinstance(choices, Mapping):
            self._own_cache = None
            self._caches[self._place] = WatchedDict(self._forget, choices)
        else:
            # Of a subclass in a library, such as a database. C++ would not notice its changes.
            self._own_cache, self._choices = choices, None

    def _cache_at(self, place: Any) -> Any:
        return self._choices_at(place) if self._own_cache is None else self._own_cache

    def _cached(self, place: Any, key: tuple[Any, ...]) -> Config | None:
        try:
            found: Config = self._cache_at(place)[key]
        except KeyError:
            return None
        return found

    def _choices_at(self, place: Any) -> _Choices:
        if place not in self._caches:
            self._caches[place] = WatchedDict(self._forget)
        return self._caches[place]

    def _forget(self) -> None:
        """What choices depend on has changed: C++ must not launch with those that it knows."""
        if self._choices is not None:
            self._choices.clear()

    @property
    def do_bench(self) -> Callable[..., Any]:
        """Times a function of no arguments, for `_bench`."""
        if self._user_do_bench is not None:
            return self._user_do_bench
        warmup, rep = self.num_warmups or 25, self.num_reps or 100
        if self.use_cuda_graph:
            return lambda call, quantiles: do_bench_cudagraph(call, rep, quantiles=quantiles)
        return lambda call, quantiles: do_bench(call, warmup, rep, quantiles=quantiles)

    @do_bench.setter
    def do_bench(self, function: Callable[..., Any] | None) -> None:
        """Programs written for Triton may replace the function after the decorator has run."""
        self._user_do_bench = checking.function(function, "do_bench")

    # Launching

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Launches on the keyword argument `grid`, after tuning if there is no choice yet.

        If `warmup` is true, only compiles; see `warmup`.
        """
        if kwargs.get("warmup"):
            return self.warmup(*args, **{n: v for n, v in kwargs.items() if n != "warmup"})
        with self._launching(args):
            self._check_conflicts(kwargs)
            place, config = self._choice(args, kwargs)
            self.best_config = config
            if config.pre_hook is not None:
                config.pre_hook({**(self.nargs or {}), **kwargs, **config.all_kwargs()})
            result = self.fn.run(*args, **{**kwargs, **config.all_kwargs()})
            self._remember(args, kwargs, place, config)
            return result

    def _remember(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], place: Any, config: Config
    ) -> None:
        """Lets C++ launch with this choice from now on."""
        if self._choices is None or config.pre_hook is not None:
            return
        if len(self.configs) > 1 and self._cached(place, self._key(kwargs)) is not config:
            return
        if not self._choices:
            names = self.keys if len(self.configs) > 1 else []
            self._keys = tuple(self.arg_names.index(n) for n in names if n in self.arg_names)
        given = {name: value for name, value in kwargs.items() if name not in ("grid", "warmup")}
        key, options = self._key_of(*args, **given), config.all_kwargs()
        has_nan = key is not None and any(_one_nan(x) is math.nan for x in key[: len(self._keys)])
        if key is not None and not has_nan:  # a launch with another NaN would not find it
            added = tuple(map(sys.intern, options))
            self._choices[key] = (config, added, tuple(options.values()), place)

    def warmup(self, *args: Any, **kwargs: Any) -> list[Any]:
        """Compiles the kernel with every configuration that is not pruned; returns them."""
        with self._launching(args):
            return [
                self.fn.warmup(*args, **{**kwargs, **config.all_kwargs()})
                for config in self.prune_configs(kwargs)
            ]

    def prune_configs(self, kwargs: Mapping[str, Any]) -> list[Config]:
        """The configurations that the user's functions leave for the current launch.

        Raises:
            TuningError: None is left.
        """
        configs, nargs = self.configs, self.nargs or {}
        if self.early_config_prune:
            returned = self.early_config_prune(configs, nargs, **kwargs)
            configs = checking.pruned(returned, self.__name__)
        if self.perf_model:
            count = self.configs_top_k
            if isinstance(count, float) and count <= 1.0:
                count = max(1, int(len(self.configs) * count)) if count > 0 else 0
            if not isinstance(count, int) or count < 1:
                raise TuningError(f"{self.__name__}: top_k is {self.configs_top_k!r}")
            if len(configs) > count:
                modeled = {
                    config: self.perf_model(**{**nargs, **kwargs, **config.all_kwargs()})
                    for config in configs
                }
                configs = sorted(modeled, key=lambda config: modeled[config])[:count]
        return configs

    def _check_conflicts(self, kwargs: Mapping[str, Any]) -> None:
        chosen = {name for each in self.configs for name in each.kwargs}
        conflicts = chosen & {*kwargs, *(self.nargs or ())}
        if conflicts:
            raise ArgumentError(
                f"{self.__name__}: Conflicting meta-parameters: {', '.join(sorted(conflicts))}. "
                f"Autotuning chooses them, so a launch can't pass them; to set them by hand, "
                f"launch {self.__name__}.fn"
            )

    # Choosing

    def _key(self, kwargs: Mapping[str, Any]) -> tuple[Any, ...]:
        """The tuning key of the current launch."""
        given = {**self._defaults, **(self.nargs or {}), **kwargs}
        named = {name: given[name] for name in self.arg_names if name in given}
        values = [_one_nan(named[name]) for name in self.keys if name in named]
        dtypes = [str(value.dtype) for value in named.values() if hasattr(value, "dtype")]
        key = (*values, *dtypes)
        try:
            hash(key)
        except TypeError:
            name = next(name for name in self.keys if name in named and not _hashable(named[name]))
            raise ArgumentError(
                f"{self.__name__}: the key '{name}' has a value of type "
                f"{type(named[name]).__name__}, which can't be hashed; pass a tuple or a number"
            ) from None
        return key

    def _choice(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Config]:
        """The place of a launch, and its configuration."""
        if len(self.configs) == 1:
            return self._place, self.configs[0]
        key = self._key(kwargs)
        place = self._enter_place((*args, *kwargs.values()), kwargs)
        config = self._cached(place, key)
        if config is None:
            with _tunings.hold(str(id(self))):
                config = self._cached(place, key) or self._find(place, key, args, kwargs)
        return place, config

    def _enter_place(self, values: Iterable[Any], kwargs: Mapping[str, Any]) -> Any:
        """Switches `cache` to the choices for the device of a launch; returns their key."""
        place = placement.place_of(values, kwargs)
        if entered := self._caches.pop(None, None):
            # Choices that the user entered before the first launch.
            self._choices_at(place).update(entered)
        self._place = place
        return place

    def _find(
        self, place: Any, key: tuple[Any, ...], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Config:
        """Finds or makes the choice for a new key, and enters it."""
        started = time.perf_counter()
        outer, self.restore_copies = self.restore_copies, {}
        try:
            config, trials = choose(self, key, args, kwargs)
        finally:
            self.restore_copies = outer  # of a tuning whose hook has launched this kernel
        if trials is None:
            return config
        if trials:
            self.bench_time = time.perf_counter() - started
            self.configs_timings = {each.config: each.quantiles() for each in trials}
        self._cache_at(place)[key] = config
        return config

    def _benches_itself(self) -> bool:
        """Whether the user's own benchmark, or that of a subclass, decides."""
        overridden = type(self)._bench is not Autotuner._bench
        return overridden or self._user_do_bench is not None or self.use_cuda_graph

    def _bench(self, *args: Any, config: Config, **meta: Any) -> list[float]:
        """The median and the 0.2 and 0.8 quantiles of a configuration's times, in ms.

        Subclasses call it, or define their own, which then decides.
        """
        return bench(self, args, config, meta)

    # Hooks

    def _reset_and_save(self, kwargs: Mapping[str, Any], reset_only: bool = False) -> None:
        """The default pre_hook: zeroes `reset_to_zero`, and saves `restore_value` once."""
        for array in arrays_named(self.reset_to_zero, kwargs, "reset_to_zero").values():
            set_to_zero(array)
        if not reset_only:
            saved = arrays_named(self.restore_value, kwargs, "restore_value")
            for name in saved.keys() - self.restore_copies.keys():
                self.restore_copies[name] = copy_of(saved[name])

    def _restore(self, kwargs: Mapping[str, Any], exception: BaseException | None = None) -> None:
        """The default post_hook: gives the arrays of `restore_value` their values back."""
        for name, saved in self.restore_copies.items():
            copy_into(kwargs[name], saved)


# C++ stands in for this method only: a program may replace it to see launches.
_RUN = Autotuner.run


def _one_nan(value: Any) -> Any:
    """The value; the same object for each NaN, which is equal to itself only."""
    return math.nan if isinstance(value, numbers.Real) and value != value else value


def _hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True
