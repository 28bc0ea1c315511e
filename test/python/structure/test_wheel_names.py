"""A wheel's name says for which machine and C library its module is."""

from __future__ import annotations

import platform
import sys
import zipfile
from pathlib import Path

import pytest

pytest.importorskip("elftools")
sys.path.append(str(Path(__file__).resolve().parents[3] / "bin" / "lib"))
import check_wheel
from wheel.wheelfile import WheelFile

from tilewright import _core


@pytest.mark.parametrize(
    ("machine", "tag"),
    [("EM_X86_64", "manylinux_2_36_x86_64"), ("EM_AARCH64", "manylinux_2_36_aarch64")],
)
def test_the_tag_names_the_machine(machine: str, tag: str) -> None:
    assert check_wheel.platform_tag(machine, (2, 36)) == tag


def test_the_machine_is_that_of_the_module() -> None:
    _, tag = check_wheel.check_module(Path(_core.__file__))
    assert tag.split("_", 3)[3] == platform.machine()


def write_wheel(path: Path) -> None:
    """A wheel without a module."""
    metadata = "Metadata-Version: 2.1\nName: example\nVersion: 1\n"
    tags = "Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: cp311-cp311-linux_aarch64\n"
    with WheelFile(path, "w") as archive:  # writes the hashes of RECORD
        archive.writestr("example-1.dist-info/METADATA", metadata)
        archive.writestr("example-1.dist-info/WHEEL", tags)


def test_the_name_and_the_metadata_get_the_tag(tmp_path: Path) -> None:
    wheel = tmp_path / "example-1-cp311-cp311-linux_aarch64.whl"
    write_wheel(wheel)
    renamed = check_wheel.retag(wheel, "manylinux_2_36_aarch64")
    assert renamed.name == "example-1-cp311-cp311-manylinux_2_36_aarch64.whl"
    with zipfile.ZipFile(renamed) as archive:
        text = archive.read("example-1.dist-info/WHEEL").decode()
    assert "Tag: cp311-cp311-manylinux_2_36_aarch64" in text and not wheel.exists()
