"""Every tutorial runs: each checks its own results."""

import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

TUTORIALS = sorted((Path(__file__).resolve().parents[3] / "docs" / "tutorials").glob("[0-9]*.py"))
# test_the_matrix_product_for_a_gpu tests the arguments for a GPU.
FOR_THE_CPU = pytest.mark.cpu_only("the tiles of the matmul fill the L2 cache", compiles=False)
CASES = [
    pytest.param(path, id=path.stem, marks=FOR_THE_CPU if "matmul" in path.stem else ())
    for path in TUTORIALS
    if "operator" not in path.stem
]


def test_the_tutorials_are_found() -> None:
    assert len(TUTORIALS) >= 7


@pytest.mark.parametrize("tutorial", CASES)
def test_tutorial(
    tutorial: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip("torch")
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path))
    runpy.run_path(str(tutorial), run_name="__main__")
    printed = capsys.readouterr().out
    assert "agrees with" in printed or "keeps" in printed


def test_the_operator(tmp_path: Path) -> None:
    """In a process of its own, since it makes `triton` mean Tilewright."""
    pytest.importorskip("torch")
    (path,) = (path for path in TUTORIALS if "operator" in path.stem)
    caches = {"TILEWRIGHT_CACHE_DIR": "kernels", "TORCHINDUCTOR_CACHE_DIR": "inductor"}
    settings = {name: str(tmp_path / folder) for name, folder in caches.items()}
    done = subprocess.run(
        [sys.executable, path],
        capture_output=True, text=True, env=os.environ | settings, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.count("agrees with") == 3


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_the_matrix_product_for_a_gpu(dtype: str) -> None:
    torch = pytest.importorskip("torch")
    (path,) = (path for path in TUTORIALS if "matmul" in path.stem)
    tutorial = runpy.run_path(str(path))
    element = getattr(torch, dtype)
    strides = (512, 1) * 3
    given = tutorial["blocks"]("cuda", element.itemsize)
    kernel = tutorial["matmul_kernel"].warmup(
        element, element, element, 512, 512, 512, *strides, **given, GROUP=8, target="cuda:90a"
    )
    assert "mma" in kernel.assembly()
    assert kernel.n_spills == 0
