"""Tensor maps that launches make for kernels on CUDA devices, with a fake driver."""

from __future__ import annotations

import struct
import threading
from collections.abc import Callable, Sequence
from typing import Any

import fake_cuda
import pytest
import tensor_map_words as words
from fake_cuda import Tensor, address

import tilewright
import tilewright.language as tl
from tilewright import _core
from tilewright.errors import DeviceError, LaunchError
from tilewright.language.value import ByValue

OLD_DRIVER = fake_cuda.LIBRARY.replace("libfake_cuda", "libold_fake_cuda")
MAGIC = 0x50414D454B4146
# CUtensorMapDataType
DRIVER_TYPES = {"fp16": 6, "fp32": 7, "fp64": 8, "bf16": 9, "i32": 3, "i64": 5, "u32": 2, "u64": 4}


class Compiled:
    """Replaces a compiled kernel."""

    written_slots: tuple[int, ...] = ()
    asserts: tuple[Any, ...] = ()

    def __init__(self, name: str, sizes: str, slots: Any, maps: Sequence[int]) -> None:
        self.name, self.sizes, self.slots, self.tensor_maps = name, sizes, slots, maps
        self.launch_conditions: tuple[int, ...] = ()
        self.loaded: dict[str, Any] = {}

    def load(self, device: str) -> Any:
        if device not in self.loaded:
            ordinal = int(device.partition(":")[2])
            self.loaded[device] = fake_cuda.load(self.name, self.sizes, ordinal, slots=self.slots)
        return self.loaded[device]


Give = Callable[..., Any]


@pytest.fixture
def give(cuda: Any) -> Give:
    """Gives a @jit function code with tensor maps, and general code that lacks them.

    The sizes are those of the parameters before the maps.
    """

    def code(fn: Any, sizes: str, slots: Any, maps: Sequence[int], count: int = 1) -> Any:
        with_maps = ",".join(([sizes] if sizes else []) + ["128"] * count)
        special = Compiled("with_maps", with_maps, slots, maps)
        general = Compiled("general", sizes or "8", slots, ())

        def compile(signature: Any, options: Any, noalias: bool, device: str) -> Any:
            return general if options.get("specialize_ranges") is False else special, None

        fn._compile = compile
        return fn

    return code


@pytest.fixture
def kernel() -> Any:
    @tilewright.jit(do_not_specialize=["rows", "columns"])
    def kernel(x, rows, columns):
        pass

    return kernel


def encodings() -> int:
    return int(fake_cuda.report()["calls"].get("cuTensorMapEncodeTiled", 0))


def last() -> dict[str, Any]:
    return fake_cuda.launches()[-1]


def encoded(
    base: int, extents: Sequence[int], strides: Sequence[int], box: Sequence[int], type: int = 7
) -> list[int]:
    """What the fake driver writes for a map."""
    fields = [MAGIC, base, type | len(extents) << 8]
    fields += [*extents, *[0] * (5 - len(extents)), *strides, *[0] * (4 - len(strides))]
    pairs = [*box, *[0] * (6 - len(box))]
    return [*fields, *(low | high << 32 for low, high in zip(*[iter(pairs)] * 2, strict=True)), 0]


def test_maps_follow_the_other_parameters(give, kernel) -> None:
    give(kernel, "8,4,4", [0, 1, 2], words.matrix(bits=32))
    kernel[3](Tensor.make(0, 64), 100, 200)
    expected = encoded(address(0, 64), (200, 100), [800], (8, 8))
    assert last()["parameters"] == [address(0, 64), 100, 200, expected]
    assert (last()["kernel"], last()["grid"]) == ("with_maps", [3, 1, 1])


def test_maps_may_be_all_parameters(give, kernel) -> None:
    give(kernel, "", [], words.matrix(bits=32))
    kernel[1](Tensor.make(0, 64), 100, 200)
    assert last()["parameters"] == [encoded(address(0, 64), (200, 100), [800], (8, 8))]


def test_maps_behind_odd_arguments(give) -> None:
    @tilewright.jit
    def kernel(flag: tl.int8, x, n, map, half: tl.float16, y):
        pass

    # The structure takes the slots 8 to 23.
    steps = [words.step(words.ARGUMENT, 2), words.step(words.ARGUMENT, 2, bits=8)]
    maps = [words.Map([0], [], [4], slot=1), words.Map([1], [], [16], "u8", slot=25)]
    give(kernel, "1,8,4,128,2", [0, 1, 2, 8, 24], words.encode(steps, maps), 2)
    structure = ByValue(range(128))
    kernel[1](-7, Tensor.make(0, 16), 0x305, structure, 1.5, Tensor.make(0, 48))
    first = encoded(address(0, 16), [0x305], [], [4])
    second = encoded(address(0, 48), [5], [], [16], 0)
    found = last()["parameters"]
    assert found == [
        *(0xF9, address(0, 16), 0x305, list(struct.unpack("16Q", structure)), 0x3E00),
        *(first, second),
    ]


