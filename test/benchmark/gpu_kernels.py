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
def softmax_in_a_loop(out, x, stride, rows, columns, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    """Program p of n takes the rows p, p + n, ..., and loads some of them ahead."""
    i = tl.arange(0, BLOCK)
    inside = i < columns
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), num_stages=STAGES):
        values = tl.load(x + row * stride + i, mask=inside, other=-float("inf"))
        numerator = tl.exp(values - tl.max(values, axis=0))
        tl.store(out + row * stride + i, numerator / tl.sum(numerator, axis=0), mask=inside)


@jit
def layer_norm_in_blocks(x, y, w, b, mean_out, rstd_out, stride, columns, eps, BLOCK: tl.constexpr):
    """Reads each row three times, in blocks: for the mean, for the variance, and for the result."""
    row = tl.program_id(0)
    x += row * stride
    y += row * stride
    sums = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        i = start + tl.arange(0, BLOCK)
        sums += tl.load(x + i, mask=i < columns, other=0.0).to(tl.float32)
    mean = tl.sum(sums, axis=0) / columns
    squares = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        i = start + tl.arange(0, BLOCK)
        values = tl.load(x + i, mask=i < columns, other=0.0).to(tl.float32)
        centered = tl.where(i < columns, values - mean, 0.0)
        squares += centered * centered
    rstd = 1 / tl.sqrt(tl.sum(squares, axis=0) / columns + eps)
    tl.store(mean_out + row, mean)
    tl.store(rstd_out + row, rstd)
    for start in range(0, columns, BLOCK):
        i = start + tl.arange(0, BLOCK)
        inside = i < columns
        scale = tl.load(w + i, mask=inside)
        shift = tl.load(b + i, mask=inside)
        values = tl.load(x + i, mask=inside, other=0.0).to(tl.float32)
        tl.store(y + i, (values - mean) * rstd * scale + shift, mask=inside)


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
def layer_norm_backward_locked(
    x, dy, dx, w, mean, rstd, dw_parts, db_parts, locks, begun, stride, columns,
    GROUPS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Each row adds its part of the weights' gradients to a sum that it shares with other rows."""
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    inside = i < columns
    values = tl.load(x + row * stride + i, mask=inside, other=0.0).to(tl.float32)
    upstream = tl.load(dy + row * stride + i, mask=inside, other=0.0).to(tl.float32)
    scale = tl.load(w + i, mask=inside, other=0.0)
    inverse = tl.load(rstd + row)
    normal = tl.where(inside, (values - tl.load(mean + row)) * inverse, 0.0)
    scaled = scale.to(tl.float32) * upstream
    c1 = tl.sum(normal * scaled, axis=0) / columns
    c2 = tl.sum(scaled, axis=0) / columns
    tl.store(dx + row * stride + i, (scaled - (normal * c1 + c2)) * inverse, mask=inside)
    dw = (upstream * normal).to(scale.dtype)
    db = upstream.to(scale.dtype)
    group = row % GROUPS
    dw_sums = dw_parts + group * columns + i
    db_sums = db_parts + group * columns + i
    while tl.atomic_cas(locks + group, 0, 1) == 1:
        pass
    if tl.load(begun + group) == 0:
        tl.atomic_xchg(begun + group, 1)
    else:
        dw += tl.load(dw_sums, mask=inside)
        db += tl.load(db_sums, mask=inside)
    tl.store(dw_sums, dw, mask=inside)
    tl.store(db_sums, db, mask=inside)
    tl.debug_barrier()
    tl.atomic_xchg(locks + group, 0)


@jit
def sum_rows(x, y, x_sums, y_sums, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Adds up the rows of two matrices, for a block of columns in each program."""
    column = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    x_total = tl.zeros((ROWS, COLUMNS), dtype=tl.float32)
    y_total = tl.zeros((ROWS, COLUMNS), dtype=tl.float32)
    for first in range(0, rows, ROWS):
        row = first + tl.arange(0, ROWS)
        inside = (row[:, None] < rows) & (column[None, :] < columns)
        at = row[:, None] * columns + column[None, :]
        x_total += tl.load(x + at, mask=inside, other=0.0)
        y_total += tl.load(y + at, mask=inside, other=0.0)
    tl.store(x_sums + column, tl.sum(x_total, axis=0), mask=column < columns)
    tl.store(y_sums + column, tl.sum(y_total, axis=0), mask=column < columns)


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
    dtype: tl.constexpr = tl.int32 if a.dtype.element_ty == tl.int8 else tl.float32
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=dtype)
    for step in range(0, tl.cdiv(K, BLOCK_K)):
        x = tl.load(a_ptrs, mask=k[None, :] < K - step * BLOCK_K, other=0.0)
        y = tl.load(b_ptrs, mask=k[:, None] < K - step * BLOCK_K, other=0.0)
        total = tl.dot(x, y.to(x.dtype), total, out_dtype=dtype)
        a_ptrs += BLOCK_K * a_column
        b_ptrs += BLOCK_K * b_row
    out_rows = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    out_columns = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    c_ptrs = c + c_row * out_rows[:, None] + c_column * out_columns[None, :]
    inside = (out_rows[:, None] < M) & (out_columns[None, :] < N)
    tl.store(c_ptrs, total.to(c.dtype.element_ty), mask=inside)


@jit
def sort(x, out, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    tl.store(out + row * BLOCK + i, tl.sort(tl.load(x + row * BLOCK + i)))


@jit
def histogram(x, out, BLOCK: tl.constexpr, BINS: tl.constexpr):
    row = tl.program_id(0)
    values = tl.load(x + row * BLOCK + tl.arange(0, BLOCK))
    tl.store(out + row * BINS + tl.arange(0, BINS), tl.histogram(values, BINS))


@jit
def scaled_matmul(
    a, a_scale, b, b_scale, c, SIZE, LEFT: tl.constexpr, RIGHT: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    """C = A B^T of square matrices whose blocks of 32 values along K have a scale each."""
    PACK_A: tl.constexpr = 2 if LEFT == "e2m1" else 1
    PACK_B: tl.constexpr = 2 if RIGHT == "e2m1" else 1
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    ka = tl.arange(0, BLOCK_K // PACK_A)
    kb = tl.arange(0, BLOCK_K // PACK_B)
    ks = tl.arange(0, BLOCK_K // 32)
    a_ptrs = a + rows[:, None] * (SIZE // PACK_A) + ka[None, :]
    b_ptrs = b + columns[None, :] * (SIZE // PACK_B) + kb[:, None]
    a_scales = a_scale + rows[:, None] * (SIZE // 32) + ks[None, :]
    b_scales = b_scale + columns[:, None] * (SIZE // 32) + ks[None, :]
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for _ in range(0, SIZE, BLOCK_K):
        total = tl.dot_scaled(
            tl.load(a_ptrs), tl.load(a_scales), LEFT, tl.load(b_ptrs), tl.load(b_scales), RIGHT,
            total,
        )  # fmt: skip
        a_ptrs += BLOCK_K // PACK_A
        b_ptrs += BLOCK_K // PACK_B
        a_scales += BLOCK_K // 32
        b_scales += BLOCK_K // 32
    tl.store(c + rows[:, None] * SIZE + columns[None, :], total.to(c.dtype.element_ty))


@jit
def attention(
    q, k, v, out, length, scale, DEPTH: tl.constexpr, CAUSAL: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):  # fmt: skip
    """One tile of queries of one head; Q, K, V and the result are contiguous."""
    first = tl.program_id(0) * BLOCK_M
    head = tl.program_id(1) * length * DEPTH
    rows = first + tl.arange(0, BLOCK_M)
    i = tl.arange(0, BLOCK_N)
    depth = tl.arange(0, DEPTH)
    queries = tl.load(q + head + rows[:, None] * DEPTH + depth[None, :])
    peak = tl.full((BLOCK_M,), -float("inf"), tl.float32)
    weight = tl.zeros((BLOCK_M,), tl.float32)
    total = tl.zeros((BLOCK_M, DEPTH), tl.float32)
    log2_scale = scale * 1.44269504
    last = first + BLOCK_M if CAUSAL else length
    for start in range(0, last, BLOCK_N):
        columns = start + i
        keys = tl.load(k + head + columns[:, None] * DEPTH + depth[None, :])
        scores = tl.dot(queries, tl.trans(keys))
        if CAUSAL:
            scores = tl.where(rows[:, None] >= columns[None, :], scores, -float("inf"))
        new_peak = tl.maximum(peak, tl.max(scores, 1) * log2_scale)
        p = tl.exp2(scores * log2_scale - new_peak[:, None])
        decay = tl.exp2(peak - new_peak)
        weight = weight * decay + tl.sum(p, 1)
        total = total * decay[:, None]
        values = tl.load(v + head + columns[:, None] * DEPTH + depth[None, :])
        total = tl.dot(p.to(values.dtype), values, total)
        peak = new_peak
    result = total / weight[:, None]
    tl.store(out + head + rows[:, None] * DEPTH + depth[None, :], result.to(out.dtype.element_ty))


@jit
def row_dots(x, y, out, DEPTH: tl.constexpr, BLOCK: tl.constexpr):
    """The sum of x * y of each row of DEPTH elements, in float32."""
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    places = rows[:, None] * DEPTH + tl.arange(0, DEPTH)[None, :]
    product = tl.load(x + places).to(tl.float32) * tl.load(y + places).to(tl.float32)
    tl.store(out + rows, tl.sum(product, 1))


@jit
def attention_dk_dv(
    q, k, v, d_out, log2_sums, dots, dk, dv, length, scale, DEPTH: tl.constexpr,
    CAUSAL: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):  # fmt: skip
    """One tile of keys of one head, whose scores are computed transposed.

    `log2_sums` has the logarithm to base 2 of the sum of a query's exponentials, `dots` the result
    of row_dots for the output and its gradient. BLOCK_N is a multiple of BLOCK_M.
    """
    first = tl.program_id(0) * BLOCK_N
    rows_before = tl.program_id(1) * length
    head = rows_before * DEPTH
    columns = first + tl.arange(0, BLOCK_N)
    depth = tl.arange(0, DEPTH)
    places = head + columns[:, None] * DEPTH + depth[None, :]
    keys = tl.load(k + places)
    values = tl.load(v + places)
    dk_total = tl.zeros((BLOCK_N, DEPTH), tl.float32)
    dv_total = tl.zeros((BLOCK_N, DEPTH), tl.float32)
    log2_scale = scale * 1.44269504
    for start in range(first if CAUSAL else 0, length, BLOCK_M):
        rows = start + tl.arange(0, BLOCK_M)
        queries = tl.load(q + head + rows[:, None] * DEPTH + depth[None, :])
        upstream = tl.load(d_out + head + rows[:, None] * DEPTH + depth[None, :])
        scores = tl.dot(keys, tl.trans(queries))
        if CAUSAL:
            scores = tl.where(rows[None, :] >= columns[:, None], scores, -float("inf"))
        p = tl.exp2(scores * log2_scale - tl.load(log2_sums + rows_before + rows)[None, :])
        dv_total = tl.dot(p.to(upstream.dtype), upstream, dv_total)
        dp = tl.dot(values, tl.trans(upstream))
        ds = p * (dp - tl.load(dots + rows_before + rows)[None, :])
        dk_total = tl.dot(ds.to(queries.dtype), queries, dk_total)
    tl.store(dk + places, (dk_total * scale).to(dk.dtype.element_ty))
    tl.store(dv + places, dv_total.to(dv.dtype.element_ty))


@jit
def attention_dq(
    q, k, v, d_out, log2_sums, dots, dq, length, scale, DEPTH: tl.constexpr,
    CAUSAL: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):  # fmt: skip
    """One tile of queries of one head; the arguments are those of attention_dk_dv."""
    first = tl.program_id(0) * BLOCK_M
    rows_before = tl.program_id(1) * length
    head = rows_before * DEPTH
    rows = first + tl.arange(0, BLOCK_M)
    depth = tl.arange(0, DEPTH)
    places = head + rows[:, None] * DEPTH + depth[None, :]
    queries = tl.load(q + places)
    upstream = tl.load(d_out + places)
    log2_sum = tl.load(log2_sums + rows_before + rows)
    dot = tl.load(dots + rows_before + rows)
    total = tl.zeros((BLOCK_M, DEPTH), tl.float32)
    log2_scale = scale * 1.44269504
    for start in range(0, first + BLOCK_M if CAUSAL else length, BLOCK_N):
        columns = start + tl.arange(0, BLOCK_N)
        keys = tl.load(k + head + columns[:, None] * DEPTH + depth[None, :])
        values = tl.load(v + head + columns[:, None] * DEPTH + depth[None, :])
        p = tl.exp2(tl.dot(queries, tl.trans(keys)) * log2_scale - log2_sum[:, None])
        if CAUSAL:
            p = tl.where(rows[:, None] >= columns[None, :], p, 0.0)
        ds = p * (tl.dot(upstream, tl.trans(values)) - dot[:, None])
        total = tl.dot(ds.to(keys.dtype), keys, total)
    tl.store(dq + places, (total * scale).to(dq.dtype.element_ty))


@jit
def tile_position(tile, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, GROUP: tl.constexpr):
    """The row and column of a tile; tiles are numbered in groups of rows."""
    tiles_m = tl.cdiv(M, BLOCK_M)
    tiles_n = tl.cdiv(N, BLOCK_N)
    first = tile // (GROUP * tiles_n) * GROUP
    height = min(tiles_m - first, GROUP)
    rest = tile % (GROUP * tiles_n)
    return (first + rest % height) * BLOCK_M, rest // height * BLOCK_N


@jit
def persistent_matmul(
    a, b, c, M, N, K,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr,
):  # fmt: skip
    """c = a @ b.T of matrices in rows; each program computes every num_programs-th tile."""
    tiles = tl.cdiv(M, BLOCK_M) * tl.cdiv(N, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    for tile in tl.range(tl.program_id(0), tiles, tl.num_programs(0), flatten=True):
        row, column = tile_position(tile, M, N, BLOCK_M, BLOCK_N, GROUP)
        rows = row + tl.arange(0, BLOCK_M)
        columns = column + tl.arange(0, BLOCK_N)
        total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for step in range(0, tl.cdiv(K, BLOCK_K)):
            ks = step * BLOCK_K + k
            x = tl.load(
                a + rows[:, None] * K + ks[None, :],
                mask=(rows[:, None] < M) & (ks[None, :] < K), other=0.0,
            )  # fmt: skip
            y = tl.load(
                b + columns[None, :] * K + ks[:, None],
                mask=(columns[None, :] < N) & (ks[:, None] < K), other=0.0,
            )  # fmt: skip
            total = tl.dot(x, y, total)
        inside = (rows[:, None] < M) & (columns[None, :] < N)
        tl.store(
            c + rows[:, None] * N + columns[None, :], total.to(c.dtype.element_ty), mask=inside
        )


@jit
def descriptor_matmul(
    a, b, c, M, N, K,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr,
):  # fmt: skip
    """The same by tensor descriptors."""
    tiles = tl.cdiv(M, BLOCK_M) * tl.cdiv(N, BLOCK_N)
    for tile in tl.range(tl.program_id(0), tiles, tl.num_programs(0), flatten=True):
        row, column = tile_position(tile, M, N, BLOCK_M, BLOCK_N, GROUP)
        total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for step in range(0, tl.cdiv(K, BLOCK_K)):
            x = a.load([row, step * BLOCK_K])
            y = b.load([column, step * BLOCK_K])
            total = tl.dot(x, y.T, total)
        c.store([row, column], total.to(c.dtype))


@jit
def grouped_matmul(
    addresses, sizes, groups,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    """Products of square matrices in rows; `addresses` has those of a, b and c of each."""
    tile = tl.program_id(0)
    before = 0
    for group in range(groups):
        n = tl.multiple_of(tl.load(sizes + group), 16)
        tiles_n = tl.cdiv(n, BLOCK_N)
        tiles = tl.cdiv(n, BLOCK_M) * tiles_n
        while tile >= before and tile < before + tiles:
            a = tl.load(addresses + 3 * group).to(tl.pointer_type(tl.float16))
            b = tl.load(addresses + 3 * group + 1).to(tl.pointer_type(tl.float16))
            c = tl.load(addresses + 3 * group + 2).to(tl.pointer_type(tl.float16))
            rows = (tile - before) // tiles_n * BLOCK_M + tl.arange(0, BLOCK_M)
            columns = (tile - before) % tiles_n * BLOCK_N + tl.arange(0, BLOCK_N)
            k = tl.arange(0, BLOCK_K)
            a_ptrs = a + rows[:, None] * n + k[None, :]
            b_ptrs = b + k[:, None] * n + columns[None, :]
            total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
            for start in range(0, n, BLOCK_K):
                x = tl.load(
                    tl.multiple_of(a_ptrs, (16, 16)),
                    mask=(rows < n)[:, None] & (k < n - start)[None, :], other=0.0,
                )  # fmt: skip
                y = tl.load(
                    tl.multiple_of(b_ptrs, (16, 16)),
                    mask=(k < n - start)[:, None] & (columns < n)[None, :], other=0.0,
                )  # fmt: skip
                total = tl.dot(x, y, total)
                a_ptrs += BLOCK_K
                b_ptrs += BLOCK_K * n
            inside = (rows < n)[:, None] & (columns < n)[None, :]
            tl.store(c + rows[:, None] * n + columns[None, :], total.to(tl.float16), mask=inside)
            tile += tl.num_programs(0)
        before += tiles
