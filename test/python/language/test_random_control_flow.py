"""A few kernels with random control flow; random_control_flow.py runs others."""

from __future__ import annotations

from pathlib import Path

import pytest
from random_control_flow import find_difference


@pytest.mark.parametrize("seed", range(5))
def test_random_control_flow(seed: int, tmp_path: Path) -> None:
    repeat = f"python test/python/language/random_control_flow.py {seed} {seed + 1} --show"
    assert find_difference(seed, tmp_path) is None, repeat
