"""The names of `triton.tools` and `triton.experimental`."""

from tilewright.compat.entries import Deferred, Module, Same

MODULES = (
    Module("triton.experimental"),
    Module("triton.tools"),
    Module(
        "triton.tools.mxfp",
        {"MXFP4Tensor": Deferred(is_class=True), "MXScaleTensor": Deferred(is_class=True)},
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
