"""KernelInterface as the base of programs' own classes."""

from tilewright.runtime.function import JITFunction
from tilewright.runtime.interface import KernelInterface


class Recorder(KernelInterface):
    """As PyTorch's Inductor derives from it: it calls __init__ without arguments."""

    def __init__(self) -> None:
        super().__init__()
        self.launches = []

    def run(self, *args, grid, warmup, **kwargs):
        self.launches.append((args, grid, warmup, kwargs))
        return len(self.launches)


def test_a_class_of_a_program() -> None:
    kernel = Recorder()
    assert kernel[(2, 3)](1, x=4) == 1
    assert kernel.launches == [((1,), (2, 3), False, {"x": 4})]
    assert isinstance(kernel, KernelInterface) and issubclass(JITFunction, KernelInterface)
