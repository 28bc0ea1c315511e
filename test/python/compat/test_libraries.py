"""Kernels of published libraries run under compat, compared with PyTorch.

Skipped unless the libraries are installed:
pip install --no-deps --target FOLDER liger-kernel fla-core einops, with FOLDER in PYTHONPATH.
test_flag_gems.py does the same for FlagGems. With `--targets cuda`, tensors are on a GPU.
"""

import importlib
import itertools

import pytest

from tilewright import compat

torch = pytest.importorskip("torch")
F = torch.nn.functional


@pytest.fixture(scope="module", autouse=True)
def installed(library_device):
    compat.install()
    torch.manual_seed(0)
    yield
    compat.uninstall()


def function(module: str, name: str):
    """A function of a library's module; skips the test if the library is not installed."""
    pytest.importorskip(module.split(".")[0])
    return getattr(importlib.import_module(module), name)


def compare(found, expected, inputs, tolerance=1e-4) -> None:
    """Compares two results and their gradients."""
    close = {"atol": tolerance, "rtol": tolerance}
    torch.testing.assert_close(found, expected, **close)
    weight = torch.randn_like(found)
    # PyTorch's gradients come first: some kernels overwrite their inputs.
    theirs = torch.autograd.grad(expected, inputs, weight, retain_graph=True)
    mine = torch.autograd.grad(found, inputs, weight.clone())
    for x, y in zip(mine, theirs, strict=True):
        torch.testing.assert_close(x, y, **close)


def random(*shape):
    return torch.randn(*shape, requires_grad=True)


# liger-kernel


def test_liger_layer_norm() -> None:
    apply = function("liger_kernel.ops.layer_norm", "LigerLayerNormFunction").apply
    x, weight, bias = random(16, 300), random(300), random(300)
    expected = F.layer_norm(x, (300,), weight, bias, 1e-6)
    compare(apply(x, weight, bias, 1e-6), expected, (x, weight, bias))


def test_liger_rms_norm() -> None:
    apply = function("liger_kernel.ops.rms_norm", "LigerRMSNormFunction").apply
    x, weight = random(4, 16, 300), random(300)
    expected = F.rms_norm(x, (300,), weight, 1e-6)
    compare(apply(x, weight, 1e-6, 0.0, "llama", False), expected, (x, weight))


@pytest.mark.parametrize(
    ("module", "name", "activation"),
    [
        ("liger_kernel.ops.swiglu", "LigerSiLUMulFunction", F.silu),
        ("liger_kernel.ops.geglu", "LigerGELUMulFunction", lambda x: F.gelu(x, approximate="tanh")),
    ],
)
def test_liger_gates(module, name, activation) -> None:
    apply = function(module, name).apply
    a, b = random(8, 500), random(8, 500)
    compare(apply(a, b), activation(a) * b, (a, b))


def test_liger_softmax() -> None:
    apply = function("liger_kernel.ops.softmax", "LigerSoftmaxFunction").apply
    x = random(7, 1000)
    compare(apply(x), torch.softmax(x, -1), (x,))


def test_liger_fused_linear_cross_entropy() -> None:
    name = "LigerFusedLinearCrossEntropyFunction"
    apply = function("liger_kernel.ops.fused_linear_cross_entropy", name).apply
    x, weight = random(32, 64), random(200, 64)
    target = torch.randint(0, 200, (32,))
    found = apply(x, weight, target)
    loss = found[0] if isinstance(found, tuple) else found
    compare(loss, F.cross_entropy(x @ weight.T, target), (x, weight))


def test_liger_group_norm() -> None:
    apply = function("liger_kernel.ops.group_norm", "LigerGroupNormFunction").apply
    x, weight, bias = random(3, 12, 40), random(12), random(12)
    expected = F.group_norm(x, 4, weight, bias, 1e-5)
    compare(apply(x, weight, bias, 12, 4, 1e-5), expected, (x, weight, bias), 1e-3)


