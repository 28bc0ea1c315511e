"""The names of `triton.tools` and `triton.experimental`."""

from tilewright.compat.entries import Module, Same

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
            "atomic_add_ragged": Same("tilewright.tools.ragged_tma:atomic_add_ragged"),
            "create_ragged_descriptor": Same(
                "tilewright.tools.ragged_tma:create_ragged_descriptor"
            ),
            "load_ragged": Same("tilewright.tools.ragged_tma:load_ragged"),
            "store_ragged": Same("tilewright.tools.ragged_tma:store_ragged"),
            "to_ragged_indices": Same(
                "tilewright.tools.ragged_tma:to_ragged_indices",
                "for descriptors that have Triton's two additional dimensions",
            ),
        },
    ),
    Module(
        "triton.tools.tensor_descriptor",
        {"TensorDescriptor": Same("tilewright.tools.tensor_descriptor:TensorDescriptor")},
    ),
)
