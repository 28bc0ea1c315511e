"""The names of `triton.language`. Its modules have the public names of tilewright.language's."""

from tilewright.compat.entries import Absent, Deferred, Entry, Module, Same

# Programs ask with hasattr whether these exist, and have another path if they do not.
_PROBED = {
    name: Absent()
    for name in (
        "_experimental_descriptor_load", "_experimental_descriptor_store",
        "_experimental_make_tensor_descriptor", "async_task", "atomic_poll",
        "block_shape", "expect_zero",
        "tensor_descriptor_type",
    )
}  # fmt: skip

# These are used by name in kernels only, or imported by modules without a second path.
_IN_KERNELS = {name: Deferred() for name in ("inline_asm_elementwise",)}

_LANGUAGE: dict[str, Entry] = {
    **_PROBED,
    **_IN_KERNELS,
    "TRITON_MAX_TENSOR_NUMEL": Same(
        "tilewright.compat.core:TRITON_MAX_TENSOR_NUMEL",
        "a number; sizes count rounded up to powers of two",
    ),
}

_CORE: dict[str, Entry] = {
    "_aggregate": Same("tilewright:aggregate"),
    "CONSTEXPR_0": Same("tilewright.compat.core:CONSTEXPR_0"),
    "_unwrap_if_constexpr": Same("tilewright.language.constexpr:known_value"),
    "extern_elementwise": Same(
        "tilewright.compat.extern:extern_elementwise", "takes the symbols of libdevice only"
    ),
    "get_int_dtype": Same("tilewright.language.type_names:get_int_dtype"),
    "view": Same("tilewright.compat.core:view", "takes `_semantic`, which is ignored"),
}

_STANDARD: dict[str, Entry] = {"_log2": Same("tilewright.compat.core:_log2")}

_CUDA: dict[str, Entry] = {
    "gdc_launch_dependents": Same(
        "tilewright.compat.cuda:gdc_launch_dependents", "does nothing: launches never overlap"
    ),
    "gdc_wait": Same("tilewright.compat.cuda:gdc_wait", "does nothing: launches never overlap"),
    "convert_custom_float8_sm70": Same("tilewright.compat.cuda:convert_custom_float8_sm70"),
    "convert_custom_float8_sm80": Same("tilewright.compat.cuda:convert_custom_float8_sm80"),
    "globaltimer": Deferred(),
    "num_threads": Same("tilewright.compat.cuda:num_threads"),
    "num_warps": Same("tilewright.compat.cuda:num_warps"),
    "smid": Deferred(),
}

MODULES = (
    Module("triton.language", _LANGUAGE, ("tilewright.language",)),
    Module(
        "triton.language.core",
        {**_LANGUAGE, **_CORE},
        ("tilewright.language.core", "tilewright.language"),
    ),
    Module("triton.language.math", {}, ("tilewright.language.math",)),
    Module("triton.language.random", {}, ("tilewright.language.random",)),
    Module(
        "triton.language.standard",
        {**_LANGUAGE, **_STANDARD},
        ("tilewright.language.standard", "tilewright.language"),
    ),
    Module("triton.language.target_info", {}, ("tilewright.compat.target_info",)),
    Module("triton.language.extra"),
    Module("triton.language.extra.cuda", _CUDA, ("tilewright.language.extra.cuda",)),
)
