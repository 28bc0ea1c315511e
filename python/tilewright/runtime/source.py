"""The source of a function, as text and as a syntax tree with the positions in the file."""

from __future__ import annotations

import ast
import inspect
import linecache
from collections.abc import Iterator
from types import CodeType, FunctionType

from tilewright.cache.locks import KeyedLocks
from tilewright.dependencies import digest
from tilewright.errors import CompileError, UnsupportedError

# ast.parse fails in one of several threads if garbage is collected meanwhile, before Python 3.11.8
# and 3.12.2: "SystemError: AST constructor recursion depth mismatch".
_parsing = KeyedLocks()


class Source:
    """The position and the text of a function.

    The lines of the file are read by the constructor, so that later edits of the file have no
    effect; the function's extent is determined on first use. If the file was edited before, and
    possibly reloaded, the lines are those from which the function was compiled.

    Attributes:
        file: The name of the file, from the function's code object.
        first_line: The line of the first decorator, else of `def`, counted from 1.
    """

    def __init__(self, fn: FunctionType) -> None:
        self.file = fn.__code__.co_filename
        self.first_line = fn.__code__.co_firstlineno
        self._name = fn.__name__
        self._lines = _lines_of(fn)
        self._text: str | None = None
        self._tree: ast.FunctionDef | None = None
        if not 0 < self.first_line <= len(self._lines):
            raise _not_found(fn)
        if self._name == "<lambda>":
            raise UnsupportedError(
                "a lambda can't be a kernel",
                file=self.file,
                line=self.first_line,
                hint="define it with def",
            )

    @classmethod
    def of_text(cls, name: str, text: str) -> Source:
        """The source of a function with a name, from a text that defines it.

        Its file has a name that only Python's linecache knows, which shows the lines of errors.

        Raises:
            CompileError: The text can't be parsed, or does not define exactly one function.
        """
        source = cls.__new__(cls)
        source.file = f"<source of {name} {digest(text)[:12]}>"
        source.first_line = 1
        source._name = name
        source._lines = text.splitlines(keepends=True)
        source._text = text
        source._tree = None
        linecache.cache[source.file] = (len(text), None, source._lines, source.file)
        try:
            parsed = _syntax_tree(text)
        except SyntaxError as error:
            raise CompileError(
                f"the text can't be parsed: {error.msg}",
                file=source.file,
                line=error.lineno,
                column=error.offset,
            ) from None
        if [type(statement) for statement in parsed.body] != [ast.FunctionDef]:
            raise CompileError(
                f"the new source of `{name}` must be one function", file=source.file, line=1
            )
        return source

    @property
    def text(self) -> str:
        """The lines of the function, including decorators, as in the file."""
        if self._text is None:
            self._text = "".join(inspect.getblock(self._lines[self.first_line - 1 :]))
        return self._text

    @property
    def tree(self) -> ast.FunctionDef:
        """The function's syntax tree, with the line and column numbers of the file."""
        if self._tree is None:
            self._tree = self._parse()
        return self._tree

    def _parse(self) -> ast.FunctionDef:
        # Indented code is parsed as the body of an `if`, which preserves its columns.
        is_indented = self.text[:1] in (" ", "\t")
        module = _syntax_tree("if True:\n" + self.text if is_indented else self.text)
        found = module.body[0].body[0] if isinstance(module.body[0], ast.If) else module.body[0]
        if not isinstance(found, ast.FunctionDef):
            raise UnsupportedError(
                f"`{self._name}` is not an ordinary function",
                file=self.file,
                line=self.first_line,
                hint="define it with def, not with async def",
            )
        ast.increment_lineno(found, self.first_line - 1 - is_indented)
        return found


def _syntax_tree(text: str) -> ast.Module:
    with _parsing.hold("ast"):
        return ast.parse(text)


def _lines_of(fn: FunctionType) -> list[str]:
    """The lines of the function's file, as they were when it was compiled."""
    file = fn.__code__.co_filename
    known = linecache.getlines(file, fn.__globals__)
    linecache.checkcache(file)
    now = linecache.getlines(file, fn.__globals__)
    if now != known and not _is_source(now, fn) and _is_source(known, fn):
        return known
    return now


def _is_source(lines: list[str], fn: FunctionType) -> bool:
    """Whether the function was compiled from a file with these lines.

    This is false for tools that rewrite code, such as pytest, so it is used only to choose between
    two versions.
    """
    try:
        module = compile("".join(lines), fn.__code__.co_filename, "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return any(code == fn.__code__ for code in _codes(module))


def _codes(code: CodeType) -> Iterator[CodeType]:
    for item in code.co_consts:
        if isinstance(item, CodeType):
            yield item
            yield from _codes(item)


def _not_found(fn: FunctionType) -> CompileError:
    file = fn.__code__.co_filename
    at_prompt = file.startswith("<")
    where = f"it was typed at a prompt or created by exec ({file})" if at_prompt else f"in {file}"
    return CompileError(
        f"the source of `{fn.__name__}` can't be found: {where}",
        hint="define the kernel in a file, or use IPython or Jupyter, which keep the source",
    )
