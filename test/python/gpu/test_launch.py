"""Launches on a GPU: streams, graphs, devices, threads, limits."""

from __future__ import annotations

import ctypes
import threading

import pytest
from ptx_kernels import ADD, NOTHING, SHARED, WAIT, kernel_of

from tilewright import _core
from tilewright.errors import DeviceError, GridError, OutOfResourcesError

MILLISECONDS = 1_000_000


class Address:
    """Has only an address, a dtype and a device."""

    def __init__(self, tensor) -> None:
        self.tensor, self.dtype, self.device = tensor, tensor.dtype, tensor.device

    def data_ptr(self):
        return self.tensor.data_ptr()


class CudaArray:
    """Only has `__cuda_array_interface__`."""

    def __init__(self, tensor) -> None:
        self.tensor = tensor

    @property
    def __cuda_array_interface__(self):
        return self.tensor.__cuda_array_interface__


def zeros(gpu, count=4, device="cuda"):
    return gpu.zeros(count, dtype=gpu.int32, device=device)


def test_platform_and_pytorch_agree(gpu) -> None:
    platform = _core.devices("cuda")
    assert len(platform["devices"]) == gpu.cuda.device_count()
    for ordinal, device in enumerate(platform["devices"]):
        properties = gpu.cuda.get_device_properties(ordinal)
        assert device["name"] == properties.name
        assert device["architecture"] == f"{properties.major}{properties.minor}"
        assert device["memory_bytes"] >= properties.total_memory
        assert device["shared_bytes_per_block"] == properties.shared_memory_per_block_optin


@pytest.mark.parametrize("wrap", [lambda tensor: tensor, Address, CudaArray])
def test_a_grid(gpu, wrap) -> None:
    counters = zeros(gpu, 100)
    add = kernel_of(2, ADD)
    for b in (1, 16, -3):
        add[(70,)](wrap(counters), b)
    assert counters.tolist() == [14] * 70 + [0] * 30


def test_resources(gpu) -> None:
    add = kernel_of(2, ADD)
    loaded = add[(1,)](zeros(gpu), 1).load("cuda:0")
    assert 0 < loaded.registers < 64
    assert (loaded.local_bytes, loaded.static_shared_bytes) == (0, 0)
    assert loaded.max_threads == 1024


# Streams


def test_the_current_stream(gpu) -> None:
    """The default stream continues while the kernel waits on another; later work there waits."""
    wait, done, after = kernel_of(2, WAIT), zeros(gpu), zeros(gpu)
    wait[1](done, 2)
    _ = done + 5  # PyTorch loads its kernels on first use, which takes longer than the wait
    after.copy_(done)
    gpu.cuda.synchronize()
    stream = gpu.cuda.Stream()
    done.zero_()
    gpu.cuda.synchronize()
    with gpu.cuda.stream(stream):
        wait[1](done, 200 * MILLISECONDS)
        after.copy_(done)
    other = zeros(gpu) + 5
    gpu.cuda.default_stream().synchronize()
    assert not stream.query(), "the kernel did not run on the current stream"
    assert other.tolist() == [5] * 4
    stream.synchronize()
    assert after[0].item() == 1


@pytest.mark.parametrize("wrap", [lambda tensor: tensor, Address])
def test_a_launch_does_not_wait(gpu, wrap) -> None:
    wait, done, stream = kernel_of(2, WAIT), zeros(gpu), gpu.cuda.Stream()
    wait[1](wrap(done), 2)
    gpu.cuda.synchronize()
    with gpu.cuda.stream(stream):
        wait[1](wrap(done), 2000 * MILLISECONDS)
    assert not stream.query()
    stream.synchronize()


def test_an_array_that_tells_its_stream(gpu) -> None:
    cupy = pytest.importorskip("cupy")
    wait = kernel_of(2, WAIT)
    with cupy.cuda.Stream(non_blocking=True) as stream:
        done = cupy.zeros(4, dtype="int32")
        wait[1](done, 2)
        stream.synchronize()
        wait[1](done, 200 * MILLISECONDS)
        assert not stream.done
        stream.synchronize()
        assert done[0] == 1


# Graphs


def test_a_captured_launch_is_replayed(gpu) -> None:
    add, counters = kernel_of(2, ADD), zeros(gpu)
    add[(2,)](counters, 1)
    graph = gpu.cuda.CUDAGraph()
    with gpu.cuda.graph(graph):
        add[(2,)](counters, 10)
    assert counters.tolist() == [1, 1, 0, 0]
    for _ in range(3):
        graph.replay()
    assert counters.tolist() == [31, 31, 0, 0]


@pytest.mark.parametrize("mode", ["global", "thread_local", "relaxed"])
def test_a_kernel_that_is_loaded_during_the_capture(gpu, mode) -> None:
    add, counters = kernel_of(2, ADD, threads=64), zeros(gpu)
    gpu.cuda.synchronize()
    graph = gpu.cuda.CUDAGraph()
    with gpu.cuda.graph(graph, capture_error_mode=mode):
        add[(2,)](counters, 10)
    graph.replay()
    assert counters.tolist() == [10, 10, 0, 0]


def test_a_kernel_that_another_thread_loads_during_a_capture(gpu) -> None:
    add, counters, captured = kernel_of(2, ADD), zeros(gpu), zeros(gpu)
    stream = gpu.cuda.Stream()
    problems: list[BaseException] = []

    def work() -> None:
        try:
            with gpu.cuda.stream(stream):
                add[(2,)](counters, 10)
        except BaseException as problem:
            problems.append(problem)

    graph = gpu.cuda.CUDAGraph()
    with gpu.cuda.graph(graph):
        captured += 1
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    graph.replay()
    gpu.cuda.synchronize()
    assert not problems
    assert counters.tolist() == [10, 10, 0, 0] and captured.tolist() == [1] * 4


