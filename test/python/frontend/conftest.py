from __future__ import annotations

from collections.abc import Iterator

import pytest

from tilewright.language._context import _ambient


@pytest.fixture(autouse=True)
def _no_leftover_context() -> Iterator[None]:
    """A failed build leaves no current context."""
    yield
    assert not _ambient.stack
