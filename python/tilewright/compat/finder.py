"""The entry of sys.meta_path that finds `triton`, its submodules and its distribution."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.abc import Loader, MetaPathFinder
    from importlib.metadata import Distribution, DistributionFinder

    class _Base(MetaPathFinder, Loader): ...

else:
    _Base = object  # importing importlib.abc takes longer than all the rest

_FOLDER = os.path.dirname(os.path.abspath(__file__))


class Finder(_Base):
    """Finds the modules of the table. Must be first in sys.meta_path to hide an installed Triton.

    Attributes:
        version: `triton.__version__`.
    """

    def __init__(self, version: str) -> None:
        self.version = version

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname.partition(".")[0] != "triton":
            return None
        from tilewright.compat.table import MISSING_MODULES, MODULES

        module = MODULES.get(fullname)
        if module is None:
            if fullname in MISSING_MODULES and _is_import():
                from tilewright.compat.facade import not_yet

                raise ModuleNotFoundError(not_yet(fullname), name=fullname)
            return None  # the path of the package is empty, so no other finder finds it
        is_package = any(n.startswith(f"{fullname}.") for n in (*MODULES, *MISSING_MODULES))
        # `from triton.x import y` names the origin if there is no y.
        origin = os.path.join(_FOLDER, "table", "__init__.py")
        return importlib.util.spec_from_loader(fullname, self, origin=origin, is_package=is_package)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        from tilewright.compat.facade import Facade

        return Facade(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        from tilewright.compat.table import MODULES

        contents: dict[str, Any] = {
            "_table": MODULES[module.__name__],
            "__file__": module.__spec__.origin if module.__spec__ else None,
            "__doc__": f"Tilewright, under the name {module.__name__} (tilewright.compat).",
        }
        if module.__name__ == "triton":
            contents["__version__"] = self.version
        vars(module).update(contents)

    def find_distributions(
        self, context: DistributionFinder.Context | None = None
    ) -> Iterable[Distribution]:
        """The distribution `triton`, for importlib.metadata; it is in none of the folders."""
        wanted = getattr(context, "name", None)
        asks_for_folders = context is not None and "path" in vars(context)
        if asks_for_folders or (wanted is not None and wanted.lower() != "triton"):
            return []
        from tilewright.compat.distribution import TritonDistribution

        return [TritonDistribution(self.version)]

    def invalidate_caches(self) -> None:
        """Nothing is cached."""


def _is_import() -> bool:
    """Whether find_spec is called by an import, rather than by importlib.util.find_spec.

    A probe with find_spec gets None for a missing module; an import gets an error that explains.
    """
    frame = sys._getframe(2)  # importlib._bootstrap._find_spec
    caller = frame.f_back
    return caller is not None and caller.f_code.co_name == "_find_and_load_unlocked"
