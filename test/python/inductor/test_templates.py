"""Inductor's templates: max-autotune and flex attention, on the CPU and on an emulated GPU."""

import re
from textwrap import dedent

import pytest
from compiled_programs import ROOT, run, succeeds

pytest.importorskip("torch")

HERE = f"""
import sys
import warnings

import torch._inductor.config as config

warnings.simplefilter("ignore")
sys.path.insert(0, {str(ROOT / "test" / "python" / "inductor")!r})
from template_cases import FLEX, check_flex, check_operator, operators
"""
ON_GPU = {"TILEWRIGHT_TARGET": "emulator:cuda:90a+checks"}


# The templates that all operators take.
TEMPLATES = ("mm", "bmm", "mm_plus_mm", "convolution2d", "convolution3d", "depthwise_conv1d")


def autotune(names: str, folder, **target: str) -> str:
    """Compiles operators of which only templates are candidates; returns what was logged."""
    program = f"""
    config.max_autotune_gemm_backends = config.max_autotune_conv_backends = "TRITON"
    config.test_configs.max_mm_configs = 4
    for name in {names}:
        check_operator(name)
        torch._dynamo.reset()
    """
    return succeeds(HERE + dedent(program), folder, **target).stderr


def test_max_autotune_takes_templates(tmp_path) -> None:
    log = autotune("operators()", tmp_path)
    assert all(f"triton_{template}_" in log for template in TEMPLATES)


@pytest.mark.parametrize(
    "names",
    [
        ("addmm", "conv2d bias"),
        pytest.param(
            ("mm bf16", "baddbmm", "depthwise conv1d"), marks=pytest.mark.full("half a minute")
        ),
    ],
)
def test_max_autotune_on_an_emulated_gpu(names, tmp_path) -> None:
    log = autotune(f"{names!r}", tmp_path, **ON_GPU)
    compiled = re.findall(r"(triton_tem_fused\w*).*: compiled for emulator:cuda:90a", log)
    assert len(set(compiled)) >= len(names)


def test_flex_attention(tmp_path) -> None:
    program = """
    for name in FLEX:
        check_flex(name)
        torch._dynamo.reset()
    """
    done = succeeds(HERE + dedent(program), tmp_path)
    assert "tilewright: triton_tem_fused" in done.stderr


@pytest.mark.parametrize(
    "names",
    [
        ("mm half",),
        pytest.param(("conv2d", "mm_plus_mm"), marks=pytest.mark.full("half a minute")),
    ],
)
def test_every_choice_of_a_gpu(names, tmp_path) -> None:
    program = f"""
    import gpu_templates

    gpu_templates.generate_for_gpus()
    for name in {names!r}:
        check_operator(name)
    assert not gpu_templates.problems, gpu_templates.problems
    assert sum(gpu_templates.executed.values()) >= 8 * len({names!r})
    for target in ("cuda:90a", "cuda:80"):
        assert not gpu_templates.compile_for(target)
    """
    succeeds(HERE + dedent(program), tmp_path, **ON_GPU)


def test_persistent_products_by_tensor_maps(tmp_path) -> None:
    program = """
    import gpu_templates

    gpu_templates.generate_for_gpus()
    config.test_configs.autotune_choice_name_regex = "tma|^mm"
    check_operator("mm bf16")
    assert gpu_templates.executed["triton_mm_persistent_tma"] > 4
    assert not gpu_templates.problems, gpu_templates.problems
    assert not gpu_templates.compile_for("cuda:90a")
    assert any(kernel.tensor_maps for kernel in gpu_templates.kernels.values())
    """
    succeeds(HERE + dedent(program), tmp_path, **ON_GPU)


@pytest.mark.parametrize(
    "names",
    [
        ("half", "decode grouped"),
        pytest.param(("bf16", "grouped heads"), marks=pytest.mark.full("half a minute")),
    ],
)
def test_flex_attention_of_a_gpu(names, tmp_path) -> None:
    program = f"""
    import gpu_templates

    gpu_templates.generate_for_gpus()
    for name in {names!r}:
        check_flex(name)
    for target in ("cuda:90a", "cuda:80"):
        assert not gpu_templates.compile_for(target)
    """
    succeeds(HERE + dedent(program), tmp_path, **ON_GPU)


def test_gradients_need_the_right_back_end(tmp_path) -> None:
    program = """
    from torch.nn.attention.flex_attention import flex_attention

    q = torch.randn(1, 1, 128, 16, requires_grad=True)
    try:
        f = torch.compile(flex_attention, options={"cpu_backend": "cpp"})
        f(q, q, q).sum().backward()
    except Exception as error:
        text = str(error)
    assert "only supports inference" in text
    """
    succeeds(program, tmp_path)


def test_unregister_restores_inductor(tmp_path) -> None:
    program = """
    from torch._dynamo.device_interface import get_interface_for_device
    from torch._inductor.codegen.common import get_device_op_overrides
    from torch._inductor.lowering import lowerings
    from torch.nn.attention import flex_attention as flex

    def state():
        checks = vars(flex)["_validate_device"], vars(flex)["_apply_kernel_options"]
        interface, operations = get_interface_for_device("cpu"), get_device_op_overrides("cpu")
        return dict(lowerings), *checks, interface, operations

    changed = state()
    tilewright.inductor.unregister()
    original = state()
    assert all(a is not b and a != b for a, b in zip(changed, original))
    tilewright.inductor.register()
    tilewright.inductor.unregister()
    assert state() == original
    """
    succeeds(program, tmp_path)


def test_other_versions_of_pytorch_may_lack_names(tmp_path) -> None:
    program = """
    import torch
    import tilewright.compat

    tilewright.compat.install()
    from torch._inductor.kernel.flex import flex_decoding
    from torch.nn.attention import flex_attention as flex

    del flex_decoding.get_split_k
    check = flex.__dict__.pop("_validate_device")
    import tilewright.inductor

    tilewright.inductor.register()
    flex._validate_device = check
    x, w = torch.randn(20, 30), torch.randn(30, 40)
    found = torch.compile(torch.mm, mode="max-autotune")(x, w)
    torch.testing.assert_close(found, x @ w)
    """
    done = run(program, tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]
