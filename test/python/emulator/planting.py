"""Plants faults: changes the IR of kernels during compilation, and runs them on an emulated GPU.

    Planted(softmax, "tilegpu", without("tilegpu.barrier", 0))

is the kernel `softmax` without the first barrier in its IR at the end of the phase "tilegpu". The
changed kernel is written to no cache.
"""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from unittest import mock

import numpy as np

import tilewright
from tilewright import _core
from tilewright.compiler import CompiledKernel, Options, resolve_target, stages
from tilewright.compiler.request import Request
from tilewright.compiler.targets import launch_target
from tilewright.runtime.function import JITFunction

Change = Callable[[str], str]


@dataclass(frozen=True)
class Problem:
    """A kernel with arguments and expected results."""

    kernel: JITFunction
    grid: tuple[int, ...]
    arguments: Mapping[str, Any]  # including compile-time values and options
    expected: Mapping[str, np.ndarray] = field(default_factory=dict)  # by the argument's name
    tolerance: float = 0.0

    def launch(self, kernel: JITFunction | None = None, **emulation: Any) -> dict[str, np.ndarray]:
        """Runs the kernel, or `kernel` instead, on copies of the arrays, and returns these."""
        arguments = {
            name: value.copy() if isinstance(value, np.ndarray) else value
            for name, value in self.arguments.items()
        }
        with tilewright.emulate(**{"checks": True, **emulation}):
            (kernel or self.kernel)[self.grid](**arguments)
        return {name: array for name, array in arguments.items() if isinstance(array, np.ndarray)}

    def solved_by(self, results: Mapping[str, np.ndarray]) -> bool:
        return all(
            np.allclose(results[name], right, rtol=self.tolerance, atol=self.tolerance)
            for name, right in self.expected.items()
        )


@dataclass(frozen=True)
class Fault:
    """A change of the lowering of a problem's kernel, and the finding that it causes.

    `finds` is the kind of the finding. Its line has the comment `# <- mark`; for races this is the
    line of either access. "numbers": the emulator reports nothing, but the result is wrong.
    """

    problem: str
    name: str
    change: Change
    finds: str
    mark: str = ""
    phase: str = "tilegpu"

    def __str__(self) -> str:
        return f"{self.problem}: {self.name}"


class Planted(JITFunction):
    """A kernel whose IR is changed at the end of a phase."""

    def __init__(self, kernel: JITFunction, phase: str, change: Change) -> None:
        super().__init__(kernel)
        self._phase = phase
        self._change = change

    def _compile(
        self, signature: tuple[Any, ...], options: dict[str, Any], noalias: bool, device: str
    ) -> tuple[CompiledKernel, None]:
        """Compiles without the caches, whose keys do not contain the change."""
        target = resolve_target(launch_target(options.pop("target", None), device))
        checked = Options.make(options, self.arg_names)
        request = Request(self, tuple(signature), target, checked, noalias)
        with mock.patch.object(stages, "_compile_module", self._compile_changed):
            record, entry = stages.run(request)
            return CompiledKernel(f"planted-{request.key(record)}", entry, "compiled"), None

    def _compile_changed(
        self, module: Any, target: str, options: dict[str, Any], dump: stages.Dump | None
    ) -> Any:
        # Both modules use one context: the first compilation loads the dialects of the phase.
        context = _core.Context()
        module = _core.Module.parse(context, module.print(debug_info=True))
        text = _core.compile(module, target, options, keep_phases=True).ir[self._phase]
        changed = self._change(text)
        assert changed != text, f"the change finds nothing to change in:\n{text}"
        module = _core.Module.parse(context, changed)
        module.verify()
        with mock.patch.dict(os.environ):
            # Planted operations have no source location.
            os.environ.pop("TILEWRIGHT_VERIFY_LOCATIONS", None)
            return _core.compile(module, target, {**options, "start_after": self._phase}, dump)


def phase_text(problem: Problem, phase: str) -> str:
    """The IR of the problem's kernel at the end of a phase."""
    texts = []

    def note(text: str) -> str:
        texts.append(text)
        return text + "\n"

    problem.launch(Planted(problem.kernel, phase, note))
    return texts[0]


def marked_line(kernel: JITFunction, mark: str) -> int:
    """The line of a kernel's source that ends in the comment `# <- mark`."""
    lines, first = inspect.getsourcelines(kernel.fn)
    found = [number for number, line in enumerate(lines, first) if line.endswith(f"# <- {mark}\n")]
    assert len(found) == 1, f"{kernel.name} has {len(found)} lines marked {mark!r}"
    return found[0]


# changes


def replaced(pattern: str, replacement: str, number: int = 0) -> Change:
    """Replaces the n-th match of a regular expression, counted from 0; -1 is the last."""

    def change(text: str) -> str:
        match = list(re.finditer(pattern, text))[number]
        return text[: match.start()] + match.expand(replacement) + text[match.end() :]

    return change


def without(operation: str, number: int = 0) -> Change:
    """Removes the n-th operation of a name, which must have no results."""
    return replaced(rf"\n *{re.escape(operation)}\b[^\n]*", "", number)


def after(first: Change, *others: Change) -> Change:
    """Applies the changes one after the other."""

    def change(text: str) -> str:
        for each in (first, *others):
            text = each(text)
        return text

    return change


def with_value(line: str, operand: str, value: str, number: int = 0) -> Change:
    """Replaces an operand in the n-th line that matches a regular expression.

    `operand` is a regular expression, whose first match in the line is replaced. `value` is the
    operation that creates the new operand; `$` in it stands for the old one.
    """

    def change(text: str) -> str:
        lines = text.split("\n")
        at = [index for index, each in enumerate(lines) if re.search(line, each)][number]
        match = re.search(operand, lines[at])
        assert match, f"no {operand} in {lines[at]}"
        made = f"%planted{at} = {value.replace('$', match[0])}"
        lines[at : at + 1] = [
            made,
            f"{lines[at][: match.start()]}%planted{at}{lines[at][match.end() :]}",
        ]
        return "\n".join(lines)

    return change
