"""What holds for all tests: a disk cache of their own, and where kernels run."""

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
        "--update", action="store_true", help="write what commands print into the pages of docs/"
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "cpu_only(why): about the CPU, whatever --target says")
    if config.getoption("--target") == "cuda":
        import on_cuda

        on_cuda.install()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--target") == "cpu":
        return
    for item in items:
        if mark := item.get_closest_marker("cpu_only"):
            item.add_marker(pytest.mark.skip(reason=f"about the CPU: {mark.args[0]}"))
