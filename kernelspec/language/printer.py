"""Tree to text: canonical ASCII with the fewest brackets, and formatted specs with their comments.

`parse_program(print_node(program)) == program`, and printing is idempotent. A tree that no text represents is rejected.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import IntEnum

from kernelspec.errors import KernelspecError, SpecError, TypeMismatchError
from kernelspec.language import nodes
from kernelspec.language.literals import column_text, is_plain_name, number_text
from kernelspec.language.nodes import Let, Node, Param, Program
from kernelspec.language.scanner import ScannedText, scan
from kernelspec.limits import MAX_NAME
from kernelspec.loading import Source

__all__ = ["binding", "format_text", "guard", "print_node"]


class Binding(IntEnum):
    """How tightly an expression binds; where a tighter one is needed, it gets parentheses."""

    LAMBDA = 0
    SUM = 1
    PRODUCT = 2
    NEGATION = 3
    POWER = 4
    ATOM = 5


_BINDINGS: dict[type[nodes.Node], Binding] = {
    nodes.Lambda: Binding.LAMBDA,
    nodes.Sum: Binding.SUM,
    nodes.Product: Binding.PRODUCT,
    nodes.Negation: Binding.NEGATION,
    nodes.Power: Binding.POWER,
}


def binding(node: nodes.Node) -> Binding:
    """How tightly a node binds."""
    return _BINDINGS.get(type(node), Binding.ATOM)


LINE_WIDTH = 88
_INDENT = 4


def wrap(node: nodes.Node, lead: str, tail: str, indent: int = 0, least: Binding = Binding.LAMBDA) -> list[str]:
    """The lines of `lead`, the node and `tail`: one if it fits or cannot be broken, else broken inside.

    A node that binds less than `least` gets parentheses. Recursion is at most as deep as the tree, whose depth the
    parser bounds.
    """
    text, loose = print_node(node), binding(node) < least
    line = f"{' ' * indent}{lead}{f'({text})' if loose else text}{tail}"
    if len(line) <= LINE_WIDTH:
        return [line]
    match node:
        case nodes.Sum() | nodes.Product():
            least = Binding.PRODUCT if isinstance(node, nodes.Sum) else Binding.NEGATION
            signs = ["", *(f"{sign} " for sign in node.operators)]
            broken = (wrap(own, s, "", indent + _INDENT, least) for s, own in zip(signs, node.children(), strict=True))
            return _between(f"{lead}(", broken, f"){tail}", indent)
    if loose:
        lead, tail = f"{lead}(", f"){tail}"
    match node:
        case nodes.Call() if parts := [*node.positional, *node.keywords]:
            broken = (wrap(part, "", ",", indent + _INDENT) for part in parts)
            return _between(f"{lead}{node.function}(", broken, f"){tail}", indent)
        case nodes.Vector():
            broken = (wrap(item, "", ",", indent + _INDENT) for item in node.items)
            return _between(f"{lead}[", broken, f"]{tail}", indent)
        case nodes.Keyword():
            return wrap(node.value, f"{lead}{node.name}=", tail, indent)
        case nodes.Lambda():
            return wrap(node.body, f"{lead}{node.variable} -> ", tail, indent)
        case nodes.Negation():
            return wrap(node.operand, f"{lead}-", tail, indent, Binding.NEGATION)
        case nodes.Power() | nodes.Select():
            base = print_node(node.base)
            rest = text[len(base) + (2 if binding(node.base) < Binding.ATOM else 0) :]
            return wrap(node.base, lead, f"{rest}{tail}", indent, Binding.ATOM)
    return [line]


def _between(head: str, broken: Iterable[list[str]], foot: str, indent: int) -> list[str]:
    """A line ending with an opening bracket, the lines inside, and a line starting with the closing bracket."""
    margin = " " * indent
    return [margin + head, *(line for lines in broken for line in lines), margin + foot]


_KEYWORD = re.compile(r"(param|let)\b")


def print_node(node: nodes.Node) -> str:
    """The canonical text of a node, without a final newline.

    Raises SpecError for a tree that no text represents: a number that is not a decimal literal, a sum of one term, an
    empty vector, a name with spaces outside a selection. Parsed trees always print.
    """
    finished: list[str] = []
    pending: list[tuple[nodes.Node, bool]] = [(node, False)]
    while pending:
        current, ready = pending.pop()
        children = _children(current)
        if not ready:
            pending.append((current, True))
            pending.extend((child, False) for child in reversed(children))
            continue
        first = len(finished) - len(children)
        texts = finished[first:]
        finished[first:] = [_text(current, children, texts)]
    return finished[0]


def guard(body: str) -> str:
    """The text of the kernel expression, in brackets if its first word looks like a keyword."""
    return f"({body})" if _KEYWORD.match(body) else body


def _children(node: nodes.Node) -> list[nodes.Node]:
    """The children printed by the general rule; selections and params print their own."""
    return [node.base] if isinstance(node, nodes.Select) else [] if isinstance(node, Param) else list(node.children())


def _text(node: nodes.Node, children: list[nodes.Node], texts: list[str]) -> str:
    match node:
        case nodes.Number():
            return number_text(node.value, node.span)
        case nodes.Name():
            return _plain(node.identifier, node)
        case nodes.Text():
            return column_text(node.value, node.span, quoted=True)
        case nodes.Keyword():
            return f"{_plain(node.name, node)}={texts[0]}"
        case nodes.Call():
            return f"{_plain(node.function, node)}({', '.join(texts)})"
        case nodes.Vector():
            return f"[{', '.join(_some(texts, node))}]"
        case nodes.Lambda():
            return f"{_plain(node.variable, node)} -> {texts[0]}"
        case nodes.Negation() | nodes.Power() | nodes.Product() | nodes.Sum() | nodes.Select():
            return _operation(node, children, texts)
        case nodes.Slice():
            return _selector(node)
        case nodes.Param():
            before, behind = _param(node)
            value = "" if node.default is None else f" = {(_of_sum if behind else print_node)(node.default)}"
            return f"{before}{value}{behind}"
        case nodes.Let():
            return f"let {_plain(node.name, node)} = {texts[0]}"
        case nodes.Program():
            return "\n".join([*texts[:-1], guard(texts[-1])])
    raise TypeError(f"{type(node).__name__} is not a node of the language")


def _operation(
    node: nodes.Negation | nodes.Power | nodes.Product | nodes.Sum | nodes.Select,
    children: list[nodes.Node],
    texts: list[str],
) -> str:
    """Operations, with operands in brackets if they bind too loosely."""

    def part(index: int, least: Binding) -> str:
        return texts[index] if binding(children[index]) >= least else f"({texts[index]})"

    match node:
        case nodes.Negation():
            return f"-{part(0, Binding.NEGATION)}"
        case nodes.Power():
            return f"{part(0, Binding.ATOM)}**{part(1, Binding.NEGATION)}"
        case nodes.Product() | nodes.Sum():
            space, least = (" ", Binding.PRODUCT) if isinstance(node, nodes.Sum) else ("", Binding.NEGATION)
            if not node.operators or len(texts) != len(node.operators) + 1:
                kind = type(node).__name__
                raise SpecError(f"a {kind} needs two or more operands, with an operator between any two", node.span)
            rest = (f"{space}{sign}{space}{part(i, least)}" for i, sign in enumerate(node.operators, start=1))
            return part(0, least) + "".join(rest)
        case nodes.Select():
            selectors = _some([_selector(selector) for selector in node.selectors], node)
            return f"{part(0, Binding.ATOM)}[{', '.join(selectors)}]"


def _param(node: nodes.Param) -> tuple[str, str]:
    """The text before and after the default of a param."""
    name = f"param {_plain(node.name, node)}"
    if node.length is not None:
        name += f"[{print_node(node.length.value)}]"
    if node.bound is not None and node.interval is not None:
        raise SpecError("a param can have a bound or an interval, not both", node.span)
    if node.interval is not None:
        return name, f" in [{_of_sum(node.interval.low)}, {_of_sum(node.interval.high)}]"
    return name, "" if node.bound is None else f" {node.relation} {_of_sum(node.bound)}"


def _of_sum(node: nodes.Expression) -> str:
    text = print_node(node)
    return text if binding(node) >= Binding.SUM else f"({text})"


def _selector(node: nodes.Expression | nodes.Slice) -> str:
    match node:
        case nodes.Name():
            return column_text(node.identifier, node.span)
        case nodes.Number():
            if node.value.denominator != 1:
                raise SpecError(f"a column position must be a whole number, not {node.value}", node.span)
            return str(node.value)
        case nodes.Slice():
            return ":".join("" if end is None else str(end) for end in (node.start, node.stop))
    return _of_sum(node)


def _plain(name: str, node: nodes.Node) -> str:
    if not is_plain_name(name) or len(name) > MAX_NAME:
        raise SpecError(f"{name!r} is not a valid name: use letters, digits and '_', at most {MAX_NAME}", node.span)
    return name


def _some(texts: list[str], node: nodes.Node) -> list[str]:
    if not texts:
        raise SpecError(f"a {type(node).__name__} needs something between its brackets", node.span)
    return texts


def format_text(text: str, name: str = "<spec>") -> str:
    """Format a program in canonical layout, ending with a newline. Idempotent.

    Statements keep their order, with at most one blank line between them. Comments stay above or after their statement;
    one inside a statement's brackets moves above it. Lines longer than 88 columns are broken where possible.

    Raises SpecError if the text does not parse, TypeMismatchError for other types. The result is checked:
    KernelspecError is raised if it would change the program or lose a comment.
    """
    from kernelspec.language.parser import parse_program

    if not isinstance(text, str):
        raise TypeMismatchError(f"the text of a spec must be a string, not {text!r:.60}")
    program = parse_program(text, name)
    layout = scan(Source(text, name))
    lines: list[str] = []
    for group, is_spaced in _groups(layout, program):
        lines += ["", *group] if is_spaced and lines else group
    formatted = "\n".join(lines) + "\n"
    _check(formatted, program, layout)
    return formatted


def _groups(layout: ScannedText, program: Program) -> Iterator[tuple[list[str], bool]]:
    """The lines of a statement with its comments, or of free-standing comments; whether a blank line precedes them."""
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
            yield [*above, *first, last + behind], spaced
        elif own:
            yield [comment.text.rstrip() for comment in own], spaced
        spaced = not line.strip() and not own
        start = end + 1


def _statement(node: Node) -> list[str]:
    match node:
        case Let():
            return wrap(node.value, f"let {node.name} = ", "")
        case Param(default=default) if default is not None:
            before, behind = _param(node)
            return wrap(default, f"{before} = ", behind, least=Binding.SUM if behind else Binding.LAMBDA)
        case Param():
            return [print_node(node)]
    text = print_node(node)
    if guard(text) == text:
        return wrap(node, "", "")
    return [guard(text)] if len(text) < LINE_WIDTH - 1 else wrap(node, "(", ")")


def _check(formatted: str, program: Program, layout: ScannedText) -> None:
    """Raise KernelspecError unless the new text has the same program and comments."""
    from kernelspec.language.parser import parse_program

    name = layout.source.name
    kept = [comment.text for comment in scan(Source(formatted, name)).comments]
    if kept != [comment.text.rstrip() for comment in layout.comments]:
        raise KernelspecError(f"{name}: formatting would lose a comment; please report this with the file")
    if parse_program(formatted, name) != program:
        raise KernelspecError(f"{name}: formatting would change the kernel; please report this with the file")
