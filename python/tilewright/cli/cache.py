"""`tilewright cache`: shows the contents of the disk cache, or clears it."""

from __future__ import annotations

import argparse
import sys

from tilewright.cache import Store, default_store
from tilewright.errors import ArgumentError


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = "Show or clear the cache of compiled kernels."
    parser.add_argument(
        "action",
        nargs="?",
        default="info",
        choices=("info", "clear"),
        help="info (default): print the folder, and how many kernels it holds; "
        "clear: delete all of them, after confirmation",
    )
    parser.add_argument("--yes", "-y", action="store_true", help="delete without confirmation")


def run(arguments: argparse.Namespace) -> int:
    store = default_store()
    if store is None:
        print("the disk cache is off (TILEWRIGHT_CACHE)")
        return 0
    if arguments.action == "clear":
        return _clear(store, arguments.yes)
    print(f"folder    {store.path}" + ("" if store.writable else " (not usable)"))
    files = store.entries()
    size = sum(path.stat().st_size for path in files)
    print(f"kernels   {len(files)}")
    print(f"size      {size / 1e6:.1f} MB")
    return 0


def _clear(store: Store, is_confirmed: bool) -> int:
    if not is_confirmed and not _confirm(f"Delete {len(store.entries())} kernels in {store.path}?"):
        print("nothing was deleted")
        return 1
    print(f"deleted {store.clear()} kernels in {store.path}")
    return 0


def _confirm(question: str) -> bool:
    if not sys.stdin.isatty():
        raise ArgumentError("standard input is not a terminal; pass --yes to delete the kernels")
    return input(f"{question} [y/N] ").strip().lower() in ("y", "yes")
