"""The names of `triton.language`. Its modules have the public names of tilewright.language's."""

from tilewright.compat.entries import Absent, Deferred, Entry, Module, Same

# Programs ask with hasattr whether these exist, and have another path if they do not.
_PROBED = {
    name: Absent()
    for name in (
        "_experimental_descriptor_load", "_experimental_descriptor_store",
        "_experimental_make_tensor_descriptor", "async_task",
        "block_shape",
    )
}  # fmt: skip

_LANGUAGE: dict[str, Entry] = {
    **_PROBED,
    "TRITON_MAX_TENSOR_NUMEL": Same(
        "tilewright.compat.core:TRITON_MAX_TENSOR_NUMEL",
        "a number; sizes count rounded up to powers of two",
    ),
}

_CORE: dict[str, Entry] = {
    "_aggregate": Same("tilewright:aggregate"),
    "CONSTEXPR_0": Same("tilewright.compat.core:CONSTEXPR_0"),
    "_unwrap_if_constexpr": Same("tilewright.language.constexpr:known_value"),
    "extern_elementwise": Same("tilewright.compat.extern:extern_elementwise"),
    "get_int_dtype": Same("tilewright.language.type_names:get_int_dtype"),
    "view": Same("tilewright.compat.core:view", "takes `_semantic`, which is ignored"),
}

_STANDARD: dict[str, Entry] = {"_log2": Same("tilewright.compat.core:_log2")}

_NO_HIP = "Tilewright has no target for AMD's GPUs"
_HIP: dict[str, Entry] = {
    name: Deferred(_NO_HIP) for name in ("memrealtime", "num_threads", "num_warps", "smid")
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
    Module("triton.language.extra.cuda", {}, ("tilewright.language.extra.cuda",)),
    Module("triton.language.extra.hip", _HIP),
)
