"""Options of launches that the driver performs: launch_pdl and launch_cooperative_grid."""

from __future__ import annotations

import fake_cuda
import numpy as np
import pytest
from fake_cuda import Tensor

import tilewright
import tilewright.language as tl
from tilewright import compiler
from tilewright.compiler import Options, resolve_target
from tilewright.errors import ArgumentError, DeviceError

COOPERATIVE, PROGRAMMATIC_STREAM_SERIALIZATION = "2", "6"  # CUlaunchAttributeID


@tilewright.jit
def copy(x, out, N: tl.constexpr):
    tl.extra.cuda.gdc_wait()
    value = tl.load(x + tl.arange(0, N))
    tl.extra.cuda.gdc_launch_dependents()
    tl.store(out + tl.arange(0, N), value)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, {}),
        ({"launch_pdl": True}, {PROGRAMMATIC_STREAM_SERIALIZATION: 1}),
        ({"launch_cooperative_grid": True}, {COOPERATIVE: 1}),
        (
            {"launch_pdl": True, "launch_cooperative_grid": True},
            {PROGRAMMATIC_STREAM_SERIALIZATION: 1, COOPERATIVE: 1},
        ),
    ],
)
def test_attributes_of_a_launch(on_cuda, options, expected) -> None:
    @tilewright.jit
    def kernel(x, n):
        pass

    on_cuda(kernel, "8,4", shared_bytes=512, **options)
    fake_cuda.set_stream(0x77)
    kernel[(3, 2)](Tensor.make(1, 64), 7)
    (launch,) = fake_cuda.launches()
    assert launch["attributes"] == expected
    assert (launch["grid"], launch["threads"], launch["shared"]) == ([3, 2, 1], 128, 512)
    assert (launch["device"], launch["stream"]) == (1, 0x77)
    assert launch["parameters"] == [fake_cuda.address(1, 64), 7]


def test_a_grid_that_does_not_fit(on_cuda, cuda) -> None:
    @tilewright.jit
    def kernel(x):
        pass

    on_cuda(kernel, "8", launch_cooperative_grid=True)
    cuda.configure("cuLaunchKernelEx=720")
    with pytest.raises(DeviceError, match="all programs run at the same time"):
        kernel[(100,)](Tensor.make())


def metadata_of(target: str, **options: bool) -> dict[str, object]:
    made = compiler.compile(
        copy, ["*fp32", "*fp32", 64], resolve_target(target), Options.make(options)
    )
    return made.metadata


@pytest.mark.parametrize(("target", "overlaps"), [("80", False), ("89", False), ("90a", True),
                                                  ("100a", True), ("120a", True)])  # fmt: skip
def test_only_later_gpus_overlap_launches(target, overlaps) -> None:
    metadata = metadata_of(f"cuda:{target}", launch_pdl=True, launch_cooperative_grid=True)
    assert metadata["launch_pdl"] is overlaps
    assert metadata["launch_cooperative_grid"] is True
    assert metadata_of(f"cuda:{target}")["launch_pdl"] is False


@pytest.mark.parametrize("target", ["cpu", "cuda:90a"])
def test_other_targets_refuse_cooperative_launches(target) -> None:
    x, out = np.ones(64, np.float32), np.zeros(64, np.float32)
    options = {"launch_pdl": True, "launch_cooperative_grid": True}
    kind = "cpu" if target == "cpu" else "emulator"
    expected = f"launch_cooperative_grid must be False, not True: the target '{kind}'"
    with pytest.raises(ArgumentError, match=expected):
        if target == "cpu":
            copy[(1,)](x, out, 64, **options)
        else:
            with tilewright.emulate(target):
                copy[(1,)](x, out, 64, **options)
