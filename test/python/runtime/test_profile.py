"""Handwritten profiles: sums, lines, JSON, and the listing of the source with the counts."""

import json

import pytest

from tilewright.runtime.profile import Counts, KernelProfile, MemoryCounts, merge

SOURCE = """\
import tilewright.language as tl


def helper(x):
    return x + 1


def kernel(x, y):
    a = tl.load(x)
    # 10
    # 11
    # 12
    # 13
    # 14
    # 15
    # 16
    # 17
    b = tl.trans(helper(a))
    tl.store(y, b)
"""

NOTHING = {"requests": 0, "bytes": 0, "transfers": 0, "ideal": 0}


def memory(requests, size, transfers, ideal):
    return {"requests": requests, "bytes": size, "transfers": transfers, "ideal": ideal}


def site(line, column=5, file="kernel.py", barriers=0, instructions=(), **memories):
    kinds = ("global_loads", "global_stores", "shared_loads", "shared_stores")
    return {
        "file": file,
        "line": line,
        "column": column,
        **{kind: memories.get(kind, NOTHING) for kind in kinds},
        "barriers": barriers,
        "instructions": dict(instructions),
    }


def profile_of(*sites, name="kernel", grid=(4, 1, 1)):
    return KernelProfile.make(name, "emulator:cuda:90a", grid, sites)


LOAD = site(9, global_loads=memory(8, 1024, 32, 32), instructions={"global": 8, "integer": 20})
STORE = site(19, global_stores=memory(8, 1024, 96, 32), instructions={"global": 8})
EXCHANGE = [
    site(18, 9, shared_stores=memory(8, 1024, 8, 8), instructions={"shared": 8}),
    site(
        18,
        13,
        shared_loads=memory(8, 1024, 256, 8),
        barriers=4,
        instructions={"shared": 8, "barrier": 4},
    ),
]


def test_totals_are_the_sums_of_all_sites():
    totals = profile_of(LOAD, STORE, *EXCHANGE).totals
    assert totals.global_memory == MemoryCounts(16, 2048, 128, 64)
    assert totals.shared_memory == MemoryCounts(16, 2048, 264, 16)
    assert totals.barriers == 4
    assert totals.instructions == {"global": 16, "integer": 20, "shared": 16, "barrier": 4}


def test_conflicts_are_the_wavefronts_beyond_the_ideal():
    assert profile_of(LOAD, *EXCHANGE).shared_conflicts == 248


def test_sector_efficiency_is_the_ideal_by_the_sectors():
    assert profile_of(LOAD).sector_efficiency == 1.0
    assert profile_of(LOAD, STORE).sector_efficiency == 0.5


def test_without_accesses_nothing_is_lost():
    assert profile_of().sector_efficiency == 1.0
    assert profile_of().shared_conflicts == 0


def test_sites_of_a_line_are_one_line():
    lines = profile_of(STORE, *EXCHANGE).lines()
    assert [line.line for line in lines] == [18, 19]
    assert lines[0].counts.shared_memory == MemoryCounts(16, 2048, 264, 16)
    assert lines[0].counts.instructions == {"shared": 16, "barrier": 4}


def test_lines_of_several_files_are_apart():
    lines = profile_of(site(3, file="b.py", barriers=1), site(3, file="a.py", barriers=2)).lines()
    assert [(line.file, line.counts.barriers) for line in lines] == [("a.py", 2), ("b.py", 1)]


def test_sites_without_counts_are_left_out():
    assert profile_of(site(7), LOAD, site(8)).lines() == profile_of(LOAD).lines()


def test_an_unknown_place_is_line_zero():
    profile = profile_of(site(None, None, file=None, instructions={"integer": 3}))
    assert [(line.file, line.line) for line in profile.lines()] == [("", 0)]


def test_json_holds_everything():
    profile = profile_of(LOAD, *EXCHANGE)
    data = json.loads(profile.to_json())
    assert data["sites"][0] == LOAD
    again = KernelProfile.make(
        data["name"], data["target"], data["grid"], data["sites"], data["launches"]
    )
    assert again == profile


def test_launches_on_one_grid_add_up():
    first, other = profile_of(LOAD), profile_of(LOAD, grid=(5, 1, 1))
    twice, once = merge([first, other, profile_of(LOAD, STORE)])
    assert (twice.launches, once.launches) == (2, 1)
    assert twice.totals == first.totals + first.totals + profile_of(STORE).totals
    assert once == other


def test_counts_of_nothing_are_false():
    assert not Counts()
    assert not Counts(instructions={"float": 0})
    assert Counts(instructions={"float": 1})
    assert Counts(shared_stores=MemoryCounts(requests=1))


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "kernel.py"
    path.write_text(SOURCE)
    return str(path)


