"""The families of random kernels, with their weights."""

from __future__ import annotations

import random

import additions
import addresses
import any_size
import assembly
import boxes
import counts
import dependencies
import descriptor_calls
import divisors
import dot_operands
import epilogues
import exits
import extremes
import function_calls
import groups
import handover
import instances
import labels
import libdevice_calls
import loops
import maps
import memory_calls
import mixed
import ordering
import outside
import padding
import pointers
import quotients
import rows
import scaled
import states
import transposes
import tuples
import value_classes
import wraps
from kernel import Family, Kernel

FAMILIES: dict[str, tuple[int, Family]] = {
    "mixed": (10, mixed.write),
    "addresses": (12, addresses.write),
    "extremes": (8, extremes.write),
    "dependencies": (3, dependencies.write),
    "pointers": (10, pointers.write),
    "loops": (10, loops.write),
    "groups": (5, groups.write),
    "boxes": (5, boxes.write),
    "epilogues": (5, epilogues.write),
    "exits": (5, exits.write),
    "rows": (5, rows.write),
    "ordering": (3, ordering.write),
    "outside": (2, outside.write),
    "helpers": (8, memory_calls.write),
    "quotients": (4, quotients.write),
    "counts": (3, counts.write),
    "structures": (4, value_classes.write),
    "sizes": (8, any_size.write),
    "scaled": (5, scaled.write),
    "maps": (5, maps.write),
    "functions": (10, function_calls.write),
    "descriptors": (5, descriptor_calls.write),
    "tuples": (5, tuples.write),
    "handover": (3, handover.write),
    "libdevice": (5, libdevice_calls.write),
    "instances": (5, instances.write),
    "assembly": (6, assembly.write),
    "operands": (6, dot_operands.write),
    "transposes": (4, transposes.write),
    "wraps": (4, wraps.write),
    "additions": (4, additions.write),
    "padding": (4, padding.write),
    "states": (4, states.write),
    "divisors": (4, divisors.write),
    "labels": (3, labels.write),
}


def draw(seed: int) -> str:
    """The name of the family for a seed."""
    weights = [weight for weight, _ in FAMILIES.values()]
    return random.Random(f"family of {seed}").choices(list(FAMILIES), weights)[0]


def write(name: str, rng: random.Random) -> Kernel:
    return FAMILIES[name][1](rng)
