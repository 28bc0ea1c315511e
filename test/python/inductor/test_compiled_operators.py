"""A fixed part of the operators of operators.py, in one process for each dtype."""

import pytest
from compiled_programs import succeeds

pytest.importorskip("torch")
pytest.importorskip("expecttest")

# Fused arithmetic, indices, reductions, scans, sorts, windows and random access to memory.
OPERATORS = """
    add clamp where masked_fill sigmoid nn.functional.gelu div.floor_rounding remainder atan2 pow
    sum mean var_mean argmax logsumexp cumsum cummax sort topk median unfold roll flip cat
    index_select gather scatter_add index_put nn.functional.interpolate.bilinear
    nn.functional.avg_pool2d nn.functional.layer_norm searchsorted bucketize bitwise_xor gcd
    isin histc
"""


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int64"])
def test_operators_agree_with_eager(dtype, tmp_path) -> None:
    program = f"""
    import sys

    sys.path.insert(0, {__file__.rpartition("/")[0]!r})
    from operator_samples import Case, all_cases, outcome

    cases = [case for case in all_cases() if case.dtype == {dtype!r}]
    outcomes = [outcome(case) for case in cases if case.operator in {OPERATORS.split()!r}]
    assert len(outcomes) > 20 and sum(o.kernels > 0 for o in outcomes) > 15, len(outcomes)
    assert not (wrong := [o for o in outcomes if o.kind != "agrees"]), wrong
    """
    succeeds(program, tmp_path)


def test_a_difference_is_seen(tmp_path) -> None:
    program = f"""
    import sys

    sys.path.insert(0, {__file__.rpartition("/")[0]!r})
    import operator_samples as samples

    samples.torch.compile = lambda function: lambda *inputs: function(*inputs) + 1
    assert samples.outcome(samples.Case("sin", "float32")).kind == "differs"
    assert samples.outcome(samples.Case("sin", "bfloat16")).kind == "differs"
    """
    succeeds(program, tmp_path)
