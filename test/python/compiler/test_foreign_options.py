"""Launches accept Triton's options that cannot change a result, and refuse the others."""

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright.compiler.foreign_options import FOREIGN_OPTIONS
from tilewright.compiler.options import Options, all_options
from tilewright.errors import ArgumentError


@tilewright.jit
def increment(x, waves: tl.constexpr = 1):
    tl.store(x, tl.load(x) + waves)


@pytest.mark.parametrize(
    "options",
    [
        {"launch_pdl": True},
        {"launch_cooperative_grid": False, "allow_flush_denorm": True},
        {"waves_per_eu": 0, "schedule_hint": "attention"},
        {"waves_per_eu": 2, "matrix_instr_nonkdim": 16, "kpack": 2, "num_warps": 8},
        {"maxnreg": 128, "ptx_options": ""},
        {"cluster_dims": (1, 1, 1), "num_ctas": 1, "arch": None},
        {"launch_cooperative_grid": np.bool_(False)},
    ],
)
def test_hints_and_defaults_are_accepted(options) -> None:
    x = np.zeros(1, np.float32)
    increment[(1,)](x, **options)
    assert x[0] == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"launch_cooperative_grid": True}, "launch_cooperative_grid must be False, not True"),
        ({"launch_cooperative_grid": 1}, "launch_cooperative_grid must be False, not 1"),
        ({"cluster_dims": (2, 1, 1)}, r"cluster_dims must be \(1, 1, 1\), not \(2, 1, 1\)"),
        ({"arch": "sm80"}, "arch must be None, not 'sm80'"),
        ({"ir_override": "kernel.ttgir"}, "ir_override must be a file of Tile IR"),
    ],
)
def test_an_option_that_could_change_a_result_is_an_error(options, message) -> None:
    x = np.zeros(1, np.float32)
    with pytest.raises(ArgumentError, match=message):
        increment[(1,)](x, **options)
    assert x[0] == 0


def test_a_misspelled_option_is_an_error() -> None:
    with pytest.raises(ArgumentError, match="'wave_per_eu' is neither a parameter nor an option"):
        increment[(1,)](np.zeros(1, np.float32), wave_per_eu=2)


def test_a_parameter_takes_precedence() -> None:
    @tilewright.jit
    def kernel(x, kpack: tl.constexpr):
        tl.store(x, tl.load(x) + kpack)

    x = np.zeros(1, np.float32)
    kernel[(1,)](x, kpack=5)
    assert x[0] == 5


def test_a_missing_argument_is_not_blamed_on_an_option() -> None:
    with pytest.raises(ArgumentError) as error:
        increment[(1,)](waves_per_eu=2)
    assert "missing argument 'x'" in str(error.value) and "waves_per_eu" not in str(error.value)


def test_they_are_not_options_of_a_compilation() -> None:
    assert dict(Options.make({"kpack": 2})) == dict(Options.make({}))
    assert not set(FOREIGN_OPTIONS) & set(all_options())
