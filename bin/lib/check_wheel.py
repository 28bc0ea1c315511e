"""Checks that a wheel is small and self-contained, and gives it its manylinux tag.

The tag states the processor's architecture, and the oldest C library that the wheel runs with. Both
are read from the module: its ELF header, and the versions of the C library's symbols that it
imports; other libraries are rejected.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.gnuversions import GNUVerNeedSection

# The architectures' names in the tags of wheels, by those in ELF headers.
MACHINES = {"EM_X86_64": "x86_64", "EM_AARCH64": "aarch64"}

# The libraries of glibc itself, which every Linux with glibc has.
ALLOWED = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1"}


def needed_libraries(elf: ELFFile) -> list[str]:
    tags = elf.get_section_by_name(".dynamic").iter_tags()
    return [tag.needed for tag in tags if tag.entry.d_tag == "DT_NEEDED"]


def needed_glibc(elf: ELFFile) -> tuple[int, int]:
    """The newest version of the C library that a symbol requires."""
    versions = [(2, 17)]
    for section in elf.iter_sections():
        if isinstance(section, GNUVerNeedSection):
            for _, symbols in section.iter_versions():
                names = [re.fullmatch(r"GLIBC_(\d+)\.(\d+)(\.\d+)?", s.name) for s in symbols]
                versions += [(int(m[1]), int(m[2])) for m in names if m]
    return max(versions)


def exported_symbols(elf: ELFFile) -> list[str]:
    return [
        symbol.name
        for symbol in elf.get_section_by_name(".dynsym").iter_symbols()
        if symbol["st_shndx"] != "SHN_UNDEF" and symbol["st_info"]["bind"] != "STB_LOCAL"
    ]


def platform_tag(machine: str, glibc: tuple[int, int]) -> str:
    """The tag for a module with this machine in its ELF header, which needs this C library.

    Raises:
        KeyError: Wheels for this machine are not known.
    """
    return f"manylinux_{glibc[0]}_{glibc[1]}_{MACHINES[machine]}"


def check_module(module: Path) -> tuple[list[str], str]:
    """What is wrong with the extension module, and the platform's tag."""
    with module.open("rb") as file:
        elf = ELFFile(file)
        machine = elf["e_machine"]
        needed, exported, glibc = needed_libraries(elf), exported_symbols(elf), needed_glibc(elf)
        stripped = elf.get_section_by_name(".symtab") is None
    print(f"module   {module.stat().st_size / 1e6:.1f} MB{', stripped' if stripped else ''}")
    print(f"for      {MACHINES[machine]}")
    print(f"needs    {', '.join(needed)}; glibc {glibc[0]}.{glibc[1]}")
    print(f"exports  {', '.join(exported)}")
    print(subprocess.run(["ldd", str(module)], capture_output=True, text=True).stdout, end="")
    wrong = []
    unexpected = {name for name in needed if not name.startswith("ld-linux")} - ALLOWED
    if unexpected:
        wrong.append(f"needs {', '.join(sorted(unexpected))}")
    if exported != ["PyInit__core"]:
        wrong.append("exports more than PyInit__core")
    if not stripped:
        wrong.append("is not stripped")
    return wrong, platform_tag(machine, glibc)


def retag(wheel: Path, platform: str) -> Path:
    """Renames the wheel and its metadata, and returns the new path."""
    command = [sys.executable, "-m", "wheel", "tags", "--remove", "--platform-tag", platform]
    done = subprocess.run([*command, str(wheel)], capture_output=True, text=True, check=True)
    return wheel.parent / done.stdout.split()[-1]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--limit", type=int, required=True, help="bytes")
    parser.add_argument("--into", type=Path, required=True, help="the folder for a good wheel")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(options.wheel) as archive:
        archive.extractall(folder)
        modules = list(Path(folder).rglob("*.so"))
        assert len(modules) == 1, modules
        wrong, platform = check_module(modules[0])
        if not Path(folder, "tilewright_compat.pth").exists():
            wrong.append("has no tilewright_compat.pth beside the package")
    size = options.wheel.stat().st_size
    if size > options.limit:
        wrong.append(f"has {size} bytes, {size - options.limit} more than the limit")
    print(f"size     {size / 1e6:.1f} MB of {options.limit / 1e6:.0f}")
    for fault in wrong:
        print(f"the wheel {fault}", file=sys.stderr)
    if not wrong:
        wheel = retag(options.wheel, platform)
        options.into.mkdir(exist_ok=True)
        print(f"wheel    {shutil.move(wheel, options.into / wheel.name)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
