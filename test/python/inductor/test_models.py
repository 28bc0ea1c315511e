"""Models compiled by torch.compile on the CPU give eager mode's results and gradients."""

import pytest
from compiled_programs import succeeds

pytest.importorskip("torch")

NAMES = ["MLP", "CNN", "encoder", "decoder", "LSTM", "U-Net", "MoE"]
QUICK = ("MLP", "CNN", "decoder")


@pytest.mark.parametrize(
    "name",
    [n if n in QUICK else pytest.param(n, marks=pytest.mark.full("half a minute")) for n in NAMES],
)
def test_a_model(name, tmp_path) -> None:
    program = f"""
    import sys

    sys.path.insert(0, {__file__.rpartition("/")[0]!r})
    from compiled_models import MODELS, gradients, make, step, worst_error

    assert list(MODELS) == {NAMES!r}
    model, inputs = make({name!r}, 1)
    expected, wanted = step(model, inputs), gradients(model, inputs)
    found = step(torch.compile(model), inputs)
    assert worst_error({{"": found}}, {{"": expected}}) < 1e-5
    assert worst_error(gradients(model, inputs), wanted) < 1e-4
    """
    done = succeeds(program, tmp_path)
    assert "tilewright: triton_" in done.stderr
