"""What the parser makes of a rule: its name, what stands in it apart from punctuation, and from where to where."""

from __future__ import annotations

from typing import cast

from lark import Token

__all__ = ["Branch"]


class Branch:
    """A rule of the grammar that was met. Far smaller than the parser's own trees: texts can be long.

    Its characters are those from the first to the last of its tokens, brackets included. The rules that the parser
    makes of `*` and `?` have names with an underscore, as punctuation has; they are passages to the rule above, whose
    children are not looked at before they stand there.
    """

    __slots__ = ("children", "end", "rule", "start")

    def __init__(self, rule: str, children: list[Branch | Token]) -> None:
        self.rule = rule
        if rule[0] != "_":
            self.start, self.end = _start(children[0]), _end(children[-1])
            children = [child for child in children if type(child) is Branch or child.type[0] != "_"]  # type: ignore
        self.children = children

    def leaves_first(self) -> list[Branch]:
        """This branch and all those below it, each after its own. Without recursion: branches can be deep."""
        order, pending = [], [self]
        while pending:
            branch = pending.pop()
            order.append(branch)
            pending += [child for child in branch.children if type(child) is Branch]
        order.reverse()
        return order


def _start(part: Branch | Token) -> int:
    return part.start if type(part) is Branch else cast(int, cast(Token, part).start_pos)


def _end(part: Branch | Token) -> int:
    return part.end if type(part) is Branch else cast(int, cast(Token, part).end_pos)
