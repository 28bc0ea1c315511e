"""Result: one tuning, as the store and the files that ship with an application have it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from tilewright.errors import CacheError

# The version of the fields and of the keys, in each file.
VERSION = 1
# Limits of a valid result: of the number of configurations, and of the time in seconds.
_MOST = 1 << 31
_LATEST = 1e11
_FORMAT = "tilewright-tuning"


class Result(NamedTuple):
    """One tuning, as it is stored and exported.

    Attributes:
        key: A hash of everything below up to `configs`.
        kernel: The kernel's qualified name.
        source: A hash of its source and of the globals it reads (JITFunction.cache_key).
        arguments: The tuning key's values and the dtypes, as text.
        device, driver: The device's name, and the driver's version (empty on the CPU).
        compiler: The identity of Tilewright's build.
        configs: A hash of the names in the key and of the list of configurations.
        chosen: The index of the choice in that list.
        config: The choice as text.
        times: JSON: a list of [configuration, milliseconds or null, reason].
        created: When it was tuned, in seconds since 1970.
    """

    key: str
    kernel: str
    source: str
    arguments: str
    device: str
    driver: str
    compiler: str
    configs: str
    chosen: int
    config: str
    times: str
    created: float

    def is_of(self, kernel: str) -> bool:
        """Whether it is of the kernel with this name, qualified or not."""
        return kernel in (self.kernel, self.kernel.rpartition(".")[2])

    def is_valid(self) -> bool:
        """Whether the fields have their types and are in range; a file may have been edited."""
        texts = (*self[:8], self.config, self.times)
        if not all(isinstance(text, str) and _is_unicode(text) for text in texts):
            return False
        numbers = type(self.chosen) is int and isinstance(self.created, (int, float))
        in_range = numbers and 0 <= self.chosen < _MOST and abs(self.created) < _LATEST
        return in_range and _are_times(self.times)


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _are_times(text: str) -> bool:
    """Whether a text is JSON of a list of [configuration, milliseconds or null, reason]."""
    try:
        return all(
            isinstance(config, str)
            and (time is None or isinstance(time, (int, float)))
            and isinstance(reason, str)
            for config, time, reason in json.loads(text)
        )
    except (ValueError, TypeError, RecursionError):
        return False


def export_results(results: list[Result], path: Path) -> None:
    """Writes results to a JSON file, which `import_results` and TILEWRIGHT_TUNING_FILE read."""
    rows = [{**each._asdict(), "times": json.loads(each.times)} for each in results]
    text = json.dumps({"format": _FORMAT, "version": VERSION, "results": rows}, indent=1)
    path.write_text(text + "\n", encoding="utf-8")


def import_results(path: Path) -> list[Result]:
    """The results in a JSON file.

    Raises:
        CacheError: It can't be read, has another format, or is from a newer version.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if data["format"] != _FORMAT:
            raise ValueError(f"its format is not {_FORMAT!r}")
        if data["version"] > VERSION:
            raise CacheError(
                f"{path} has version {data['version']}; "
                f"this Tilewright reads versions up to {VERSION}"
            )
        return [_result_of(row) for row in data["results"]]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise CacheError(f"{path} is not a file of exported tuning results: {error!r}") from error


def _result_of(row: dict[str, Any]) -> Result:
    result = Result(**{**row, "times": json.dumps(row["times"])})
    if not result.is_valid():
        raise ValueError("a field of a result has the wrong type or is out of range")
    return result
