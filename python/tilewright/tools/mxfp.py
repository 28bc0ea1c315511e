"""Tensors in microscaling (MX) formats on the host: to make inputs of `tl.dot_scaled`, and to check
its results.

    a = MXFP4Tensor(size=(128, 64), device="cuda").random()
    a.to_packed_tensor(dim=1)      # what the kernel gets: uint8 of shape (128, 32)
    a.to(torch.float32)            # the values, for the reference

Codes are uint8, one per element, in the attribute `data`. Values are converted exactly: floats to
the nearest e2m1, ties to even, and floats to the power of two of their exponent.
"""

from __future__ import annotations

from typing import Any

import torch

from tilewright.errors import ArgumentError

_VALUES = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)  # of e2m1, by the code without its sign
_BIAS, _NAN = 127, 255  # of e8m0


class _Codes:
    """Codes of one byte, made from floats or at random; subclasses describe the arguments."""

    data: torch.Tensor

    def __init__(self, data: Any = None, size: Any = None, device: Any = None) -> None:
        name = type(self).__name__
        if data is None and size is None:
            raise ArgumentError(f"{name} takes data or a size")
        if data is not None and not (isinstance(data, torch.Tensor) and data.is_floating_point()):
            found = data.dtype if isinstance(data, torch.Tensor) else type(data).__name__
            raise ArgumentError(f"{name} takes a tensor of floats, found {found}")
        self.device = device if data is None else data.device
        if data is None:
            self.size = size if isinstance(size, tuple) else tuple(torch.Size(_sizes(size)))
        else:
            self.size, self.data = tuple(data.shape), self._encode(data.to(torch.float64))

    def to(self, dtype: torch.dtype) -> torch.Tensor:
        """The values as a tensor of floats.

        Raises:
            ArgumentError: `dtype` is not a float type of at least 32 bits, which holds all values.
        """
        if dtype not in (torch.float32, torch.float64):
            raise ArgumentError(f"{type(self).__name__} converts to torch.float32, found {dtype}")
        return self._decode().to(dtype)

    def _encode(self, values: torch.Tensor) -> torch.Tensor:
        raise NotImplementedError

    def _decode(self) -> torch.Tensor:
        raise NotImplementedError