@pytest.mark.parametrize("mode", ["llama", "gemma", "none"])
def test_liger_fused_add_rms_norm(mode) -> None:
    apply = function("liger_kernel.ops.fused_add_rms_norm", "LigerFusedAddRMSNormFunction").apply
    x, residual, weight = random(4, 9, 200), random(4, 9, 200), random(200)
    found = apply(x, residual, weight, 1e-6, 0.0, mode, False)[0]
    compare(found, F.rms_norm(x + residual, (200,), weight, 1e-6), (x, residual, weight))


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_liger_cross_entropy(reduction, smoothing) -> None:
    apply = function("liger_kernel.ops.cross_entropy", "LigerCrossEntropyFunction").apply
    x, target = random(32, 1000), torch.randint(0, 1000, (32,))
    target[3] = -100
    expected = F.cross_entropy(x, target, label_smoothing=smoothing, reduction=reduction)
    found = apply(x.clone(), target, None, -100, 0.0, smoothing, reduction)[0]
    compare(found, expected, (x,))


@pytest.mark.parametrize("reduction", ["batchmean", "sum", "mean", "none"])
def test_liger_kl_divergence(reduction) -> None:
    apply = function("liger_kernel.ops.kl_div", "LigerKLDivLossFunction").apply
    x, target = random(16, 300), torch.randn(16, 300).softmax(-1)
    expected = F.kl_div(x.log_softmax(-1), target, reduction=reduction)
    compare(apply(x.log_softmax(-1), target, reduction), expected, (x,))


def test_liger_rotary_embedding() -> None:
    apply = function("liger_kernel.ops.rope", "LigerRopeFunction").apply
    q, k, angles = random(2, 4, 10, 32), random(2, 2, 10, 32), torch.randn(1, 10, 16)
    cos, sin = torch.cat([angles.cos()] * 2, -1), torch.cat([angles.sin()] * 2, -1)

    def rotate(x):
        a, b = x.chunk(2, -1)
        return x * cos[:, None] + torch.cat((-b, a), -1) * sin[:, None]

    found = torch.cat(apply(q.clone(), k.clone(), cos, sin), 1)
    compare(found, torch.cat((rotate(q), rotate(k)), 1), (q, k))


def test_liger_mixture_of_experts() -> None:
    apply = function("liger_kernel.ops.fused_moe", "LigerFusedMoEFunction").apply
    x, weights = random(24, 32), torch.rand(24, 2, requires_grad=True)
    up, down = (torch.randn(6, *shape) * 0.2 for shape in ((96, 32), (32, 48)))
    up.requires_grad_()
    down.requires_grad_()
    chosen = torch.stack([torch.randperm(6)[:2] for _ in range(24)])
    gate, value = torch.einsum("tkih,th->tki", up[chosen], x).chunk(2, -1)
    each = torch.einsum("tkhi,tki->tkh", down[chosen], F.silu(gate) * value)
    expected = (each * weights[..., None]).sum(1)
    found = apply(x, up, down, chosen.int(), weights)
    compare(found, expected, (x, up, down, weights), 1e-2)


# flash-linear-attention: autotuned kernels with heuristics, chunked and recurrent forms


def refuses_version_of_triton(name: str) -> None:
    """Skips what FLA does not run on Hopper with the version of Triton that compat reports."""
    if torch.get_default_device().type == "cuda" and name == "simple_gla":
        pytest.skip("FLA raises an error for Triton below 3.7.1 on Hopper")


@pytest.mark.parametrize("name", ["gla", "simple_gla"])
def test_fla_gated_linear_attention(name) -> None:
    chunked = function(f"fla.ops.{name}", f"chunk_{name}")
    recurrent = function(f"fla.ops.{name}", f"fused_recurrent_{name}")
    q, k, v = (random(1, 64, 2, 32) for _ in range(3))
    gate = F.logsigmoid(torch.randn(q.shape if name == "gla" else q.shape[:3])).requires_grad_()
    keyword = "gk" if name == "gla" else "g"
    refuses_version_of_triton(name)
    found, _ = chunked(q=q, k=k, v=v, g=gate, scale=1.0)
    expected, _ = recurrent(q=q, k=k, v=v, scale=1.0, **{keyword: gate})
    compare(found, expected, (q, k, v, gate), 8e-2)


