"""Kernels compile for AArch64 on any machine, and run only on an AArch64 machine."""

from __future__ import annotations

import platform
import re
import runpy
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tilewright import cli, compiler
from tilewright.errors import DeviceError

pytestmark = pytest.mark.cpu_only("tests code for AArch64", compiles=False)
on_another_machine = pytest.mark.skipif(
    platform.machine() == "aarch64", reason="the code runs on this machine"
)
TUTORIALS = Path(__file__).resolve().parents[3] / "docs" / "tutorials"
PROCESSORS = ["cortex-a72", "neoverse-v2"]
KERNELS = {
    "01_vector_add": ("add_kernel", ["*fp32:D", "*fp32:D", "*fp32:D", "i32", 1024]),
    "02_fused_softmax": ("softmax_kernel", ["*fp32", "*fp32", "i32", "i32", "i32", 1024]),
    "03_dropout": ("dropout_kernel", ["*fp32:D", "*fp32:D", "i32", "fp32", "i32", 1024]),
    "04_layer_norm": ("forward_kernel", [*["*fp32:D"] * 6, "i32", "i32", "fp32", 1024]),
    "05_matmul": ("matmul_kernel", [*["*fp32:D"] * 3, *["i32:D"] * 9, 128, 64, 64, 8]),
}
EM_AARCH64 = 183


def tutorial(name: str, processor: str) -> Any:
    pytest.importorskip("torch")
    kernel, signature = KERNELS[name]
    fn = runpy.run_path(str(TUTORIALS / f"{name}.py"))[kernel]
    return compiler.compile(fn, signature, f"cpu:{processor}", noalias=True)


@pytest.mark.parametrize("processor", PROCESSORS)
@pytest.mark.parametrize("name", KERNELS)
def test_the_object_file_is_for_aarch64(name: str, processor: str) -> None:
    header = tutorial(name, processor).object[:64]
    (machine,) = struct.unpack_from("<H", header, 18)
    assert header.startswith(b"\x7fELF") and machine == EM_AARCH64


def test_only_neoverse_v2_has_predicated_accesses() -> None:
    older, newer = (tutorial("02_fused_softmax", p).ir("asm") for p in PROCESSORS)
    assert re.search(r"ld1w\t\{ z\d+\.s \}, p\d/z", newer)
    assert not re.search(r"\bp\d+/[zm]|\bz\d+\.[bhsd]", older)


@pytest.mark.parametrize("processor", PROCESSORS)
def test_the_loop_of_a_matmul_multiplies_by_elements(processor: str) -> None:
    """For each k: four vectors of B, four elements of A, and no spills."""
    lines = [line.strip() for line in tutorial("05_matmul", processor).ir("asm").splitlines()]
    first = next(i for i, line in enumerate(lines) if re.match(r"fmla.*\.s\[0\]", line))
    begin = max(i for i in range(first) if lines[i].startswith(".LBB"))
    end = next(i for i in range(first, len(lines)) if lines[i].startswith("b."))
    loop = "\n".join(lines[begin : end + 1])
    assert len(re.findall(r"^fmla\tv\d+\.4s", loop, re.M)) == 32
    assert not re.search(r"\[sp|^st", loop, re.M)


@on_another_machine
@pytest.mark.parametrize("processor", [*PROCESSORS, "neon", "sve2"])
def test_another_machine_refuses_to_run_it(processor: str) -> None:
    pytest.importorskip("torch")
    add = runpy.run_path(str(TUTORIALS / "01_vector_add.py"))["add_kernel"]
    x = np.zeros(16, np.float32)
    with pytest.raises(DeviceError, match=f"'cpu:{processor}' can't run here: it is for AArch64"):
        add[(1,)](x, x, x, 16, BLOCK=16, target=f"cpu:{processor}")


@pytest.mark.parametrize("phase", ["vector", "llvm", "asm"])
def test_the_command_line_prints_each_phase(phase: str, capfd: Any) -> None:
    kernel = f"{TUTORIALS / '02_fused_softmax.py'}:softmax_kernel"
    signature = "*fp32,*fp32,i32,i32,i32,1024"
    arguments = ["compile", kernel, "-s", signature, "-t", "cpu:neoverse-v2", "-e", phase]
    assert cli.main(arguments) == 0
    printed, errors = capfd.readouterr()
    expected = {"vector": "vector<16xf32>", "llvm": 'target-cpu"="neoverse-v2', "asm": "fmla\tv"}
    assert expected[phase] in printed and errors == ""
