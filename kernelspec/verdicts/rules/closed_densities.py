"""Sums decided by the closed form of their spectral density."""

from __future__ import annotations

from typing import Any

from kernelspec.errors import NotStationaryError
from kernelspec.kernels.nodes.select import Select
from kernelspec.measures.algebra.multiprecision_numbers import MultiprecisionNumbers
from kernelspec.measures.algebra.piece import NotClosed
from kernelspec.measures.algebra.radial_profile import radial_terms
from kernelspec.measures.algebra.radial_transform import fractions, has_curvature, require_radial
from kernelspec.measures.measure import Measure
from kernelspec.measures.measure_of import measure_of
from kernelspec.verdicts.densities.falling import Falling
from kernelspec.verdicts.densities.laws import DIGITS
from kernelspec.verdicts.densities.line_sign import sign_on_line
from kernelspec.verdicts.densities.sign import sign_of_sum
from kernelspec.verdicts.rule import Finding, Question

__all__ = ["by_closed_densities"]


def by_closed_densities(question: Question) -> Finding | None:
    """Proved where the closed density is positive at all frequencies, disproved where it is negative [Bochner 1932].

    On one column for whatever has a closed form there; on several for radial products of exponentials and Matérn
    kernels, whose densities are sums of powers of c² + ‖ω‖².
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
        return _of_powers(measure) if kernel.dim > 1 else _on_line(measure)
    except (NotStationaryError, NotClosed, TypeError):  # a parameter is a symbol
        return None


def _on_line(measure: Measure) -> Finding | None:
    found = sign_on_line(measure)
    if found.answer == "unknown":
        return None
    if found.answer == "disproved":
        reason = f"the spectral density, in closed form, is {found.density:.3g} < 0 at ω = ({found.at:.6g})"
        return Finding("disproved", (reason,), (found.at,))
    words = (
        f"the spectral density, in closed form, is nowhere negative: beyond ω = {found.edge:.3g} by its series in 1/ω, "
        f"before by {found.count} values and a bound on its second derivative [Bochner 1932]"
    )
    return Finding("proved", (words,))


def _of_powers(measure: Measure) -> Finding | None:
    """Σ B_j c^{2j} (c² + ρ²)^{−h−j}: falling functions of ρ², some with a negative sign."""
    import mpmath as mp

    dim = int(measure.dim)
    with mp.workdps(DIGITS):
        terms = _powers(measure, dim)
        found = sign_of_sum(terms)
        if found.answer == "unknown":
            return None
        if found.answer == "proved":
            words = "the spectral density, in closed form, is nowhere negative as a function of the length of ω"
            return Finding("proved", (f"{words} [Bochner 1932]",))
        density = sum(weight * mp.exp(power.log(found.at)) for weight, power in terms)
        at = (float(mp.sqrt(found.at)),) + (0.0,) * (dim - 1)
    shown = ", ".join(f"{entry:.6g}" for entry in at)
    reason = f"the spectral density, in closed form, is {float(density):.3g} < 0 at ω = ({shown})"
    return Finding("disproved", (reason,), at)


def _powers(measure: Measure, dim: int) -> list[tuple[Any, Falling]]:
    import mpmath as mp

    numbers = MultiprecisionNumbers(2 * DIGITS)
    found: list[tuple[Any, Falling]] = []
    for term in radial_terms(measure, numbers):
        require_radial(term.profile, dim)
        if term.tilt or has_curvature(term.profile):
            raise NotClosed("a density that is no sum of powers")
        h = mp.mpf(dim + 1) / 2
        for c, weights in fractions(term.profile, dim):
            rate = mp.mpf(c)
            for j, weight in enumerate(weights):
                if weight:
                    constant = mp.loggamma(h) - h * mp.log(mp.pi) - 2 * h * mp.log(rate)
                    found.append((mp.mpf(weight), Falling(constant, ((h + j, rate**-2),))))
    return found
