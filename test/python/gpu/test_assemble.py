"""Assembling PTX to a cubin with the core, without a GPU."""

import threading

import pytest

from tilewright import _core
from tilewright.compiler.assembler import find_assemblers

NAMES = ["sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_103a", "sm_120a"]


@pytest.fixture(scope="module")
def assemblers():
    found = find_assemblers()
    if not any(found):
        pytest.skip("no assembler: pip install nvidia-nvjitlink")
    return found


def kernel(target, body=""):
    return f".version 8.8\n.target {target}\n.address_size 64\n.entry k() {{\n{body}ret;\n}}\n"


def test_the_table_of_architectures():
    targets = _core.nvidia_targets()
    assert [target.name for target in targets] == NAMES
    hopper = targets[NAMES.index("sm_90a")]
    assert hopper.shared_per_block == 227 * 1024
    assert (hopper.registers_per_thread, hopper.threads_per_block) == (255, 1024)


@pytest.mark.parametrize("target", NAMES)
def test_every_architecture_assembles(assemblers, target):
    cubin = _core.assemble(kernel(target), target, *assemblers)
    assert cubin.image.startswith(b"\x7fELF")
    assert cubin.registers > 0
    assert (cubin.spill_bytes, cubin.stack_bytes, cubin.static_shared_bytes) == (0, 0, 0)
    assert cubin.wgmma_remarks == []
    assert f"'{target}'" in cubin.log


def test_a_refusal_is_an_exception_with_the_line(assemblers):
    with pytest.raises(_core.AssembleError, match="PTX line 5: nonsense;"):
        _core.assemble(kernel("sm_80", "nonsense;\n"), "sm_80", *assemblers)


def test_an_unknown_architecture_is_named():
    with pytest.raises(
        ValueError, match="unknown architecture 'sm_70'; known architectures: sm_80, "
    ):
        _core.assemble(kernel("sm_70"), "sm_70")


def test_without_an_assembler_the_error_says_what_to_install():
    with pytest.raises(_core.AssembleError, match="pip install nvidia-nvjitlink"):
        _core.assemble(kernel("sm_80"), "sm_80")


def test_other_threads_run_while_one_assembles(tmp_path):
    # The program waits, with a timeout, for an action of another thread.
    program = tmp_path / "ptxas"
    program.write_text(
        "#!/bin/sh\n"
        f"for i in $(seq 100); do [ -e {tmp_path}/go ] && echo it went && exit 1\n"
        "sleep 0.05; done; exit 1\n"
    )
    program.chmod(0o755)
    caught = []

    def assemble():
        try:
            _core.assemble(kernel("sm_80"), "sm_80", ptxas=str(program))
        except _core.AssembleError as error:
            caught.append(str(error))

    thread = threading.Thread(target=assemble)
    thread.start()
    (tmp_path / "go").touch()
    thread.join()
    assert caught and "it went" in caught[0]
