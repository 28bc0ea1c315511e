"""The names of `triton.tools` and `triton.experimental`."""

from tilewright.compat.entries import Deferred, Module, Same

MODULES = (
    Module("triton.experimental"),
    Module("triton.tools"),
    Module(
        "triton.tools.mxfp",
        {
            "MXFP4Tensor": Same("tilewright.tools.mxfp:MXFP4Tensor"),
            "MXScaleTensor": Same("tilewright.tools.mxfp:MXScaleTensor"),
        },
    ),
    Module(
        "triton.tools.ragged_tma",
        {
            "create_ragged_descriptor": Deferred(),
            "load_ragged": Deferred(),
            "store_ragged": Deferred(),
        },
    ),
    Module(
        "triton.tools.tensor_descriptor",
        {"TensorDescriptor": Same("tilewright.tools.tensor_descriptor:TensorDescriptor")},
    ),
)
