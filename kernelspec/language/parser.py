"""Text to tree."""

from __future__ import annotations

from typing import cast

from lark.exceptions import UnexpectedInput

from kernelspec.language.branch import Branch
from kernelspec.language.diagnostics import explain
from kernelspec.language.grammar import lalr_parser
from kernelspec.language.line_forms import program_of_lines
from kernelspec.language.nodes import Program
from kernelspec.language.scanner import scan
from kernelspec.language.tree_builder import build_program
from kernelspec.source import Source

__all__ = ["parse_program"]


def parse_program(text: str, name: str = "<spec>") -> Program:
    """The tree of a spec; `name` is what errors call the text, usually its file name.

    Any text is safe to parse: time is linear in its length, and length, nesting and numbers are
    bounded. Raises SpecSyntaxError where the text is no sentence of the language, and another
    SpecError where a name is defined, or an argument given, twice. Every error knows its span.
    """
    source = Source(text, name)
    layout = scan(source)
    program = program_of_lines(layout.text, source)
    if program is not None:
        return program
    try:
        tree = cast(Branch, lalr_parser().parse(layout.text))
    except UnexpectedInput as error:
        raise explain(error, layout) from None
    return build_program(tree, source)
