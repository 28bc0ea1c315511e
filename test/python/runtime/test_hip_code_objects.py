"""Code objects of LLVM's assembler and linker, whose notes are those of real kernels."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from tilewright import _core
from tilewright.errors import DeviceError

# A kernel with the arguments (ptr, i32, f16, i1, f64), and one that the runtime fills in.
SOURCE = """
.amdgcn_target "amdgcn-amd-amdhsa--{arch}"
.text
.globl add
.p2align 8
.type add,@function
add:
  s_endpgm
.size add, .-add
.rodata
.p2align 6
.amdhsa_kernel add
  .amdhsa_next_free_vgpr 24
  .amdhsa_next_free_sgpr 16
  .amdhsa_group_segment_fixed_size 512
  {more}
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--{arch}
amdhsa.kernels:
  - .name: add
    .symbol: add.kd
    .kernarg_segment_size: 28
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 512
    .private_segment_fixed_size: 64
    .wavefront_size: {lanes}
    .sgpr_count: 16
    .vgpr_count: 24
    .max_flat_workgroup_size: 256
    .args:
      - {{.offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}}
      - {{.offset: 8, .size: 4, .value_kind: by_value}}
      - {{.offset: 12, .size: 2, .value_kind: by_value}}
      - {{.offset: 14, .size: 1, .value_kind: by_value}}
      - {{.offset: 16, .size: 8, .value_kind: by_value}}
      - {{.offset: 24, .size: 4, .value_kind: hidden_block_count_x}}
...
.end_amdgpu_metadata
"""
ARCHITECTURES = {
    "gfx90a": (".amdhsa_accum_offset 24", 64),
    "gfx942": (".amdhsa_accum_offset 24", 64),
    "gfx1100": (".amdhsa_wavefront_size32 1", 32),
}


@pytest.fixture
def assemble(tmp_path):
    """Makes a code object by LLVM's tools."""
    tools = [shutil.which(name) for name in ("llvm-mc", "ld.lld")]
    if not all(tools):
        pytest.skip("llvm-mc and ld.lld are not on the PATH")

    def make(arch: str) -> bytes:
        more, lanes = ARCHITECTURES[arch]
        source, made, linked = (tmp_path / f"{arch}.{end}" for end in ("s", "o", "hsaco"))
        source.write_text(SOURCE.format(arch=arch, more=more, lanes=lanes))
        assembler = [tools[0], "-triple=amdgcn-amd-amdhsa", f"-mcpu={arch}", "-filetype=obj"]
        subprocess.run([*assembler, source, "-o", made], check=True)
        subprocess.run([tools[1], "-shared", "--no-undefined", made, "-o", linked], check=True)
        return linked.read_bytes()

    return make


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_a_real_code_object_is_loaded_and_launched(hip, substitute, assemble, arch) -> None:
    import tilewright
    import tilewright.language as tl

    @tilewright.jit
    def add(x, n, half: tl.float16, flag: tl.int1, wide: tl.float64):
        pass

    hip.configure(f"arch={arch}")
    _core.use_hip_library(hip.LIBRARY)
    kernel = _core.load_hip("add", assemble(arch), "add", 0, threads=256)
    assert (kernel.registers, kernel.local_bytes) == (24, 64)
    assert (kernel.static_shared_bytes, kernel.max_threads) == (512, 256)
    substitute(add).code["hip:0"] = kernel
    add[2](hip.Tensor.make(), -1, 1.0, True, 2.0)
    (launch,) = hip.launches()
    expected = [hip.address(0), 2**32 - 1, 0x3C00, 1, 0x4000 << 48]
    assert launch["parameters"] == expected
    assert len(launch["buffer"]) == 2 * 24


def test_a_real_code_object_for_another_architecture(hip, assemble) -> None:
    expected = r"add: the code is for gfx1100, and hip:0 \(Imaginary Instinct\) is gfx942"
    with pytest.raises(DeviceError, match=expected):
        _core.load_hip("add", assemble("gfx1100"), "add", 0, threads=256)


def test_a_relocatable_object_is_no_code_object(hip, assemble, tmp_path) -> None:
    assemble("gfx942")
    with pytest.raises(DeviceError, match="add: the code object is malformed: it has no notes"):
        _core.load_hip("add", (tmp_path / "gfx942.o").read_bytes(), "add", 0, threads=256)


def test_truncated_code_objects_are_errors(hip, assemble) -> None:
    image = assemble("gfx942")
    for size in [*range(0, len(image), 37), len(image) - 1]:
        with pytest.raises(DeviceError, match="add: "):
            _core.load_hip("add", image[:size], "add", 0, threads=256)
    assert "hipModuleLoadData" not in hip.report()["calls"]  # it is not told the size
