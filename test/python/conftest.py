"""What holds for all tests: a disk cache of their own, and what kernels are compiled for."""

import os
import tempfile

import pytest

if "PYTEST_XDIST_WORKER" not in os.environ and "TILEWRIGHT_CACHE_DIR" not in os.environ:
    # Held for the life of the process that collects; the workers inherit the variable.
    _FOLDER = tempfile.TemporaryDirectory(prefix="tilewright-test-cache-")
    os.environ["TILEWRIGHT_CACHE_DIR"] = _FOLDER.name


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--target", default="cpu", choices=("cpu", "cuda"), help="where the tests' launches run"
    )
    parser.addoption(
        "--every-gpu", action="store_true", help="compile what is launched for all GPUs, too"
    )
    parser.addoption(
        "--update", action="store_true", help="write what commands print into the pages of docs/"
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "cpu_only(why, compiles=True): about the CPU, whatever --target says; whether its kernels "
        "compile for GPUs all the same",
    )
    config.addinivalue_line(
        "markers", "loses_gpu: a kernel fails, after which a process can't use its device any more"
    )
    config.addinivalue_line(
        "markers",
        "gpu_refuses(pattern, architectures): under --every-gpu the compiler says this of the "
        "test's kernels for these architectures",
    )
    if config.getoption("--every-gpu"):
        import every_gpu

        every_gpu.install()
        config.pluginmanager.register(every_gpu)
    if config.getoption("--target") == "cuda":
        import on_cuda

        on_cuda.install()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--target") == "cpu":
        return
    for item in items:
        if mark := item.get_closest_marker("cpu_only"):
            item.add_marker(pytest.mark.skip(reason=f"about the CPU: {mark.args[0]}"))
        if item.get_closest_marker("loses_gpu"):
            item.add_marker(pytest.mark.skip(reason="test/python/gpu/test_failures.py has such"))
