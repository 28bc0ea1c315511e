"""Shared code names no kind of GPU: only the files of a kind do, and the few exceptions below."""

import io
import re
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
# The folders in which every kind of target has files. Passes see tables (docs/architecture.md).
FOLDERS = ("Pipeline", "Target", "Runtime", "Launcher", "Bindings")
# compat has the names of Triton's modules and functions; testing measures what devices can do.
OWN = re.compile(
    r"(^|/)(Amdgpu|Cuda|Hip|Nvptx)/|/(Cuda|Hip)\w*\.(h|cpp)$|tilewright/(compat|testing)/"
)
EXCEPTIONS = {
    "include/tilewright/Target/TargetKinds.def": "registers the kinds",
    "lib/Bindings/Assemble.cpp": "NVIDIA's assembler, for tests and `tilewright doctor`",
    "lib/Launcher/Torch.cpp": "names of PyTorch's functions for all GPUs",
    "python/tilewright/cli/compile.py": "an example in a help text",
    "python/tilewright/cli/doctor.py": "reports on drivers and tools",
    "python/tilewright/cli/profile.py": "the default GPU to emulate",
    "python/tilewright/compiler/assembler.py": "finds NVIDIA's assembler",
    "python/tilewright/compiler/disassembler.py": "NVIDIA's disassembler",
    "python/tilewright/compiler/foreign_options.py": "hints for AMD's GPUs, by Triton's names",
    "python/tilewright/compiler/streams.py": "PyTorch's streams",
    "python/tilewright/inductor/__init__.py": "PyTorch's name of all GPUs",
    "python/tilewright/inductor/cpu_templates.py": "PyTorch's name of all GPUs",
    "python/tilewright/knobs/__init__.py": "the name of a group of knobs",
    "python/tilewright/knobs/groups.py": "NVIDIA's tools, by Triton's names",
    "python/tilewright/language/extra/__init__.py": "functions of one kind, by Triton's names",
    "python/tilewright/language/extra/cuda.py": "functions of one kind, by Triton's names",
    "python/tilewright/runtime/driver.py": "one class per kind of device",
    "python/tilewright/runtime/emulation.py": "the default GPU to emulate",
    "python/tilewright/runtime/function.py": "the default GPU to emulate",
    "python/tilewright/tuning/autotuner.py": "arguments by Triton's names",
    "python/tilewright/tuning/decorator.py": "arguments by Triton's names",
    "python/tilewright/tuning/clocks.py": "PyTorch's events",
    "python/tilewright/tuning/isolation.py": "waits for PyTorch's device",
    "python/tilewright/tuning/placement.py": "DLPack's numbers of devices",
}
KIND = re.compile(r"cuda|nvptx|nvidia|\bhip|\bamd|rocdl", re.I)


def names_a_kind(file: Path) -> bool:
    """Whether code names a kind; comments, docstrings and the paths of includes do not count."""
    text = file.read_text()
    if file.suffix == ".py":
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        return any(
            KIND.search(token.string)
            for token in tokens
            if token.type != tokenize.COMMENT and not token.string.startswith('"""')
        )
    return KIND.search(re.sub(r"//[^\n]*|^#include[^\n]*", "", text, flags=re.M)) is not None


def sources() -> list[Path]:
    folders = [ROOT / top / name for top in ("lib", "include/tilewright") for name in FOLDERS]
    files = [file for folder in folders for file in folder.rglob("*")]
    files += (ROOT / "python" / "tilewright").rglob("*.py")
    return [file for file in files if file.suffix in (".cpp", ".h", ".def", ".py")]


def test_shared_code_names_no_kind() -> None:
    found = {file.relative_to(ROOT).as_posix() for file in sources() if names_a_kind(file)}
    assert any(OWN.search(name) for name in found)
    assert {name for name in found if not OWN.search(name)} == set(EXCEPTIONS)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.cpp", '#include "Cuda/Driver.h"\n// for CUDA\nint x;\n', False),
        ("a.cpp", "int cudaDevice;\n", True),
        ("a.py", '"""Runs on cuda."""\nx = 1  # nvidia\n', False),
        ("a.py", 'x = "cuda:90a"\n', True),
    ],
)
def test_what_counts(tmp_path: Path, name: str, text: str, expected: bool) -> None:
    (tmp_path / name).write_text(text)
    assert names_a_kind(tmp_path / name) is expected
