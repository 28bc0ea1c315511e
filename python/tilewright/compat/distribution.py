"""The distribution `triton` for importlib.metadata, which programs ask for Triton's version."""

from __future__ import annotations

import os
from importlib.metadata import Distribution
from pathlib import Path

_METADATA = """\
Metadata-Version: 2.1
Name: triton
Version: {version}
Summary: Tilewright, under the name triton (tilewright.compat)
"""


class TritonDistribution(Distribution):
    """A distribution without files; its version is `triton.__version__`."""

    def __init__(self, version: str) -> None:
        self._texts = {
            "METADATA": _METADATA.format(version=version),
            "top_level.txt": "triton\n",
        }

    def read_text(self, filename: str | os.PathLike[str]) -> str | None:
        return self._texts.get(str(filename))

    def locate_file(self, path: str | os.PathLike[str]) -> Path:
        return Path(__file__).parent / path
