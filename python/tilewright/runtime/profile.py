"""Profiles: what a launch would have had the hardware do, counted by line of the kernel.

An emulated launch gives them; see `tilewright.emulate`. Counts are of all programs of the grid. A
request is an instruction of a warp that accesses memory; global memory moves in sectors of 32
bytes, shared memory in wavefronts of 32 banks of 4 bytes.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class MemoryCounts:
    """Accesses of one kind.

    Attributes:
        requests: Instructions of warps.
        bytes: What their lanes ask for.
        transfers: Sectors of global memory, wavefronts of shared memory.
        ideal: The fewest transfers for as many different bytes.
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
        """Transfers that other addresses would not need."""
        return self.transfers - self.ideal

    @property
    def efficiency(self) -> float:
        """The ideal by the transfers; 1 where there are none."""
        return self.ideal / self.transfers if self.transfers else 1.0


@dataclass(frozen=True)
class Counts:
    """What is counted at a place. Atomic operations are stores.

    Attributes:
        barriers: How often warps came to one.
        instructions: Instructions of warps, by class: {"float": 128, ...}.
    """

    global_loads: MemoryCounts = MemoryCounts()
    global_stores: MemoryCounts = MemoryCounts()
    shared_loads: MemoryCounts = MemoryCounts()
    shared_stores: MemoryCounts = MemoryCounts()
    barriers: int = 0
    instructions: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def make(cls, counts: Mapping[str, Any]) -> Counts:
        """Of a dict with these fields, those of memory dicts too; others are left alone."""
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
        """Whether anything was counted."""
        memory = (self.global_memory + self.shared_memory).requests
        return bool(memory or self.barriers or any(self.instructions.values()))

    @property
    def global_memory(self) -> MemoryCounts:
        """Loads and stores."""
        return self.global_loads + self.global_stores

    @property
    def shared_memory(self) -> MemoryCounts:
        """Loads and stores."""
        return self.shared_loads + self.shared_stores

    @property
    def shared_conflicts(self) -> int:
        """Wavefronts of shared memory that are due to conflicts of banks."""
        return self.shared_memory.excess

    @property
    def sector_efficiency(self) -> float:
        """Which part of the sectors of global memory the bytes asked for would fill."""
        return self.global_memory.efficiency


@dataclass(frozen=True)
class Site:
    """A place that instructions come from, with `column` from 1; an unknown one is "", 0, 0."""

    file: str
    line: int
    column: int
    counts: Counts


@dataclass(frozen=True)
class Line:
    """All places of a line; the unknown ones are line 0 of ""."""

    file: str
    line: int
    counts: Counts


@dataclass(frozen=True)
class KernelProfile:
    """The counts of a kernel's launches on one grid. `str` shows them beside the source.

    Attributes:
        name: The kernel's.
        target: "emulator:cuda:90a", ...
        grid: The number of programs along each axis.
        sites: Where something was counted; each place once.
        launches: How many were added up.
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
        """Of one dict for each site, with file, line, column and the fields of Counts."""
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
        """Wavefronts of shared memory that are due to conflicts of banks."""
        return self.totals.shared_conflicts

    @property
    def sector_efficiency(self) -> float:
        """Which part of the sectors of global memory the bytes asked for would fill."""
        return self.totals.sector_efficiency

    def lines(self) -> list[Line]:
        """What each line has, in the order of files and lines."""
        merged: dict[tuple[str, int], Counts] = {}
        for site in self.sites:
            key = (site.file, site.line)
            merged[key] = merged.get(key, Counts()) + site.counts
        return [Line(*key, merged[key]) for key in sorted(merged)]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, from whose parts `make` makes the same profile."""
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
    """Adds up the launches of a kernel on the same grid of the same target, by first launch."""
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
