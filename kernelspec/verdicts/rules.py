"""The rules that decide what the verdicts of nodes leave open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial, reduce
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from kernelspec.elaboration.operators import weighted_sum, weighted_terms
from kernelspec.elaboration.scope import Columns
from kernelspec.errors import KernelspecError, NotStationaryError
from kernelspec.expressions.elementary import known_sign
from kernelspec.expressions.symbolic import limit_of
from kernelspec.kernels.formula import FormulaProduct, FormulaRadial
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.nodes.columns_and_lags import Select, Stretch
from kernelspec.kernels.nodes.dual import Dual
from kernelspec.kernels.nodes.product import Power, Product, one
from kernelspec.kernels.nodes.sum import Sum
from kernelspec.loading import mpmath as mp
from kernelspec.loading import sympy
from kernelspec.measures.algebra.numbers import MultiprecisionNumbers
from kernelspec.measures.algebra.pieces import NotClosed
from kernelspec.measures.algebra.radial import fractions, has_curvature, radial_terms, require_radial
from kernelspec.measures.measure import Measure, measure_of
from kernelspec.special.closed_forms import DIGITS, Falling, number
from kernelspec.special.closed_numbers import ClosedNumber, NotDecided
from kernelspec.verdicts.comparison import Comparison, compare
from kernelspec.verdicts.densities import SpectralLaw, law_of_kernel, sign_of_sum
from kernelspec.verdicts.line_sign import sign_on_line

__all__ = [
    "Finding",
    "Question",
    "Rule",
    "by_closed_densities",
    "by_common_factor",
    "by_densities",
    "by_expansion",
    "by_negative_frequency",
    "by_parts",
]


@dataclass(frozen=True)
class Question:
    """Whether a kernel is positive definite, that the verdicts of its nodes leave open; its numbers are exact."""

    kernel: Kernel

    @cached_property
    def expanded(self) -> Kernel:
        """The kernel with products of sums multiplied out and equal terms merged."""
        from kernelspec.verdicts.decision import expanded

        return expanded(self.kernel)


@dataclass(frozen=True)
class Finding:
    """What a rule proved, with the argument; for a disproof by the measure a frequency, one number for every column."""

    positive_definite: Literal["proved", "disproved"]
    reasons: tuple[str, ...]
    frequency: tuple[float, ...] | None = None


Rule: TypeAlias = Callable[[Question], Finding | None]
"""None: the rule does not apply, or does not decide."""


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


def by_common_factor(question: Question) -> Finding | None:
    """Proved where the kernel is h·k, h a factor of all its terms, and both are [Schur 1911].

    What is left of the terms is decided by the other rules.
    """
    terms = weighted_terms(question.expanded)
    factors = [_factors(term) for _, term in terms]
    common = reduce(lambda a, b: a & b, factors) if len(terms) > 1 else Counter[Kernel]()
    if not common:
        return None
    whole = question.expanded
    rest = weighted_sum(
        [(w, _product(own - common, whole)) for (w, _), own in zip(terms, factors, strict=True)],
        Columns(whole.dim),
        whole.span,
    )
    from kernelspec.verdicts.decision import decided

    outer, inner = _product(common, whole).verdict(), decided(Question(rest))
    if inner is None or (outer.positive_definite, inner.positive_definite) != ("proved", "proved"):
        return None
    rule = f"product of {_product(common, whole)} and the rest: positive definite when every factor is [Schur 1911]"
    return Finding("proved", (*outer.reasons, *inner.reasons, rule))


def _factors(kernel: Kernel) -> Counter[Kernel]:
    return Counter(kernel.factors if isinstance(kernel, Product) else (kernel,))


def _product(factors: Counter[Kernel], whole: Kernel) -> Kernel:
    found = tuple(factors.elements()) or (one(whole.dim, whole.span),)
    return found[0] if len(found) == 1 else Product(factors=found, dim=whole.dim, span=whole.span)


def by_densities(question: Question) -> Finding | None:
    """Proved where the measure of the kernel is nowhere negative, disproved where it is [Bochner 1932].

    Atoms, densities on all columns and densities on some of them, at zero on the others, cannot make up for each other:
    each of these parts is decided for itself. Terms of another kind that are positive definite are set aside: what is
    left may prove the kernel without them, and disproves nothing.
    """
    kernel = question.expanded
    if not isinstance(kernel.dim, int):
        return None
    with mp.workdps(DIGITS):
        try:
            parts = _parts(kernel)
            found = None if parts is None else _decided(kernel, parts.atoms, parts.groups)
        except TypeError:  # a parameter is a symbol
            return None
    if parts is None or found is None or not parts.reasons:
        return found
    return None if found.positive_definite == "disproved" else replace(found, reasons=(*parts.reasons, *found.reasons))


_Group = list[tuple[Any, SpectralLaw, Any, Kernel]]
"""Weight in floats of 30 digits, law, exact weight, kernel."""


class _Parts(NamedTuple):
    """Weights of atoms, the terms with densities by the columns they live on, and why the others are set aside."""

    atoms: dict[tuple[Any, ...], Any]
    groups: dict[tuple[int, ...], _Group]
    reasons: tuple[str, ...]


def _parts(kernel: Kernel) -> _Parts | None:
    atoms: dict[tuple[Any, ...], Any] = {}
    groups: dict[tuple[int, ...], _Group] = {}
    reasons: list[str] = []
    for weight, term in weighted_terms(kernel):
        law = law_of_kernel(term, tuple(range(int(kernel.dim))))
        if law is not None:
            groups.setdefault(law.columns, []).append((number(weight), law, weight, term))
            continue
        try:
            points = measure_of(term).finite_atoms()
        except NotStationaryError:
            points = None
        if points is None:
            verdict = term.verdict()
            if known_sign(weight) != 1 or verdict.positive_definite != "proved":
                return None
            reasons += verdict.reasons
            continue
        for point, share in points:
            atoms[point] = atoms.get(point, 0) + weight * share
    return _Parts(atoms, groups, tuple(reasons))


def _decided(
    kernel: Kernel, atoms: dict[tuple[Any, ...], Any], groups: dict[tuple[int, ...], _Group]
) -> Finding | None:
    dim = int(kernel.dim)
    for point, weight in atoms.items():
        size, sign = number(weight), _exact_sign(weight)
        if sign is None:
            return None
        if sign < 0:
            at = tuple(float(number(entry)) for entry in point)
            reason = f"the spectral measure has the atom {float(size):.3g} < 0 at ω = ({_shown(at)})"
            return Finding("disproved", (reason,), at)
    compared = []
    for columns, group in groups.items():
        found = compare([(w, law) for w, law, _, _ in group], partial(_sign_at, group))
        if found.answer == "disproved":
            return _disproved(found, columns, dim)
        compared.append(found)
    if any(found.answer != "proved" for found in compared):
        return None
    words = [f"the spectral density is nowhere negative: {found.words}" for found in compared]
    words += ["the spectral measure has no negative atom"] if atoms else []
    return Finding("proved", tuple(dict.fromkeys(f"{word} [Bochner 1932]" for word in words)))


def _disproved(found: Comparison, columns: tuple[int, ...], dim: int) -> Finding:
    assert found.frequency is not None
    place = dict(zip(columns, found.frequency, strict=True))
    at = tuple(float(place.get(column, 0)) for column in range(dim))
    where = "" if len(columns) == dim else f" on column{'s' * (len(columns) > 1)} {', '.join(map(str, columns))}"
    size = "" if found.density is None else f"{float(found.density):.3g} "
    exact = ", in exact numbers" if found.density is None else ""
    reason = f"the spectral density{where} is {size}< 0 at ω = ({_shown(at)}){exact}"
    return Finding("disproved", (reason,), at)


def _shown(frequency: tuple[float, ...]) -> str:
    return ", ".join(f"{entry:.6g}" for entry in frequency)


def _exact_sign(value: Any) -> int | None:
    """The sign of a number, never rounded; None where it is not known."""
    try:
        return ClosedNumber.of(value).sign()
    except NotDecided:
        return None


def _sign_at(group: _Group, at: float) -> int | None:
    """The sign of the density at ω = 0, or beside its first term far out on an axis; None where it is not known."""
    from kernelspec.expressions.symbolic_pairs import SymbolicPairs

    dim = len(group[0][1].columns)
    along = sympy.Symbol("omega", positive=True) if at else sympy.S.Zero
    place = SymbolicPairs(dim, lambda i: along if i == 1 else sympy.S.Zero, None, True)
    densities = []
    for _, _, weight, term in group:
        kernel = term.base if isinstance(term, Select) else term
        if kernel.dim != dim:
            return None
        densities.append(sympy.S(weight) * measure_of(kernel).expression(place))
    total = sympy.Add(*densities)
    found = limit_of(total / densities[0], along, sympy.oo) if at else total
    return None if found is None else _exact_sign(found)


def by_expansion(question: Question) -> Finding | None:
    """Proved where the kernel, multiplied out and with equal terms merged, is: (g + h)² − g² − h² = 2gh."""
    verdict = question.expanded.verdict()
    if verdict.positive_definite != "proved":
        return None
    shown = str(question.expanded)
    written = shown if len(shown) <= 200 else "a weighted sum of products"
    return Finding("proved", (*verdict.reasons, f"multiplied out, the kernel is {written}"))


_RADII = np.concatenate([[0.0], np.geomspace(1e-2, 1.0, 30)[:-1], np.linspace(1.0, 60.0, 237)])
_BEYOND = 10
_NOISE = 1e-10
"""Of the largest value of the density: what is nearer to 0 proves nothing."""


def by_negative_frequency(question: Question) -> Finding | None:
    """Disproved where the density of a formula is negative at some frequency, beyond ten error bounds [Bochner 1932].

    The density is the Hankel transform of f on so many columns, on one for product(t -> f(t)), with the error bound of
    its quadrature.
    """
    kernel = question.kernel
    if not isinstance(kernel.dim, int):
        return None
    line = kernel.line() if isinstance(kernel, FormulaProduct) else kernel
    if not isinstance(line, FormulaRadial) or line.shape.unknowns() or line.without_density() is not None:
        return None
    try:
        radii = _RADII / line.length
        density, errors = line.radial_density(radii)
    except KernelspecError:
        return None
    if not np.isfinite(density).all():
        return None
    below = density + _BEYOND * errors + _NOISE * float(np.abs(density).max())
    place = int(np.argmin(below))
    if not below[place] < 0:
        return None
    radius, size = float(radii[place]), f"{density[place]:.3g} ± {errors[place]:.1g}"
    where = f"{line.dim} column{'s' * (line.dim != 1)}"
    reason = f"{kernel}: on {where} the spectral density is {size} < 0 at ‖ω‖ = {radius:.6g} [Bochner 1932]"
    others = 0.0 if line is kernel else float(radii[int(np.argmax(density))])
    return Finding("disproved", (reason,), (radius, *[others] * (kernel.dim - 1)))


_RULES: dict[type[Kernel], str] = {
    Product: "product: positive definite when every factor is [Schur 1911]",
    Power: "power: positive definite when the base is [Schur 1911]",
    Sum: "sum with positive weights: positive definite when every term is",
    Dual: "dual: a power series with coefficients of at least 0 [Schoenberg 1942]",
    Select: "on some of the columns: positive definite when the kernel is",
    Stretch: "stretch: a linear map of the columns keeps positive definiteness",
}


def by_parts(question: Question) -> Finding | None:
    """Proved where the kernel is a product, power, sum, dual, selection or stretch of what rules prove."""
    from kernelspec.verdicts.decision import decided

    kernel = question.kernel
    rule = _RULES.get(type(kernel))
    children = list(kernel.children())
    if rule is None or not children:
        return None
    if isinstance(kernel, Sum) and (len(children) == 1 or any(known_sign(w) != 1 for w in kernel.weights)):
        return None
    found = [decided(Question(child)) for child in children]
    if any(verdict.positive_definite != "proved" for verdict in found):
        return None
    return Finding("proved", (*(reason for verdict in found for reason in verdict.reasons), rule))
