"""Options and targets are checked by name and value."""

import re

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright import _core
from tilewright.compiler import Options, Target, resolve_target
from tilewright.errors import ArgumentError, DeviceError, OutOfResourcesError


def test_options_take_values_by_name():
    assert Options.make({"num_warps": 8}).num_warps == 8


@pytest.mark.parametrize(
    ("name", "meant"), [("num_warp", "num_warps"), ("BLOCK_SIZ", "BLOCK_SIZE"), ("debg", "debug")]
)
def test_an_unknown_option_names_the_close_one(name, meant):
    with pytest.raises(ArgumentError, match=f"'{name}' is neither .* did you mean '{meant}'"):
        Options.make({name: 1}, parameters=["x", "BLOCK_SIZE"])


def test_an_unknown_option_lists_all_where_none_is_close():
    with pytest.raises(ArgumentError, match=r"the options are .*num_warps, num_stages"):
        Options.make({"xyz": 1})


@pytest.mark.parametrize(
    "option",
    [{"num_warps": 3}, {"num_warps": 0}, {"num_stages": "2"}, {"debug": 2}, {"maxnreg": 1.5}],
)
def test_a_bad_value_is_refused(option):
    (name,) = option
    with pytest.raises(ArgumentError, match=f"option {name} must be"):
        Options.make(option)


def test_the_environment_sets_the_default_of_debug(monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_DEBUG", "1")
    assert Options().debug and not Options.make({"debug": False}).debug


def test_the_cpu_ignores_what_only_gpus_have():
    assert Options(num_warps=8).relevant("cpu") == Options(num_warps=4).relevant("cpu")


def test_the_default_target_is_the_cpu(monkeypatch):
    monkeypatch.delenv("TILEWRIGHT_TARGET", raising=False)
    assert resolve_target() == Target("cpu") == resolve_target("cpu:host")


def test_the_environment_sets_the_default_target(monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_TARGET", "cpu:avx2")
    assert str(resolve_target()) == "cpu:avx2"


def test_a_bad_default_target_says_where_it_came_from(monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_TARGET", "vax")
    with pytest.raises(DeviceError, match="'vax' \\(from TILEWRIGHT_TARGET\\)"):
        resolve_target()


def test_an_unknown_target_names_the_known_ones():
    with pytest.raises(DeviceError, match=r"did you mean 'cpu:avx512'(.|\n)*known targets: cpu,"):
        resolve_target("cpu:avx-512")


@pytest.mark.parametrize(
    "name", ["emulator", "emulator:", "emulator:cuda", "emulator:cuda:9", "cud", "cpu:avx"]
)
def test_a_suggested_target_is_another_one_that_exists(name):
    with pytest.raises(DeviceError) as info:
        resolve_target(name)
    message = str(info.value)
    [suggested] = re.findall(r"did you mean '(.*?)'", message)
    listed = re.findall(r"[^ ,]+", message.replace("known targets:", "").partition("\n")[2])
    assert suggested != name and name not in listed
    assert suggested == "cuda" or str(resolve_target(suggested)) == suggested


def test_a_kind_that_is_no_target_says_what_is_missing():
    with pytest.raises(DeviceError, match="the target 'emulator' needs an architecture"):
        resolve_target(" Emulator")


@tilewright.jit
def store_range(out, N: tl.constexpr):
    tl.store(out + tl.arange(0, N), 1)


LIMITED = [
    (kind.name, arch)
    for kind in _core.target_kinds()
    for arch in kind.architectures
    if kind.limits(arch)["threads"] is not None
]


def limits_of(kind, arch):
    return next(k for k in _core.target_kinds() if k.name == kind).limits(arch)


def test_the_limits_of_a_gpu_are_those_of_the_table():
    assert {kind for kind, _ in LIMITED} == {"cuda", "emulator", "hip"}
    for info in _core.nvidia_targets():
        arch = info.name.removeprefix("sm_")
        limits = limits_of("cuda", arch)
        assert limits["shared_bytes"] == info.shared_per_block
        assert limits["threads"] == info.threads_per_block
        assert limits["registers"] == info.registers_per_sm
        assert limits["registers_per_thread"] == info.registers_per_thread
        assert limits["grid"] == (2**31 - 1, 65535, 65535)
        for suffix in ("", "+checks"):
            assert limits_of("emulator", f"cuda:{arch}{suffix}") == limits


def test_a_program_on_a_processor_has_no_limits_but_those_of_its_position():
    limits = limits_of("cpu", "avx2")
    assert limits.pop("grid") == (2**31 - 1,) * 3
    assert set(limits.values()) == {None}


@pytest.mark.parametrize(("kind", "arch"), LIMITED)
def test_a_program_has_at_most_the_threads_of_its_target(kind, arch):
    limits = limits_of(kind, arch)
    warps = limits["threads"] // limits["lanes_per_warp"]
    with pytest.raises(OutOfResourcesError, match=f"num_warps is at most {warps}") as info:
        store_range.warmup(np.int32, N=16, target=f"{kind}:{arch}", num_warps=2 * warps)
    assert (info.value.resource, info.value.limit) == ("threads", limits["threads"])
    assert info.value.required == 2 * limits["threads"]


def test_numpy_numbers_are_options():
    options = Options.make({"num_warps": np.int64(8), "debug": np.bool_(True)})
    assert (type(options.num_warps), options.num_warps) == (int, 8)
    assert options.debug is True
    with pytest.raises(ArgumentError, match=r"num_warps must be a positive integer, not 8\.0"):
        Options.make({"num_warps": np.float32(8)})


def test_a_target_is_named_by_a_string():
    with pytest.raises(DeviceError, match="a target must be a string such as 'cpu', not 3"):
        resolve_target(3)
