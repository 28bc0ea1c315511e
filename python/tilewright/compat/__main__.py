"""`python -m tilewright.compat`: runs a program in which `triton` means Tilewright.

    python -m tilewright.compat script.py args...
    python -m tilewright.compat -m module args...
    python -m tilewright.compat -c code args...
    python -m tilewright.compat --names              prints the table of names

The arguments are given to Python, which is started again in place of this process: `sys.argv`,
`sys.path`, tracebacks and the exit status are those of `python script.py args...`.
TILEWRIGHT_COMPAT_VERSION sets `triton.__version__`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from typing import NoReturn

from tilewright.compat import DEFAULT_VERSION, children, install
from tilewright.errors import CompatError


def main(arguments: Sequence[str]) -> int:
    """Runs the command line; returns the exit status if no program is started."""
    first = arguments[0] if arguments else ""
    if first in ("", "-h", "--help"):
        print((__doc__ or "").strip())
        return 0 if first else 2
    if first == "--names":
        from tilewright.compat.listing import listing

        print(listing())
        return 0
    try:
        _run(arguments)
    except CompatError as error:
        print(f"tilewright.compat: {error}", file=sys.stderr)
        return 2


def _run(arguments: Sequence[str]) -> NoReturn:
    """Replaces this process by Python with these arguments, and compat installed."""
    # Checks the version, and sets what a child process needs.
    install(os.environ.get(children.VERSION) or DEFAULT_VERSION)
    if sys.flags.no_site or (sys.flags.ignore_environment and not children.has_pth()):
        raise CompatError(
            "Python was started with -S, -E or -I, which keep it from reading the settings that "
            "install tilewright.compat; call tilewright.compat.install() in the program instead"
        )
    if not sys.executable:
        raise CompatError("the path of the Python interpreter is unknown (sys.executable)")
    sys.stdout.flush()
    sys.stderr.flush()
    # The flags of this interpreter (-O, -W, -X), as multiprocessing passes them on.
    flags = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]
    os.execv(sys.executable, [sys.executable, *flags, *arguments])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
