"""The family of kernels that use the whole language; generate.py writes them."""

from __future__ import annotations

import math
import random

from generate import Generator
from kernel import Buffer, Kernel, launch_options
from operations import OPERATIONS


def write(rng: random.Random) -> Kernel:
    return written(rng, Generator(rng, OPERATIONS))


def written(rng: random.Random, generator: Generator) -> Kernel:
    """The kernel that a generator writes, with what it is launched with."""
    source = generator.module()
    programs = generator.programs
    buffers = [
        Buffer(b.name, b.dtype, "any", b.size * math.prod(programs), b.start, b.memory)
        for b in generator.buffers
    ]
    numbers = {"n": rng.choice([1, 2, 5, 16, 33]), "k": rng.choice([0, 1, 2, 3, 3])}
    constants = {"GX": programs[0], "GY": programs[1]}
    options = launch_options(rng)
    return Kernel(source, buffers, numbers, constants, programs=programs, options=options)
