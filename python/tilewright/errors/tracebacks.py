"""Tracebacks without the frames of a package."""

from __future__ import annotations

import os
from types import TracebackType


def without_frames_in(folder: str, traceback: TracebackType | None) -> TracebackType | None:
    """The traceback without the frames of code in a folder.

    Args:
        folder: The absolute path of the folder.
        traceback: The traceback. Its links are changed so that they skip these frames.

    Returns:
        The first frame that is left, or None.
    """
    prefix = folder + os.sep
    kept: list[TracebackType] = []
    while traceback is not None:
        if not traceback.tb_frame.f_code.co_filename.startswith(prefix):
            kept.append(traceback)
        traceback = traceback.tb_next
    following = None
    for frame in reversed(kept):
        frame.tb_next = following
        following = frame
    return following