# Devices and threads


def test_several_devices(two_gpus) -> None:
    add, here = kernel_of(2, ADD), two_gpus.cuda.current_device()
    everywhere = [zeros(two_gpus, 4, f"cuda:{i}") for i in range(two_gpus.cuda.device_count())]
    for ordinal, counters in enumerate(everywhere):
        add[(3,)](counters, 5 + ordinal)
    assert two_gpus.cuda.current_device() == here
    for ordinal, counters in enumerate(everywhere):
        assert counters.tolist() == [5 + ordinal] * 3 + [0]


def test_the_stream_of_another_device(two_gpus) -> None:
    wait, done = kernel_of(2, WAIT), zeros(two_gpus, 4, "cuda:1")
    stream = two_gpus.cuda.Stream("cuda:1")
    wait[1](done, 2)
    two_gpus.cuda.synchronize(1)
    with two_gpus.cuda.stream(stream), two_gpus.cuda.device(0):
        wait[1](done, 200 * MILLISECONDS)
    assert not stream.query()
    stream.synchronize()


def test_tensors_on_two_devices(two_gpus) -> None:
    expected = "'b' is on cuda:1, and argument 'a' on cuda:0; all must be on one device"
    with pytest.raises(DeviceError, match=expected):
        kernel_of(2, ADD)[1](zeros(two_gpus, 4, "cuda:0"), zeros(two_gpus, 4, "cuda:1"))


def test_without_arrays_on_the_current_device(gpu) -> None:
    kernel = kernel_of(0, NOTHING)
    for device in range(gpu.cuda.device_count()):
        with gpu.cuda.device(device):
            kernel[1]()
    assert list(kernel.code.loaded) == [f"cuda:{i}" for i in range(gpu.cuda.device_count())]


def test_a_new_thread_has_no_context(gpu) -> None:
    add, counters = kernel_of(2, ADD), zeros(gpu)
    driver = ctypes.CDLL("libcuda.so.1")
    seen: list[int | None] = []

    def work() -> None:
        context = ctypes.c_void_p()
        add[(4,)](counters, 1)
        driver.cuCtxGetCurrent(ctypes.byref(context))
        seen.append(context.value)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    gpu.cuda.synchronize()
    assert counters.tolist() == [8] * 4
    assert seen == [None] * 8


def test_a_tensor_of_the_host_beside_one_of_the_gpu(gpu) -> None:
    host = gpu.zeros(4)
    with pytest.raises(DeviceError, match="'b' is in host memory, and argument 'a' on cuda:0"):
        kernel_of(2, ADD)[1](zeros(gpu), host)


def test_pinned_memory_beside_a_tensor_of_the_gpu(gpu) -> None:
    pinned = gpu.zeros(4, dtype=gpu.int32).pin_memory()
    kernel_of(2, WAIT)[1](pinned, 1, target="cuda")
    gpu.cuda.synchronize()
    assert pinned.tolist() == [1, 0, 0, 0]
    kernel_of(2, ADD)[1](pinned, pinned)
    kernel_of(2, ADD)[1](zeros(gpu), pinned)
    gpu.cuda.synchronize()


# Limits


@pytest.mark.parametrize("kib", [16, 48, 64, 99])
def test_dynamic_shared_memory(gpu, kib) -> None:
    counters = zeros(gpu)
    kernel_of(1, SHARED, shared_bytes=kib * 1024)[(1,)](counters)
    assert counters[0].item() == kib * 256 - 1


def test_all_of_the_shared_memory_and_more(gpu) -> None:
    most = gpu.cuda.get_device_properties(0).shared_memory_per_block_optin
    counters = zeros(gpu)
    kernel_of(1, SHARED, shared_bytes=most)[(1,)](counters)
    assert counters[0].item() == most // 4 - 1
    with pytest.raises(OutOfResourcesError) as caught:
        kernel_of(1, SHARED, shared_bytes=most + 16)[(1,)](counters)
    assert (caught.value.required, caught.value.limit) == (most + 16, most)


def test_too_many_threads(gpu) -> None:
    with pytest.raises(OutOfResourcesError, match="needs 2048 threads per program, and cuda:0 has"):
        kernel_of(2, ADD, threads=2048)[1](zeros(gpu), 1)


def test_long_grids(gpu) -> None:
    kernel = kernel_of(1, NOTHING.replace("()", "(.param .u64 a)"))
    kernel[(1, 65535, 1)](zeros(gpu))
    kernel[(1, 1, 65535)](zeros(gpu))
    with pytest.raises(GridError, match=r"needs 65536 programs along axis 1 .*cuda:0 has 65535"):
        kernel[(1, 65536)](zeros(gpu))
    gpu.cuda.synchronize()


def test_code_that_the_driver_does_not_take(gpu) -> None:
    with pytest.raises(DeviceError, match="cuModuleLoadDataEx: CUDA_ERROR_INVALID_PTX"):
        kernel_of(1, "rubbish")[1](zeros(gpu))
    gpu.cuda.synchronize()
    future = kernel_of(1, NOTHING)
    future.code.image = future.code.image.replace(b".version 7.0", b".version 99.0")
    with pytest.raises(DeviceError, match=r"the driver is that of CUDA .* supports PTX up to"):
        future[1](zeros(gpu))
