"""The hooks of `tilewright.knobs` around launches and compilations, and names of kernels."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright import knobs
from tilewright.compiler import pipeline
from tilewright.compiler.request import KernelNaming
from tilewright.errors import ArgumentError, LaunchError


@pytest.fixture(autouse=True)
def scopes():
    pipeline._kernels.clear()  # a kernel of another test may be loaded
    with knobs.runtime.scope(), knobs.compilation.scope():
        yield


@pytest.fixture
def fill():
    def metadata(grid, kernel, args):
        return {"name": f"{kernel.name} of {args['n']}", "warps": kernel.num_warps, "grid": grid}

    @tilewright.jit(launch_metadata=metadata)
    def fill(out, n, value, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + i, value, mask=i < n)

    return fill


@pytest.fixture
def out():
    return np.zeros(64, np.float32)


def test_around_each_launch(fill, out) -> None:
    seen = []
    knobs.runtime.launch_enter_hook.add(lambda told: seen.append(("enter", out[0], told.get())))
    knobs.runtime.launch_exit_hook.add(lambda told: seen.append(("exit", out[0], told.get())))
    fill[2,](out, 40, 5.0, BLOCK=32)
    (enter, before, data), (leave, after, same) = seen
    assert (enter, before, leave, after) == ("enter", 0.0, "exit", 5.0)
    assert data["name"] == "fill of 40"
    assert (data["grid"], data["warps"], data["stream"]) == ((2, 1, 1), 1, 0)
    assert data is same


def test_by_a_compiled_kernel(fill, out) -> None:
    made = fill[1](out, 8, 1.0, BLOCK=32)
    seen = []
    knobs.runtime.launch_enter_hook = lambda told: seen.append(told.get()["name"])
    made[1](out, 9, 1.0)
    told = made.launch_metadata((1, 1, 1), 0, out, 7, 1.0, 32)
    hooks = knobs.runtime.launch_enter_hook, knobs.runtime.launch_exit_hook
    made.run(1, 1, 1, 0, made.function, made.packed_metadata, told, *hooks, out, 7, 1.0, 32)
    assert seen == ["fill of 9", "fill of 7"]
    assert told.get()["name"] == "fill of 7"


def test_in_order_and_in_reverse(fill, out) -> None:
    seen = []
    for name in "ab":
        knobs.runtime.launch_enter_hook.add(lambda told, name=name: seen.append(name))
        knobs.runtime.launch_exit_hook.add(lambda told, name=name: seen.append(name))
    fill[1](out, 8, 1.0, BLOCK=32)
    assert seen == ["a", "b", "b", "a"]


def test_without_hooks_there_is_nothing_to_tell(fill, out) -> None:
    made = fill[1](out, 8, 1.0, BLOCK=32)
    assert made.launch_metadata((1, 1, 1), 0, out, 8, 1.0, 32) is None


def test_no_launch_no_hook(fill, out) -> None:
    seen = []
    knobs.runtime.launch_enter_hook.add(seen.append)
    fill[0](out, 8, 1.0, BLOCK=32)
    fill.warmup(out, 8, 1.0, BLOCK=32)
    assert not seen


def test_a_removed_hook_is_not_called(fill, out) -> None:
    seen = []
    knobs.runtime.launch_enter_hook.add(seen.append)
    knobs.runtime.launch_enter_hook.add(seen.append)
    assert len(knobs.runtime.launch_enter_hook.calls) == 1
    knobs.runtime.launch_enter_hook.remove(seen.append)
    knobs.runtime.launch_enter_hook.remove(print)
    fill[1](out, 8, 1.0, BLOCK=32)
    with knobs.runtime.scope():
        knobs.runtime.launch_enter_hook.add(seen.append)
    fill[1](out, 8, 1.0, BLOCK=32)
    knobs.runtime.launch_enter_hook.add(seen.append)
    knobs.runtime.launch_enter_hook = None
    fill[1](out, 8, 1.0, BLOCK=32)
    assert not seen


def test_an_error_in_a_hook_prevents_the_launch(fill, out) -> None:
    def refuse(told) -> None:
        raise KeyError("refused")

    knobs.runtime.launch_enter_hook.add(refuse)
    with pytest.raises(KeyError, match="refused"):
        fill[1](out, 8, 1.0, BLOCK=32)
    assert not out.any()


def test_on_an_emulated_gpu(fill, out) -> None:
    seen = []
    knobs.runtime.launch_exit_hook.add(lambda told: seen.append(told.get()["warps"]))
    with tilewright.emulate("cuda:90a"):
        fill[1](out, 8, 1.0, BLOCK=32, num_warps=2)
    assert seen == [2]


def test_after_a_compilation(fill, out) -> None:
    seen = []
    knobs.runtime.jit_post_compile_hook = lambda **told: seen.append(told)
    fill.warmup(out, 8, 1.0, BLOCK=32, enable_fp_fusion=False)
    fill[1](out, 8, 1.0, BLOCK=32)
    fill[1](out, 8, 2.0, BLOCK=32)
    warmup, launch = seen
    assert (warmup["is_manual_warmup"], launch["is_manual_warmup"]) == (True, False)
    assert warmup["fn"].jit_function is fill
    assert (warmup["fn"].name, warmup["fn"].module) == ("fill", __name__)
    assert warmup["compile"]["signature"]["out"] == "*fp32"
    assert warmup["compile"]["constants"] == {(3,): 32}
    assert warmup["compile"]["enable_fp_fusion"] is False
    assert warmup["key"] == warmup["compile"]["key"] != launch["key"]
    assert warmup["repr"].startswith("fill[")
    assert launch["already_compiled"] is False


def test_a_hook_that_refuses_to_compile(fill, out) -> None:
    knobs.runtime.jit_cache_hook = lambda **told: told["fn"].name == "fill"
    with pytest.raises(LaunchError, match="jit_cache_hook refused"):
        fill[1](out, 8, 1.0, BLOCK=32)
    knobs.runtime.jit_cache_hook = None
    fill[1](out, 8, 1.0, BLOCK=32)
    assert out[0] == 1.0


def test_around_loading(fill, out) -> None:
    seen = []
    knobs.runtime.kernel_load_start_hook.add(lambda *told: seen.append(told))
    knobs.runtime.kernel_load_end_hook.add(lambda *told: seen.append(told))
    made = fill[1](out, 8, 1.0, BLOCK=32)
    made.load()
    assert seen == [
        (None, None, "fill", {}, made.hash),
        (None, made.function, "fill", {}, made.hash),
    ]


def test_listening_to_compilations(fill, out, monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path))
    seen = []
    knobs.compilation.listener = lambda **told: seen.append(told)
    made = fill.warmup(out, 8, 1.0, BLOCK=32)
    (told,) = seen
    assert told["src"].fn is fill
    assert told["metadata"] is made.metadata
    assert told["cache_hit"] is False
    assert ("frontend" in dict(told["times"])) is True
    fill[1](out, 8, 1.0, BLOCK=32)
    assert [told["cache_hit"] for told in seen[1:]] in ([], [True])


def renamed(name):
    @tilewright.jit(repr=name)
    def plain(out, n, BLOCK: tl.constexpr):
        i = tl.arange(0, BLOCK)
        tl.store(out + i, 1.0, mask=i < n)

    return plain


def test_repr_names_the_kernel(out) -> None:
    fn = renamed(lambda kernel: f"plain<{kernel.signature['out']}, {kernel.constants['BLOCK']}>")
    made = fn[1](out, 8, BLOCK=32)
    assert (made.name, made.metadata.name) == ("plain__fp32__32_", "plain__fp32__32_")
    assert made.symbol == made.name
    assert out[:9].tolist() == [1.0] * 8 + [0.0]
    gpu = fn.warmup(out, 8, BLOCK=32, target="cuda:90a")
    assert ".entry plain__fp32__32_(" in gpu.asm["ptx"]
    assert fn.repr(KernelNaming(gpu.src)) == "plain<*fp32, 32>"


def test_names_are_part_of_the_key(out) -> None:
    made = [renamed(lambda kernel, n=n: n).warmup(out, 8, BLOCK=32) for n in ("one", "two", "one")]
    assert [kernel.name for kernel in made] == ["one", "two", "one"]
    assert made[0].key == made[2].key != made[1].key


@pytest.mark.parametrize(("name", "expected"), [("2fast", "_2fast"), ("naïve", "na_ve")])
def test_names_are_identifiers_of_c(out, name, expected) -> None:
    assert renamed(lambda kernel: name).warmup(out, 8, BLOCK=32).name == expected


@pytest.mark.parametrize("name", ["", None, 3])
def test_a_name_must_be_a_text(out, name) -> None:
    with pytest.raises(ArgumentError, match="`repr` of plain returned"):
        renamed(lambda kernel: name)[1](out, 8, BLOCK=32)


def test_by_default_the_name_is_the_functions(fill) -> None:
    assert fill.repr(fill) == "fill"
