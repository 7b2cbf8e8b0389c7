"""Common mistakes, each recognised by one small function that says what to write instead, or nothing."""

from __future__ import annotations

from collections.abc import Callable

from kernelspec.language.bracketed import (
    empty_brackets,
    missing_equals,
    odd_colon,
    odd_comma,
    odd_selection,
    quoted_value,
    value_before_equals,
)
from kernelspec.language.foreign import odd_character, python_code, python_function
from kernelspec.language.situation import END, NEWLINE, Advice, Situation
from kernelspec.language.spelling import ascii_name, is_plain_name

__all__ = ["MISTAKES"]


def empty_spec(at: Situation) -> Advice:
    """Nothing at all, or only comments."""
    return "the spec is empty; expected a kernel expression" if at.kind == END and not at.before else None


def missing_kernel(at: Situation) -> Advice:
    """`param s` and nothing else."""
    at_start = "_PARAM" in at.accepts
    after_statement = NEWLINE in at.accepts and END not in at.accepts
    if at.kind == END and (at_start or after_statement):
        return "the kernel expression is missing; it comes after the param and let lines"
    return None


def second_kernel(at: Situation) -> Advice:
    """A line after the kernel expression."""
    if at.accepts != {END}:
        return None
    if at.text in ("param", "let"):
        return f"{at.text} lines come before the kernel expression"
    if at.text in ("+", "-", "*", "/", "**", "−", "·", "×", "⋅"):
        return "a line cannot start with an operator; brackets around an expression let it go over several lines"
    return "a spec has one kernel expression, and this is a second one"


def assignment_without_let(at: Situation) -> Advice:
    """`k = gaussian()`."""
    name = ascii_name(at.before)
    if at.kind == "EQUAL" and len(at.line) == 1 and at.accepts_operator() and is_plain_name(name):
        return f"a name is defined by 'let {name} = …', or 'param {name} = …' if callers may change it"
    return None


def function_definition(at: Situation) -> Advice:
    """`let f(r) = exp(-r)`."""
    if at.text == "(" and at.line[:1] == ("let",) and at.accepts == {"EQUAL"}:
        return f"a function is defined by 'let {at.before} = r -> …'"
    return None


def bound_and_default(at: Situation) -> Advice:
    """`param s > 0 = 2`, `param s > 0 < 1`."""
    if at.line[:1] == ("param",) and at.kind in ("EQUAL", "RELATION") and at.accepts_operator():
        return "a param has one bound, as in 'param s > 0', or a default, as in 'param s = 2'"
    return None


def comparison(at: Situation) -> Advice:
    """`s > 0` outside a param line."""
    return "comparisons stand only in param lines, as in 'param s > 0'" if at.kind == "RELATION" else None


def misplaced_arrow(at: Situation) -> Advice:
    """`(r) -> r`, `1 + r -> r`."""
    if at.kind != "_ARROW":
        return None
    if at.before == ")":
        return "a function has one variable, without brackets, as in 'r -> exp(-r)'"
    if is_plain_name(ascii_name(at.before)):
        return "a function inside an expression stands in brackets, as in '2*(r -> exp(-r))'"
    return "before '->' stands the function's variable, as in 'r -> exp(-r)'"


def missing_operator(at: Situation) -> Advice:
    """`k1 k2`, `2 gaussian()`, `f(a b)`."""
    if not at.accepts_operator() or at.kind not in ("NAME", "NUMBER", "_LPAR"):
        return None
    other = " or ','" if at.bracket in ("call", "vector") else ""
    return f"missing operator{other} between '{at.before}' and '{at.shown}'; a product is written with '*'"


def leading_plus(at: Situation) -> Advice:
    """`+2`."""
    return "'+' stands between two values; leave it out in front of one" if at.text == "+" else None


def broken_line(at: Situation) -> Advice:
    """An operator at the end of a line."""
    if at.kind == NEWLINE and at.accepts_operand():
        return "the line ends too early; brackets around an expression let it go over several lines"
    return None


MISTAKES: tuple[Callable[[Situation], Advice], ...] = (
    odd_character,
    empty_spec,
    missing_kernel,
    python_code,
    second_kernel,
    python_function,
    assignment_without_let,
    function_definition,
    bound_and_default,
    comparison,
    value_before_equals,
    misplaced_arrow,
    quoted_value,
    odd_comma,
    odd_colon,
    empty_brackets,
    odd_selection,
    missing_equals,
    missing_operator,
    leading_plus,
    broken_line,
)
"""In the order in which they are tried; the first that applies speaks."""
