"""The compiler's identity in a key changes exactly when its bytes change."""

import shutil
import subprocess

import pytest

from tilewright.cache.identity import binary_identity, elf_build_id, sources_identity


def test_the_build_id_of_a_shared_object_is_read(tmp_path):
    compiler = shutil.which("cc") or shutil.which("clang") or shutil.which("clang-22")
    if compiler is None:
        pytest.skip("no C compiler")
    source, library = tmp_path / "a.c", tmp_path / "a.so"
    source.write_text("int f(void) { return 1; }")
    flags = ["-shared", "-fPIC", "-Wl,--build-id=0x1234abcd"]
    subprocess.run([compiler, *flags, "-o", library, source], check=True)
    assert binary_identity(str(library)) == "build-id:1234abcd"


def test_without_a_build_id_the_content_counts(tmp_path):
    files = [tmp_path / name for name in "abc"]
    for path, data in zip(files, (b"one", b"one", b"two"), strict=True):
        path.write_bytes(data)
    first, same, other = (binary_identity(str(path)) for path in files)
    assert first == same != other


@pytest.mark.parametrize("data", [b"", b"\x7fELF\x02\x01", b"\x7fELF\x02\x01" + b"\xff" * 200])
def test_a_malformed_file_has_no_build_id(data):
    assert elf_build_id(data) is None


def _folder(path, files):
    for name, text in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text)
    return str(path)


def test_sources_count_by_name_and_content(tmp_path):
    base = {"a.py": "x = 1", "sub/b.py": "y"}
    one = sources_identity(_folder(tmp_path / "1", base))
    assert sources_identity(_folder(tmp_path / "2", base)) == one
    assert sources_identity(_folder(tmp_path / "3", {**base, "sub/b.py": "z"})) != one
    assert sources_identity(_folder(tmp_path / "4", {"a.py": "x = 1", "sub/c.py": "y"})) != one
    assert sources_identity(_folder(tmp_path / "5", {**base, "notes.txt": "n"})) == one
