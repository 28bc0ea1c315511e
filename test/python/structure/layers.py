"""The table of layers in docs/architecture.md, and the layers that the sources actually use."""

import ast
import re
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "python" / "tilewright"


@dataclass(frozen=True)
class Layer:
    name: str
    folder: str
    uses: frozenset[str]
    outside: frozenset[str]

    @property
    def is_python(self) -> bool:
        return self.folder.startswith("python/")


@dataclass(frozen=True)
class Edge:
    """`source` (file:line, in `layer`) names `target`, a layer or an outside library."""

    source: str
    layer: str
    target: str


def words(cell: str) -> frozenset[str]:
    return frozenset(word.strip() for word in cell.split(",") if word.strip())


def read_table(text: str) -> list[Layer]:
    rows = [
        line.strip().strip("|").split("|") for line in text.splitlines() if line.startswith("|")
    ]
    start = next(i for i, row in enumerate(rows) if row[0].strip() == "layer")
    layers = []
    for row in rows[start + 2 :]:
        if len(row) != 6:
            break
        name, folder, uses, outside = (cell.strip() for cell in row[:4])
        layers.append(Layer(name, folder, words(uses), words(outside)))
    return layers


def layer_of(path: str, layers: list[Layer]) -> str | None:
    """The layer whose folder is the longest one that contains `path`."""
    fits = [
        layer for layer in layers if path == layer.folder or path.startswith(layer.folder + "/")
    ]
    return max(fits, key=lambda layer: len(layer.folder)).name if fits else None


def module_path(module: str) -> str:
    """The file of one of our modules, or of a name defined in one, relative to the root."""
    parts = module.split(".")
    while len(parts) > 1:
        base = ROOT.joinpath("python", *parts)
        for candidate in (base.with_suffix(".py"), base / "__init__.py"):
            if candidate.exists():
                return candidate.relative_to(ROOT).as_posix()
        if parts[:2] == ["tilewright", "_core"]:
            return "python/tilewright/_core"
        parts.pop()
    return "python/tilewright/__init__.py"


def imported_modules(tree: ast.AST, package: list[str]) -> list[tuple[int, str]]:
    """Line and name of each module that a file imports, also by importlib.import_module("name")."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            found += [(node.lineno, f"{module}.{alias.name}") for alias in node.names]
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "importlib.import_module":
            match node.args:
                case [ast.Constant(str(name)), *_]:
                    found.append((node.lineno, name))
    return found


def python_edges(layers: list[Layer]) -> list[Edge]:
    edges = []
    for file in sorted(PACKAGE.rglob("*.py")):
        path = file.relative_to(ROOT).as_posix()
        layer = layer_of(path, layers) or path
        package = list(file.relative_to(ROOT / "python").parts[:-1])
        for line, module in imported_modules(ast.parse(file.read_text()), package):
            top = module.split(".")[0]
            if top == "tilewright":
                target = layer_of(module_path(module), layers) or module
            elif top in sys.stdlib_module_names:
                continue
            else:
                target = top
            edges.append(Edge(f"{path}:{line}", layer, target))
    return edges


INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]')
OUTSIDE = {
    "mlir": "mlir",
    "mlir-c": "mlir",
    "llvm": "llvm",
    "llvm-c": "llvm",
    "pybind11": "pybind11",
    "boost": "boost",
}


def include_target(header: str, layers: list[Layer]) -> str | None:
    """The target of an include: a layer, an outside library, or None for other headers."""
    first, _, rest = header.partition("/")
    if first == "third_party":
        return rest.split("/")[0]
    if first == "tilewright":
        return layer_of(header.removeprefix("tilewright/"), layers) or header
    if first in OUTSIDE:
        return OUTSIDE[first]
    return "Python" if header == "Python.h" else None


def cpp_edges(layers: list[Layer]) -> list[Edge]:
    edges = []
    for top in (ROOT / "lib", ROOT / "include" / "tilewright"):
        for file in sorted([*top.rglob("*.cpp"), *top.rglob("*.h"), *top.rglob("*.td")]):
            layer = layer_of(file.relative_to(top).as_posix(), layers) or file.name
            for line, text in enumerate(file.read_text().splitlines(), 1):
                match = INCLUDE.match(text) or re.match(r'^include\s+"([^"]+)"', text)
                target = include_target(match[1], layers) if match else None
                if target:
                    edges.append(Edge(f"{file.relative_to(ROOT)}:{line}", layer, target))
    return edges
