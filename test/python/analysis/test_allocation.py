"""Allocations of random programs are right on all paths, and not much larger than the best ones."""

from __future__ import annotations

import itertools
from random import Random

import pytest
from allocated_programs import (
    Buffer,
    Use,
    Writer,
    allocations,
    damage,
    executions,
    header,
    optimum,
    simultaneous,
)
from small_programs import run_passes

PROGRAMS = 60
MOST_PATHS = 100
SPARE = 4096
"""Bytes that the pass may spend on saving barriers."""

Program = tuple[list[Buffer], list[list[Use]]]


def programs(seed: int, **options: object) -> list[Program]:
    """Programs with all their executions."""
    writer = Writer(Random(seed), **options)  # type: ignore[arg-type]
    texts = [writer.function(number) for number in range(PROGRAMS)]
    found = []
    for function in run_passes(texts, "--allocate-shared", header=header()):
        buffers = allocations(function)
        if uses := executions(function, buffers, MOST_PATHS):
            found.append((buffers, uses))
    assert len(found) > PROGRAMS / 3
    return found


KINDS: dict[str, dict[str, object]] = {
    "copies": {},
    "stores": {"copies": 0},
    "partitions": {"partitions": (0, 1, 2)},
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(2))
def test_no_access_damages_another_buffer(seed: int, kind: str) -> None:
    for number, (buffers, paths) in enumerate(programs(seed, **KINDS[kind])):
        offsets = {b: b.offset for b in buffers}
        for uses in paths:
            assert not damage(uses, offsets), (seed, kind, number)
        for one, other in itertools.combinations(buffers, 2):
            if len(one.partitions | other.partitions) > 1:
                assert are_apart(one, other), (seed, kind, number)


def are_apart(one: Buffer, other: Buffer) -> bool:
    ends = one.offset + one.bytes, other.offset + other.bytes
    return ends[0] <= other.offset or ends[1] <= one.offset


def test_alignment() -> None:
    for buffers, _ in programs(0):
        assert all(b.offset % b.alignment == 0 for b in buffers)


@pytest.mark.parametrize("kind", ["stores", "partitions"])
@pytest.mark.parametrize("seed", range(2))
def test_size(seed: int, kind: str) -> None:
    """At most half more than the best allocation for the lifetimes of the executions, as the pass
    does not know that branches exclude each other; a tenth on average."""
    totals, least = 0, 0
    for number, (buffers, paths) in enumerate(programs(seed, **{**KINDS[kind], "copies": 0})):
        total = max((b.offset + b.bytes for b in buffers), default=0)
        best = optimum(buffers, simultaneous(paths, buffers))
        assert best <= total <= 1.5 * best + SPARE, (seed, kind, number, best, total)
        totals, least = totals + total, least + best
    assert totals < 1.1 * least + SPARE


@pytest.mark.parametrize("kind", KINDS)
def test_faults_are_found(kind: str) -> None:
    """Buffers at one offset damage each other in some execution."""
    found, tried = 0, 0
    for buffers, paths in programs(0, **KINDS[kind]):
        for one, other in itertools.combinations(buffers, 2):
            offsets = {b: b.offset for b in buffers} | {other: one.offset}
            tried += frozenset((one, other)) in simultaneous(paths, buffers)
            found += any(damage(uses, offsets) for uses in paths)
    assert found > tried / 8 > 5
