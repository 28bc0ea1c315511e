"""Tests that need a GPU use the fixture `gpu`, which is PyTorch; without a GPU they are skipped."""

from types import ModuleType

import pytest

from tilewright import _core


@pytest.fixture(scope="session")
def gpu() -> ModuleType:
    torch: ModuleType = pytest.importorskip("torch")
    if problem := _core.devices("cuda")["problem"]:
        pytest.skip(f"no CUDA device: {problem}")
    if not torch.cuda.is_available():
        pytest.skip("PyTorch finds no CUDA device")
    return torch


@pytest.fixture(scope="session")
def two_gpus(gpu: ModuleType) -> ModuleType:
    if gpu.cuda.device_count() < 2:
        pytest.skip("only one CUDA device")
    return gpu
