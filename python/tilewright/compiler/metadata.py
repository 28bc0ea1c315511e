"""The metadata of a compiled kernel: a dictionary, with the attributes that programs read."""

from __future__ import annotations

from typing import Any

from tilewright.compiler.gpu_target import GPUTarget, gpu_target_of
from tilewright.compiler.targets import Target

# Attributes for what Tilewright's kernels never have or use. Sizes of scratch memory are not among
# them: a program that finds these passes the kernel a pointer for each.
_ABSENT = {
    "launch_pdl": False,
    "launch_cooperative_grid": False,
    "tmem_size": 0,
}


class KernelMetadata(dict[str, Any]):
    """The metadata of a compilation, by key; and by attribute what programs read:

    name, target (a GPUTarget; the item is the target's name), arch, warp_size, num_warps,
    num_stages, num_ctas, cluster_dims, shared (bytes per program), debug and enable_fp_fusion. A
    kernel on the CPU has one warp and one stage.
    """

    def __getattr__(self, name: str) -> Any:
        if name in _ATTRIBUTES:
            return _ATTRIBUTES[name](self)
        options = self.get("options", {})
        for place in (self, options, _ABSENT):
            if name in place:
                return place[name]
        raise AttributeError(f"the metadata of a kernel have no '{name}'")

    @property
    def target(self) -> GPUTarget:
        kind, _, arch = self["target"].partition(":")
        return gpu_target_of(Target(kind, arch))

    def _asdict(self) -> dict[str, Any]:
        """All attributes that programs read, as named tuples provide them."""
        names = [*_ATTRIBUTES, "target", "name", "debug", "enable_fp_fusion", *_ABSENT]
        return {name: getattr(self, name) for name in names}

    def __reduce__(self) -> tuple[Any, ...]:
        return KernelMetadata, (dict(self),)


def _option(name: str, default: int) -> Any:
    # On the CPU there are no such options: a program is one thread.
    return lambda metadata: int(metadata.get("options", {}).get(name, default))


_ATTRIBUTES: dict[str, Any] = {
    "num_warps": lambda metadata: int(metadata.get("num_warps", 1)),
    "num_stages": _option("num_stages", 1),
    "num_ctas": lambda metadata: 1,  # the option is ignored so far
    "cluster_dims": lambda metadata: (1, 1, 1),
    "shared": lambda metadata: int(metadata.get("shared_bytes", 0)),
    "arch": lambda metadata: metadata.target.arch,
    "warp_size": lambda metadata: metadata.target.warp_size,
}
