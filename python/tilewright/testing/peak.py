"""Peak rates of CUDA devices: memory bandwidth and floating-point throughput.

The throughput is SMs x clock x operations per SM and clock, where a multiply-add counts as two
operations. The operations per clock come from NVIDIA's whitepapers of the architectures (tensor
cores, without sparsity) and from the table of arithmetic throughput in the CUDA C++ Programming
Guide (SIMD).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tilewright.errors import BenchmarkError, DeviceError
from tilewright.testing.device_properties import device_properties

_Rates = Mapping[str, int]


def _rates(text: str) -> _Rates:
    """ "float16=1024 int8=2048" as a dictionary."""
    return {name: int(rate) for name, rate in (item.split("=") for item in text.split())}


# Operations per SM and clock of the tensor cores, by compute capability. GeForce boards of 8.6, 8.9
# and 12.0 reach half of the rates of floats if they accumulate in float32.
_TENSOR_CORE = {
    (7, 0): _rates("float16=1024"),
    (7, 5): _rates("float16=1024 int8=2048"),
    (8, 0): _rates("float64=128 tf32=1024 float16=2048 bfloat16=2048 int8=4096"),
    (8, 6): _rates("tf32=512 float16=1024 bfloat16=1024 int8=2048"),
    (8, 9): _rates("tf32=512 float16=1024 bfloat16=1024 int8=2048 float8=2048"),
    (9, 0): _rates("float64=256 tf32=2048 float16=4096 bfloat16=4096 int8=8192 float8=8192"),
    (10, 0): _rates("tf32=4096 float16=8192 bfloat16=8192 int8=16384 float8=16384"),
    (10, 3): _rates("tf32=4096 float16=8192 bfloat16=8192 float8=16384"),
    (12, 0): _rates("tf32=512 float16=1024 bfloat16=1024 int8=2048 float8=2048"),
}

# Operations per SM and clock of the other units, by compute capability.
_SIMD = {
    (7, 0): _rates("float64=64 float32=128 float16=256"),
    (7, 5): _rates("float64=4 float32=128 float16=256"),
    (8, 0): _rates("float64=64 float32=128 float16=512 bfloat16=256"),
    (8, 6): _rates("float64=4 float32=256 float16=256 bfloat16=256"),
    (8, 9): _rates("float64=4 float32=256 float16=256 bfloat16=256"),
    (9, 0): _rates("float64=128 float32=256 float16=512 bfloat16=512"),
    (10, 0): _rates("float64=128 float32=256"),
    (12, 0): _rates("float64=4 float32=256 float16=256 bfloat16=256"),
}

_ALIASES = {
    **{"fp64": "float64", "fp32": "float32", "fp16": "float16", "bf16": "bfloat16"},
    **{"half": "float16", "double": "float64", "float": "float32"},
}


def get_dram_gbps(device: Any = None) -> float:
    """The peak bandwidth of a device's memory in GB/s (10^9 bytes).

    It is memory clock x 2 transfers per clock x bus width / 8 bits per byte.

    Args:
        device: An ordinal, a name such as "cuda:1" or a torch.device; by default the current one.

    Raises:
        DeviceError: There is no such device, or the driver does not know its memory's clock.
    """
    found = device_properties(device)
    if not found.memory_clock_rate or not found.memory_bus_width:
        raise DeviceError("the driver does not know the clock and bus width of the device's memory")
    return dram_gbps(found.memory_clock_rate, found.memory_bus_width)


def dram_gbps(memory_clock_khz: float, bus_width_bits: float) -> float:
    """The bandwidth in GB/s of a memory with this clock and bus."""
    return memory_clock_khz * 1e3 * 2 * bus_width_bits / 8 / 1e9


def get_max_tensorcore_tflops(
    dtype: Any, clock_rate: float | None = None, device: Any = None
) -> float:
    """The peak throughput of the tensor cores in TFLOP/s, or TOP/s of integers.

    It is SMs x clock x operations per SM and clock, without sparsity; a multiply-add is two
    operations. GeForce boards that accumulate in float32 reach half.

    Args:
        dtype: The operands' dtype, as PyTorch, NumPy or tilewright.language has it, or its name;
            float32 stands for TF32.
        clock_rate: The clock of the SMs in kHz; by default the device's highest.
        device: An ordinal, a name such as "cuda:1" or a torch.device; by default the current one.

    Raises:
        BenchmarkError: The device's tensor cores do not take the dtype.
        DeviceError: There is no such device, or its compute capability is unknown.
    """
    name = _dtype_name(dtype)
    if name.startswith("float8"):
        name = "float8"
    return _tflops(
        "tensor cores", _TENSOR_CORE, name.replace("float32", "tf32"), clock_rate, device
    )


def get_max_simd_tflops(dtype: Any, clock_rate: float | None = None, device: Any = None) -> float:
    """The peak throughput without tensor cores in TFLOP/s.

    It is SMs x clock x operations per SM and clock; a multiply-add is two operations, and 16-bit
    floats are in pairs.

    Args:
        dtype: float16, bfloat16, float32 or float64, as PyTorch, NumPy or tilewright.language has
            it, or its name.
        clock_rate: The clock of the SMs in kHz; by default the device's highest.
        device: An ordinal, a name such as "cuda:1" or a torch.device; by default the current one.

    Raises:
        BenchmarkError: The device has no arithmetic in this dtype.
        DeviceError: There is no such device, or its compute capability is unknown.
    """
    return _tflops("SIMD units", _SIMD, _dtype_name(dtype), clock_rate, device)


def _tflops(
    units: str,
    table: Mapping[tuple[int, int], _Rates],
    dtype: str,
    clock_rate: float | None,
    device: Any,
) -> float:
    found = device_properties(device)
    major, minor = found.capability
    rates = table.get(found.capability)
    if rates is None:
        known = ", ".join(f"{a}.{b}" for a, b in table)
        raise DeviceError(
            f"the peak rate of {units} of compute capability {major}.{minor} is unknown; "
            f"known are {known}"
        )
    if dtype not in rates:
        raise BenchmarkError(
            f"the {units} of compute capability {major}.{minor} do not take {dtype}; "
            f"they take {', '.join(rates)}"
        )
    clock = found.clock_rate if clock_rate is None else clock_rate
    return found.multiprocessor_count * clock * 1e3 * rates[dtype] / 1e12


def _dtype_name(dtype: Any) -> str:
    """ "float16" for torch.float16, numpy.float16, numpy.dtype("float16") and tl.float16."""
    name = dtype.__name__ if isinstance(dtype, type) else str(dtype)
    name = name.rpartition(".")[2]
    if name.startswith("fp8"):
        return name.replace("fp8", "float8")
    return _ALIASES.get(name, name)
