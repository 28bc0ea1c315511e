"""Each reason that `tilewright explain` gives is true: the change that it names makes it go away.

A case is a kernel with an obstacle, and the same kernel without it.
"""

import json

import pytest

from tilewright import cli

# A matmul; cases replace parts of its text.
KERNEL = """
import tilewright
import tilewright.language as tl


@tilewright.jit
def kernel(a, b, c, K, BM: tl.constexpr = 64, BN: tl.constexpr = 64, BK: tl.constexpr = 32):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    N = K
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        x = tl.load(a + m[:, None] * K + k[None, :])
        y = tl.load(b + k[:, None] * N + n[None, :])
        total = tl.dot(x, y, total)
    tl.store(c + m[:, None] * N + n[None, :], total)
"""
LOAD = "x = tl.load(a + m[:, None] * K + k[None, :])"
DOT = "total = tl.dot(x, y, total)"
DOT_OF_SUMS = "total = tl.dot(x + 1, y + 1, total)"
ATTENTION = """
import tilewright
import tilewright.language as tl


@tilewright.jit
def kernel(q, k, out, N, D: tl.constexpr = 64, B: tl.constexpr = 64):
    rows = tl.arange(0, B)
    at = rows[:, None] * D + tl.arange(0, D)[None, :]
    x = tl.load(q + at)
    acc = tl.zeros((B, D), tl.float32)
    for start in range(0, N, B):
        y = tl.load(k + start * D + at)
        p = tl.exp2(tl.dot(x, y.T))
        acc = tl.dot(p.to(tl.float16), y, acc * 0.5)
    tl.store(out + at, acc)
"""
SIGNATURE = "*fp16:D,*fp16:D,*fp32:D,i32:D"
HOPPER = "emulator:cuda:90a"


@pytest.fixture
def rejected(monkeypatch, tmp_path, capsys):
    """The (choice, reason) pairs of a kernel: all that were rejected, in loops and outside."""
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path / "cache"))
    count = 0

    def explain(source, signature, target, options):
        nonlocal count
        count += 1
        file = tmp_path / f"kernels_{count}.py"
        file.write_text(source)
        command = [f"{file}:kernel", "-s", signature, "--target", target, "--json", *options]
        assert cli.main(["explain", *command]) == 0
        report = json.loads(capsys.readouterr().out)
        regions = [*report["loops"], report["outside"]]
        return [(found["choice"], found["reason"]) for r in regions for found in r["rejected"]]

    return explain


def variant(*replacements, signature=SIGNATURE, target=HOPPER, options=(), source=KERNEL):
    for old, new in replacements:
        assert old in source
        source = source.replace(old, new)
    return source, signature, target, options


PLAIN = variant()
WGMMA, COPY, PIPELINE = "wgmma", "asynchronous copy", "pipelining"
IN_FLIGHT, MATRIX = "dot in flight across iterations", "matrix instruction"
BOXES = "copies of boxes"
PERSISTENT = "persistent programs"
TURNS = "turns of two warp groups"

FP8 = "*fp8e4nv:D,*fp8e4nv:D,*fp32:D,i32:D"
FP32 = "*fp32:D,*fp32:D,*fp32:D,i32:D"
ALONG_K = ("k[:, None] * N + n[None, :]", "k[:, None] + n[None, :] * K")
WHILE = (
    ("for start in range(0, K, BK):", "start = 0\n    while start < K + tl.load(c).to(tl.int32):"),
    (DOT, f"{DOT}\n        start += BK"),
)

# Products that are made persistent, and stored by copies.
LARGE = "*fp16:D,*fp16:D,*fp16:D,i32:D,BM=128,BN=128"
OPTIONS = ("--noalias", "--num-warps", "8", "--num-stages", "3")
STORE = "tl.store(c + m[:, None] * N + n[None, :], total)"

RANGE = "range(0, K, BK)"
BEFORE = "    for start in range(0, K, BK):"
FIRST = (BEFORE, f"    first = tl.load(c).to(tl.int32) * 16\n{BEFORE}")
POINTER = (BEFORE, f"    at = a if tl.load(c) > 0 else b\n{BEFORE}")


