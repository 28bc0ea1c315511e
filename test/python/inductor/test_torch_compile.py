"""torch.compile on the CPU after tilewright.inductor.register()."""

import pytest
from compiled_programs import run, succeeds

pytest.importorskip("torch")

SOFTMAX = """
@torch.compile
def model(x):
    scores = torch.softmax(x.sin() * 2, -1)
    return scores, scores.max(-1).values

x = torch.randn(64, 300)
for found, expected in zip(model(x), model._torchdynamo_orig_callable(x)):
    torch.testing.assert_close(found, expected)
"""


def test_a_compiled_function_agrees_with_eager(tmp_path) -> None:
    done = succeeds(SOFTMAX, tmp_path)
    assert "tilewright: triton_" in done.stderr  # Inductor's names begin so


def test_the_second_process_compiles_nothing(tmp_path) -> None:
    succeeds(SOFTMAX, tmp_path)
    done = succeeds(
        "from torch._dynamo.utils import counters\n"
        + SOFTMAX
        + "assert counters['inductor']['fxgraph_cache_hit'] == 1\n",
        tmp_path,
    )
    assert "tilewright: triton_" in done.stderr and "compiled for" not in done.stderr


def test_gradients_agree_with_eager(tmp_path) -> None:
    program = """
    layer = torch.nn.Sequential(torch.nn.Linear(40, 70), torch.nn.GELU(), torch.nn.LayerNorm(70))
    x, y = (torch.randn(9, 40, requires_grad=True) for _ in range(2))
    y.data.copy_(x.data)
    torch.compile(layer)(x).square().sum().backward()
    found = [parameter.grad.clone() for parameter in layer.parameters()]
    layer.zero_grad()
    layer(y).square().sum().backward()
    expected = [parameter.grad for parameter in layer.parameters()]
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(x.grad, y.grad, rtol=1e-4, atol=1e-4)
    """
    succeeds(program, tmp_path)


def test_sizes_can_vary(tmp_path) -> None:
    program = """
    f = torch.compile(lambda x: torch.softmax(x, -1) + x.sum(0), dynamic=True)
    for shape in ((3, 5), (100, 7), (64, 1024)):
        x = torch.randn(shape)
        torch.testing.assert_close(f(x), torch.softmax(x, -1) + x.sum(0))
    """
    succeeds(program, tmp_path)


def test_arrays_may_share_memory(tmp_path) -> None:
    program = """
    def f(x, y):
        x.add_(y.flip(0))
        return x * 2

    base, other = torch.arange(2000.0), torch.arange(2000.0)
    found = torch.compile(f)(base[:1500], base[500:])
    expected = f(other[:1500], other[500:])
    torch.testing.assert_close((found, base), (expected, other))
    """
    succeeds(program, tmp_path)


def test_config_can_be_imported_before(tmp_path) -> None:
    program = """
    import torch
    import torch._inductor.config
    import tilewright.inductor

    tilewright.inductor.register()
    f = torch.compile(lambda x: x.sin() + 1)
    torch.testing.assert_close(f(torch.ones(100)), torch.ones(100).sin() + 1)
    """
    done = run(program, tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "tilewright: triton_" in done.stderr and "NameError" not in done.stderr


def test_unregister_restores_the_back_end(tmp_path) -> None:
    program = """
    import torch._inductor.config as config

    assert tilewright.inductor.is_registered() and config.cpu_backend == "triton"
    tilewright.inductor.register()
    tilewright.inductor.unregister()
    assert not tilewright.inductor.is_registered() and config.cpu_backend == "cpp"
    """
    succeeds(program, tmp_path)


def test_kernels_run_on_an_emulated_gpu(tmp_path) -> None:
    target = {"TILEWRIGHT_TARGET": "emulator:cuda:90a+checks"}
    done = succeeds(SOFTMAX.replace("64, 300", "4, 300"), tmp_path, **target)
    assert "compiled for emulator:cuda:90a" in done.stderr


def test_hooks_can_be_added_after_the_first_launch(tmp_path) -> None:
    program = """
    import triton

    f = torch.compile(lambda x: x.sin() + 1)
    f(torch.ones(100))
    seen = []
    hook = lambda metadata: seen.append(metadata.get()["name"])
    triton.knobs.runtime.launch_enter_hook.add(hook)
    f(torch.ones(100))
    triton.knobs.runtime.launch_enter_hook.remove(hook)
    f(torch.ones(100))
    assert len(seen) == 1 and seen[0].startswith("triton_poi_fused"), seen
    """
    succeeds(program, tmp_path)


def test_launchers_make_no_metadata_without_hooks(tmp_path) -> None:
    program = """
    from tilewright.compiler import CompiledKernel

    def launch_metadata(*args):
        raise AssertionError("metadata without hooks")

    CompiledKernel.launch_metadata = launch_metadata
    f = torch.compile(lambda x: x.sin() + 1)
    torch.testing.assert_close(f(torch.ones(100)), torch.ones(100).sin() + 1)
    """
    succeeds(program, tmp_path)
