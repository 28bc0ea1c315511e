"""Finds the folder of the disk cache and checks whether it can be trusted.

Cached code is executed, so other users must not be able to add files: the folder must belong to the
user (or to root, if an administrator has prepared it) and must not be writable by others.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import NamedTuple

from tilewright.errors import CacheError

_OFF = ("0", "off", "false", "no")


class Folder(NamedTuple):
    """The folder that the environment determines; `explicit` if the user chose it."""

    path: Path
    explicit: bool


def find_folder() -> Folder | None:
    """TILEWRIGHT_CACHE_DIR, else `tilewright` in TRITON_CACHE_DIR or the user's cache folder (XDG).

    None if TILEWRIGHT_CACHE=0 or TRITON_ALWAYS_COMPILE=1 turns the disk cache off, or if the user
    has no home directory.
    """
    if os.environ.get("TILEWRIGHT_CACHE", "1").lower() in _OFF:
        return None
    if os.environ.get("TRITON_ALWAYS_COMPILE", "0").lower() not in ("", *_OFF):
        return None
    if chosen := os.environ.get("TILEWRIGHT_CACHE_DIR"):
        return Folder(Path(chosen).expanduser().absolute(), explicit=True)
    if shared := os.environ.get("TRITON_CACHE_DIR"):
        # Other programs create that folder, so it may be writable by other users.
        return Folder(Path(shared).expanduser().absolute() / "tilewright", explicit=False)
    base = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(base):
        return Folder(Path(base) / "tilewright", explicit=False)
    try:
        return Folder(Path.home() / ".cache" / "tilewright", explicit=False)
    except RuntimeError:
        return None


def is_trusted(status: os.stat_result) -> bool:
    """Whether only the user and root can write to a file or folder with this status."""
    return status.st_uid in (os.geteuid(), 0) and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def prepare_folder(path: Path) -> None:
    """Creates the folder, private to the user, or checks an existing one.

    Raises:
        CacheError: Another user owns the folder or can write to it.
        OSError: It does not exist and can't be created, or it is not a folder.
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
        hint = "choose another folder with TILEWRIGHT_CACHE_DIR"
    else:
        problem = f"can be written by other users (mode {stat.S_IMODE(status.st_mode):o})"
        hint = f"run: chmod go-w '{path}'"
    raise CacheError(
        f"the cache folder {path} {problem}, so code in it is not trusted\n"
        f"hint: {hint}, or turn the disk cache off with TILEWRIGHT_CACHE=0"
    )
