"""`tilewright cache`: what the disk cache holds, and emptying it."""

from __future__ import annotations

import argparse

from tilewright.cache import default_store


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = "Show or empty the cache of compiled kernels."
    parser.add_argument("action", nargs="?", default="info", choices=("info", "clear"))


def run(arguments: argparse.Namespace) -> int:
    store = default_store()
    if store is None:
        print("the disk cache is off (TILEWRIGHT_CACHE)")
        return 0
    if arguments.action == "clear":
        print(f"removed {store.clear()} kernels from {store.path}")
        return 0
    print(f"folder    {store.path}" + ("" if store.writable else " (not usable)"))
    files = store.entries()
    size = sum(path.stat().st_size for path in files)
    print(f"kernels   {len(files)}")
    print(f"size      {size / 1e6:.1f} MB")
    return 0
