"""Densities that are polynomials but for a positive factor, decided by Sturm's theorem."""

from __future__ import annotations

from kernelspec.errors import NotStationaryError
from kernelspec.kernels.nodes.select import Select
from kernelspec.measures.algebra.piece import NotClosed
from kernelspec.measures.measure_of import measure_of
from kernelspec.special.closed_numbers import NotDecided
from kernelspec.verdicts.densities.polynomial_density import polynomial_density
from kernelspec.verdicts.densities.sturm import Polynomial, sign_on_half_line
from kernelspec.verdicts.rule import Finding, Question

__all__ = ["by_exact_signs"]

_LONGEST = 200
"""Of a polynomial that a reason shows."""


def by_exact_signs(question: Question) -> Finding | None:
    """Proved or disproved by the sign of a polynomial with exact coefficients, ties included [Sturm 1829].

    On one column, and for radial kernels on several; see `polynomial_density`.
    """
    kernel = question.expanded
    while isinstance(kernel, Select) and kernel.base.dim == kernel.dim:
        kernel = kernel.base
    if not isinstance(kernel.dim, int):
        return None
    try:
        measure = measure_of(kernel)
        if measure.is_complex or measure.without_density() is not None:
            return None
        density = polynomial_density(measure)
        found = sign_on_half_line(density.polynomial)
    except (NotStationaryError, NotClosed, NotDecided, TypeError, ZeroDivisionError):  # a parameter is a symbol
        return None
    what = f"the spectral density is P(x) times a positive function, x = {density.variable}{_shown(density.polynomial)}"
    if found.is_nonnegative:
        roots = f"P has {found.roots or 'no'} distinct root{'s' * (found.roots != 1)} in x > 0"
        return Finding("proved", (f"{what}: {roots} and does not change its sign [Sturm 1829; Bochner 1932]",))
    radius = density.radius(float(found.place))
    at = (radius,) + (0.0,) * (kernel.dim - 1)
    where = ", ".join(f"{entry:.6g}" for entry in at)
    place = found.place if len(str(found.place)) <= 20 else f"{float(found.place):.6g}"
    return Finding("disproved", (f"{what}: P({place}) < 0, at ω = ({where}) [Bochner 1932]",), at)


def _shown(polynomial: Polynomial) -> str:
    import sympy

    x = sympy.Symbol("x")
    text = str(sympy.Add(*(c.expression() * x**n for n, c in enumerate(polynomial))))
    return f", P(x) = {text}" if len(text) <= _LONGEST else ""
