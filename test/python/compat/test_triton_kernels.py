"""Functions of triton_kernels run under compat, compared with PyTorch.

Skipped unless the library's folder is in PYTHONPATH. Some wheels contain a copy, such as that of
vLLM in vllm/third_party. With `--targets cuda`, tensors are on a GPU. On the CPU, the library is
told that its back end is "cuda", with two SMs.
"""

import importlib
import importlib.util
import sys
from types import SimpleNamespace

import pytest

from tilewright import compat

torch = pytest.importorskip("torch")


@pytest.fixture(scope="module")
def library(library_device):
    if importlib.util.find_spec("triton_kernels") is None:
        pytest.skip("triton_kernels is not installed")
    with pytest.MonkeyPatch.context() as patch:
        compat.install()
        if library_device == "cpu":
            _pretend_a_gpu(patch)
        yield lambda name: importlib.import_module(f"triton_kernels.{name}")
        compat.uninstall()
        for name in [n for n in sys.modules if n.partition(".")[0] == "triton_kernels"]:
            del sys.modules[name]


def _pretend_a_gpu(patch) -> None:
    """Tells the library that its back end on the CPU is that of a small GPU."""
    gpu = SimpleNamespace(
        multi_processor_count=2, major=9, minor=0, shared_memory_per_block_optin=232448
    )
    patch.setattr(torch.cuda, "get_device_properties", lambda *_: gpu)
    patch.setattr(torch.cuda, "current_device", lambda: 0)
    patch.setattr(torch.cuda, "get_device_capability", lambda *_: (9, 0))
    target = SimpleNamespace(backend="cuda", arch=90, warp_size=32)
    driver = SimpleNamespace(active=SimpleNamespace(get_current_target=lambda: target))
    flags = importlib.import_module("triton_kernels.matmul_ogs_details.opt_flags")
    proxy = SimpleNamespace(**vars(flags.triton), cdiv=flags.triton.cdiv)
    proxy.next_power_of_2 = flags.triton.next_power_of_2
    proxy.runtime = SimpleNamespace(driver=driver)
    patch.setattr(flags, "triton", proxy)
    tensors = importlib.import_module("triton_kernels.tensor")
    patch.setattr(tensors, "cuda_capability_geq", lambda *_: True)  # has descriptors


def close(found, expected, tolerance=2e-2) -> None:
    scale = expected.float().abs().max().item() + 1e-6
    torch.testing.assert_close(
        found.float(), expected.float(), atol=tolerance * scale, rtol=tolerance
    )


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("limit", [None, 1.0])
def test_swiglu(library, dtype, limit) -> None:
    module = library("swiglu")
    torch.manual_seed(0)
    x = torch.randn(20, 300, dtype=getattr(torch, dtype))
    config = module.PrecisionConfig(limit=limit)
    gate, linear = x.float()[:, ::2], x.float()[:, 1::2]
    if limit is not None:
        gate, linear = gate.clamp(max=limit), linear.clamp(-limit, limit)
    close(module.swiglu(x, 1.5, config), gate * torch.sigmoid(1.5 * gate) * (linear + 1))


@pytest.mark.parametrize(("rows", "experts", "k"), [(7, 13, 1), (70, 128, 4)])
def test_topk_and_its_gradient(library, rows, experts, k) -> None:
    torch.manual_seed(0)
    x = torch.stack([torch.randperm(experts) for _ in range(rows)]).float().div(8).requires_grad_()
    values, indices, bits = library("topk").topk(x, k)
    expected = x.detach().topk(k)
    assert torch.equal(indices.long().sort(1).values, expected.indices.sort(1).values)
    close(values.sort(1).values, expected.values.softmax(1).sort(1).values, 1e-5)
    weights = torch.randn_like(values)
    (gradient,) = torch.autograd.grad((values * weights).sum(), x)
    softmax = x.gather(1, indices.long()).softmax(1)
    close(gradient, torch.autograd.grad((softmax * weights).sum(), x)[0], 1e-4)
    count, _ = bits.sum(partials_block_size=32)
    full = torch.bincount(indices.long().flatten(), minlength=count.numel())
    assert torch.equal(count.long(), full[: count.numel()])


@pytest.mark.parametrize("tokens", [1, 50])
def test_routing(library, tokens) -> None:
    torch.manual_seed(0)
    logits = torch.randn(tokens, 8).half()
    data, gather, scatter = library("routing").routing(logits, 2)
    chosen = logits.float().topk(2).indices
    assert torch.equal(data.expt_hist.long(), torch.bincount(chosen.flatten(), minlength=8))
    starts = torch.cat((torch.zeros(1), data.expt_hist.cumsum(0))).int()
    assert torch.equal(data.expt_data.token_offs_raw, starts)
    tokens_of = gather.src_indx.long() // 2
    for expert in range(8):
        mine = tokens_of[starts[expert] : starts[expert + 1]]
        assert mine.tolist() == (chosen == expert).any(1).nonzero().flatten().tolist()
    order = torch.arange(tokens * 2, dtype=torch.int32)
    assert torch.equal(scatter.src_indx[scatter.dst_indx.long()], order)