def masked(mask):
    """The kernel whose first operand is zero elsewhere."""
    return LOAD, f"{LOAD[:-1]}, mask={mask}, other=0.0)"


def large(*replacements, signature=LARGE):
    return variant(*replacements, signature=signature, options=OPTIONS)


def hinted(hint, *others):
    """The kernel whose loop has a hint, and that with the hint off."""
    return [variant((RANGE, f"tl.range(0, K, BK, {hint}={on})"), *others) for on in (True, False)]


CASES = {
    # hints of tl.range
    "flatten": ("flattening", "nests are pipelined as they are", *hinted("flatten")),
    "warp_specialize": (
        "warp specialization",
        "no loop with copies of boxes",
        *hinted("warp_specialize", masked("(m[:, None] & 1) == 0")),
    ),
    "disallow_acc_multi_buffer": (
        "multi-buffered accumulator",
        "accumulators are in registers",
        *hinted("disallow_acc_multi_buffer"),
    ),
    "flatten of a loop with an exit": (
        "flattening",
        "nests are pipelined as they are",
        *(
            variant(
                (RANGE, f"tl.range(0, K, BK, flatten={on})"),
                (DOT, f"{DOT}\n        if start > N:\n            break"),
            )
            for on in (True, False)
        ),
    ),
    # wgmma
    "few warps": (WGMMA, "num_warps is 2", variant(options=("--num-warps", "2")), PLAIN),
    "few rows": (
        WGMMA,
        "computes 64 rows, and the tile has 32",
        variant(signature=f"{SIGNATURE},BM=32"),
        PLAIN,
    ),
    "order of tf32 operands": (
        WGMMA,
        "neither float32 operand is contiguous along K",
        variant(
            (LOAD, LOAD.replace("m[:, None] * K + k[None, :]", "m[:, None] + k[None, :] * K")),
            signature=FP32,
        ),
        variant(signature=FP32),
    ),
    "float64": (
        WGMMA,
        "no such instruction multiplies f64 by f64",
        variant(("dtype=tl.float32", "dtype=tl.float64"), signature=FP32.replace("fp32", "fp64")),
        PLAIN,
    ),
    "order of 8-bit operands": (
        WGMMA,
        "operand B is not contiguous along K in memory",
        variant(signature=FP8),
        variant(ALONG_K, signature=FP8),
    ),
    "short rows": (
        WGMMA,
        "a row of operand B has 16 bytes",
        variant(signature=f"{SIGNATURE},BN=8"),
        PLAIN,
    ),
    "columns for two groups": (
        WGMMA,
        "can't be divided among 4 groups of four warps",
        variant(signature=f"{SIGNATURE},BN=16", options=("--num-warps", "16")),
        variant(signature=f"{SIGNATURE},BN=16"),
    ),
    "batches": (
        WGMMA,
        "multiplies a batch",
        variant((DOT, "total += tl.sum(tl.dot(x[None, :, :], y[None, :, :]), axis=0)")),
        variant((DOT, "total += tl.dot(x, y)")),
    ),
    # matrix instructions at all
    "ieee": (
        MATRIX,
        'input_precision="ieee"',
        variant((DOT, 'total = tl.dot(x, y, total, input_precision="ieee")'), signature=FP32),
        variant(signature=FP32),
    ),
    # copies
    "used in registers": (
        COPY,
        "used in registers",
        variant((DOT, "total = tl.dot(x + 1, y, total)")),
        PLAIN,
    ),
    "other": (
        COPY,
        "`other` is not zero",
        variant((LOAD, "x = tl.load(a + m[:, None] * K + k[None, :], k[None, :] < K, other=1.0)")),
        variant((LOAD, "x = tl.load(a + m[:, None] * K + k[None, :], k[None, :] < K, other=0.0)")),
    ),
    "volatile": (
        COPY,
        "volatile",
        variant((LOAD, LOAD.replace("])", "], volatile=True)"))),
        PLAIN,
    ),
    "few bytes a thread": (
        COPY,
        "access only 2 bytes of it at once",
        variant(signature="*fp16:D,*fp16:D,*fp32:D,i32", target="emulator:cuda:80"),
        variant(target="emulator:cuda:80"),
    ),
    "a store that may alias": (
        COPY,
        "may write this memory",
        variant((DOT, f"{DOT}\n        tl.store(c + m, 1.0)")),
        variant((DOT, f"{DOT}\n        tl.store(c + m, 1.0)"), options=("--noalias",)),
    ),
    "addresses from a reduction": (
        COPY,
        "its address or mask depends on an operation that can't be executed ahead",
        variant(("* K + k[None", "* K + tl.max(k) // 64 * 64 - start + k[None")),
        variant(("* K + k[None", "* K + tl.load(c + start).to(tl.int32) * 16 + k[None")),
    ),
    "a condition": (
        COPY,
        "executed under a condition",
        variant(
            (LOAD, f"x = tl.zeros((BM, BK), tl.float16)\n        if start > N:\n            {LOAD}")
        ),
        PLAIN,
    ),
    # copies of boxes
    "mask of a box": (
        BOXES,
        "no conjunction of comparisons",
        variant(masked("(m[:, None] & 1) == 0")),
        variant(masked("m[:, None] < N")),
    ),
    "end of a box": (
        BOXES,
        "does not end where the array does",
        variant(masked("(m[:, None] < K) & (m[:, None] < 40)")),
        variant(masked("m[:, None] < K")),
    ),
    "a row from memory": (
        BOXES,
        "the launch does not know the integers",
        variant(FIRST, (LOAD, LOAD.replace("m[:, None]", "(m + first)[:, None]"))),
        variant((LOAD, LOAD.replace("m[:, None]", "(m + N)[:, None]"))),
    ),
    "a pointer from memory": (
        BOXES,
        "not those of one argument",
        variant(POINTER, (LOAD, LOAD.replace("a +", "at +"))),
        PLAIN,
    ),
    "a stride from memory": (
        BOXES,
        "the other stride is not known at launch",
        variant(FIRST, (LOAD, LOAD.replace("* K", "* first"))),
        PLAIN,
    ),
    "a first column off 16 bytes": (
        BOXES,
        "begin, off a multiple of 16 bytes",
        variant((LOAD, LOAD.replace("k[None, :]", "(k + 4)[None, :]"))),
        variant((LOAD, LOAD.replace("k[None, :]", "(k + 8)[None, :]"))),
    ),
    # loops
    "one stage": (PIPELINE, "its num_stages is 1", variant(options=("--num-stages", "1")), PLAIN),
    "while": (
        PIPELINE,
        "not known when it begins, but depends on a load in it, at line 13",
        variant(*WHILE),
        PLAIN,
    ),
    "break at a sum": (
        PIPELINE,
        "not known when it begins, but depends on what the loop computes, at line 17",
        variant((DOT, f"{DOT}\n        if tl.max(total) > 0:\n            break")),
        variant((DOT, f"{DOT}\n        if start > 3 * N:\n            break")),
    ),
    "break": (
        PIPELINE,
        "not known when it begins, but depends on a load in it, at line 17",
        variant((DOT, f"{DOT}\n        if tl.load(c) > 0:\n            break")),
        PLAIN,
    ),
    "no copies": (
        PIPELINE,
        "none of its loads",
        variant((DOT, f"{DOT_OF_SUMS}\n        tl.store(a, 1.0)\n        tl.store(b, 1.0)")),
        PLAIN,
    ),
    # in flight
    "stored in the iteration": (
        IN_FLIGHT,
        "stored to shared memory in the same iteration",
        variant((DOT, "total = tl.dot(x + 1, y, total)")),
        PLAIN,
    ),
    "sums used in the loop": (
        IN_FLIGHT,
        "other operations of the loop use its sums",
        variant((DOT, "total = tl.dot(x, y, total * 0.5)")),
        PLAIN,
    ),
    "two stages of attention": (
        IN_FLIGHT,
        "unless num_stages is 3 or more",
        variant(source=ATTENTION, options=("--num-stages", "2")),
        variant(source=ATTENTION, options=("--num-stages", "3")),
    ),
    "memory for two programs": (
        TURNS,
        "whose groups are out of step by themselves",
        *(
            variant(
                source=ATTENTION,
                signature=f"{SIGNATURE},D={depth},B=128",
                options=("--num-warps", "8", "--num-stages", "3"),
            )
            for depth in (64, 128)
        ),
    ),
    # persistent programs
    "small tiles": (
        PERSISTENT,
        "fewer than 128x128 elements",
        large(signature=LARGE.replace("128", "64")),
        large(),
    ),
    "results of 32 bits": (
        PERSISTENT,
        "elements of at most 16 bits",
        large(signature=LARGE.replace("*fp16:D,i32", "*fp32:D,i32")),
        large(),
    ),
    "atomics beside a product": (
        PERSISTENT,
        "may wait for each other",
        large((STORE, f"{STORE}\n    tl.atomic_add(c + N * N, 1.0)")),
        large(),
    ),
    "a loop to the program's number": (
        PERSISTENT,
        "bounds differ between programs",
        large((RANGE, "range(0, tl.program_id(0), BK)")),
        large(),
    ),
    "two dots": (
        PERSISTENT,
        "one dot, in a loop",
        large((DOT, f"{DOT}\n        total = tl.dot(x, y * 2, total)")),
        large(),
    ),
    "assertions": (
        PERSISTENT,
        "name the program",
        variant((STORE, f"tl.device_print('', K)\n    {STORE}"), signature=LARGE, options=OPTIONS),
        large(),
    ),
    "no boxes": (
        PERSISTENT,
        "copies no boxes",
        large(masked("(m[:, None] & 1) == 0")),
        large(masked("m[:, None] < K")),
    ),
    # stores
    "arrays that may overlap": (
        BOXES,
        "may be to the same memory",
        variant(signature=LARGE, options=OPTIONS[1:]),
        large(),
    ),
    "a store with a cache modifier": (
        BOXES,
        "cache modifier",
        large((STORE, f"{STORE[:-1]}, cache_modifier='.cs')")),
        large(),
    ),
    "a tile of three dimensions": (
        BOXES,
        "not two-dimensional",
        large(
            (
                STORE,
                "at = (m[:, None] * N + n[None, :]).reshape(2, 64, BN)\n"
                "    tl.store(c + at, total.reshape(2, 64, BN))",
            )
        ),
        large(),
    ),
    "a mask that is no end": (
        BOXES,
        "no conjunction of comparisons",
        large((STORE, f"{STORE[:-1]}, (n & 1)[None, :] == 0)")),
        large((STORE, f"{STORE[:-1]}, n[None, :] < N)")),
    ),
    "imprecise sums": (
        IN_FLIGHT,
        "max_num_imprecise_acc",
        variant(
            ALONG_K,
            (DOT, "total = tl.dot(x, y, total, max_num_imprecise_acc=32)"),
            signature=FP8,
        ),
        variant(ALONG_K, signature=FP8),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_reason_is_given_with_its_obstacle_and_only_then(rejected, name):
    choice, reason, obstacle, without = CASES[name]

    def is_stated(case):
        return any(choice == found and reason in text for found, text in rejected(*case))

    assert is_stated(obstacle), rejected(*obstacle)
    assert not is_stated(without), rejected(*without)


def test_nothing_is_rejected_in_a_plain_matmul(rejected):
    assert rejected(*large()) == []


def test_older_gpus_do_not_miss_what_they_do_not_have(rejected):
    assert rejected(*variant(target="emulator:cuda:80")) == []
    few_rows = f"{SIGNATURE},BM=32"
    on_hopper = rejected(*variant(signature=few_rows))
    on_ampere = rejected(*variant(signature=few_rows, target="emulator:cuda:80"))
    assert WGMMA in dict(on_hopper)
    assert WGMMA not in dict(on_ampere)


def test_dots_in_turns(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path / "cache"))
    file = tmp_path / "kernels.py"
    file.write_text(ATTENTION)
    options = ["--target", HOPPER, "--num-warps", "8", "--num-stages", "3"]
    command = ["explain", f"{file}:kernel", "-s", f"{SIGNATURE},D=128,B=128", *options]
    assert cli.main([*command, "--json"]) == 0
    [loop] = json.loads(capsys.readouterr().out)["loops"]
    dots = [op["dot"]["in_turns"] for op in loop["operations"] if op["kind"] == "dot"]
    assert dots == [False, True]
    assert cli.main(command) == 0
    assert "in flight, in turns" in " ".join(capsys.readouterr().out.split())
