"""Loops and branches of random kernels, which carry and yield tiles."""

from __future__ import annotations

from bounds import Range, range_of
from generate import Generator, Var


def _body(g: Generator, count: int, targets: list[Var]) -> None:
    g.depth += 1
    before = len(g.lines)
    g.scopes.append([])
    g.statements(count)
    values = [g.tile(t.shape, t.dtype) for t in targets]
    if len(targets) > 1 and g.chance(0.5):
        names = ", ".join(t.name for t in targets)
        if g.chance(0.5) and len({(t.dtype, t.shape) for t in targets}) == 1:
            values[:2] = targets[1].name, targets[0].name
        g.line(f"{names} = {', '.join(values)}")
    else:
        for target, value in zip(targets, values, strict=True):
            g.line(f"{target.name} = {value}")
    if not targets:
        g.operations["store"][1](g)
    if len(g.lines) == before:
        g.line("pass")
    g.scopes.pop()
    g.depth -= 1


def _targets(g: Generator) -> list[Var]:
    known = [v for v in g.vars() if v.name.startswith("v")]
    if not known:
        return []
    first = g.rng.choice(known)
    alike = [
        v for v in known if (v.dtype, v.shape) == (first.dtype, first.shape) and v is not first
    ]
    chosen = [first]
    if alike and g.chance(0.7):
        chosen.append(g.rng.choice(alike))
    if g.chance(0.4):
        extra = g.rng.choice(known)
        if extra not in chosen:
            chosen.append(extra)
    return chosen if g.chance(0.9) else []


def loop(g: Generator) -> None:
    if g.depth > 3:
        return
    g.loops += 1
    index = f"i{g.loops}"
    bounds = g.rng.choice(["ks", "0, ks", "1, 4", "3", "ks, 5", "0, 6, 2", "5, 0, -2", "pid, 3"])
    found = (range_of(g, index) if g.chance(0.3) else None) or Range(bounds, index)
    targets = _targets(g)
    kind = g.rng.choice(["range", "range", "tl.range", "range"])
    g.line(f"for {found.counter} in {kind}({found.arguments}):")
    for line in found.lines:
        g.line(f"    {line}")
    g.scalars.append(index)
    _body(g, g.rng.randint(1, 3), targets)
    g.scalars.remove(index)


def while_loop(g: Generator) -> None:
    if g.depth > 3:
        return
    g.loops += 1
    index = f"w{g.loops}"
    g.line(f"{index} = tl.cast({g.rng.randint(0, 2)}, tl.int32)")
    targets = _targets(g)
    g.line(f"while {index} < {g.rng.choice(['ks', '3'])}:")
    g.scalars.append(index)
    _body(g, g.rng.randint(1, 3), targets)
    g.scalars.remove(index)
    g.line(f"    {index} = {index} + 1")
    g.scalars.append(index) if g.depth == 1 else None


def branch(g: Generator) -> None:
    if g.depth > 3:
        return
    targets = _targets(g)
    g.line(f"if {g.condition()}:")
    _body(g, g.rng.randint(0, 2), targets)
    if g.chance(0.6):
        g.line("else:")
        _body(g, g.rng.randint(0, 2), targets)


def walk(g: Generator) -> None:
    """A tile of pointers that a loop advances, for loads, stores or both."""
    shape = g.shape
    buffer = g.rng.choice(g.buffers)
    text, bound = g.linear(shape, True)
    room = (buffer.size - bound) // 4
    if g.depth > 2 or room < 0 or buffer.dtype == "int1":
        return
    step = g.rng.choice([0, 1, room, min(room, 16)])
    g.loops += 1
    pointer, index = g.fresh(), f"i{g.loops}"
    backward = g.chance(0.3)
    start = f" + {4 * step}" if backward else ""
    g.line(f"{pointer} = {buffer.name}b + ({text}){start}")
    total = Var(g.fresh(), buffer.dtype, shape)
    g.line(f"{total.name} = tl.zeros({shape}, tl.{buffer.dtype})")
    g.line(f"for {index} in range({g.rng.choice(['ks', '4', '1, 3'])}):")
    g.scalars.append(index)
    g.depth += 1
    g.scopes.append([])
    mask = f"mask={g.mask(shape)}" if g.chance(0.4) else ""
    value = g.calmed(f"tl.load({pointer}{', ' + mask + ', other=1' if mask else ''})", buffer.dtype)
    if buffer.dtype.is_float and not g.floating:
        value = f"({value}) * 0.25"
    g.line(f"{total.name} = {g.calmed(f'{total.name} + {value}', buffer.dtype)}")
    if g.chance(0.4):
        g.line(f"tl.store({pointer}, {total.name}{', ' + mask if mask else ''})")
    g.line(f"{pointer} {'-' if backward else '+'}= {step}")
    g.depth -= 1
    g.scopes.pop()
    g.scalars.remove(index)
    g.scopes[-1].append(total)
