"""A spec printed anew: canonical spelling and spacing, every comment kept, long lines wrapped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kernelspec.errors import KernelspecError
from kernelspec.language.line_breaks import LINE_WIDTH, wrap
from kernelspec.language.nodes import Let, Node, Param, Program
from kernelspec.language.parser import parse_program
from kernelspec.language.printer import guard, print_node
from kernelspec.language.scanner import Layout, scan
from kernelspec.source import Source

__all__ = ["format_text"]


def format_text(text: str, name: str = "<spec>") -> str:
    """The same program, laid out in the one canonical way; ends with a newline. Formatting again changes nothing.

    Statements keep their order, with at most one blank line where there were some. A comment stays
    above or behind its statement; one inside the brackets of a statement moves above it. Lines longer
    than 88 columns are broken where they can be.

    Raises SpecError where the text does not parse. The result is checked before it is returned: should
    it stand for another program, or miss a comment, KernelspecError is raised and nothing is lost.
    """
    program = parse_program(text, name)
    layout = scan(Source(text, name))
    lines: list[str] = []
    for group in _groups(layout, program):
        if group.spaced and lines:
            lines.append("")
        lines += group.lines
    formatted = "\n".join(lines) + "\n"
    _check(formatted, program, layout)
    return formatted


@dataclass(frozen=True, slots=True)
class _Group:
    """Lines that belong together: comments on their own, or a statement with its comments."""

    lines: list[str]
    spaced: bool
    """Whether a blank line stands above."""


def _groups(layout: Layout, program: Program) -> Iterator[_Group]:
    """One group for each line of the text that is not blank; a statement in brackets counts as one line."""
    pending: list[Node] = [program.body, *reversed(program.statements)]
    comments = [*reversed(layout.comments)]
    start, spaced = 0, False
    for line in layout.text.split("\n"):
        end = start + len(line)
        own = []
        while comments and comments[-1].start <= end:
            own.append(comments.pop())
        if line.strip():
            code_end = start + len(line.rstrip())
            above = [comment.text.rstrip() for comment in own if comment.start < code_end]
            behind = "".join(f"  {comment.text.rstrip()}" for comment in own if comment.start >= code_end)
            *first, last = _statement(pending.pop())
            yield _Group([*above, *first, last + behind], spaced)
        elif own:
            yield _Group([comment.text.rstrip() for comment in own], spaced)
        spaced = not line.strip() and not own
        start = end + 1


def _statement(node: Node) -> list[str]:
    match node:
        case Let():
            return wrap(node.value, f"let {node.name} = ", "")
        case Param(default=default) if default is not None:
            return wrap(default, f"param {node.name} = ", "")
        case Param():
            return [print_node(node)]
    text = print_node(node)
    if guard(text) == text:
        return wrap(node, "", "")
    return [guard(text)] if len(text) < LINE_WIDTH - 1 else wrap(node, "(", ")")


def _check(formatted: str, program: Program, layout: Layout) -> None:
    """Raise KernelspecError unless the new text stands for the same program and has the same comments."""
    name = layout.source.name
    kept = [comment.text for comment in scan(Source(formatted, name)).comments]
    if kept != [comment.text.rstrip() for comment in layout.comments]:
        raise KernelspecError(f"{name}: formatting would lose a comment; please report this, with the file")
    if parse_program(formatted, name) != program:
        raise KernelspecError(f"{name}: formatting would change the kernel; please report this, with the file")
