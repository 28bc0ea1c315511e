"""Autotuning: chooses the fastest of several configurations of a kernel.

autotuner.py   the decorator, and Autotuner, the kernel that it makes
heuristics.py  the decorator, and Heuristics: arguments that are computed from the others
config.py      Config, one configuration
tuning.py      one tuning in order: look up, prune, compile, race, verify, store
lookup.py      how a choice is found again: in memory, in shipped files, in the store
trial.py       a configuration under trial, and what became of it
compiling.py   compiles all configurations at once, and drops those that cannot fit
racing.py      rounds of timings, and who is out of the race
clocks.py      times calls on the host and on a CUDA device
restoring.py   reset_to_zero and restore_value
verifying.py   compares what the configurations compute
isolation.py   runs configurations in a child process
ranks.py       tunes with the other ranks of torch.distributed
store.py       the results on disk
report.py      the progress bar and the table
"""

from tilewright.tuning.autotuner import Autotuner, autotune
from tilewright.tuning.computed_arguments import Heuristics, heuristics
from tilewright.tuning.config import Config

__all__ = ["Autotuner", "Config", "Heuristics", "autotune", "heuristics"]
