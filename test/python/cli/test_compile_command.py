"""`tilewright compile file.py:kernel` compiles without launching and prints a phase."""

import pytest

import tilewright
from tilewright import cli

SOURCE = """
import tilewright
import tilewright.language as tl

NOT_A_KERNEL = 1


@tilewright.jit
def scale(x, n, factor, BLOCK: tl.constexpr = 64):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) * factor, mask=i < n)


@tilewright.jit
def broken(x):
    tl.store(x, missing)
"""
SIGNATURE = "*fp32:D, i32, fp32"


@pytest.fixture
def run(monkeypatch, tmp_path, capsys):
    """Runs the command on a kernel of the file; returns status, stdout and stderr."""
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path / "cache"))
    file = tmp_path / "kernels.py"
    file.write_text(SOURCE)

    def command(kernel, *arguments):
        status = cli.main(["compile", f"{file}:{kernel}" if kernel else str(file), *arguments])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    command.file = file
    return command


@pytest.mark.parametrize(
    ("phase", "text"),
    [
        ("source", "func.func @scale(%arg0: !tile.ptr<f32> {tile.divisibility = 16 : i32"),
        ("tile", "tile.load"),
        ("vector", "vector<"),
        ("llvm", "define "),
        ("asm", "\tret"),
    ],
)
def test_each_phase_is_printed(run, phase, text):
    status, out, err = run("scale", "--signature", SIGNATURE, "--emit", phase)
    assert (status, err) == (0, "")
    assert text in out


def test_a_constexpr_is_given_by_name(run):
    _, out, _ = run("scale", "-s", SIGNATURE + ", BLOCK=32", "--emit", "source")
    assert "tensor<32xf32>" in out and "tensor<64xf32>" not in out


def test_the_facts_of_the_signature_reach_the_ir(run):
    _, out, _ = run("scale", "-s", SIGNATURE, "--noalias", "--emit", "source")
    assert "tile.noalias" in out


def test_the_output_may_be_a_file(run, tmp_path):
    status, out, _ = run("scale", "-s", SIGNATURE, "-e", "asm", "-o", str(tmp_path / "k.s"))
    assert (status, out) == (0, "")
    assert "\tret" in (tmp_path / "k.s").read_text()


def test_an_object_file_is_written(run, tmp_path):
    assert run("scale", "-s", SIGNATURE, "-e", "object", "-o", str(tmp_path / "k.o"))[0] == 0
    assert (tmp_path / "k.o").read_bytes().startswith(b"\x7fELF")


def test_code_for_another_processor_is_printed(run):
    _, wide, _ = run("scale", "-s", SIGNATURE, "-t", "cpu:avx512")
    _, narrow, _ = run("scale", "-s", SIGNATURE, "-t", "cpu:sse2")
    assert "zmm" in wide and "zmm" not in narrow and "ymm" not in narrow


@pytest.mark.parametrize(
    ("kernel", "arguments", "message"),
    [
        ("scal", [], "has no @jit function 'scal'; it has: scale, broken"),
        ("NOT_A_KERNEL", [], "has no @jit function 'NOT_A_KERNEL'"),
        ("", [], "has no single @jit function; it has: scale, broken"),
        ("scale", ["-s", "*fp32"], "parameter 'n' is missing"),
        ("scale", ["-s", SIGNATURE, "-t", "vax"], "unknown target 'vax'"),
        ("scale", ["-s", SIGNATURE, "--num-warps", "3"], "num_warps must be a power of two, not 3"),
        ("scale", ["-s", SIGNATURE, "-o", "/nowhere/k.s"], "No such file or directory"),
        ("scale", ["-s", SIGNATURE, "-e", "object"], "choose a file with --output"),
        ("scale", ["-s", SIGNATURE, "-t", "cpu", "-e", "ptx"], "no phase 'ptx'; the phases are"),
        (
            "scale",
            ["-s", SIGNATURE, "-e", "cubin", "-o", "x"],
            "cpu has no cubin: use --emit object",
        ),
        (
            "scale",
            ["-s", SIGNATURE, "-t", "emulator:cuda:80", "-e", "cubin", "-o", "x"],
            "emulator:cuda:80 has no cubin: use --emit object",
        ),
    ],
)
def test_wrong_usage_is_explained_without_a_traceback(run, kernel, arguments, message):
    status, out, err = run(kernel, *arguments)
    assert (status, out) == (1, "")
    assert err.startswith("tilewright compile: ") and message in err


def test_without_an_assembler_there_is_no_cubin(run, monkeypatch, tmp_path):
    monkeypatch.setenv("TILEWRIGHT_NVJITLINK", "0")
    monkeypatch.setenv("TILEWRIGHT_PTXAS", "0")
    file = tmp_path / "k.cubin"
    status, _, err = run("scale", "-s", SIGNATURE, "-t", "cuda:90a", "-e", "cubin", "-o", str(file))
    assert status == 1 and not file.exists()
    assert "no assembler was found" in err and "--emit ptx" in err


def test_options_are_flags(run):
    for warps, threads in ((2, 64), (8, 256)):
        flags = ["--num-warps", str(warps), "--num-stages", "1", "--no-enable-fp-fusion"]
        _, ptx, _ = run("scale", "-s", SIGNATURE, "-t", "cuda:90a", "-e", "ptx", *flags)
        assert f".reqntid {threads}" in ptx
    _, checked, _ = run("scale", "-s", SIGNATURE, "-t", "cuda:90a", "-e", "ptx", "--checks=bounds")
    assert "__assertfail" in checked and "__assertfail" not in ptx


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1\nimport missing_module\n", ":2: ModuleNotFoundError: No module named"),
        ("def f(:\n", ":1: SyntaxError: "),
        ("import sys\nsys.exit('bye')\n", ":2: SystemExit: bye"),
        ("\n\nopen('/nowhere/file')\n", ":3: FileNotFoundError: "),
    ],
)
def test_a_file_that_can_not_be_imported(text, message, tmp_path, capsys):
    file = tmp_path / "wrong.py"
    file.write_text(text)
    assert cli.main(["compile", f"{file}:k"]) == 1
    err = capsys.readouterr().err
    assert f"{file} can't be imported: {file}{message}" in err and "Traceback" not in err


def test_the_version(capsys):
    with pytest.raises(SystemExit) as stopped:
        cli.main(["--version"])
    assert stopped.value.code == 0
    assert capsys.readouterr().out == f"tilewright {tilewright.__version__}\n"


def test_a_file_that_is_not_there(capsys):
    assert cli.main(["compile", "/nowhere/kernels.py:add"]) == 1
    assert "there is no file /nowhere/kernels.py" in capsys.readouterr().err


def test_an_error_in_the_kernel_names_its_line(run):
    status, _, err = run("broken", "-s", "*fp32")
    assert status == 1
    assert f"{run.file}:16:17: " in err and "missing" in err
