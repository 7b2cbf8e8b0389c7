"""Both sides of a step in numbers: names by the steps before, integrals by quadrature."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mpmath as mp
import sympy

from kernelspec.measures.derivation_steps import Step

_REACH, _CUTS = 20, 80
"""Pieces of ½ up to ±20, where every break of the functions here falls on a cut; the rest is one interval."""


def sides_in_numbers(steps: Sequence[Step], place: float = 0.5) -> list[tuple[complex, complex]]:
    """(left, right) of every step that has both, all variables at `place`."""
    known: dict[str, Step] = {}
    found = []
    for step in steps:
        if step.left is not None:
            at = dict.fromkeys(step.symbol.free_symbols, place)
            found.append((_value(_without_names(step.left, known), at), _value(step.right, at)))
        known[step.symbol.func.__name__] = step
    return found


def _without_names(expression: Any, known: dict[str, Step]) -> Any:
    """The names of earlier steps replaced by what these found."""

    def is_named(part: Any) -> bool:
        return getattr(part.func, "__name__", "") in known

    def replaced(part: Any) -> Any:
        step = known[part.func.__name__]
        return step.right.subs(dict(zip(step.symbol.args, part.args, strict=True)), simultaneous=True)

    return expression.replace(is_named, replaced)


def _value(expression: Any, at: dict[Any, float]) -> complex:
    numbers = {integral: sympy.sympify(_quadrature(integral, at)) for integral in expression.atoms(sympy.Integral)}
    return complex(expression.xreplace(numbers).subs(at).evalf(20))


def _quadrature(integral: Any, at: dict[Any, float]) -> Any:
    ((variable, low, high),) = integral.limits
    integrand = sympy.lambdify(variable, integral.function.subs(at), "mpmath")
    inner = mp.linspace(-_REACH, _REACH, _CUTS + 1)
    cuts = [mp.mpf(-mp.inf), *inner, mp.mpf(mp.inf)]
    ends = tuple(mp.mpf(float(end)) for end in (low, high))
    inside = [cut for cut in cuts if ends[0] < cut < ends[1]]
    return mp.quad(integrand, [ends[0], *inside, ends[1]])
