"""The extension module exports one symbol and depends only on the C library."""

import subprocess

import pytest

from tilewright import _core

elffile = pytest.importorskip("elftools.elf.elffile")

C_LIBRARY = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1"}
LOADER = "ld-linux"


@pytest.fixture(scope="module")
def elf():
    with open(_core.__file__, "rb") as file:
        yield elffile.ELFFile(file)


def test_only_the_module_is_exported(elf) -> None:
    symbols = elf.get_section_by_name(".dynsym").iter_symbols()
    exported = {
        symbol.name
        for symbol in symbols
        if symbol["st_shndx"] != "SHN_UNDEF" and symbol["st_info"]["bind"] != "STB_LOCAL"
    }
    assert exported == {"PyInit__core"}


def test_only_the_c_library_is_needed(elf) -> None:
    tags = elf.get_section_by_name(".dynamic").iter_tags()
    needed = {tag.needed for tag in tags if tag.entry.d_tag == "DT_NEEDED"}
    assert {name for name in needed if LOADER not in name} <= C_LIBRARY


def test_the_loader_agrees() -> None:
    listing = subprocess.run(["ldd", _core.__file__], capture_output=True, text=True, check=True)
    for library in ("libLLVM", "libMLIR", "libstdc++", "libz.so", "libzstd", "libz3"):
        assert library not in listing.stdout