def listing(file, *sites):
    return str(profile_of(*({**found, "file": file} for found in sites))).splitlines()


def row(lines, text):
    """The cells of the row whose source line is `text`."""
    (found,) = [line for line in lines if line.endswith("| " + text)]
    return found[: -len(text)].strip(" |").split()


def test_a_line_has_its_counts_beside_it(file):
    lines = listing(file, LOAD, STORE)
    assert row(lines, "    a = tl.load(x)") == ["9", "1024", "4", "4", "20", "8"]
    assert row(lines, "    tl.store(y, b)") == ["19", "1024", "12*", "4", "8"]


def test_wavefronts_and_barriers_stand_beside_their_line(file):
    lines = listing(file, *EXCHANGE)
    assert row(lines, "    b = tl.trans(helper(a))") == ["18", "2048", "16.5*", "1", "4", "16"]


def test_memory_that_is_not_used_has_no_column(file):
    text = "\n".join(listing(file, LOAD)[:-3])
    assert "sectors/" in text and "waves/" not in text and "barriers" not in text


def test_lines_without_counts_are_shown_where_others_are_near(file):
    lines = listing(file, LOAD, STORE)
    shown = [line.split()[0] for line in lines if "|" in line]
    assert shown == ["global", "line", *map(str, range(8, 13)), "...", *map(str, range(16, 20))]


def test_a_gap_of_one_line_is_filled(file):
    lines = listing(file, LOAD, {**LOAD, "line": 16})
    shown = [line.split()[0] for line in lines if "|" in line]
    assert shown[2:] == [str(line) for line in range(8, 20)]


def test_the_kernel_comes_first_and_functions_are_apart(file):
    lines = listing(file, site(5, instructions={"float": 7}), LOAD)
    headings = [line for line in lines if line.startswith(file)]
    assert headings == [f"{file}, kernel", f"{file}, helper"]
    assert row(lines, "    return x + 1") == ["5", "7"]


def test_classes_with_few_instructions_share_a_column(file):
    names = ["integer", "float", "special", "matrix", "warp", "control", "other"]
    counts = {name: 100 - index for index, name in enumerate(names)}
    lines = listing(file, site(9, instructions=counts))
    title = next(line for line in lines if line.startswith("line"))
    assert title.strip(" |").split() == ["line", *names[:5], "rest"]
    assert row(lines, "    a = tl.load(x)") == ["9", "100", "99", "98", "97", "96", "189"]


def test_large_numbers_are_short(file):
    counts = {"float": 99_999, "integer": 123_456, "special": 1_234_567, "warp": 999_999_999}
    lines = listing(file, site(9, instructions=counts))
    assert row(lines, "    a = tl.load(x)") == ["9", "1G", "1.23M", "123k", "99999"]


def test_the_sums_are_below(file):
    lines = listing(file, LOAD, STORE, *EXCHANGE)
    assert lines[0] == "kernel on emulator:cuda:90a, grid 4 x 1 x 1"
    assert lines[-3:] == [
        "global memory  2048 bytes, 128 sectors, ideal 64 (50%)",
        "shared memory  2048 bytes, 264 wavefronts, ideal 16 (248 of bank conflicts)",
        "warps          56 instructions, 4 barriers",
    ]


def test_the_terms_are_those_of_the_target(file):
    sites = [{**found, "file": file} for found in (LOAD, *EXCHANGE)]
    profile = KernelProfile.make("kernel", "emulator:hip:gfx942", (4, 1, 1), sites)
    text = str(profile)
    assert "lines/" in text
    assert "phases/" in text
    assert text.splitlines()[-3:] == [
        "global memory  1024 bytes, 32 lines, ideal 32 (100%)",
        "LDS            2048 bytes, 264 phases, ideal 16 (248 of bank conflicts)",
        "waves          48 instructions, 4 barriers",
    ]
    assert profile.global_efficiency == profile.sector_efficiency == 1.0


def test_a_file_that_is_gone_shows_its_counts(tmp_path):
    lines = listing(str(tmp_path / "gone.py"), LOAD)
    assert any(line.split()[:2] == ["9", "1024"] for line in lines)


def test_a_file_that_is_no_python_shows_its_lines(tmp_path):
    path = tmp_path / "kernel.txt"
    path.write_text("if (\n" * 9)
    assert row(listing(str(path), LOAD), "if (")[:2] == ["9", "1024"]


def test_unknown_lines_come_last(file):
    lines = listing(file, LOAD)
    unknown = profile_of({**LOAD, "file": file}, site(0, file="", instructions={"integer": 5}))
    text = str(unknown).splitlines()
    assert text[: len(lines) - 4] == lines[: len(lines) - 4]
    where = text.index("unknown lines")
    assert text[where + 3].strip(" |").split() == ["?", "5"]
