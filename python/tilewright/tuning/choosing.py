"""Where the choice for a new tuning key comes from.

In this order: the decision of other ranks, a shipped file, the store, and a tuning, while other
processes that need the same wait for the result.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import numbers
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from tilewright.compiler.targets import Target
from tilewright.errors import TilewrightError, TuningError
from tilewright.tuning import isolation, lookup, placement, ranks, report
from tilewright.tuning.compiling import excess
from tilewright.tuning.config import Config
from tilewright.tuning.results import Result
from tilewright.tuning.sequential import bench_each
from tilewright.tuning.store import TuningStore, default_store
from tilewright.tuning.trial import Trial
from tilewright.tuning.tuning import Plan, tune
from tilewright.tuning.verifying import Verifier

if TYPE_CHECKING:
    from tilewright.tuning.autotuner import Autotuner

# How long a configuration is timed at most, in ms, unless the decorator says otherwise.
_MILLISECONDS = 100.0
# Keyword arguments of `run` that are not passed to the kernel.
_OF_RUN = ("grid", "warmup")


def choose(
    tuner: Autotuner, key: tuple[Any, ...], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Config, list[Trial] | None]:
    """The choice for a launch, and the trials if it was tuned now.

    The trials are None if the launch has no program, whose choice does not hold for other launches.

    Raises:
        TuningError: No configuration works, or TILEWRIGHT_TUNING=frozen forbids to tune.
    """
    return _Choice(tuner, key, args, kwargs).find()


class _Choice:
    def __init__(
        self,
        tuner: Autotuner,
        key: tuple[Any, ...],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> None:
        self._tuner, self._key, self._args, self._kwargs = tuner, key, args, kwargs
        self._device = placement.device_of((*args, *kwargs.values()))
        self._target: Target = placement.target_of((*args, *kwargs.values()), kwargs)
        self._options = {name: value for name, value in kwargs.items() if name not in _OF_RUN}
        further = {n: v for n, v in self._options.items() if n not in tuner.arg_names}
        self._identity = lookup.identity_of(tuner, key, further, self._target, tuner.configs)
        self._mode = lookup.tuning_mode()
        self._store = self._find_store()
        self._session = ranks.session(self._session_key())

    def find(self) -> tuple[Config, list[Trial] | None]:
        if self._session and (decided := self._session.decision()) is not None:
            return self._taken(decided, "another rank"), []
        for origin, look in (("a shipped file", self._shipped), ("the store", self._stored)):
            if (index := look()) is not None:
                index = self._session.decide(index) if self._session else index
                return self._taken(index, origin), []
        if not self._session and (config := self._for_no_programs()):
            return config, None
        if self._mode == "frozen":
            raise TuningError(
                f"{self._tuner.__name__} is not tuned for {self._key} on this device, and "
                f"TILEWRIGHT_TUNING=frozen forbids to tune; import results with "
                f"`tilewright tune import`, or name a file in TILEWRIGHT_TUNING_FILE"
            )
        if self._session or not self._store or not self._identity:
            return self._tune()
        with self._store.lock(self._identity.key):
            # Another process may have tuned in the meantime.
            if (index := self._stored()) is not None:
                return self._taken(index, "the store"), []
            return self._tune()

    def _find_store(self) -> TuningStore | None:
        wanted = self._mode == "frozen" or (
            self._mode == "on" and self._tuner.cache_results is not False
        )
        return default_store() if wanted and self._identity else None

    def _session_key(self) -> str:
        if self._identity:
            return self._identity.key
        text = f"{self._tuner.__name__} {self._key} {self._target} {self._tuner.configs}"
        return hashlib.sha256(text.encode()).hexdigest()

    def _shipped(self) -> int | None:
        return self._index_of(lookup.shipped_result(self._identity) if self._identity else None)

    def _stored(self) -> int | None:
        found = self._store.load(self._identity.key) if self._store and self._identity else None
        return self._index_of(found)

    def _index_of(self, found: Result | None) -> int | None:
        """The index of a result's choice, if there is such a configuration."""
        if found is None or found.chosen < 0:
            return None
        if found.chosen < len(self._tuner.configs):
            return found.chosen
        # One that the user's function has made. It may make others for other arguments.
        texts = list(map(str, self._candidates))
        return found.chosen if texts[found.chosen : found.chosen + 1] == [found.config] else None

    @functools.cached_property
    def _pruned(self) -> list[Config]:
        return self._tuner.prune_configs(self._kwargs)

    @functools.cached_property
    def _candidates(self) -> list[Config]:
        """All configurations, and after them those that `early_config_prune` has made."""
        configs = list(self._tuner.configs)
        return configs + [config for config in self._pruned if config not in configs]

    def _config(self, index: int) -> Config:
        configs = self._tuner.configs
        return configs[index] if index < len(configs) else self._candidates[index]

    def _taken(self, index: int, origin: str) -> Config:
        config = self._config(index)
        report.print_reuse(self._tuner.__name__, self._key, origin, config)
        return config

    # Tuning

    def _tune(self) -> tuple[Config, list[Trial]]:
        tuner = self._tuner
        trials = [
            Trial(index, config, self._launcher(config))
            for index, config in enumerate(self._candidates)
            if config in self._pruned
        ]
        named = {**(tuner.nargs or {}), **self._kwargs}
        try:
            index = self._fastest(trials, named)
        finally:
            tuner.post_hook(named, exception=None)
        chosen = next((each for each in trials if each.index == index), None)
        if self._store and self._identity and chosen:
            self._store.save([self._identity.result(chosen, trials)])
        config = self._config(index)
        tuner.pre_hook({**named, **config.all_kwargs()}, reset_only=True)
        return config, trials

    def _fastest(self, trials: list[Trial], named: dict[str, Any]) -> int:
        tuner = self._tuner
        if tuner._benches_itself():
            index = bench_each(tuner, self._key, trials, self._compile, self._args, self._kwargs)
            return self._session.decide(index) if self._session else index
        with self._isolated(named) as runs_alone:
            plan = Plan(
                name=tuner.__name__,
                key=self._key,
                target=self._target,
                device=self._device,
                trials=trials,
                compile=self._compile,
                excess=lambda trial: excess(
                    trial.config.all_kwargs(), self._known_grid(trial.config, named), self._target
                ),
                before=lambda trial: self._before(trial, named),
                after=lambda trial, error: tuner.post_hook(
                    {**named, **trial.config.all_kwargs()}, exception=error
                ),
                milliseconds=float(tuner.num_reps or _MILLISECONDS),
                verifier=self._verifier(named),
                time_limit=tuner.time_limit,
                runs_alone=runs_alone,
            )
            return tune(plan, self._session)

    def _launcher(self, config: Config) -> Callable[[], Any]:
        given = {**self._kwargs, **config.all_kwargs()}
        return lambda: self._tuner.fn.run(*self._args, **given)

    def _compile(self, trial: Trial) -> Any:
        values = (*self._args, *self._kwargs.values())
        if trial.config.pre_hook is not None and any(map(placement.is_structure, values)):
            # The hook may change what the arguments' code depends on, such as the block_shape of a
            # tensor descriptor, and runs before a launch only. The launch compiles.
            return object()
        given = {**self._options, **trial.config.all_kwargs()}
        return self._tuner.fn.warmup(*self._args, grid=self._kwargs.get("grid"), **given)

    def _grid(self, config: Config, named: dict[str, Any]) -> Any:
        """The grid of a launch; the result of a function, which a child process can't get."""
        grid = self._kwargs.get("grid")
        if callable(grid) and not hasattr(grid, "__index__"):
            return grid({**named, **config.all_kwargs()})
        return grid

    def _known_grid(self, config: Config, named: dict[str, Any]) -> Any:
        """The grid as far as it is known before a launch, else None.

        The function may need what heuristics compute; if it fails for another reason, so does the
        launch.
        """
        try:
            return self._grid(config, named)
        except Exception:
            return None

    def _for_no_programs(self) -> Config | None:
        """A configuration that compiles, if the launch has no program: nothing can be timed."""
        named = {**(self._tuner.nargs or {}), **self._kwargs}
        for config in self._pruned:
            if not _is_empty(self._known_grid(config, named)):
                return None
            with contextlib.suppress(TilewrightError):
                self._compile(Trial(0, config, self._launcher(config)))
                return config
        return None

    def _before(self, trial: Trial, named: dict[str, Any]) -> None:
        arguments = {**named, **trial.config.all_kwargs()}
        if trial.config.pre_hook is not None:
            trial.config.pre_hook(arguments)
        self._tuner.pre_hook(arguments)

    def _verifier(self, named: dict[str, Any]) -> Verifier | None:
        if self._tuner.tolerance is None:
            return None
        arrays = {name: value for name, value in named.items() if placement.is_array(value)}
        return Verifier(arrays, self._tuner.tolerance)

    @contextlib.contextmanager
    def _isolated(self, named: dict[str, Any]) -> Iterator[Callable[[Trial], str] | None]:
        """A function that runs a trial in a child process; None without `isolate`."""
        tuner, limit = self._tuner, self._tuner.time_limit
        if not tuner.isolate:
            yield None
        elif self._device == "cpu":
            yield lambda trial: isolation.run_forked(
                trial, lambda: self._before(trial, named), limit
            )
        else:
            with isolation.spawned_process(tuner, self._args, self._options, self._device) as child:
                yield lambda trial: child.run(trial, self._grid(trial.config, named), limit)


def _is_empty(grid: Any) -> bool:
    """Whether a grid has no program."""
    axes = grid if isinstance(grid, (tuple, list)) else (grid,)
    return any(isinstance(size, numbers.Integral) and size == 0 for size in axes)