class MXFP4Tensor(_Codes):
    """Floats of four bits (e2m1): 0, 0.5, 1, 1.5, 2, 3, 4, 6 and their negatives.

    Greater floats and infinities become 6, with their sign, and NaN becomes 6. The arguments and
    attributes are

        data: A tensor of floats to convert; None for a tensor that `random` fills. The attribute is
            a tensor of codes, uint8 with the upper four bits zero, of the same shape.
        size: The shape of the latter, a tuple or an int.
        device: The device of the latter. Data stays on its device.

    Raises:
        ArgumentError: Neither `data` nor `size` is given, or `data` is not a tensor of floats.
    """

    def random(self) -> MXFP4Tensor:
        """Fills the tensor with codes from 0 to 15, and returns it."""
        self.data = torch.randint(0, 16, self.size, dtype=torch.uint8, device=self.device)
        return self

    def to_packed_tensor(self, dim: int) -> torch.Tensor:
        """Pairs of codes along a dimension in one byte, the first in the lower bits.

        Returns:
            A tensor of uint8 with half the size in that dimension. An odd size is padded with 0.

        Raises:
            ArgumentError: The dimension does not exist.
        """
        if not 0 <= dim < self.data.ndim:
            raise ArgumentError(
                f"cannot pack along dimension {dim} of a tensor of {self.data.ndim} dimensions"
            )
        codes = self.data.movedim(dim, -1)
        codes = torch.nn.functional.pad(codes, (0, codes.shape[-1] % 2))
        packed = codes[..., ::2] | codes[..., 1::2] << 4
        return packed.movedim(-1, dim).contiguous()

    def unpack_packed_tensor(
        self, packed_tensor: torch.Tensor, dim: int, original_shape: Any
    ) -> torch.Tensor:
        """The codes, one per byte, that `to_packed_tensor` has packed along a dimension.

        Args:
            packed_tensor: The bytes.
            dim: The dimension.
            original_shape: The shape of the result, which tells whether there was padding.

        Raises:
            ArgumentError: The shape of the bytes is not that of the packed result.
        """
        wanted = list(original_shape)
        halved = [(size + 1) // 2 if i == dim else size for i, size in enumerate(wanted)]
        if list(packed_tensor.shape) != halved:
            raise ArgumentError(
                f"a tensor of shape {wanted} packed along dimension {dim} has the shape {halved}, "
                f"found {list(packed_tensor.shape)}"
            )
        bytes = packed_tensor.movedim(dim, -1)
        codes = torch.stack([bytes & 15, bytes >> 4], -1).flatten(-2)
        return codes[..., : wanted[dim]].movedim(-1, dim).contiguous()

    def _encode(self, values: torch.Tensor) -> torch.Tensor:
        table = values.new_tensor(_VALUES)
        size = values.abs().nan_to_num(_VALUES[-1])
        middles = (table[1:] + table[:-1]) / 2
        # In the middle between two values these are their codes, elsewhere both the nearest code.
        lower, upper = (torch.searchsorted(middles, size, right=side) for side in (False, True))
        codes = torch.where(lower % 2 == 0, lower, upper)
        return (codes + 8 * (values.signbit() & ~values.isnan())).to(torch.uint8)

    def _decode(self) -> torch.Tensor:
        table = torch.tensor(_VALUES, dtype=torch.float64, device=self.data.device)
        values = table[(self.data & 7).long()]
        return torch.where(self.data & 8 != 0, -values, values)


class MXScaleTensor(_Codes):
    """Scales (e8m0): powers of two from 2^-127, code 0, to 2^127, code 254; code 255 is NaN.

    A positive float becomes the greatest scale that is not greater, or 2^-127; zero, negative
    floats, infinity and NaN become NaN. The arguments and attributes are

        data: A tensor of floats to convert; None for a tensor that `random` fills. The attribute is
            a tensor of codes, uint8.
        size: The shape of the latter, a tuple or an int.
        device: The device of the latter. Data stays on its device.

    Raises:
        ArgumentError: Neither `data` nor `size` is given, or `data` is not a tensor of floats.
    """

    def random(self, low: float | None = None, high: float | None = None) -> MXScaleTensor:
        """Fills the tensor with scales from `low` to `high`, and returns it.

        Args:
            low: A positive number, whose scale is the least; 2^-127 by default.
            high: A positive number, whose scale is the greatest; 2^127 by default.

        Raises:
            ArgumentError: A limit is not positive and finite, or `low` is greater than `high`.
        """
        first = 0 if low is None else self._code(low)
        last = _NAN - 1 if high is None else self._code(high)
        if first > last:
            raise ArgumentError(f"random needs low at most high, found {low} and {high}")
        self.data = torch.randint(first, last + 1, self.size, dtype=torch.uint8, device=self.device)
        return self

    def _code(self, limit: float) -> int:
        code = int(self._encode(torch.tensor(limit, dtype=torch.float64)))
        if code == _NAN:
            raise ArgumentError(f"random needs positive finite limits, found {limit}")
        return code

    def _encode(self, values: torch.Tensor) -> torch.Tensor:
        exponent = torch.frexp(values).exponent.long() - 1
        codes = (exponent + _BIAS).clamp(0, _NAN - 1)
        valid = values.isfinite() & (values > 0)
        return torch.where(valid, codes, _NAN).to(torch.uint8)

    def _decode(self) -> torch.Tensor:
        exponent = self.data.to(torch.int64) - _BIAS
        values = (exponent + 1023 << 52).view(torch.float64)
        return values.masked_fill(self.data == _NAN, torch.nan)


def _sizes(size: Any) -> list[int]:
    return list(size) if hasattr(size, "__iter__") else [int(size)]
