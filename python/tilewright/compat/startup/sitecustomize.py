"""Installs compat when Python starts; on PYTHONPATH of the children of a program under compat.

Python imports only one `sitecustomize`, so the next one on the path is imported from here.
"""

import importlib
import importlib.util
import os
import sys

_FOLDER = os.path.dirname(os.path.abspath(__file__))


def _install() -> None:
    if importlib.util.find_spec("tilewright") is None:
        # The parent process found the package by its own sys.path.
        sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(_FOLDER))))
    from tilewright.compat import install_if_switched_on

    install_if_switched_on()


def _import_next() -> None:
    sys.path[:] = [path for path in sys.path if os.path.abspath(path or ".") != _FOLDER]
    own = sys.modules.pop("sitecustomize", None)
    try:
        importlib.import_module("sitecustomize")
    except ModuleNotFoundError as error:
        if error.name != "sitecustomize":
            raise
        if own is not None:  # Python expects the module after its import
            sys.modules["sitecustomize"] = own


try:
    # A child can be an older Python, which Tilewright does not support.
    if sys.version_info >= (3, 10):  # noqa: UP036
        _install()
finally:
    _import_next()
