"""The lengths of the functions and files of the project."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
FOLDERS = ("lib", "include", "bin", "python/tilewright", "test", "docs/tutorials")


@dataclass(frozen=True, order=True)
class Length:
    lines: int
    name: str


def sources(*suffixes: str) -> Iterator[Path]:
    for folder in FOLDERS:
        for file in sorted((ROOT / folder).rglob("*")):
            if file.suffix in suffixes:
                yield file


def files() -> list[Length]:
    return [
        Length(len(file.read_text().splitlines()), file.relative_to(ROOT).as_posix())
        for file in sources(".py", ".cpp", ".h", ".td", ".mlir")
    ]


def python_functions(text: str) -> Iterator[tuple[str, int]]:
    """Every function with its number of lines, not counting the docstring."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            first = node.body[0]
            if ast.get_docstring(node) is not None:
                lines -= (first.end_lineno or first.lineno) - first.lineno + 1
            yield node.name, lines


def blank(match: re.Match[str]) -> str:
    return "\n" * match[0].count("\n")


# Raw strings, comments, strings and characters, in which braces do not open a block.
NO_CODE = re.compile(
    r'R"(\w*)\(.*?\)\1"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.S
)
SCOPE = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b")
NAME = re.compile(r"([~\w:]+|operator\W+)\s*\(")


def cpp_functions(text: str) -> Iterator[tuple[str, int]]:
    """Every function outside of other functions, found by matching braces."""
    text = re.sub(r"^\s*#.*$", "", NO_CODE.sub(blank, text), flags=re.M)
    depth, head, scopes = 0, 0, [True]
    name, first = "", 0
    for match in re.finditer(r"[{};]", text):
        position = match.start()
        if match[0] == "{":
            before = text[head:position].strip()
            call = NAME.search(before)
            is_function = scopes[-1] and call is not None and not before.endswith(("=", ",", "("))
            is_scope = scopes[-1] and not is_function and SCOPE.search(before) is not None
            if is_function and call is not None:
                start = head + len(text[head:position]) - len(text[head:position].lstrip())
                name, first, depth = call[1], text.count("\n", 0, start), len(scopes)
            scopes.append(is_scope)
        elif match[0] == "}":
            scopes.pop()
            if name and len(scopes) == depth:
                yield name, text.count("\n", 0, position) - first + 1
                name = ""
        if scopes[-1]:
            head = match.end()


def functions() -> list[Length]:
    found = []
    for file in sources(".py", ".cpp", ".h"):
        read = python_functions if file.suffix == ".py" else cpp_functions
        path = file.relative_to(ROOT).as_posix()
        found += [Length(lines, f"{path}:{name}") for name, lines in read(file.read_text())]
    return found


def main() -> None:
    for title, lengths in (("functions", functions()), ("files", files())):
        print(f"The longest {title}:")
        for length in sorted(lengths, reverse=True)[:10]:
            print(f"{length.lines:6d}  {length.name}")


if __name__ == "__main__":
    main()
