"""Inductor's templates under mode="max-autotune": results beside eager mode, times beside Triton.

    .venv/bin/python test/benchmark/inductor_templates.py                    a GPU, beside Triton
    .venv/bin/python test/benchmark/inductor_templates.py --device cpu       the CPU, beside C++
    .venv/bin/python test/benchmark/inductor_templates.py --cases flex --output results.jsonl

Only templates are candidates (`--gemm ATEN,TRITON` lets PyTorch's operators compete, too), so that
both compilers do the same work. Each case is compiled by each compiler in a process of its own, and
its line is printed, and appended to the output file as JSON, as soon as the process ends:

    first      seconds of the first call with empty caches, with the timing of all candidates
    time       microseconds of a later call: the median of those of events on a GPU
    templates  how many of the generated kernels are templates
    error      the largest difference to eager mode in float64 over the largest value, of the result
               and all gradients, and that of eager mode in the case's own dtype

A case is `ok` if its error is at most three times that of eager mode, or of the rounding of its
dtype. A process that fails or exceeds --timeout has the last line of its error instead.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

CASES = ("mlp", "bmm", "conv", "flex", "flex_gradients", "flex_decode")
ROUNDING = {"float32": 2e-3, "float16": 2e-3, "bfloat16": 1.6e-2}  # of products: TF32 for float32


def main() -> None:
    options = parse_options()
    if options.measure:
        print("RESULT " + json.dumps(measure(options)), flush=True)
        return
    found = importlib.util.find_spec("triton") if options.device == "cuda" else shutil.which("g++")
    compilers = ["tilewright", "other"] if options.other and found else ["tilewright"]
    print(f"{'case':16}{'compiler':12}{'first':>8}{'time':>10}{'templates':>11}{'error':>10}")
    for case in options.cases.split(","):
        times = {}
        for compiler in compilers:
            result = {"case": case, "compiler": compiler, **run(case, compiler, options)}
            times[compiler] = result.get("time")
            print(row(result), flush=True)
            if options.output:
                with open(options.output, "a", encoding="utf-8") as file:
                    file.write(json.dumps(result) + "\n")
        if all(times.values()) and len(times) == 2:
            ratio = times["other"] / times["tilewright"]
            print(f"{case:16}{'other / tilewright':30}{ratio:.2f}", flush=True)


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cuda")
    parser.add_argument("--cases", default=",".join(CASES), help="by name, separated by commas")
    parser.add_argument("--mode", default="max-autotune", help="torch.compile's mode")
    parser.add_argument("--gemm", default="TRITON", help="Inductor's max_autotune_gemm_backends")
    parser.add_argument("--dtype", default="", help="bfloat16 on a GPU, float32 on the CPU")
    parser.add_argument("--scale", type=int, default=0, help="16 on a GPU, 1 on the CPU")
    parser.add_argument("--timeout", type=float, default=300, help="seconds for each process")
    parser.add_argument("--output", help="a file that each result is appended to")
    parser.add_argument("--no-other", dest="other", action="store_false")
    parser.add_argument("--measure", choices=("tilewright", "other"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    is_gpu = options.device == "cuda"
    options.scale = options.scale or (16 if is_gpu else 1)
    options.dtype = options.dtype or ("bfloat16" if is_gpu else "float32")
    return options


def run(case: str, compiler: str, options: argparse.Namespace) -> dict[str, Any]:
    """Measures in a process with empty caches; compile workers end with it."""
    dropped = ("TILEWRIGHT_COMPAT", "TILEWRIGHT_COMPAT_VERSION")
    environment = {name: value for name, value in os.environ.items() if name not in dropped}
    command = [sys.executable, __file__, "--measure", compiler, "--cases", case]
    for name in ("device", "mode", "gemm", "dtype", "scale"):
        command += [f"--{name}", str(getattr(options, name))]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for name in ("TORCHINDUCTOR", "TILEWRIGHT", "TRITON"):
            environment[f"{name}_CACHE_DIR"] = os.path.join(folder, name.lower())
        process = subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            start_new_session=True,
        )  # fmt: skip
        try:
            out, err = process.communicate(timeout=options.timeout)
        except subprocess.TimeoutExpired:
            return {"problem": f"no result within {options.timeout:.0f} s"}
        finally:
            stop(process)
    for line in out.splitlines():
        if line.startswith("RESULT "):
            result: dict[str, Any] = json.loads(line.removeprefix("RESULT "))
            return result
    lines = [line for line in err.splitlines() if "Error" in line] or err.splitlines()
    return {"problem": (lines or [f"status {process.returncode}"])[-1][:300]}


def stop(process: subprocess.Popen[str]) -> None:
    """Ends what is left of the process and of the workers that it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    process.wait()


