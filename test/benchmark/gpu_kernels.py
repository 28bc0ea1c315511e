"""The kernels of the GPU benchmark, compiled by Tilewright and by Triton from the same source.

gpu.py loads this file once for each compiler, with `kernel_language` as an alias of its language.
"""

from kernel_language import jit, tl


@jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    total = tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside)
    tl.store(out + i, total, mask=inside)


@jit
def softmax(out, x, stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    inside = i < columns
    values = tl.load(x + row * stride + i, mask=inside, other=-float("inf"))
    numerator = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + row * stride + i, numerator / tl.sum(numerator, axis=0), mask=inside)


@jit
def layer_norm(x, y, w, b, mean_out, rstd_out, stride, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    inside = i < columns
    values = tl.load(x + row * stride + i, mask=inside, other=0.0).to(tl.float32)
    mean = tl.sum(values, axis=0) / columns
    centered = tl.where(inside, values - mean, 0.0)
    rstd = 1 / tl.sqrt(tl.sum(centered * centered, axis=0) / columns + eps)
    tl.store(mean_out + row, mean)
    tl.store(rstd_out + row, rstd)
    scale = tl.load(w + i, mask=inside)
    shift = tl.load(b + i, mask=inside)
    tl.store(y + row * stride + i, centered * rstd * scale + shift, mask=inside)


@jit
def layer_norm_backward(
    x, dy, dx, w, mean, rstd, dw_parts, db_parts, stride, rows, columns, BLOCK: tl.constexpr
):
    """Program p of n takes the rows p, p + n, ..., and sums its part of the weights' gradients."""
    first = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    inside = i < columns
    scale = tl.load(w + i, mask=inside, other=0.0).to(tl.float32)
    dw = tl.zeros((BLOCK,), dtype=tl.float32)
    db = tl.zeros((BLOCK,), dtype=tl.float32)
    for row in range(first, rows, tl.num_programs(0)):
        values = tl.load(x + row * stride + i, mask=inside, other=0.0).to(tl.float32)
        upstream = tl.load(dy + row * stride + i, mask=inside, other=0.0).to(tl.float32)
        normal = (values - tl.load(mean + row)) * tl.load(rstd + row)
        normal = tl.where(inside, normal, 0.0)
        scaled = scale * upstream
        c1 = tl.sum(normal * scaled, axis=0) / columns
        c2 = tl.sum(scaled, axis=0) / columns
        gradient = (scaled - (normal * c1 + c2)) * tl.load(rstd + row)
        tl.store(dx + row * stride + i, gradient, mask=inside)
        dw += upstream * normal
        db += upstream
    tl.store(dw_parts + first * columns + i, dw, mask=inside)
    tl.store(db_parts + first * columns + i, db, mask=inside)


@jit
def matmul(
    a, b, c, M, N, K, a_row, a_column, b_row, b_column, c_row, c_column,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr,
):  # fmt: skip
    """Numbers tiles in groups of rows, so that consecutive programs share their inputs."""
    program = tl.program_id(0)
    tiles_m = tl.cdiv(M, BLOCK_M)
    tiles_n = tl.cdiv(N, BLOCK_N)
    group = program // (GROUP * tiles_n)
    first = group * GROUP
    height = min(tiles_m - first, GROUP)
    tile_m = first + (program % (GROUP * tiles_n)) % height
    tile_n = (program % (GROUP * tiles_n)) // height
    rows = (tile_m * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    columns = (tile_n * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    k = tl.arange(0, BLOCK_K)
    a_ptrs = a + (rows[:, None] * a_row + k[None, :] * a_column)
    b_ptrs = b + (k[:, None] * b_row + columns[None, :] * b_column)
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for step in range(0, tl.cdiv(K, BLOCK_K)):
        x = tl.load(a_ptrs, mask=k[None, :] < K - step * BLOCK_K, other=0.0)
        y = tl.load(b_ptrs, mask=k[:, None] < K - step * BLOCK_K, other=0.0)
        total = tl.dot(x, y, total)
        a_ptrs += BLOCK_K * a_column
        b_ptrs += BLOCK_K * b_row
    out_rows = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    out_columns = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    c_ptrs = c + c_row * out_rows[:, None] + c_column * out_columns[None, :]
    inside = (out_rows[:, None] < M) & (out_columns[None, :] < N)
    tl.store(c_ptrs, total.to(c.dtype.element_ty), mask=inside)
