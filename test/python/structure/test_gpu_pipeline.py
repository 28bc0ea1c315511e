"""docs/gpu-pipeline.md runs the passes of lib/Pipeline/CudaPasses.cpp in their order."""

import re

import console

NAMES = {
    "CSE": "cse",
    "Canonicalizer": "canonicalize",
    "TileGPUToThread": "tilegpu-to-thread",
}


def passes_of_the_pipeline() -> list[str]:
    source = (console.ROOT / "lib" / "Pipeline" / "CudaPasses.cpp").read_text()
    functions = re.findall(r"void add(?:TileGPU|Thread)Passes\(.*?^}", source, re.M | re.S)
    created = re.findall(r"create(\w+?)(?:Pass)?\(", "".join(functions))
    return [NAMES.get(name) or re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower() for name in created]


def passes_on_the_page() -> list[str]:
    page = (console.ROOT / "docs" / "gpu-pipeline.md").read_text()
    runs = [run for run in console.commands(page) if run.startswith("tilewright-opt")]
    found = re.findall(r" --([a-z0-9-]+)", " ".join(runs))
    return [name for name in found if not name.startswith("cuda-")]


def test_the_page_has_every_pass_in_order() -> None:
    assert passes_of_the_pipeline()
    assert passes_on_the_page() == passes_of_the_pipeline()
