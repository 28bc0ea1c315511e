"""Runs correct kernels in many orders of their threads.

The emulator must report nothing, and the results must be the same bit by bit.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from correct_kernels import ORDERS, PROBLEMS
from planting import Problem

PYTHON_TESTS = Path(__file__).resolve().parents[1]
sys.path.append(str(PYTHON_TESTS / "fuzz"))
from case import Case  # noqa: E402

pytestmark = pytest.mark.cpu_only("tests emulated GPUs", compiles=False)


def tutorial(name: str, kernel: str, programs: int, **arguments: Any) -> Problem:
    """A kernel of docs/tutorials."""
    path = PYTHON_TESTS.parents[1] / "docs" / "tutorials" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return Problem(getattr(module, kernel), (programs,), arguments)


def random(*shape: int, dtype: type = np.float32) -> np.ndarray:
    return np.random.default_rng(0).standard_normal(shape).astype(dtype)


def backward() -> Problem:
    tiles = {name: random(5, 300) for name in ("dy", "x", "dx")}
    rows = {name: random(5) for name in ("mean", "rstd")}
    parts = {name: np.zeros((2, 300), np.float32) for name in ("dweight_part", "dbias_part")}
    numbers = {"stride": 300, "rows": 5, "n": 300, "BLOCK": 512}
    arguments = {**tiles, **rows, **parts, **numbers, "weight": random(300)}
    return tutorial("04_layer_norm", "backward_kernel", 2, **arguments)


def grouped_matmul() -> Problem:
    m, n, k = 40, 50, 70
    a, b = random(m, k, dtype=np.float16), random(k, n, dtype=np.float16)
    c = np.zeros((m, n), np.float16)
    sizes = {"M": m, "N": n, "K": k, "BM": 32, "BN": 32, "BK": 32, "GROUP": 2}
    strides = {"a_row": k, "a_column": 1, "b_row": n, "b_column": 1, "c_row": n, "c_column": 1}
    return tutorial("05_matmul", "matmul_kernel", 4, a=a, b=b, c=c, **sizes, **strides)


def dropout() -> Problem:
    arguments = {"x": random(300), "out": random(300), "n": 300, "p": 0.5, "seed": 1, "BLOCK": 256}
    return tutorial("03_dropout", "dropout_kernel", 2, **arguments)


def column_parts() -> Problem:
    arguments = {"parts": random(7, 100), "total": random(100), "count": 7, "n": 100}
    return tutorial("04_layer_norm", "add_parts_kernel", 2, **arguments, ROWS=4, BLOCK=64)


TUTORIALS = {make.__name__: make for make in (backward, grouped_matmul, dropout, column_parts)}


def same(one: Mapping[str, np.ndarray], other: Mapping[str, np.ndarray]) -> bool:
    return all(one[name].tobytes() == other[name].tobytes() for name in one)


@pytest.mark.parametrize("early_copies", [False, True], ids=["late", "early"])
@pytest.mark.parametrize("make", {**PROBLEMS, **TUTORIALS}.values(), ids=[*PROBLEMS, *TUTORIALS])
def test_correct_kernel(make: Callable[[], Problem], early_copies: bool) -> None:
    problem = make()
    first = problem.launch(early_copies=early_copies)
    assert problem.solved_by(first)
    for seed in range(1, ORDERS):
        assert same(first, problem.launch(early_copies=early_copies, seed=seed))


@pytest.mark.parametrize("kernel", range(16))
def test_random_kernel(kernel: int, tmp_path: Path) -> None:
    case = Case(kernel, tmp_path, "mixed")

    def launch(seed: int) -> bytes:
        settings = {"seed": seed, "early_copies": seed % 2 == 1}
        return case.launch("emulator:cuda:90a+checks", **settings).tobytes()

    first = launch(0)
    for seed in range(1, ORDERS):
        assert launch(seed) == first
