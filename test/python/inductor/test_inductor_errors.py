"""What torch.compile reports on Tilewright for programs and settings that can't work."""

import pytest
from compiled_programs import run, succeeds

import tilewright.inductor
from tilewright.compiler import CompiledKernel
from tilewright.errors import CompatError

pytest.importorskip("torch")


@pytest.mark.parametrize("version", ["2.11.0", "2.12.1", "2.13.0+cpu", "2.13.0a0+git123"])
def test_known_versions(version) -> None:
    tilewright.inductor.check_version(version)


@pytest.mark.parametrize(
    ("version", "reason"), [("2.10.2", "too old"), ("2.14.0", "newer than all that were tried")]
)
def test_other_versions(version, reason) -> None:
    with pytest.raises(CompatError, match=rf"{reason}.* known to work with 2\.11 and 2\.13"):
        tilewright.inductor.check_version(version)


def test_inductor_without_triton(tmp_path) -> None:
    program = """
    import torch
    import torch._inductor.runtime.triton_compat
    import tilewright.inductor

    tilewright.inductor.register()
    """
    done = run(program, tmp_path)
    assert "CompatError: torch._inductor was imported before" in done.stderr
    assert "found no Triton" in done.stderr


def test_a_kernel_of_a_worker_without_compat() -> None:
    kernel = CompiledKernel.__new__(CompiledKernel)
    kernel.__dict__.update(metadata=None, packed_metadata=None, run=None)
    with pytest.raises(CompatError, match="with another Triton"):
        kernel._init_handles()


def test_an_index_out_of_bounds(tmp_path) -> None:
    program = """
    from tilewright.errors import DeviceAssertError

    f = torch.compile(lambda x, i: x[i] * 2)
    try:
        f(torch.randn(10), torch.tensor([1, 12]))
    except DeviceAssertError as error:
        text = str(error)
    assert "index out of bounds: 0 <= tmp4 < 10" in text
    assert "tl.device_assert(" in text and "triton_poi_fused_index_mul_0" in text
    """
    succeeds(program, tmp_path)


def test_a_kernel_that_does_not_compile(tmp_path) -> None:
    program = """
    import triton
    import triton.language as tl

    @triton.jit
    def wrong(x, out, BLOCK: tl.constexpr):
        i = tl.arange(0, BLOCK)
        tl.store(out + i, tl.load(x + i) + tl.arange(0, 2 * BLOCK))

    def f(x):
        out = torch.empty_like(x)
        wrong[(1,)](x, out, BLOCK=16)
        return out + 1

    try:
        torch.compile(f)(torch.zeros(16))
    except Exception as error:
        text = str(error)
    assert "tl.load(x + i) + tl.arange(0, 2 * BLOCK)" in text, text
    assert "16" in text and "32" in text
    """
    succeeds(program, tmp_path)


@pytest.mark.parametrize(
    ("dtype", "kernels"), [("complex64", 0), ("float8_e4m3fnuz", 1), ("float8_e8m0fnu", 1)]
)
def test_unusual_dtypes(dtype, kernels, tmp_path) -> None:
    program = f"""
    import torch._inductor.metrics

    x = torch.ones(64).to(torch.{dtype})
    found = torch.compile(lambda x: x.to(torch.complex64 if x.is_complex() else torch.float32) * 2)
    torch.testing.assert_close(found(x), x.to(found(x).dtype) * 2)
    assert torch._inductor.metrics.generated_kernel_count == {kernels}
    """
    succeeds(program, tmp_path)
