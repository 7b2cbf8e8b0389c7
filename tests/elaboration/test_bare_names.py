"""Names whose position gives them a meaning."""

from __future__ import annotations

import kernelspec as ks
from kernelspec.elaboration.elaborate import call_meant
from kernelspec.elaboration.scope import Definitions
from kernelspec.language import nodes


def argument(text: str) -> tuple[nodes.Expression, Definitions]:
    """The first argument of the kernel of a spec, and the definitions above it."""
    program = ks.parse(text).program
    assert isinstance(program.body, nodes.Call)
    return program.body.positional[0], Definitions.of(program, {})


def test_a_name_alone_is_a_call_without_arguments() -> None:
    node, scope = argument("dual(relu, gaussian())")
    found, seen = call_meant(node, scope)
    assert isinstance(found, nodes.Call)
    assert (found.function, found.positional, found.keywords) == ("relu", (), ())
    assert found.span == found.function_span == node.span
    assert seen is scope


def test_a_call_stays_as_it_is() -> None:
    node, scope = argument("bochner(student_t(3))")
    assert call_meant(node, scope) == (node, scope)


def test_lets_are_followed_to_what_they_see() -> None:
    """The value of a let sees only what stands above it."""
    node, scope = argument("let a = student_t(3)\nlet b = a\nlet c = 2\nbochner(b)")
    found, seen = call_meant(node, scope)
    assert isinstance(found, nodes.Call)
    assert found.function == "student_t"
    assert seen.names() == []
    assert scope.names() == ["a", "b", "c"]
