"""Every tutorial runs: each checks its own results."""

import runpy
from pathlib import Path

import pytest

TUTORIALS = sorted((Path(__file__).resolve().parents[3] / "docs" / "tutorials").glob("[0-9]*.py"))
# test_the_matrix_product_for_a_gpu tests the arguments for a GPU.
FOR_THE_CPU = pytest.mark.cpu_only("the tiles of the matmul fill the L2 cache", compiles=False)
CASES = [
    pytest.param(path, id=path.stem, marks=FOR_THE_CPU if "matmul" in path.stem else ())
    for path in TUTORIALS
]


def test_the_tutorials_are_found() -> None:
    assert len(TUTORIALS) >= 6


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