@pytest.mark.parametrize("rank", range(1, 6))
@pytest.mark.parametrize("dtype", words.TYPES)
def test_ranks_and_types(give, rank, dtype) -> None:
    @tilewright.jit
    def kernel(x, a, b, c, d, e):
        pass

    steps = [words.step(words.ARGUMENT, 1 + i) for i in range(5)]
    steps += [words.step(words.CONSTANT, 16 * (i + 2)) for i in range(5)]
    box = [32, *range(2, rank + 1)]
    maps = [words.Map(range(rank), range(5, 4 + rank), box, dtype)]
    give(kernel, "", [], words.encode(steps, maps))
    kernel[1](Tensor.make(), 101, 102, 103, 104, 105)
    type = DRIVER_TYPES.get(dtype, {1: 0, 2: 1}.get(words.BYTES[dtype]))
    extents, strides = range(101, 101 + rank), [16 * (i + 2) for i in range(rank - 1)]
    assert last()["parameters"] == [encoded(address(0), extents, strides, box, type)]


#
# Launches without maps
#


@pytest.mark.parametrize(
    ("offset", "rows", "columns"),
    [
        (8, 100, 200),  # the address is not a multiple of 16
        (0, 100, 201),  # nor is the stride
        (0, 0, 200),
        (0, 100, 0),
        (0, -1, 200),
        (0, 2**32 + 1, 200),
        (0, 100, 2**32 + 4),
        (0, 100, 2**62),  # the stride wraps
        (0, 100, 2**38),  # it has 2^40 bytes
    ],
)
def test_what_has_no_map_runs_the_general_code(give, kernel, offset, rows, columns) -> None:
    give(kernel, "8,8,8", [0, 1, 2], words.matrix())
    good = [address(0), 2**32, 100]
    for _ in range(2):
        kernel[1](Tensor.make(0, offset), rows, columns)
        assert last()["kernel"] == "general"
        mask = 2**64 - 1
        assert last()["parameters"] == [address(0, offset), rows & mask, columns & mask]
        kernel[1](Tensor.make(), 2**32, 100)
        assert last()["kernel"] == "with_maps"
        assert last()["parameters"][:3] == good
    assert encodings() == 1


def test_a_null_address(give, kernel) -> None:
    give(kernel, "8,4,4", [0, 1, 2], words.matrix(bits=32))
    kernel[1](Tensor.make(0, -address(0), elements=0), 100, 200)
    assert (last()["kernel"], last()["parameters"][0]) == ("general", 0)


def test_a_value_that_depends_on_the_program(give, kernel) -> None:
    steps = [words.step(words.ARGUMENT, 1, bits=32), words.step(words.PROGRAM_ID, 0, bits=32)]
    maps = words.encode(steps, [words.Map([0], [], [16], "u8", offset=1)])
    give(kernel, "8", [0], maps)
    kernel[1](Tensor.make(), 100, 200)
    assert last()["kernel"] == "with_maps"
    kernel[2](Tensor.make(), 100, 200)
    assert last()["kernel"] == "general"


def test_the_second_map_can_fail_alone(give) -> None:
    @tilewright.jit
    def kernel(x, y):
        pass

    steps = [words.step(words.CONSTANT, 64)]
    maps = [words.Map([0], [], [16], "u8"), words.Map([0], [], [16], "u8", slot=1)]
    give(kernel, "8,8", [0, 1], words.encode(steps, maps), 2)
    kernel[1](Tensor.make(0, 16), Tensor.make(0, 32))
    assert [word[1] for word in last()["parameters"][2:]] == [address(0, 16), address(0, 32)]
    kernel[1](Tensor.make(0, 16), Tensor.make(0, 36))
    assert last()["kernel"] == "general"


def test_code_that_was_compiled_with_maps_only(give, kernel) -> None:
    give(kernel, "8,4,4", [0, 1, 2], words.matrix(bits=32))
    special, _ = kernel._compile((), {}, True, "")
    kernel._compile = lambda *request: (special, None)
    kernel[1](Tensor.make(), 100, 200, specialize_ranges=False)
    assert last()["kernel"] == "with_maps"
    with pytest.raises(LaunchError, match=r"argument 'x' has a tensor map .* and is 804"):
        kernel[1](Tensor.make(), 100, 201)


