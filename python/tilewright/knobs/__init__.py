"""Settings of the process by the names that Triton gives them: `tilewright.knobs.cache.dir`.

    build  redis  cache  compilation  autotuning  language  runtime  nvidia  amd  proton

A knob is an environment variable: reading it reads the variable, and assigning to it sets the
variable, for child processes too. None stands for a variable that is not set. `with group.scope():`
restores a group's knobs at the end, and `group.reset()` unsets them. The hooks of `runtime` and
`compilation` are functions, kept in this process.

variables.py  a knob, and a group of knobs
groups.py     the groups, and which of their knobs have an effect
hooks.py      the group `runtime`: functions around launches and compilations
"""

from __future__ import annotations

from tilewright.knobs.groups import (
    Amd,
    Autotuning,
    Build,
    Cache,
    Compilation,
    Language,
    Nvidia,
    NvidiaTool,
    Proton,
    Redis,
)
from tilewright.knobs.hooks import HookChain, Runtime
from tilewright.knobs.variables import Knobs as base_knobs

__all__ = [
    "HookChain",
    "NvidiaTool",
    "amd",
    "autotuning",
    "base_knobs",
    "build",
    "cache",
    "compilation",
    "language",
    "nvidia",
    "proton",
    "redis",
    "runtime",
]

build = Build()
redis = Redis()
cache = Cache()
compilation = Compilation()
autotuning = Autotuning()
language = Language()
runtime = Runtime()
nvidia = Nvidia()
amd = Amd()
proton = Proton()
