"""The time of `import tilewright`, next to NumPy and an interpreter that imports nothing.

    .venv/bin/python test/benchmark/startup.py

The shortest of several fresh processes for each, interleaved, in milliseconds.
"""

import subprocess
import sys
import time

ROUNDS = 10
GOAL = 150.0
ROWS = {
    "nothing": "pass",
    "numpy": "import numpy",
    "tilewright": "import tilewright",
    "tilewright.language": "import tilewright.language",
}


def milliseconds(code: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return 1e3 * (time.perf_counter() - start)


def main() -> None:
    best = dict.fromkeys(ROWS, float("inf"))
    for _ in range(ROUNDS):
        for name, code in ROWS.items():
            best[name] = min(best[name], milliseconds(code))
    for name, took in best.items():
        print(f"{name:20} {took:6.0f} ms, {took - best['nothing']:4.0f} beyond the interpreter")
    print(f"goal for tilewright: {GOAL:.0f} ms beyond the interpreter")


if __name__ == "__main__":
    main()
