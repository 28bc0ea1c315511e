"""`python -m tilewright` runs the command `tilewright`."""

import sys

from tilewright.cli import main

if __name__ == "__main__":
    sys.exit(main())
