"""Profiles: counts of what the hardware would do for a launch, by line of the kernel.

Emulated launches produce them; see `tilewright.emulate`. Counts cover all programs of the grid. A
request is an instruction of a warp that accesses memory. On NVIDIA's GPUs global memory is
transferred in sectors of 32 bytes, and shared memory in wavefronts of 32 banks of 4 bytes; on AMD's
in lines of the first cache and in phases of the banks of LDS (docs/emulator.md).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class MemoryCounts:
    """Counts of one kind of memory access.

    Attributes:
        requests: Warp-level instructions.
        bytes: Bytes that their lanes access.
        transfers: Sectors or lines of global memory, wavefronts or phases of shared memory.
        ideal: The minimum number of transfers for the same number of distinct bytes.
    """

    requests: int = 0
    bytes: int = 0
    transfers: int = 0
    ideal: int = 0

    def __add__(self, other: MemoryCounts) -> MemoryCounts:
        return MemoryCounts(
            self.requests + other.requests,
            self.bytes + other.bytes,
            self.transfers + other.transfers,
            self.ideal + other.ideal,
        )

    @property
    def excess(self) -> int:
        """Transfers above the ideal number."""
        return self.transfers - self.ideal

    @property
    def efficiency(self) -> float:
        """`ideal / transfers`, or 1 if there are no transfers."""
        return self.ideal / self.transfers if self.transfers else 1.0


@dataclass(frozen=True)
class Counts:
    """The counts at a source position. Atomic operations count as stores.

    Attributes:
        global_loads, global_stores, shared_loads, shared_stores: Memory accesses.
        barriers: Barriers executed, per warp.
        instructions: Warp-level instructions, by class: {"float": 128, ...}.
    """

    global_loads: MemoryCounts = MemoryCounts()
    global_stores: MemoryCounts = MemoryCounts()
    shared_loads: MemoryCounts = MemoryCounts()
    shared_stores: MemoryCounts = MemoryCounts()
    barriers: int = 0
    instructions: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def make(cls, counts: Mapping[str, Any]) -> Counts:
        """Makes counts from a dict with these fields, of nested dicts; ignores other keys."""
        return cls(
            MemoryCounts(**counts["global_loads"]),
            MemoryCounts(**counts["global_stores"]),
            MemoryCounts(**counts["shared_loads"]),
            MemoryCounts(**counts["shared_stores"]),
            counts["barriers"],
            dict(counts["instructions"]),
        )

    def __add__(self, other: Counts) -> Counts:
        instructions = Counter(self.instructions)
        instructions.update(other.instructions)
        return Counts(
            self.global_loads + other.global_loads,
            self.global_stores + other.global_stores,
            self.shared_loads + other.shared_loads,
            self.shared_stores + other.shared_stores,
            self.barriers + other.barriers,
            dict(instructions),
        )

    def __bool__(self) -> bool:
        """Whether any count is not zero."""
        memory = (self.global_memory + self.shared_memory).requests
        return bool(memory or self.barriers or any(self.instructions.values()))

    @property
    def global_memory(self) -> MemoryCounts:
        """Loads and stores of global memory."""
        return self.global_loads + self.global_stores

    @property
    def shared_memory(self) -> MemoryCounts:
        """Loads and stores of shared memory."""
        return self.shared_loads + self.shared_stores

    @property
    def shared_conflicts(self) -> int:
        """Wavefronts or phases of shared memory that are due to bank conflicts."""
        return self.shared_memory.excess

    @property
    def global_efficiency(self) -> float:
        """The ideal number of transfers of global memory by the actual number; at most 1."""
        return self.global_memory.efficiency

    @property
    def sector_efficiency(self) -> float:
        """Another name of `global_efficiency`."""
        return self.global_efficiency


@dataclass(frozen=True)
class Site:
    """A source position and its counts; `column` counts from 1. Unknown positions are "", 0, 0."""

    file: str
    line: int
    column: int
    counts: Counts


@dataclass(frozen=True)
class Line:
    """The counts of all positions in a line; unknown positions are line 0 of ""."""

    file: str
    line: int
    counts: Counts


@dataclass(frozen=True)
class KernelProfile:
    """The counts of a kernel's launches with one grid. `str` prints them next to the source.

    Attributes:
        name: The kernel's name.
        target: "emulator:cuda:90a", ...
        grid: The number of programs along each axis.
        sites: The source positions with counts, each once.
        launches: The number of launches that the counts add up.
    """

    name: str
    target: str
    grid: tuple[int, int, int]
    sites: tuple[Site, ...]
    launches: int = 1

    @classmethod
    def make(
        cls,
        name: str,
        target: str,
        grid: Sequence[int],
        sites: Iterable[Mapping[str, Any]],
        launches: int = 1,
    ) -> KernelProfile:
        """Makes a profile from dicts, one per site: file, line, column and fields of Counts."""
        places = (
            Site(site["file"] or "", site["line"] or 0, site["column"] or 0, Counts.make(site))
            for site in sites
        )
        x, y, z = grid
        return cls(name, target, (x, y, z), _each_once(places), launches)

    @property
    def totals(self) -> Counts:
        return sum((site.counts for site in self.sites), Counts())

    @property
    def shared_conflicts(self) -> int:
        """Wavefronts or phases of shared memory that are due to bank conflicts."""
        return self.totals.shared_conflicts

    @property
    def global_efficiency(self) -> float:
        """The ideal number of transfers of global memory by the actual number; at most 1."""
        return self.totals.global_efficiency

    @property
    def sector_efficiency(self) -> float:
        """Another name of `global_efficiency`."""
        return self.global_efficiency

    def lines(self) -> list[Line]:
        """The counts of each line, ordered by file and line."""
        merged: dict[tuple[str, int], Counts] = {}
        for site in self.sites:
            key = (site.file, site.line)
            merged[key] = merged.get(key, Counts()) + site.counts
        return [Line(*key, merged[key]) for key in sorted(merged)]

    def to_dict(self) -> dict[str, Any]:
        """The profile as plain data; `make(**data)` restores it."""
        sites = [
            {"file": site.file, "line": site.line, "column": site.column, **asdict(site.counts)}
            for site in self.sites
        ]
        return {
            "name": self.name,
            "target": self.target,
            "grid": list(self.grid),
            "launches": self.launches,
            "sites": sites,
        }

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), indent=2)

    def __str__(self) -> str:
        from tilewright.runtime.profile_text import listing

        return listing(self)


def merge(profiles: Iterable[KernelProfile]) -> list[KernelProfile]:
    """Adds up launches with the same kernel, target and grid; ordered by first launch."""
    groups: dict[tuple[str, str, tuple[int, int, int]], list[KernelProfile]] = {}
    for profile in profiles:
        groups.setdefault((profile.name, profile.target, profile.grid), []).append(profile)
    return [
        KernelProfile(
            *key,
            _each_once(site for profile in group for site in profile.sites),
            sum(profile.launches for profile in group),
        )
        for key, group in groups.items()
    ]


def _each_once(sites: Iterable[Site]) -> tuple[Site, ...]:
    merged: dict[tuple[str, int, int], Counts] = {}
    for site in sites:
        if site.counts:
            key = (site.file, site.line, site.column)
            merged[key] = merged.get(key, Counts()) + site.counts
    return tuple(Site(*key, counts) for key, counts in merged.items())
