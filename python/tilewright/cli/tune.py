"""`tilewright tune`: shows, exports, imports and deletes the results of autotuning."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

from tilewright.errors import ArgumentError, CacheError
from tilewright.tuning.results import Result, export_results, import_results
from tilewright.tuning.store import TuningStore, default_store

# How many digits of a key identify a result on the command line.
_DIGITS = 12


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = "Show, export, import or delete the results of autotuning."
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    actions.add_parser("list", help="print one line for each result, the latest first")
    show = actions.add_parser("show", help="print all of a result, with every configuration's time")
    show.add_argument("result", help="the first digits of its key, or the name of a kernel")
    export = actions.add_parser("export", help="write results to a JSON file")
    export.add_argument("file", type=Path)
    export.add_argument("--kernel", help="only results of this kernel")
    imports = actions.add_parser("import", help="add the results of a JSON file")
    imports.add_argument("file", type=Path)
    clear = actions.add_parser("clear", help="delete results, after confirmation")
    clear.add_argument("--kernel", help="only results of this kernel")
    clear.add_argument("--yes", "-y", action="store_true", help="delete without confirmation")


def run(arguments: argparse.Namespace) -> int:
    store = default_store()
    if store is None:
        print("the disk cache is off (TILEWRIGHT_CACHE)", file=sys.stderr)
        return 1
    actions = {
        "list": _list,
        "show": _show,
        "export": _export,
        "import": _import,
        "clear": _clear,
    }
    return actions[arguments.action](store, arguments)


def _list(store: TuningStore, arguments: argparse.Namespace) -> int:
    results = store.all()
    for each in results:
        print(f"{each.key[:_DIGITS]}  {each.kernel}  {each.arguments}  {each.config}")
    if not results:
        print(f"there are no results in {store.path}")
    return 0


def _show(store: TuningStore, arguments: argparse.Namespace) -> int:
    wanted = arguments.result
    found = [each for each in store.all() if each.key.startswith(wanted) or each.is_of(wanted)]
    if not found:
        raise ArgumentError(f"there is no result '{wanted}'; `tilewright tune list` prints all")
    print("\n\n".join(map(_text, found)))
    return 0


def _text(result: Result) -> str:
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(result.created))
    lines = [
        f"key        {result.key}",
        f"kernel     {result.kernel}",
        f"arguments  {result.arguments}",
        f"device     {result.device}",
        f"driver     {result.driver or 'none'}",
        f"tuned      {when}",
        f"choice     {result.config}",
    ]
    for config, milliseconds, dropped in json.loads(result.times):
        what = dropped if milliseconds is None else f"{milliseconds:.4f} ms"
        lines.append(f"  {config}: {what or 'not timed'}")
    return "\n".join(lines)


def _export(store: TuningStore, arguments: argparse.Namespace) -> int:
    results = _of_kernel(store, arguments.kernel)
    if not results:
        raise ArgumentError("there are no results to export")
    export_results(results, arguments.file)
    print(f"exported {len(results)} results to {arguments.file}")
    return 0


def _import(store: TuningStore, arguments: argparse.Namespace) -> int:
    results = import_results(arguments.file)
    if not store.save(results):
        raise CacheError(f"{store.path} can't be written")
    print(f"imported {len(results)} results into {store.path}")
    return 0


def _clear(store: TuningStore, arguments: argparse.Namespace) -> int:
    count = len(_of_kernel(store, arguments.kernel))
    if not arguments.yes and not _confirm(f"Delete {count} results in {store.path}?"):
        print("nothing was deleted")
        return 1
    print(f"deleted {store.clear(arguments.kernel)} results in {store.path}")
    return 0


def _of_kernel(store: TuningStore, kernel: str | None) -> list[Result]:
    """The results of a kernel, by its qualified or its plain name; all if it is None."""
    return [each for each in store.all() if kernel is None or each.is_of(kernel)]


def _confirm(question: str) -> bool:
    if not sys.stdin.isatty():
        raise ArgumentError("standard input is not a terminal; pass --yes to delete the results")
    return input(f"{question} [y/N] ").strip().lower() in ("y", "yes")