#
# The driver
#


def test_launches_encode_a_map_once(give, kernel) -> None:
    give(kernel, "8,4,4", [0, 1, 2], words.matrix(bits=32))
    for i in range(30):
        offset = i % 3 * 256
        kernel[1](Tensor.make(0, offset), 100, 200 + i % 2 * 4)
        assert last()["parameters"][3][1] == address(0, offset)
        assert last()["parameters"][3][3] == 200 + i % 2 * 4
    assert encodings() == 6


def test_each_device_encodes_its_maps(give, kernel) -> None:
    give(kernel, "8,4,4", [0, 1, 2], words.matrix(bits=32))
    for device in (0, 1, 0, 1):
        kernel[1](Tensor.make(device, 32), 100, 200)
        assert (last()["device"], last()["parameters"][3][1]) == (device, address(device, 32))
    assert encodings() == 2
    assert fake_cuda.current_device() == -1


def test_a_stream_that_is_captured(give, kernel) -> None:
    fake_cuda.configure("capturing")
    give(kernel, "8,4,4", [0, 1, 2], words.matrix(bits=32))
    kernel[1](Tensor.make(), 100, 200)
    assert last()["kernel"] == "with_maps"


def test_nothing_is_encoded_without_a_launch(give, kernel) -> None:
    give(kernel, "8,4,4", [0, 1, 2], words.matrix(bits=32))
    kernel[0](Tensor.make(), 100, 200)
    kernel.warmup(Tensor.make(), 100, 201, grid=(1,))
    assert encodings() == 0 and not fake_cuda.launches()


def test_launches_of_several_threads(give, kernel) -> None:
    give(kernel, "8,4,4", [0, 1, 2], words.matrix(bits=32))

    def launch(thread: int) -> None:
        for i in range(50):
            kernel[1](Tensor.make(thread % 2, 16 * (i % 7)), 100, 4 * (thread + 1))

    threads = [threading.Thread(target=launch, args=[i]) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    launches = fake_cuda.launches()
    assert len(launches) == 200
    for x, _, columns, map in (launch["parameters"] for launch in launches):
        assert map == encoded(x, (columns, 100), [4 * columns], (8, 8))


def test_a_failure_of_the_driver(give, kernel) -> None:
    fake_cuda.configure("cuTensorMapEncodeTiled=1*1")
    give(kernel, "8,4,4", [0, 1, 2], words.matrix(bits=32))
    with pytest.raises(DeviceError) as raised:
        kernel[1](Tensor.make(), 100, 200)
    assert (
        "argument 'x' has a tensor map: cuda:0: cuTensorMapEncodeTiled: CUDA_ERROR_INVALID_VALUE "
        "(invalid argument); the tensor map is 8 x 8 of 200 x 100 fp32 at 0x10000000000, strides "
        "800"
    ) in str(raised.value)
    kernel[1](Tensor.make(), 100, 200)
    assert last()["kernel"] == "with_maps"


def test_a_driver_without_tensor_maps(give, kernel) -> None:
    _core.use_cuda_driver(OLD_DRIVER)
    give(kernel, "8,4,4", [0, 1, 2], words.matrix(bits=32))
    with pytest.raises(DeviceError, match=r"argument 'x' .* CUDA 12\.8, has no cuTensorMapEncode"):
        kernel[1](Tensor.make(), 100, 200)
    kernel[1](Tensor.make(), 100, 200, specialize_ranges=False)


#
# Descriptions that are wrong
#


@pytest.mark.parametrize(
    "wrong",
    [
        [1],
        words.matrix()[:-1],
        [*words.matrix(), 0],
        ["a"],
        3,
        words.matrix(slot=-1),
        [0, *[0] * 21],
    ],
)
def test_damaged_descriptions_launch_nothing(give, kernel, wrong) -> None:
    give(kernel, "8,4,4", [0, 1, 2], wrong)
    with pytest.raises((ValueError, TypeError)):
        kernel[1](Tensor.make(), 100, 200)
    assert not fake_cuda.launches()


def test_arguments_that_the_function_lacks(give, kernel) -> None:
    give(kernel, "8,4,4", [0, 1, 2], words.matrix(slot=7))
    kernel[1](Tensor.make(), 100, 200)
    assert last()["kernel"] == "general"
