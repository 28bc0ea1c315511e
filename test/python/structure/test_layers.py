"""The code conforms to the table of layers in docs/architecture.md."""

import ast

import pytest
from layers import ROOT, Edge, Layer, cpp_edges, imported_modules, python_edges, read_table

LAYERS = read_table((ROOT / "docs" / "architecture.md").read_text())
BY_NAME = {layer.name: layer for layer in LAYERS}


def allowed(edge: Edge) -> bool:
    layer = BY_NAME[edge.layer]
    always = {edge.layer, "errors"} if layer.is_python else {edge.layer}
    return edge.target in always | layer.uses | layer.outside


def test_the_table_names_layers_that_exist() -> None:
    known = set(BY_NAME)
    unknown = {name: layer.uses - known for name, layer in BY_NAME.items() if layer.uses - known}
    assert len(known) == len(LAYERS) > 10
    assert not unknown


@pytest.mark.parametrize("edges", [python_edges, cpp_edges])
def test_every_file_belongs_to_a_layer(edges) -> None:
    unlisted = sorted({e.source.split(":")[0] for e in edges(LAYERS) if e.layer not in BY_NAME})
    assert not unlisted, "add their folders to the table in docs/architecture.md"


@pytest.mark.parametrize("edges", [python_edges, cpp_edges])
def test_every_edge_is_in_the_table(edges) -> None:
    found = [e for e in edges(LAYERS) if e.layer in BY_NAME]
    assert found
    wrong = [f"{e.source}: {e.layer} uses {e.target}" for e in found if not allowed(e)]
    assert not wrong, "not in the table of docs/architecture.md:\n" + "\n".join(wrong)


def test_a_forbidden_edge_is_seen() -> None:
    layer = Layer("cache", "python/tilewright/cache", frozenset(), frozenset())
    assert BY_NAME["cache"] == layer
    assert not allowed(Edge("here:1", "cache", "core"))
    assert not allowed(Edge("here:1", "compiler", "torch"))
    assert allowed(Edge("here:1", "cache", "errors"))


def test_an_import_by_name_is_seen() -> None:
    text = 'importlib.import_module(name)\nimportlib.import_module("torch").ones(1)'
    assert imported_modules(ast.parse(text), []) == [(2, "torch")]
