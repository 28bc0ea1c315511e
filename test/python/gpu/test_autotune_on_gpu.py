"""Autotuning on a GPU: timing, child processes for kernels that stop the device, and ranks."""

import multiprocessing
import os
from pathlib import Path
from typing import Any

import pytest

import tilewright
import tilewright.language as tl
from tilewright import Config


@pytest.fixture(autouse=True)
def fresh_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path / "cache"))


def configs_of(*sizes: int, **options: Any) -> list[Config]:
    return [Config({"BLOCK": size}, **options) for size in sizes]


def blocks(meta: dict[str, Any]) -> tuple[int]:
    return (tilewright.cdiv(meta["n"], meta["BLOCK"]),)


@tilewright.autotune(configs_of(16, 1024, 2048), key=["n"])
@tilewright.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


def test_the_fastest_is_chosen(gpu) -> None:
    x, y = gpu.rand(2, 1 << 22, device="cuda")
    out = gpu.empty_like(x)
    for _ in range(2):
        add[blocks](x, y, out, x.numel())
        assert gpu.equal(out, x + y)
    assert add.best_config.kwargs["BLOCK"] > 16


def test_the_host_and_the_device_have_their_own_choices(gpu) -> None:
    x = gpu.rand(1000)
    for device in ("cpu", "cuda", "cpu", "cuda"):
        on_device = x.to(device)
        out = gpu.empty_like(on_device)
        add[blocks](on_device, on_device, out, 1000)
        assert gpu.equal(out.cpu(), x + x)
    assert {place[0] for place in add._caches} >= {"cpu", "cuda:0"}


@tilewright.autotune(
    configs_of(64, 32), key=[], isolate=True, time_limit=20, restore_value=["out"], rep=5
)
@tilewright.jit
def wild(out, far, BLOCK: tl.constexpr):
    # With blocks of 64 it writes where no memory is, which stops the device for its process.
    tl.store(out + tl.where(BLOCK == 64, far, 0), BLOCK)


def test_one_that_stops_the_device_costs_a_child_process(gpu, capsys, monkeypatch) -> None:
    monkeypatch.setenv("TILEWRIGHT_LOG", "tuning")
    out = gpu.full((4,), 7, dtype=gpu.int32, device="cuda")
    wild[1,](out, 1 << 40)
    assert out.tolist() == [32, 7, 7, 7]
    assert "illegal memory access" in capsys.readouterr().err
    assert wild.best_config.kwargs == {"BLOCK": 32}


@tilewright.autotune(
    configs_of(64, 32), key=[], isolate=True, time_limit=5, reset_to_zero=["out"], rep=5
)
@tilewright.jit
def endless(out, BLOCK: tl.constexpr):
    while (BLOCK == 64) & (tl.atomic_add(out, 0) == 0):
        tl.atomic_add(out + 1, 1)
    tl.store(out, BLOCK)


def test_one_that_never_ends_costs_a_child_process(gpu, capsys, monkeypatch) -> None:
    monkeypatch.setenv("TILEWRIGHT_LOG", "tuning")
    out = gpu.zeros(2, dtype=gpu.int32, device="cuda")
    endless[1,](out)
    assert out.tolist() == [32, 0]
    assert "did not end within 5 s" in capsys.readouterr().err


def test_verify_and_graphs(gpu) -> None:
    x = gpu.rand(1 << 16, device="cuda")
    out = gpu.empty_like(x)
    for options in ({"verify": True}, {"use_cuda_graph": True}):
        kernel = tilewright.autotune(configs_of(256, 1024), key=["n"], rep=10, **options)(add.fn)
        kernel[blocks](x, x, out, x.numel())
        assert gpu.equal(out, x + x)
        assert all(times[0] < 100 for times in kernel.configs_timings.values())


def _rank(rank: int, folder: str, found) -> None:
    import torch

    os.environ["TILEWRIGHT_CACHE_DIR"] = f"{folder}/cache{rank}"
    torch.cuda.set_device(rank)
    torch.distributed.init_process_group(
        "nccl", init_method=f"file://{folder}/rendezvous", rank=rank, world_size=2
    )
    x = torch.rand(1 << 20, device=f"cuda:{rank}")
    out = torch.empty_like(x)
    add[blocks](x, x, out, x.numel())
    assert torch.equal(out, x + x)
    found.put(add.best_config.kwargs["BLOCK"])
    torch.distributed.barrier()
    torch.distributed.destroy_process_group()


def test_ranks_on_two_devices_choose_the_same(two_gpus, tmp_path) -> None:
    context = multiprocessing.get_context("spawn")
    found = context.SimpleQueue()
    processes = [
        context.Process(target=_rank, args=(rank, str(tmp_path), found)) for rank in range(2)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join(200)
        assert process.exitcode == 0
    assert found.get() == found.get()
