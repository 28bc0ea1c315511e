"""`tilewright explain file.py:kernel` prints the schedule of a kernel for a GPU."""

import json

import pytest

from tilewright import cli

SOURCE = """
import tilewright
import tilewright.language as tl


@tilewright.jit
def matmul(a, b, c, K, BM: tl.constexpr = 64, BN: tl.constexpr = 64, BK: tl.constexpr = 32):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    N = tl.num_programs(1) * BN
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        x = tl.load(a + m[:, None] * K + k[None, :])
        y = tl.load(b + k[:, None] * N + n[None, :])
        total = tl.dot(x, y, total)
    tl.store(c + m[:, None] * N + n[None, :], total.to(tl.float16))


@tilewright.jit
def add(x, y, BLOCK: tl.constexpr = 128):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i) + 1)
"""
SIGNATURE = "*fp16:D,*fp16:D,*fp16:D,i32:D"


@pytest.fixture
def run(monkeypatch, tmp_path, capsys):
    """Runs the command on the kernel; returns status, stdout and stderr."""
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path / "cache"))
    file = tmp_path / "kernels.py"
    file.write_text(SOURCE)

    def command(*arguments, kernel="matmul", signature=SIGNATURE):
        status = cli.main(["explain", f"{file}:{kernel}", "-s", signature, *arguments])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return command


@pytest.fixture
def loop(run):
    """The kernel's loop in the JSON report."""

    def command(target, *arguments, **source):
        status, out, err = run("--target", target, "--json", *arguments, **source)
        assert (status, err) == (0, "")
        [loop] = json.loads(out)["loops"]
        return loop

    return command


def operations(loop, kind):
    return [op for op in loop["operations"] if op["kind"] == kind]


def test_the_text_has_loop_stages_instructions_and_buffers(run):
    status, out, err = run("--target", "emulator:cuda:90a")
    assert (status, err) == (0, "")
    assert "for loop at kernels.py:12, 3 stages" in out
    assert "2 wgmma m64n64k16.f16.f16.f32, in flight" in out
    assert "24576 of 232448 bytes of shared memory" in out
    assert "copy       64x32xf16      0        1  asynchronous, 2 iterations ahead" in out
    assert max(map(len, out.splitlines())) <= 100


@pytest.mark.parametrize(
    ("target", "unit", "instruction", "issued"),
    [
        ("emulator:cuda:90a", "wgmma", "m64n64k16.f16.f16.f32", 2),
        ("emulator:cuda:80", "mma.sync", "m16n8k16.f16.f16.f32", 64),
        ("emulator:hip:gfx942", "MFMA", "mfma.m32n32k8.f16.f16.f32", 16),
        ("emulator:hip:gfx1100", "WMMA", "wmma11.m16n16k16.f16.f16.f32", 32),
    ],
)
def test_the_instructions_of_a_dot(loop, target, unit, instruction, issued):
    dots = operations(loop(target), "dot")
    assert {op["dot"]["unit"] for op in dots} == {unit}
    assert {op["dot"]["instruction"] for op in dots} == {instruction}
    assert sum(op["dot"]["issued"] * op["count"] for op in dots) == issued


def test_a_transposed_dot_of_float32(run):
    """B, which is stored along N, goes through registers."""
    signature = SIGNATURE.replace("*fp16:D,*fp16:D,", "*fp32:D,*fp32:D,", 1)
    status, out, err = run("--target", "cuda:90a", signature=signature + ",BM=128")
    assert (status, err) == (0, "")
    assert "4 wgmma m64n128k8.tf32.tf32.f32, in flight" in out
    assert "A: shared memory, 128-byte swizzle\n" in out
    assert "B: registers\n" in out


def test_positions_are_the_users_lines(loop):
    found = loop("emulator:cuda:90a")
    lines = {op["kind"]: op["at"][0][1] for op in found["operations"]}
    assert lines == {"copy": 15, "dot": 16}
    assert found["at"][0][1] == 12


@pytest.mark.parametrize(
    ("option", "stages"),
    [pytest.param(2, 3, id="a third slot beside dots in flight"), (3, 3), (4, 4)],
)
def test_stages_are_those_of_the_option(loop, option, stages):
    found = loop("emulator:cuda:90a", "--num-stages", str(option))
    assert found["stages"] == stages
    assert {op["stage"] for op in operations(found, "dot")} == {stages - 1}


def test_without_stages_nothing_is_copied_asynchronously(loop):
    found = loop("emulator:cuda:90a", "--num-stages", "1")
    assert found["stages"] == 1
    assert operations(found, "copy") == []
    assert len(operations(found, "load")) == 2


def test_registers_and_occupancy_of_an_assembled_kernel(run):
    status, out, _ = run("--target", "cuda:90a", "--json")
    report = json.loads(out)
    assert status == 0
    if not report["registers"]:
        pytest.skip("no assembler")
    by_registers = 65536 // (128 * -(-report["registers"] // 8) * 8)
    assert report["occupancy"]["registers"] == min(by_registers, 16)
    assert report["occupancy"]["programs"] == min(
        report["occupancy"][name] for name in ("registers", "shared memory", "warps")
    )
    assert report["spill_bytes"] == 0


def test_a_kernel_without_loops(run):
    status, out, err = run("--target", "emulator:cuda:80", kernel="add", signature="*fp32,*fp32")
    assert (status, err) == (0, "")
    assert "loop at" not in out
    assert "128xf32" in out


