"""Runs PyTorch's operators through torch.compile on Tilewright, and prints failures by cause.

    python test/python/inductor/operators.py                  the fixed sample of 640 cases
    python test/python/inductor/operators.py --count 0        all cases
    python test/python/inductor/operators.py --only sin/float32,sum/int64
    python test/python/inductor/operators.py --device cuda    on a GPU
    python test/python/inductor/operators.py --backend other  C++, or Triton on a GPU, to compare

Processes run the cases, so a crash is one case's outcome. The kernels run where TILEWRIGHT_TARGET
says, such as emulator:cuda:90a+checks; by default on the CPU.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))


def main() -> int:
    options = parse_options()
    if options.worker:
        return work(options.backend, options.device)
    import operator_samples as samples

    if options.only:
        cases = options.only.split(",")
    else:
        count = options.count or len(samples.all_cases(options.device))
        cases = [str(case) for case in samples.fixed_sample(count, options.device)]
    outcomes = run_all(cases, options)
    if options.out:
        Path(options.out).write_text("\n".join(json.dumps(outcome) for outcome in outcomes) + "\n")
    print(table(outcomes))
    return 0


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, default=640, help="how many cases; 0 stands for all")
    parser.add_argument("--only", help="cases by name, such as sin/float32, with commas")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--seconds", type=int, default=120, help="the limit for one case")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--backend", choices=("tilewright", "other"), default="tilewright")
    parser.add_argument("--out", help="a file for the outcomes, one JSON object a line")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def work(backend: str, device: str) -> int:
    """Runs the cases that are named on the standard input; prints each outcome as JSON."""
    if backend == "tilewright":
        import tilewright.inductor

        tilewright.inductor.register()
    import operator_samples as samples

    output = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what operators print is not an outcome
    for line in sys.stdin:
        name, _, dtype = line.strip().rpartition("/")
        found = samples.outcome(samples.Case(name, dtype), device)
        print(json.dumps(dataclasses.asdict(found)), file=output, flush=True)
    return 0


def run_all(cases: list[str], options: argparse.Namespace) -> list[dict]:
    """The outcomes in the order of the cases."""
    waiting: queue.SimpleQueue[str] = queue.SimpleQueue()
    for case in cases:
        waiting.put(case)
    outcomes: dict[str, dict] = {}
    with tempfile.TemporaryDirectory() as folder:
        threads = [
            threading.Thread(target=serve, args=(waiting, outcomes, options, folder))
            for _ in range(options.jobs)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return [outcomes[case] for case in cases]


def serve(waiting: queue.SimpleQueue, outcomes: dict, options: argparse.Namespace, folder: str):
    """Gives cases to a process, and starts another one after a crash."""
    process = None
    while not waiting.empty():
        try:
            case = waiting.get_nowait()
        except queue.Empty:
            break
        if process is None or process.poll() is not None:
            process = start(options, folder)
        outcomes[case] = ask(process, case, options.seconds)
        if len(outcomes) % 50 == 0:
            print(f"{len(outcomes)} cases", file=sys.stderr, flush=True)
    if process is not None:
        process.stdin.close()
        process.wait()


def start(options: argparse.Namespace, folder: str) -> subprocess.Popen:
    settings = {"TORCHINDUCTOR_CACHE_DIR": folder, "TORCHINDUCTOR_COMPILE_THREADS": "1"}
    command = [sys.executable, __file__, "--worker", "--backend", options.backend]
    return subprocess.Popen(
        [*command, "--device", options.device],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        env=os.environ | settings | {"OMP_NUM_THREADS": "1"},
    )  # fmt: skip


def ask(process: subprocess.Popen, case: str, seconds: int) -> dict:
    """The outcome of one case, which may be the end of the process."""
    timer = threading.Timer(seconds, process.kill)
    timer.start()
    try:
        process.stdin.write(case + "\n")
        process.stdin.flush()
        line = process.stdout.readline()
    except BrokenPipeError:
        line = ""
    is_late = not timer.is_alive()
    timer.cancel()
    if line:
        return json.loads(line)
    process.wait()
    kind = "is too slow" if is_late else "crashes"
    return {"case": case, "kind": kind, "kernels": 0, "message": f"status {process.returncode}"}


def table(outcomes: list[dict]) -> str:
    """The numbers of outcomes by kind, then the failures with their messages."""
    kinds: dict[str, list[dict]] = {}
    for outcome in outcomes:
        kinds.setdefault(outcome["kind"], []).append(outcome)
    lines = [f"{len(outcomes)} cases, {sum(o['kernels'] > 0 for o in outcomes)} with kernels"]
    lines += [f"{len(found):5} {kind}" for kind, found in sorted(kinds.items())]
    for kind in sorted(kinds.keys() - {"agrees", "no sample"}):
        lines += ["", f"{kind}:"]
        lines += [f"  {o['case']}: {o['message'][:200]}" for o in kinds[kind]]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
