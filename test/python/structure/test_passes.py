"""Every pass has a lit test with its name."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PASS = re.compile(r'def\s+\w+\s*:\s*Pass<\s*"([\w-]+)"')


def passes() -> list[str]:
    tables = sorted((ROOT / "include").rglob("*.td"))
    return [name for table in tables for name in PASS.findall(table.read_text())]


def has_test(name: str) -> bool:
    """`tile-axis-info` is tested by axis-info.mlir or by tile-axis-info.mlir, which runs it."""
    files = [f for f in (ROOT / "test").rglob("*.mlir") if f.stem == name]
    files += [f for f in (ROOT / "test").rglob("*.mlir") if name.endswith(f"-{f.stem}")]
    return any(re.search(rf"\b{name}\b", file.read_text()) for file in files)


def test_every_pass_has_a_test() -> None:
    assert passes()
    assert not [name for name in passes() if not has_test(name)]
