"""An autotuned matmul with an activation; a program written for Triton."""

import argparse

import torch
import triton
import triton.language as tl


def configurations():
    """Tile sizes for large and small problems."""
    return [
        triton.Config(
            {"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k, "GROUP_M": 4},
            num_stages=stages,
            num_warps=warps,
        )
        for m, n, k, stages, warps in (
            (64, 64, 32, 3, 4),
            (32, 64, 32, 4, 4),
            (32, 32, 64, 2, 2),
            (128, 256, 64, 3, 8),
        )
    ]


def small_enough(configs, nargs, **kwargs):
    """Drops configurations whose tiles are much larger than the matrices."""
    kept = [
        config
        for config in configs
        if config.kwargs["BLOCK_M"] <= 2 * nargs["M"] and config.kwargs["BLOCK_N"] <= 2 * nargs["N"]
    ]
    return kept or configs[:1]


@triton.autotune(
    configs=configurations(),
    key=["M", "N", "K"],
    prune_configs_by={"early_config_prune": small_enough},
)
@triton.jit
def matmul_kernel(
    a_ptr, b_ptr, c_ptr,
    M, N, K,
    stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
    GROUP_M: tl.constexpr,
    ACTIVATION: tl.constexpr,
):  # fmt: skip
    pid = tl.program_id(axis=0)
    tiles_m = tl.cdiv(M, BLOCK_M)
    tiles_n = tl.cdiv(N, BLOCK_N)
    # Programs that run at the same time share rows of A and columns of B.
    tile_m, tile_n = tl.swizzle2d(pid // tiles_n, pid % tiles_n, tiles_m, tiles_n, GROUP_M)
    offsets_m = (tile_m * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    offsets_n = (tile_n * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    offsets_k = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + offsets_m[:, None] * stride_am + offsets_k[None, :] * stride_ak
    b_ptrs = b_ptr + offsets_k[:, None] * stride_bk + offsets_n[None, :] * stride_bn
    accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        left = K - k * BLOCK_K
        a = tl.load(a_ptrs, mask=offsets_k[None, :] < left, other=0.0)
        b = tl.load(b_ptrs, mask=offsets_k[:, None] < left, other=0.0)
        accumulator = tl.dot(a, b, accumulator)
        a_ptrs += BLOCK_K * stride_ak
        b_ptrs += BLOCK_K * stride_bk
    if ACTIVATION == "leaky_relu":
        accumulator = leaky_relu(accumulator)
    rows = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    c_ptrs = c_ptr + stride_cm * rows[:, None] + stride_cn * columns[None, :]
    mask = (rows[:, None] < M) & (columns[None, :] < N)
    tl.store(c_ptrs, accumulator.to(c_ptr.dtype.element_ty), mask=mask)


@triton.jit
def leaky_relu(x):
    return tl.where(x >= 0, x, 0.01 * x)


def matmul(a, b, activation=""):
    M, K = a.shape
    _, N = b.shape
    c = torch.empty((M, N), device=a.device, dtype=a.dtype)

    def grid(META):
        return (triton.cdiv(M, META["BLOCK_M"]) * triton.cdiv(N, META["BLOCK_N"]),)

    matmul_kernel[grid](
        a, b, c, M, N, K,
        a.stride(0), a.stride(1), b.stride(0), b.stride(1), c.stride(0), c.stride(1),
        ACTIVATION=activation,
    )  # fmt: skip
    return c


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default=None, help="cpu or cuda; the active one by default")
    parser.add_argument("--size", type=int, nargs=3, default=(96, 72, 80), metavar=("M", "N", "K"))
    options = parser.parse_args()
    driver = triton.runtime.driver.active
    device = torch.device(options.device or driver.get_active_torch_device())
    M, N, K = options.size
    torch.manual_seed(0)
    a = torch.randn((M, K), device=device, dtype=torch.float16)
    b = torch.randn((N, K), device=device, dtype=torch.float16).T
    for activation in ("", "leaky_relu"):
        expected = torch.matmul(a.float(), b.float())
        if activation:
            expected = torch.nn.functional.leaky_relu(expected, 0.01)
        found = matmul(a, b, activation)
        torch.testing.assert_close(found.float(), expected, atol=2e-2, rtol=2e-2)
    best = matmul_kernel.best_config
    assert best.kwargs["BLOCK_M"] <= 2 * M and best.num_warps in (2, 4, 8), best
    print(f"matmul: {driver.get_current_target().backend}, {best.kwargs['BLOCK_M']} rows: ok")


if __name__ == "__main__":
    main()
