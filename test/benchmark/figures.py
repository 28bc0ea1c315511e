"""The table of figures in README.md, from the JSON that the benchmarks write.

    python test/benchmark/gpu.py --json test/benchmark/figures/gpu.json
    python test/benchmark/cpu.py --json test/benchmark/figures/cpu.json
    python test/benchmark/figures.py

The last command replaces the text between the markers in README.md. A test compares it with the
files.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent / "figures"
README = Path(__file__).resolve().parents[2] / "README.md"
MARKED = re.compile(r"(?<=<!-- figures -->\n).*?(?=<!-- end of figures -->)", re.S)

# Rows of the GPU benchmark by the beginning of their name, and what the table calls them.
GPU_ROWS = {
    "add 2^28": "add, 2^28 floats",
    "softmax 4096x4096": "softmax, 4096 x 4096 floats",
    "layer norm 4096x8192": "layer norm, 4096 x 8192 halves",
    "layer norm backward 4096x8192 fp16, sums under": "its gradients, sums under locks",
    "matmul 4096 float16": "matmul, 4096^3, halves",
    "attention D128 128x128": "attention, B4 H32 N4096 D128, halves",
    "attention D128 causal": "the same, causal",
    "attention backward D128 causal": "its gradients",
}
CPU_ROWS = {
    "add 2^24": "add, 2^24 floats",
    "softmax 4096x1024": "softmax, 4096 x 1024 floats",
    "layer norm 4096x1024": "layer norm, 4096 x 1024 floats",
    "float32 matmul 1024^3": "matmul, 1024^3, floats",
}


def best_row(rows: list[dict[str, Any]], start: str) -> dict[str, Any]:
    """The fastest of the rows whose name begins so: a matmul has several block sizes."""
    found = [row for row in rows if row["name"].startswith(start)]
    if not found:
        raise LookupError(f"the benchmark has no row '{start}'")
    return max(found, key=lambda row: float(row["speed"]))


def ratio(row: dict[str, Any], key: str) -> str:
    return f"{row[key]:.2f}" if key in row else ""


def lines(run: dict[str, Any], names: dict[str, str], keys: tuple[str, str]) -> list[str]:
    text = []
    for start, name in names.items():
        row = best_row(run["rows"], start)
        speed = f"{row['speed']:,.0f} {row['unit']}"
        text.append(f"| {name} | {speed} | {ratio(row, keys[0])} | {ratio(row, keys[1])} |")
    return text


def table(gpu: dict[str, Any], cpu: dict[str, Any]) -> str:
    head = ["| | Tilewright | vs. PyTorch | vs. Triton |", "|---|---|---|---|"]
    return "\n".join(
        [
            *head,
            f"| **{gpu['machine']}** ({gpu['versions']}) | | | |",
            *lines(gpu, GPU_ROWS, ("torch", "triton")),
            f"| **{cpu['machine']}** ({cpu['versions']}) | | | |",
            *lines(cpu, CPU_ROWS, ("ratio", "")),
            "",
        ]
    )


def current() -> str:
    gpu, cpu = (json.loads((FOLDER / f"{kind}.json").read_text()) for kind in ("gpu", "cpu"))
    return table(gpu, cpu)


if __name__ == "__main__":
    text = README.read_text()
    assert MARKED.search(text), "README.md has no markers for the figures"
    README.write_text(MARKED.sub(lambda _: current(), text))