def test_fla_attention() -> None:
    attention = function("fla.ops.attn", "parallel_attn")
    q, k, v = (random(1, 64, 2, 32) for _ in range(3))
    heads_first = [x.transpose(1, 2) for x in (q, k, v)]
    expected = F.scaled_dot_product_attention(*heads_first, is_causal=True).transpose(1, 2)
    compare(attention(q, k, v), expected, (q, k, v), 5e-2)


def test_fla_delta_rule() -> None:
    chunked = function("fla.ops.delta_rule", "chunk_delta_rule")
    recurrent = function("fla.ops.delta_rule", "fused_recurrent_delta_rule")
    q, v = torch.randn(1, 64, 2, 32), torch.randn(1, 64, 2, 32)
    k, beta = F.normalize(torch.randn(1, 64, 2, 32), dim=-1), torch.rand(1, 64, 2)
    found, _ = chunked(*(x.bfloat16() for x in (q, k, v, beta)))
    expected, _ = recurrent(q, k, v, beta)
    torch.testing.assert_close(found.float(), expected, atol=6e-2, rtol=6e-2)


def test_fla_convolution() -> None:
    convolution = function("fla.modules.convolution", "causal_conv1d")
    x, weight = random(1, 64, 32), torch.randn(32, 4)
    found = convolution(x=x, weight=weight, bias=None, activation="silu")
    padded = F.conv1d(x.transpose(1, 2), weight[:, None], padding=3, groups=32)[..., :64]
    expected = F.silu(padded.transpose(1, 2))
    compare(found[0] if isinstance(found, tuple) else found, expected, (x,), 1e-3)


def decayed(q, k, v, decay):
    """Linear attention whose state decays: S = exp(decay) S + k v', o = q S."""
    state = torch.zeros(*q.shape[:1], *q.shape[2:], v.shape[-1])
    out = []
    for t in range(q.shape[1]):
        state = state * decay[:, t, :, :, None].exp() + k[:, t, ..., None] * v[:, t, :, None]
        out.append(torch.einsum("bhk,bhkv->bhv", q[:, t] * q.shape[-1] ** -0.5, state))
    return torch.stack(out, 1)


@pytest.mark.parametrize("form", ["chunk", "fused_chunk", "fused_recurrent", "parallel"])
def test_fla_retention(form) -> None:
    retention = function("fla.ops.retention", f"{form}_retention")
    q, k, v = random(1, 70, 2, 32), random(1, 70, 2, 32), random(1, 70, 2, 64)
    rates = (1 - 2.0 ** (-5 - torch.arange(2.0))).log()
    expected = decayed(q, k, v, rates[None, None, :, None].expand(q.shape))
    compare(retention(q, k, v)[0], expected, (q, k, v), 2e-2)


def test_fla_variable_lengths() -> None:
    chunked = function("fla.ops.gla", "chunk_gla")
    q, k, v = random(1, 100, 2, 32), random(1, 100, 2, 32), random(1, 100, 2, 64)
    gate = (F.logsigmoid(torch.randn(q.shape)) / 4).requires_grad_()
    ends = [0, 30, 77, 100]
    parts = [decayed(*(x[:, a:b] for x in (q, k, v, gate))) for a, b in itertools.pairwise(ends)]
    found, _ = chunked(q, k, v, gate, cu_seqlens=torch.tensor(ends))
    compare(found, torch.cat(parts, 1), (q, k, v, gate), 2e-2)


def test_fla_parallax() -> None:
    attention = function("fla.ops.parallax", "parallel_parallax")
    naive = function("fla.ops.parallax.naive", "naive_parallax")
    inputs = [torch.randn(1, 32, 2, 32).half() for _ in range(4)]
    halves = [x.requires_grad_() for x in inputs]
    floats = [x.detach().float().requires_grad_() for x in inputs]
    found, expected = attention(*halves), naive(*floats)
    found, expected = (x[0] if isinstance(x, tuple) else x for x in (found, expected))
    weight = torch.randn_like(expected)
    mine = torch.autograd.grad(found, halves, weight.half())
    theirs = torch.autograd.grad(expected, floats, weight)
    for x, y in zip(mine, theirs, strict=True):
        torch.testing.assert_close(x.float(), y, atol=3e-2, rtol=3e-2)
