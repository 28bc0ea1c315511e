"""What holds for all tests: a disk cache of their own."""

import os
import tempfile

if "PYTEST_XDIST_WORKER" not in os.environ and "TILEWRIGHT_CACHE_DIR" not in os.environ:
    # Held for the life of the process that collects; the workers inherit the variable.
    _FOLDER = tempfile.TemporaryDirectory(prefix="tilewright-test-cache-")
    os.environ["TILEWRIGHT_CACHE_DIR"] = _FOLDER.name