def row(result: dict[str, Any]) -> str:
    text = f"{result['case']:16}{result['compiler']:12}"
    if "problem" in result:
        return text + result["problem"]
    return (
        f"{text}{result['first']:8.1f}{result['time']:10.1f}{result['templates']:11}"
        f"{result['error']:10.1e} eager {result['eager']:.1e} {'ok' if result['ok'] else 'WRONG'}"
    )


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """The times and errors of one case in this process."""
    if options.measure == "tilewright":
        import tilewright.inductor

        tilewright.inductor.register()
    import torch
    import torch._inductor.config as config
    from torch._inductor.utils import run_and_get_code

    in_cpp = options.device == "cpu" and options.measure == "other"
    candidates = "ATEN,CPP" if in_cpp else options.gemm
    config.max_autotune_gemm_backends = candidates
    if hasattr(config, "max_autotune_conv_backends"):
        config.max_autotune_conv_backends = candidates
    function, inputs = make(options.cases, options)
    exact = [x.detach().double().requires_grad_(x.requires_grad) for x in inputs]
    expected, eager = results(function, exact), results(function, inputs)
    compiled = torch.compile(function, mode=options.mode)
    start = time.perf_counter()
    found, code = run_and_get_code(results, compiled, inputs)
    first = time.perf_counter() - start
    errors = {"error": worst_error(found, expected), "eager": worst_error(eager, expected)}
    limit = 3 * max(errors["eager"], ROUNDING[options.dtype])
    text = "\n".join(code)
    return {
        **errors,
        "ok": errors["error"] <= limit,
        "first": first,
        "templates": text.count("def triton_tem_"),
        "time": median_time(lambda: results(compiled, inputs), options.device),
        "device": torch.cuda.get_device_name() if options.device == "cuda" else "cpu",
        "torch": torch.__version__,
    }


def make(case: str, options: argparse.Namespace) -> tuple[Callable[..., Any], list[Any]]:
    """The function of a case and its inputs; those that require gradients get them."""
    import torch
    import torch.nn.functional as F

    torch.manual_seed(0)
    s, device, dtype = options.scale, options.device, getattr(torch, options.dtype)

    def random(*sizes: int, grad: bool = False) -> Any:
        values = torch.randn(*sizes, device=device) * (0.05 if grad and len(sizes) == 2 else 1)
        return values.to(dtype).requires_grad_(grad)

    if case == "mlp":
        width = 64 * s
        sizes = ((4 * width, width), (4 * width,), (width, 4 * width), (width,))
        parameters = [random(*size, grad=True) for size in sizes]
        return (
            lambda x, a, b, c, d: F.linear(F.gelu(F.linear(x, a, b)), c, d),
            [random(128 * s, width), *parameters],
        )
    if case == "bmm":
        return lambda a, b: torch.bmm(a, b).relu(), [random(8, 64 * s, 72), random(8, 72, 48 * s)]
    if case == "conv":
        weight = random(16 * s, 8 * s, 3, 3)
        return (
            lambda x, w, b: F.conv2d(x, w, b, padding=1).relu(),
            [random(4, 8 * s, 32, 32), weight, random(16 * s)],
        )
    return make_flex(case, options, random)


def make_flex(
    case: str, options: argparse.Namespace, random: Callable[..., Any]
) -> tuple[Callable[..., Any], list[Any]]:
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    length, width, grad = 128 * options.scale, 64, case == "flex_gradients"
    queries = 1 if case == "flex_decode" else length
    mask = None
    if case != "flex_decode":
        mask = create_block_mask(
            lambda b, h, q, k: q >= k, 1, 1, queries, length, device=options.device
        )
    inputs = [random(2, 4, n, width, grad=grad) for n in (queries, length, length)]
    return lambda q, k, v: flex_attention(q, k, v, block_mask=mask), inputs


def results(function: Callable[..., Any], inputs: list[Any]) -> list[Any]:
    """The result, and the gradients of its sum of squares; copies, which CUDA graphs keep."""
    import torch

    if hasattr(torch.compiler, "cudagraph_mark_step_begin"):
        torch.compiler.cudagraph_mark_step_begin()
    out = function(*inputs)
    found = [out.detach().clone()]
    leaves = [x for x in inputs if x.requires_grad]
    if leaves:
        found += [g.clone() for g in torch.autograd.grad(out.square().mean(), leaves)]
    return found


def worst_error(found: list[Any], expected: list[Any]) -> float:
    """The largest relative error of all tensors; infinite if one is not a number."""
    errors = []
    for x, y in zip(found, expected, strict=True):
        difference = (x.double() - y).abs().max().item() / max(y.abs().max().item(), 1e-30)
        errors.append(difference if difference == difference else float("inf"))
    return max(errors)


def median_time(call: Callable[[], Any], device: str, rounds: int = 30) -> float:
    """Microseconds of a call."""
    import torch

    times = []
    for _ in range(rounds + 5):
        if device == "cuda":
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            call()
            end.record()
            torch.cuda.synchronize()
            times.append(begin.elapsed_time(end) * 1e3)
        else:
            start = time.perf_counter()
            call()
            times.append((time.perf_counter() - start) * 1e6)
    return statistics.median(times[5:])


if __name__ == "__main__":
    main()
