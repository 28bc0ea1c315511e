"""`tilewright.emulate`: the launches that it affects, and their settings."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright.errors import EmulationError

pytestmark = pytest.mark.cpu_only("tests emulated GPUs", compiles=False)


@tilewright.jit
def store_twice(out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i // 2, i)


def launch(**options: object) -> None:
    store_twice[(1,)](np.zeros(64, np.int32), BLOCK=64, **options)


def test_one_object_is_entered_within_itself() -> None:
    emulation = tilewright.emulate(checks=True)
    with emulation:
        with emulation, pytest.raises(EmulationError):
            launch()
        with pytest.raises(EmulationError):
            launch()
    launch()


def test_a_target_with_checks_is_checked_where_none_were_asked_for() -> None:
    with tilewright.emulate("cuda:80", seed=1):
        launch()
        with pytest.raises(EmulationError):
            launch(target="emulator:cuda:80+checks")


def test_profiles_name_the_target_of_their_launch() -> None:
    with tilewright.emulate("cuda:80", profile=True) as emulation:
        launch()
        launch(target="emulator:cuda:90a+checks")
    targets = [profile.target for profile in emulation.profiles]
    assert targets == ["emulator:cuda:80", "emulator:cuda:90a"]