@pytest.mark.parametrize("dtype", ["uint8", "float8_e4m3fn", "float8_e5m2"])
@pytest.mark.parametrize("axis", [-1, -2])
def test_microscaling(library, dtype, axis) -> None:
    module = library("numerics_details.mxfp")
    torch.manual_seed(0)
    x, kind = torch.randn(3, 70, 96).bfloat16(), getattr(torch, dtype)
    if axis == -2:
        x = x.transpose(1, 2).contiguous()
    found = module.downcast_to_mxfp(x, kind, axis=axis)
    expected = module.downcast_to_mxfp_torch(x, kind, axis=axis)
    for mine, theirs in zip(found, expected, strict=True):
        assert torch.equal(mine.view(torch.uint8), theirs.view(torch.uint8))
    back = module.upcast_from_mxfp(*found, torch.bfloat16, axis=axis)
    assert torch.equal(back, module.upcast_from_mxfp_torch(*expected, torch.bfloat16, axis=axis))


@pytest.fixture
def constrain(library):
    flags = library("matmul_ogs_details.opt_flags")
    usual = {"block_m": 16, "is_persistent": False, "split_k": 1}
    yield lambda **chosen: flags.update_opt_flags_constraints(usual | chosen)
    flags.reset_opt_flags_constraints()


@pytest.mark.parametrize("epilogue_subtile", [1, 2])
@pytest.mark.parametrize("batch", [(), (3,)])
def test_persistent_products(library, constrain, batch, epilogue_subtile) -> None:
    torch.manual_seed(0)
    x, w = torch.randn(*batch, 50, 96).half(), torch.randn(*batch, 96, 72).half()
    constrain(is_persistent=True, epilogue_subtile=epilogue_subtile)
    found = library("matmul_ogs").matmul_ogs(x, w, None)
    close(found, x.float() @ w.float())


@pytest.mark.parametrize(("persistent", "split_k"), [(False, 1), (False, 3), (True, 1)])
@pytest.mark.parametrize("scatters", [False, True])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_products_of_experts(library, constrain, dtype, scatters, persistent, split_k) -> None:
    module = library("matmul_ogs")
    constrain(is_persistent=persistent, split_k=split_k)
    torch.manual_seed(0)
    kind = getattr(torch, dtype)
    logits, x = torch.randn(50, 4).half(), torch.randn(50, 96).to(kind)
    w, bias = torch.randn(4, 96, 72).to(kind), torch.randn(4, 72)
    data, gather, scatter = library("routing").routing(logits, 2)
    found = module.matmul_ogs(x, w, bias, data, gather, scatter if scatters else None)
    every = torch.einsum("mk,ekn->emn", x.float(), w.float()) + bias[:, None]
    if scatters:
        chosen = torch.zeros(50, 4).scatter_(1, logits.float().topk(2).indices, 1)
        close(found, torch.einsum("emn,me->mn", every, chosen))
    else:
        experts = torch.repeat_interleave(torch.arange(4), data.expt_hist.long())
        close(found, every[experts, gather.src_indx.long() // 2])


@pytest.mark.parametrize("epilogue_subtile", [1, 2])
@pytest.mark.parametrize("rows", [3, 50])
def test_persistent_products_of_sorted_rows(library, constrain, rows, epilogue_subtile) -> None:
    """The rows are sorted by expert already: a ragged descriptor loads and stores them."""
    constrain(is_persistent=True, epilogue_subtile=epilogue_subtile)
    torch.manual_seed(0)
    data, _, _ = library("routing").routing(torch.randn(rows, 4).half(), 2)
    x, w = torch.randn(rows * 2, 96).half(), torch.randn(4, 96, 72).half()
    found = library("matmul_ogs").matmul_ogs(x, w, None, data)
    experts = torch.repeat_interleave(torch.arange(4), data.expt_hist.long())
    close(found, torch.einsum("mk,mkn->mn", x.float(), w.float()[experts]))


@pytest.mark.parametrize("dtype", ["uint8", "float8_e4m3fn"])
def test_product_with_microscaled_weights(library, constrain, dtype) -> None:
    module, mxfp = library("matmul_ogs"), library("numerics_details.mxfp")
    tensors = library("tensor")
    constrain()
    torch.manual_seed(0)
    x, w = torch.randn(40, 128).bfloat16(), torch.randn(1, 128, 64).bfloat16()
    packed, scale = mxfp.downcast_to_mxfp(w, getattr(torch, dtype), axis=1)
    weights = tensors.wrap_torch_tensor(packed, tensors.FP4) if dtype == "uint8" else packed
    config = module.PrecisionConfig(weight_scale=scale, out_dtype=torch.bfloat16)
    found = module.matmul_ogs(x, weights, None, precision_config=config)
    unpacked = mxfp.upcast_from_mxfp(packed, scale, torch.bfloat16, axis=1)[0]
    close(found, x.float() @ unpacked.float())
