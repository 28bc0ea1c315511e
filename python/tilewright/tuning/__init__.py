"""Autotuning: chooses the fastest of several configurations of a kernel.

decorator.py           the decorator `autotune`
autotuner.py           Autotuner, the kernel that `autotune` returns
computed_arguments.py  the decorator `heuristics`, and Heuristics: arguments computed from others
config.py              Config, one configuration
checking.py            checks of what users pass and of what their functions return
choosing.py            a choice in order: other ranks, shipped files, the store, a tuning
placement.py           the device and the target of a launch
lookup.py              what identifies a choice on disk
results.py             one result, and files that ship with an application
store.py               the results on disk
tuning.py              a tuning in order: drop, compile, verify, race
trial.py               the state of one configuration in a tuning
compiling.py           compiles all configurations in threads, and drops those that cannot fit
racing.py              rounds of timings, after which slow configurations drop out
clocks.py              times calls on the host and on a GPU
sequential.py          times one configuration after the other, with a user's benchmark
restoring.py           reset_to_zero and restore_value
verifying.py           compares the results of the configurations
isolation.py           runs configurations in a child process
ranks.py               tunes with the other ranks of torch.distributed
watched.py             a dictionary and a list that report their changes
report.py              the progress bar and the table
"""

from tilewright.tuning.autotuner import Autotuner
from tilewright.tuning.computed_arguments import Heuristics, heuristics
from tilewright.tuning.config import Config
from tilewright.tuning.decorator import autotune

__all__ = ["Autotuner", "Config", "Heuristics", "autotune", "heuristics"]
