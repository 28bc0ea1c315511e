"""A few random kernels with fixed seeds; fuzz.py runs others."""

from pathlib import Path

import pytest
from families import FAMILIES
from fuzz import check

from tilewright.compiler.targets import check_runnable
from tilewright.errors import DeviceError

RIGHT = (None, "inexact")


@pytest.mark.parametrize("seed", range(40))
def test_random_kernel(seed: int, tmp_path: Path) -> None:
    assert check(seed, ["cpu"], tmp_path, "mixed") in RIGHT


SEEDS = range(6, 9)  # of each family, none of which takes long to compile
SLOW = ("loops", "groups", "boxes", "epilogues", "exits")  # two seeds only

# Some GPUs have too little shared memory for tiles of 128 x 256.
LARGE = {"groups": pytest.mark.cpu_only("large tiles", compiles=False)}


@pytest.mark.parametrize("target", ["cpu", "emulator:cuda:80", "emulator:cuda:90a+checks"])
@pytest.mark.parametrize("family", [pytest.param(f, marks=LARGE.get(f, ())) for f in FAMILIES])
def test_random_kernels_of_each_family(family: str, target: str, tmp_path: Path) -> None:
    for seed in SEEDS[:2] if family in SLOW else SEEDS:
        assert check(seed, [target], tmp_path, family) in RIGHT


@pytest.mark.parametrize("family", FAMILIES)
def test_random_kernels_on_amd(family: str, tmp_path: Path) -> None:
    """In waves of 64 and of 32 lanes."""
    if family == "assembly":
        pytest.skip("inline assembly is not supported on AMD's GPUs yet")
    targets = ["emulator:hip:gfx942+checks", "emulator:hip:gfx1100+checks"]
    for seed in SEEDS[1:]:
        assert check(seed, targets, tmp_path, family) in RIGHT


@pytest.mark.parametrize("target", ["cpu:avx2", "cpu:sse2"])
@pytest.mark.parametrize("seed", range(40, 60))
def test_random_kernel_for_other_processors(seed: int, target: str, tmp_path: Path) -> None:
    try:
        check_runnable(target)
    except DeviceError as error:
        pytest.skip(str(error))
    assert check(seed, [target], tmp_path, "mixed") in RIGHT
