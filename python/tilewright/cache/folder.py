"""Where the disk cache lives, and whether its folder can be trusted.

Compiled code is executed, so nobody else may be able to put a file there: the folder must belong
to the user (or to root, for one prepared by the administrator) and not be writable for others.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import NamedTuple

from tilewright.errors import CacheError


class Folder(NamedTuple):
    """The place that the environment names; `explicit` where the user chose it."""

    path: Path
    explicit: bool


def find_folder() -> Folder | None:
    """TILEWRIGHT_CACHE_DIR, else `tilewright` in the user's cache folder (XDG).

    None where TILEWRIGHT_CACHE=0 turns the disk cache off, or the user has no home.
    """
    if os.environ.get("TILEWRIGHT_CACHE", "1").lower() in ("0", "off", "false", "no"):
        return None
    if chosen := os.environ.get("TILEWRIGHT_CACHE_DIR"):
        return Folder(Path(chosen).expanduser().absolute(), explicit=True)
    base = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(base):
        return Folder(Path(base) / "tilewright", explicit=False)
    try:
        return Folder(Path.home() / ".cache" / "tilewright", explicit=False)
    except RuntimeError:
        return None


def is_trusted(status: os.stat_result) -> bool:
    """Whether only the user and root can have written, and can write, what has this status."""
    return status.st_uid in (os.geteuid(), 0) and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def prepare_folder(path: Path) -> None:
    """Creates the folder, private to the user, or checks the one that is there.

    Raises:
        CacheError: another user owns the folder or could write to it.
        OSError: it does not exist and can't be created.
    """
    try:
        status = os.stat(path)
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.mkdir(mode=0o700, exist_ok=True)
        status = os.stat(path)
    if not stat.S_ISDIR(status.st_mode):
        raise NotADirectoryError(f"{path} is not a folder")
    if is_trusted(status):
        return
    if status.st_uid not in (os.geteuid(), 0):
        problem = f"belongs to another user (uid {status.st_uid}, not {os.geteuid()})"
        mend = "choose another with TILEWRIGHT_CACHE_DIR"
    else:
        problem = f"can be written by other users (mode {stat.S_IMODE(status.st_mode):o})"
        mend = f"run: chmod go-w '{path}'"
    raise CacheError(
        f"the cache folder {path} {problem}, so code in it is not trusted\n"
        f"hint: {mend}, or turn the disk cache off with TILEWRIGHT_CACHE=0"
    )
