"""The attributes of a compiled kernel by the names that programs for Triton read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from tilewright.compiler.launch_alone import refuse_wrappers_in_cpp
from tilewright.compiler.metadata import KernelMetadata
from tilewright.errors import CompatError

if TYPE_CHECKING:
    from tilewright.compiler.kernel import CompiledKernel


class KernelAttributes:
    """A base class of CompiledKernel, which provides the data."""

    key: str
    object: bytes
    name: str
    src: Any

    @property
    def metadata(self) -> KernelMetadata:
        raise NotImplementedError

    @property
    def shared(self) -> int:
        raise NotImplementedError

    @property
    def runs_on_host(self) -> bool:
        raise NotImplementedError

    def load(self, device: str | None = None) -> Any:
        raise NotImplementedError

    @property
    def hash(self) -> str:
        """The key of the kernel in the cache."""
        return self.key

    @property
    def kernel(self) -> bytes:
        """The code: a cubin or an object file, or PTX that the driver assembles."""
        return self.object

    @property
    def num_warps(self) -> int:
        """Warps per program; 1 on the CPU."""
        return int(self.metadata.num_warps)

    @property
    def num_ctas(self) -> int:
        """Thread blocks per cluster, which is 1."""
        return int(self.metadata.num_ctas)

    @property
    def cluster_dims(self) -> tuple[int, int, int]:
        """The shape of a cluster, which is (1, 1, 1)."""
        x, y, z = self.metadata.cluster_dims
        return x, y, z

    @property
    def packed_metadata(self) -> tuple[int, ...]:
        """num_warps, num_ctas, shared (bytes) and the three cluster_dims."""
        return (self.num_warps, self.num_ctas, self.shared, *self.cluster_dims)

    @property
    def n_max_threads(self) -> int:
        """The most threads that a program of this kernel can have on the current device."""
        loaded = self.load()
        return int(getattr(loaded, "max_threads", getattr(loaded, "threads", 1)))

    @property
    def module(self) -> int | None:
        """The driver's handle of the module on the current device; None on the host."""
        return handles_of(self.load())[0]

    @property
    def function(self) -> int | None:
        """The driver's handle of the function on the current device, or its address on the host."""
        return handles_of(self.load())[1]

    def _init_handles(self) -> None:
        """Loads the code on the current device.

        Raises:
            CompatError: The kernel is another Triton's, as PyTorch restores it from a pickle; or
                Inductor would launch it from C++, without its checks.
        """
        if "key" not in self.__dict__:
            raise CompatError(
                "a compile worker of PyTorch compiled this kernel with another Triton: it was "
                "started without tilewright.compat. Call tilewright.inductor.register() before the "
                "first torch.compile, or set TILEWRIGHT_COMPAT=1 for the whole program"
            )
        refuse_wrappers_in_cpp(cast("CompiledKernel", self))
        self.load()

    def launch_metadata(self, grid: tuple[int, ...], stream: int | None, *args: Any) -> Any:
        """What a launch passes to the hooks; None if there are none.

        Args:
            grid: The numbers of programs.
            stream: The handle of the stream.
            args: The arguments by position.
        """
        from tilewright.compiler.launch_metadata import metadata_of_launch

        return metadata_of_launch(self, grid, stream, args)


def handles_of(loaded: Any) -> tuple[int | None, int | None]:
    """The driver's handles of a loaded kernel's module and function; on the host its address."""
    function = getattr(loaded, "function", None)
    return getattr(loaded, "module", None), function or getattr(loaded, "address", None)
