"""Settings for all tests: a separate disk cache, and the targets of launches."""

import faulthandler
import os
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pytest
import seeds

if "PYTEST_XDIST_WORKER" not in os.environ and "TILEWRIGHT_CACHE_DIR" not in os.environ:
    # Kept until the collecting process exits; the workers inherit the environment variable.
    _FOLDER = tempfile.TemporaryDirectory(prefix="tilewright-test-cache-")
    os.environ["TILEWRIGHT_CACHE_DIR"] = _FOLDER.name

# Verifies the IR after every pass, and that every operation has a source line; see lib/Pipeline.
os.environ["TILEWRIGHT_VERIFY_LOCATIONS"] = "1"
os.environ["TILEWRIGHT_VERIFY_PASSES"] = "1"

# A test that takes longer hangs: its process prints where, and ends; xdist reports it and goes on.
_MOST_SECONDS = 1200  # Sanitizers and qemu take ten times as long as plain runs.
_STDERR = pytest.StashKey[int]()  # While tests run, pytest captures the one with number 2.


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--targets",
        default="cpu",
        help="targets on which the tests launch kernels, separated by commas: cpu, cuda or hip (a "
        "device), emulator:cuda:90a, emulator:hip:gfx942+checks, cuda+emulator (compares the "
        "results), cpu:neoverse-v2 or another AArch64 processor (under qemu); each test runs on "
        "all of them, and after emulator:hip:gfx1100+checks/3 every third test on that one",
    )
    parser.addoption(
        "--compile-for-gpus",
        choices=("one", "all", "amd-one", "amd-all"),
        help="also compile each launched kernel for one NVIDIA or AMD architecture, or for all",
    )
    parser.addoption(
        "--full", action="store_true", help="also the tests that `bin/test --full` alone runs"
    )
    parser.addoption("--seed", type=int, default=0, help="seed of the tests' random inputs")
    parser.addoption(
        "--update", action="store_true", help="write the output of commands into the pages of docs/"
    )


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_STDERR] = os.dup(2)
    config.addinivalue_line(
        "markers",
        "cpu_only(why, compiles=True): runs only on the CPU, regardless of --targets; `compiles` "
        "is whether its kernels compile for GPUs",
    )
    config.addinivalue_line("markers", "full(why): runs only with --full")
    config.addinivalue_line(
        "markers",
        "needs_gpu(why): runs on emulated GPUs where --targets names the CPU",
    )
    config.addinivalue_line(
        "markers", "loses_gpu: a kernel fails, after which the process can't use its device"
    )
    config.addinivalue_line(
        "markers",
        "gpu_refuses(pattern, architectures): with --compile-for-gpus the compiler fails with this "
        "message for the test's kernels on these architectures",
    )
    config.pluginmanager.register(seeds)
    if "cuda+emulator" in config.getoption("--targets"):
        import emulated_beside

        config.pluginmanager.register(emulated_beside)
    if config.getoption("--compile-for-gpus"):
        import compile_for_gpus

        compile_for_gpus.install(config.getoption("--compile-for-gpus"))
        config.pluginmanager.register(compile_for_gpus)


# Where tests launch kernels, except for tests that use one of these fixtures, which only build IR.
_KERNEL_TESTS = ("language", "programs", "test_control_flow_runs.py")
_BUILDING = {"kernel", "values"}
# What runs the tests marked `needs_gpu` in place of the CPU.
_EMULATED = ("emulator:cuda:80+checks", "emulator:cuda:90a+checks")


def _parts(config: pytest.Config) -> dict[str, int]:
    """The targets, each with the number of tests of which one runs on it."""
    named = (each.partition("/") for each in config.getoption("--targets").split(","))
    return {target: int(part or 1) for target, _, part in named}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    targets = list(_parts(metafunc.config))
    if metafunc.definition.get_closest_marker("needs_gpu"):
        on_cpu = [target for target in targets if target.partition(":")[0] == "cpu"]
        targets = [*_EMULATED, *targets] if on_cpu else targets
        targets = [target for target in dict.fromkeys(targets) if target not in on_cpu]
    path = Path(metafunc.module.__file__)
    runs_kernels = not {path.parent.name, path.name}.isdisjoint(_KERNEL_TESTS)
    if targets != ["cpu"] and runs_kernels and _BUILDING.isdisjoint(metafunc.fixturenames):
        metafunc.parametrize("launch_target", targets, indirect=True)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    parts = _parts(config)
    is_full = config.getoption("--full")

    def is_chosen(item: pytest.Item) -> bool:
        if item.get_closest_marker("full") and not is_full:
            return False
        part = parts.get(_target_of(item), 1)
        # The same tests in each run, and spread over the cases of each function.
        return zlib.crc32(item.nodeid.encode()) % part == 0

    others = [item for item in items if not is_chosen(item)]
    if others:
        config.hook.pytest_deselected(items=others)
        items[:] = [item for item in items if is_chosen(item)]


def _target_of(item: pytest.Item) -> str:
    """The target on which the test launches, or an empty string if it is the CPU only."""
    return str(item.callspec.params.get("launch_target", "")) if hasattr(item, "callspec") else ""


@pytest.fixture(autouse=True)
def launch_target(request: pytest.FixtureRequest) -> Iterator[str]:
    """Runs the test's launches on the target named by its parameter; yields the name.

    For another processor than this machine's, the name is "cpu".
    """
    target = getattr(request, "param", "cpu")
    if target != "cpu" and (mark := request.node.get_closest_marker("cpu_only")):
        pytest.skip(f"only on the CPU: {mark.args[0]}")
    if target.startswith(("cuda", "hip")) and request.node.get_closest_marker("loses_gpu"):
        pytest.skip("covered by test/python/gpu/test_failures.py")
    with _launching_on(target):
        yield "cpu" if target.startswith("cpu:") else target


# What the lowering for AMD's GPUs does not have yet.
_NOT_ON_AMD = "is not supported on AMD's GPUs yet"


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    # This needs no lock of the interpreter, which the compiler may hold.
    stderr = item.config.stash[_STDERR]
    faulthandler.dump_traceback_later(_MOST_SECONDS, exit=True, file=stderr)
    yield
    faulthandler.cancel_dump_traceback_later()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    outcome = yield
    if "hip" not in _target_of(item).split(":") or not outcome.excinfo:
        return
    errors = (outcome.excinfo[1], outcome.excinfo[1].__context__)
    for text in (str(error) for error in errors if _NOT_ON_AMD in str(error)):
        feature = text.partition(_NOT_ON_AMD)[0].rpartition(": ")[2]
        outcome.force_exception(pytest.skip.Exception(feature + _NOT_ON_AMD))


def _launching_on(target: str) -> AbstractContextManager[object]:
    if target.startswith(("cuda", "hip")):
        import on_cuda

        kind = target.partition("+")[0]
        return on_cuda.launching(kind, compare=target.endswith("+emulator"))
    if target.startswith("cpu:"):
        import on_aarch64

        if why := on_aarch64.missing():
            pytest.skip(why)
        return on_aarch64.launching(target)
    if target.startswith("emulator:"):
        import tilewright

        emulated, plus, _ = target.removeprefix("emulator:").partition("+")
        return tilewright.emulate(emulated, checks=bool(plus))
    return nullcontext()
