"""torch.compile on the CPU: PyTorch writes kernels for Triton, and Tilewright runs them."""

import subprocess
import sys
import textwrap

import pytest

pytest.importorskip("torch")

PROGRAM = textwrap.dedent(
    """
    import tilewright.compat
    tilewright.compat.install()
    import torch, torch._inductor.config

    torch._inductor.config.cpu_backend = "triton"

    @torch.compile
    def model(x):
        scores = torch.softmax(x.sin() * 2, -1)
        return scores, scores.max(-1).values

    x = torch.randn(64, 300)
    for found, expected in zip(model(x), model._torchdynamo_orig_callable(x)):
        torch.testing.assert_close(found, expected)
    """
)


def test_a_compiled_function_agrees_with_eager(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("TILEWRIGHT_LOG", "compiles")
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("TORCHINDUCTOR_COMPILE_THREADS", "1")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "tilewright: triton_" in done.stderr  # Inductor's names begin so