def test_a_kernel_that_needs_too_much_shared_memory_is_explained_and_fails(run):
    big = SIGNATURE + ",BM=256,BN=256,BK=128"
    status, out, err = run("--target", "emulator:cuda:80", signature=big)
    assert status == 1
    assert "of 166912 bytes of shared memory" in out
    assert "256x128xf16" in out
    assert "needs 393216 bytes of shared memory" in err


def test_the_cpu_has_no_schedule(run):
    status, out, err = run("--target", "cpu")
    assert (status, out) == (1, "")
    assert "the target 'cpu' has no schedule" in err


def test_the_log_of_a_launch_has_the_schedule(monkeypatch, tmp_path, capsys):
    from tilewright import compiler
    from tilewright.cli.compile import find_kernel

    file = tmp_path / "logged.py"
    file.write_text(SOURCE)
    monkeypatch.setenv("TILEWRIGHT_LOG", "schedule")
    fn = find_kernel(f"{file}:matmul")
    signature = [*SIGNATURE.split(","), 64, 64, 32]
    kept = [compiler.compile(fn, signature, target) for target in ("emulator:cuda:90a", "cpu")]
    said = capsys.readouterr().err
    assert len(kept) == 2
    assert said.count("matmul for ") == 1
    assert "for loop at logged.py:12, 3 stages" in said


# Cycles of a multiprocessor: 2 x 128 x 256 x 64 operations at an H200's 4,096 a cycle for 16 bits.
@pytest.mark.parametrize(
    ("target", "dtype", "cycles"),
    [
        ("emulator:cuda:90a", "fp16", 1024),
        ("emulator:cuda:90a", "fp32", 2048),
        ("emulator:cuda:80", "fp16", 2048),
        ("emulator:cuda:89", "bf16", 4096),
    ],
)
def test_the_roofline_of_an_iteration(loop, target, dtype, cycles):
    signature = f"*{dtype}:D,*{dtype}:D,*fp16:D,i32:D,BM=128,BN=256,BK=64"
    arguments = ("--num-warps", "8", "--num-stages", "2")
    if target.endswith("89"):
        signature = signature.replace("BK=64", "BK=32")
        cycles //= 2
    found = loop(target, *arguments, signature=signature)["roofline"]
    width = 4 if dtype == "fp32" else 2
    depth = 32 if target.endswith("89") else 64
    assert found["tensor_cycles"] == cycles
    assert found["memory_bytes"] == (128 + 256) * depth * width


def test_the_roofline_says_what_bounds_an_iteration(run):
    _, out, _ = run("--target", "emulator:cuda:90a")
    words = " ".join(out.split())
    # 2 x 64 x 64 x 32 operations; 8,192 bytes at 4,800 GB/s over 132 x 1,830 MHz.
    assert "at least 64 cycles of an H200's tensor cores, and 412 of its memory" in words
    assert "bound by memory unless 85 % of the bytes are in the L2 cache" in words


def test_an_unknown_rate_is_named(loop, run):
    assert "sm_100a for dots of f16" in loop("emulator:cuda:100a")["roofline"]["unknown"]
    _, out, _ = run("--target", "hip:gfx1250")
    words = " ".join(out.split())
    assert "no roofline: the peak rate of gfx1250 for dots of f16 is not known" in words


def test_the_resources_of_an_amd_gpu(run):
    status, out, err = run("--target", "hip:gfx942", "--json")
    assert (status, err) == (0, "")
    report = json.loads(out)
    assert report["registers"] > report["accumulators"] >= 0
    assert report["scalar_registers"] > 0
    occupancy = report["occupancy"]
    names = ("registers", "shared memory", "barriers", "warps")
    assert occupancy["programs"] == min(occupancy[name] for name in names)
    # Four waves a program, of which each SIMD has one.
    assert occupancy["simd_warps"]["programs"] == occupancy["programs"]
    assert occupancy["registers"] == occupancy["simd_warps"]["registers"]
    assert occupancy["shared memory"] == 65536 // report["shared_bytes"]


@pytest.mark.parametrize(
    ("arch", "unit", "lds"), [("gfx942", "compute unit", 65536), ("gfx1100", "WGP", 65536)]
)
def test_the_text_has_amds_terms(run, arch, unit, lds):
    status, out, err = run("--target", f"hip:{arch}")
    assert (status, err) == (0, "")
    words = " ".join(out.split())
    for text in ("4 waves, ", " VGPRs, ", " AGPRs), ", " scalar registers a wave, ", "no spills"):
        assert text in words
    assert f" of {lds} bytes of LDS" in words
    assert f"programs on a {unit}: " in words
    assert "waves on a SIMD: " in words
    assert "'s matrix cores, and " in words
    assert "shared memory" not in words.replace("shared memory,", "")
    assert max(map(len, out.splitlines())) <= 100


# 2 x 128 x 256 x 32 operations at an MI300X's 2,048 a cycle for 16 bits and 256 for 32 bits.
@pytest.mark.parametrize(("dtype", "cycles"), [("fp16", 1024), ("fp32", 8192)])
def test_the_roofline_of_an_amd_gpu(loop, dtype, cycles):
    signature = f"*{dtype}:D,*{dtype}:D,*fp16:D,i32:D,BM=128,BN=256,BK=32"
    found = loop("emulator:hip:gfx942", "--num-warps", "8", signature=signature)["roofline"]
    assert found["device"] == "MI300X"
    assert found["tensor_cycles"] == cycles
    # 5,300 GB/s over 304 x 2,100 MHz.
    assert found["memory_cycles"] == round(found["memory_bytes"] / (5300e9 / 304 / 2.1e9))
