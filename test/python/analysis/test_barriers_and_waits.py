"""Barriers and waits of random programs are sufficient and necessary on all paths."""

from random import Random

import pytest
from small_programs import Event, Op, Writer, offsets, paths, run_passes

PROGRAMS = 60


def programs(seed: int) -> list[tuple[list[Op], list[list[Event]]]]:
    writer = Writer(Random(seed))
    texts = [writer.function(number) for number in range(PROGRAMS)]
    results = []
    for function in run_passes(texts, "--insert-barriers", "--resolve-waits"):
        if executions := paths(function):
            results.append((function, executions))
    assert len(results) > PROGRAMS / 3
    return results


def has_race(events: list[Event], places: dict[str, int], without: Op | None = None) -> bool:
    """Whether two accesses conflict and there is no barrier between them."""
    recent: list[Event] = []
    for event in events:
        if event.kind == "barrier" and event.op is not without:
            recent = []
        elif event.kind == "access":
            if event.starts and any(conflict(earlier, event, places) for earlier in recent):
                return True
            if event.ends:
                recent.append(event)
    return False


def conflict(left: Event, right: Event, places: dict[str, int]) -> bool:
    near = abs(places[left.buffer] - places[right.buffer]) < 256
    copies = all("tilegpu.async_copy" in event.op.text for event in (left, right))
    is_own = copies and left.buffer == right.buffer  # each thread copies the same elements again
    return near and (left.isWrite or right.isWrite) and left.op is not right.op and not is_own


@pytest.mark.parametrize("seed", range(2))
def test_barriers(seed: int) -> None:
    barriers = 0
    for number, (function, executions) in enumerate(programs(seed)):
        places = offsets(function)
        assert not any(has_race(events, places) for events in executions), (seed, number)
        for barrier in all_barriers(function):
            barriers += 1
            assert any(has_race(events, places, barrier) for events in executions), (seed, number)
    assert barriers > 30


def all_barriers(ops: list[Op]) -> list[Op]:
    found = [op for op in ops if op.text.startswith("tilegpu.barrier")]
    return found + [b for op in ops for region in op.regions for b in all_barriers(region)]


@pytest.mark.parametrize("seed", range(2))
def test_waits_leave_as_many_groups_in_flight_as_they_can(seed: int) -> None:
    depths = set()
    for number, (_, executions) in enumerate(programs(seed)):
        required: dict[int, list[int]] = {}
        texts = {}
        for event in (event for events in executions for event in events if event.kind == "wait"):
            texts[id(event.op)] = event.op.text
            if event.required is not None:
                required.setdefault(id(event.op), []).append(event.required)
        for op, groups in required.items():
            assert f"pending {min(groups)}" in texts[op], (seed, number, texts[op])
            depths.add(min(groups))
    assert {0, 1, 2} <= depths
