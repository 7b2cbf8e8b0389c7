"""The rules that decide kernels left open by the verdicts of their nodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial, reduce
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kernelspec.elaboration.operators import weighted_sum, weighted_terms
from kernelspec.elaboration.scope import Columns
from kernelspec.errors import KernelspecError, NotStationaryError
from kernelspec.expressions.elementary import known_sign
from kernelspec.expressions.symbolic import limit_of
from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.kernels.formula import FormulaProduct, FormulaRadial
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import Stationary
from kernelspec.kernels.nodes.columns_and_lags import Select, Stretch
from kernelspec.kernels.nodes.dual import Dual
from kernelspec.kernels.nodes.sums_and_products import Power, Product, Sum
from kernelspec.loading import mpmath as mp
from kernelspec.loading import sympy
from kernelspec.measures.algebra.exact_numbers import ClosedCoefficients
from kernelspec.measures.algebra.line import line_members
from kernelspec.measures.algebra.numbers import MultiprecisionNumbers
from kernelspec.measures.algebra.pieces import NotClosed
from kernelspec.measures.algebra.radial import fractions, has_curvature, radial_terms, require_radial
from kernelspec.measures.measure import Measure, measure_of
from kernelspec.special.closed_forms import DIGITS, Falling, number
from kernelspec.special.closed_numbers import ClosedNumber, NotDecided
from kernelspec.verdicts.comparison import Comparison, compare
from kernelspec.verdicts.decision import decided
from kernelspec.verdicts.densities import RadialLaw, SpectralLaw, are_told_apart, law_of_kernel, sign_of_sum
from kernelspec.verdicts.expansion import expanded, factors_of, product_of
from kernelspec.verdicts.line_sign import sign_on_line

__all__ = [
    "Finding",
    "Question",
    "Rule",
    "by_closed_densities",
    "by_common_factor",
    "by_densities",
    "by_expansion",
    "by_parts",
]


@dataclass(frozen=True)
class Question:
    """Whether a kernel is positive definite, left open by the verdicts of its nodes; its numbers are exact."""

    kernel: Kernel

    @cached_property
    def expanded(self) -> Kernel:
        """The kernel with products of sums multiplied out and equal terms merged."""
        return expanded(self.kernel)


@dataclass(frozen=True)
class Finding:
    """The proof of a rule, with the argument; for a disproof by the measure, a frequency with one number per column.

    The `steps` check the argument by hand. "unknown" only states what a proof would need.
    """

    positive_definite: Literal["proved", "disproved", "unknown"]
    reasons: tuple[str, ...]
    frequency: tuple[float, ...] | None = None
    steps: tuple[str, ...] = ()


Rule: TypeAlias = Callable[[Question], Finding | None]
"""None: the rule does not apply, or does not decide."""


def by_closed_densities(question: Question) -> Finding | None:
    """Proved if the closed density is positive at all frequencies, disproved if it is negative [Bochner 1932].

    On one column for everything with a closed form; on several for radial products of exponentials and Matérn kernels,
    whose densities are sums of powers of c² + ‖ω‖².
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
        f"up to there by {found.count} values and a bound on its second derivative [Bochner 1932]"
    )
    return Finding("proved", (words,))


def _of_powers(measure: Measure) -> Finding | None:
    """Σ B_j c^{2j} (c² + ρ²)^{−h−j}: decreasing functions of ρ², some with a negative sign."""
    for digits in (DIGITS, _MORE_DIGITS):
        with mp.workdps(digits):
            terms = _powers(measure, int(measure.dim))
            found = sign_of_sum(terms)
            if found.answer == "proved":
                words = "the spectral density, in closed form, is nowhere negative as a function of the length of ω"
                return Finding("proved", (f"{words} [Bochner 1932]",))
            if found.answer == "disproved":
                density = sum(weight * mp.exp(power.log(found.at)) for weight, power in terms)
                at = (float(mp.sqrt(found.at)),) + (0.0,) * (int(measure.dim) - 1)
                reason = f"the spectral density, in closed form, is {float(density):.3g} < 0 at ω = ({_shown(at)})"
                return Finding("disproved", (reason,), at)
    return None


_MORE_DIGITS = 3 * DIGITS  # digits that tell a minimum of ±1e-30 from 0


def _powers(measure: Measure, dim: int) -> list[tuple[Any, Falling]]:
    numbers = MultiprecisionNumbers(2 * mp.mp.dps)
    found: list[tuple[Any, Falling]] = []
    for term in radial_terms(measure, numbers):
        require_radial(term.profile, dim)
        if term.tilt or has_curvature(term.profile):
            raise NotClosed("a density that is not a sum of powers")
        h = mp.mpf(dim + 1) / 2
        for c, weights in fractions(term.profile, dim):
            rate = mp.mpf(c)
            for j, weight in enumerate(weights):
                if weight:
                    constant = mp.loggamma(h) - h * mp.log(mp.pi) - 2 * h * mp.log(rate)
                    found.append((mp.mpf(weight), Falling(constant, ((h + j, rate**-2),))))
    return found


def by_common_factor(question: Question) -> Finding | None:
    """Proved if the kernel is h·k, h a factor of all its terms, and both are positive definite [Schur 1911].

    The other rules decide k.
    """
    terms = weighted_terms(question.expanded)
    factors = [Counter(factors_of(term)) for _, term in terms]
    common = reduce(lambda a, b: a & b, factors) if len(terms) > 1 else Counter[Kernel]()
    if not common:
        return None
    whole = question.expanded
    rest = weighted_sum(
        [(w, product_of(tuple((own - common).elements()), whole)) for (w, _), own in zip(terms, factors, strict=True)],
        Columns(whole.dim),
        whole.span,
    )
    shared = product_of(tuple(common.elements()), whole)
    outer, inner = shared.verdict(), decided(Question(rest))
    if inner is None or (outer.positive_definite, inner.positive_definite) != ("proved", "proved"):
        return None
    rule = f"product of {shared} and the rest: positive definite when every factor is [Schur 1911]"
    return Finding("proved", (*outer.reasons, *inner.reasons, rule))


def by_densities(question: Question) -> Finding | None:
    """Proved if the measure of the kernel is nowhere negative, disproved if it is somewhere [Bochner 1932].

    Atoms, densities on all columns and densities on some of them, at zero on the others, cannot compensate each other:
    each of these parts is decided separately. Positive definite terms of another kind are set aside: the rest may prove
    the kernel without them, but disproves nothing.
    """
    return _by_densities(question, DIGITS)


def by_more_digits(question: Question) -> Finding | None:
    """`by_densities` with digits that tell a minimum of ±1e-30 from 0, for all but Bessel functions."""
    return _by_densities(question, _MORE_DIGITS)


def _by_densities(question: Question, digits: int) -> Finding | None:
    kernel = question.expanded
    if not isinstance(kernel.dim, int):
        return None
    with mp.workdps(digits):
        try:
            parts = _parts(kernel)
            if parts is None or (digits > DIGITS and any(map(_has_bessel, parts.groups.values()))):
                return None
            found = _decided(kernel, parts.atoms, parts.groups)
        except TypeError:  # a parameter is a symbol
            return None
    if found is None or not parts.reasons:
        return found
    return None if found.positive_definite == "disproved" else replace(found, reasons=(*parts.reasons, *found.reasons))


_MOST_HARMONICS = 60


def by_harmonics(question: Question) -> Finding | None:
    """Periodic kernels less another one: their atoms e^{−r} I_n(r), r = 1/ℓ², compared at all harmonics n at once.

    For r ≥ s the quotient I_n(r)/I_n(s) does not fall with n, since I_{n+1}/I_n rises with its argument [Amos 1974]:
    where the periods agree n = 0 decides, on several columns too. Otherwise a negative atom is looked for, which there
    is if the period of the last is another one.
    """
    kernel = question.expanded
    terms = [(weight, term) for weight, term in weighted_terms(kernel) if isinstance(term, Stationary)]
    grids = [(term.harmonics(), term.skellam_rate()) for _, term in terms]
    steps = [sympy.S(grid[0]) for grid, rate in grids if grid is not None and rate is not None]
    if not isinstance(kernel.dim, int) or len(steps) < len(weighted_terms(kernel)):
        return None
    signs = [_exact_sign(weight) for weight, _ in terms]
    if signs.count(-1) != 1 or set(signs) != {1, -1}:
        return None
    last = signs.index(-1)
    try:
        ratios = [ClosedNumber.of(steps[last] / step).rational() for step in steps]
        with mp.workdps(DIGITS):
            rates = [number(rate) for _, rate in grids]
            rest = [mp.exp(-rate) * mp.besseli(0, rate) for rate in rates]
            least, at = mp.inf, 0
            for m in range(_MOST_HARMONICS):
                sizes = [
                    number(weight) * share ** (kernel.dim - 1) * mp.exp(-rate) * mp.besseli(int(m * (ratio or 0)), rate)
                    for (weight, _), ratio, rate, share in zip(terms, ratios, rates, rest, strict=True)
                    if m == 0 or (ratio is not None and (m * ratio).denominator == 1)
                ]
                relative = mp.fsum(sizes) / mp.fsum(map(abs, sizes))
                least, at = min((least, at), (relative, m))
                if m and relative < -_NOISE:
                    break
            omega = float(at * number(steps[last]))
    except (NotDecided, TypeError):  # a parameter is a symbol
        return None
    if least < -_NOISE:
        reason = f"the spectral measure has an atom below 0 at ω = ({omega:.6g}{', 0' * (kernel.dim - 1)})"
        return Finding("disproved", (f"{reason} [Bochner 1932]",), (omega, *[0.0] * (kernel.dim - 1)))
    if least > _NOISE and set(ratios) == {1} and min(rates) == rates[last]:
        reason = "no atom of the spectral measure is negative: quotients of I_n(r) rise with n, and n = 0 is positive"
        return Finding("proved", (f"{reason} [Amos 1974; Bochner 1932]",))
    return None


def by_negative_atoms(question: Question) -> Finding | None:
    """Disproved by a negative atom, in floats, where no other part of the measure has an atom, such as e^{−r} I_n(r) of
    a periodic kernel beside a density.
    """
    kernel = question.expanded
    if not isinstance(kernel.dim, int):
        return None
    points, weights, omitted = [np.zeros((0, kernel.dim))], [np.zeros(0)], 0.0
    try:
        for weight, term in weighted_terms(kernel):
            found = measure_of(term).atoms()
            if found is not None and np.isrealobj(found.weights):
                points.append(np.asarray(found.points, dtype=float))
                weights.append(float(weight) * np.asarray(found.weights, dtype=float))
                omitted += abs(float(weight)) * found.omitted
            elif found is not None or not _has_no_atoms(term):
                return None
    except (KernelspecError, TypeError):  # a parameter is a symbol, or k has no measure
        return None
    place, mass = np.concatenate(points), np.concatenate(weights)
    for i in np.argsort(mass)[:_MOST_HARMONICS]:
        apart = np.abs(place - place[i]).max(axis=1)
        total = float(mass[apart <= _SAME_PLACE * (1 + np.abs(place[i]).max())].sum())
        if total < -_NOISE * np.abs(mass).sum() - omitted:
            first = next(iter(place[i][place[i] != 0]), 0.0)
            at = tuple((place[i] * (-1 if first < 0 else 1)).tolist())  # symmetric, as the kernel is
            reason = f"the spectral measure has the atom {total:.3g} < 0 at ω = ({_shown(at)})"
            return Finding("disproved", (f"{reason} [Bochner 1932]",), at)
    return None


_SAME_PLACE = 1e-6  # atoms nearer than this count as one, for rounding may be all that separates them


def _has_no_atoms(kernel: Kernel) -> bool:
    """Whether a spectral measure has certainly no atom; that of a product has none if that of a factor has none."""
    if isinstance(kernel, Product):
        return any(map(_has_no_atoms, kernel.factors))
    if isinstance(kernel, Stretch) and (kernel.is_matrix or not np.all(kernel.matrix)):
        return False
    if isinstance(kernel, Select | Stretch):
        return _has_no_atoms(kernel.base)
    return isinstance(kernel, Stationary) and kernel.has_no_atoms()


_Group = list[tuple[Any, SpectralLaw, Any, Kernel]]  # weight in floats of 30 digits, law, exact weight, kernel


class _Parts(NamedTuple):
    """Weights of atoms, the terms with densities by the columns they live on, and why the others are set aside."""

    atoms: dict[tuple[Any, ...], Any]
    groups: dict[tuple[int, ...], _Group]
    reasons: tuple[str, ...]


def _parts(kernel: Kernel) -> _Parts | None:
    atoms: dict[tuple[Any, ...], Any] = {}
    groups: dict[tuple[int, ...], _Group] = {}
    reasons: list[str] = []
    others: list[tuple[Any, Kernel]] = []
    for weight, term in weighted_terms(kernel):
        if (sign := _exact_sign(weight)) is None:  # digits may take it for 0
            return None
        if sign == 0:
            continue
        law = law_of_kernel(term, tuple(range(int(kernel.dim))))
        if law is not None:
            groups.setdefault(law.columns, []).append((number(weight), law, weight, term))
            continue
        try:
            points = measure_of(term).finite_atoms() or _atoms_of_waves(measure_of(term))
        except NotStationaryError:
            points = None
        if points is None:
            verdict = term.verdict()
            if sign != 1 or verdict.positive_definite != "proved":
                return None
            reasons += verdict.reasons
            others.append((weight, term))
            continue
        for point, share in points:
            key = _same_point(point, atoms)
            atoms[key] = atoms.get(key, 0) + weight * share
    for point in atoms:
        atoms[point] += sum(weight * _share_at(point, term) for weight, term in others)
    return _Parts(atoms, groups, tuple(reasons))


def _same_point(point: tuple[Any, ...], atoms: Iterable[tuple[Any, ...]]) -> tuple[Any, ...]:
    """The point as written among the atoms, if it is one of them. Raises TypeError if that is unknown."""
    for other in atoms:
        gaps = [_exact_sign(sympy.S(a) - b) if a != b else 0 for a, b in zip(point, other, strict=True)]
        if None in gaps and not any(gaps):
            raise TypeError("two frequencies that may be equal")
        if not any(gaps):
            return other
    return point


def _atoms_of_waves(measure: Measure) -> list[tuple[tuple[Any, ...], Any]] | None:
    """The atoms of a sum of cosines on one column."""
    try:
        members = line_members(measure, ClosedCoefficients()) if measure.dim == 1 else ()
    except (NotClosed, NotDecided, TypeError):
        return None
    if any(member.lag is None or member.frequency is not None for member in members):
        return None
    pieces = [piece for member in members if member.lag is not None for piece in member.lag.pieces]
    atoms = []
    for piece in pieces:
        if not piece.is_whole_line or len(piece.weights) > 1 or piece.shape[2:6] != (0, 0, 0, 0):
            return None
        atoms.append(((piece.wave.expression(),), piece.weights[0].expression()))
    return atoms or None


def _share_at(point: tuple[Any, ...], kernel: Kernel) -> Any:
    """A rational lower bound on the weight of the atom at a point, for a kernel with a grid of atoms; 0 if unknown."""
    grid = kernel.harmonics() if isinstance(kernel, Stationary) else None
    if grid is None:
        return 0
    counts = [sympy.S(entry) / grid[0] for entry in point]
    if any(not count.is_Integer for count in counts):
        return 0
    share = sympy.Mul(*(grid[1](abs(int(count))) for count in counts)).evalf(2 * DIGITS)
    return sympy.Rational(share) * (1 - sympy.Rational(1, 10**DIGITS)) if share.is_Float and share > 0 else 0


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
        if not are_told_apart([term for *_, term in group], tuple(range(dim))):
            return None
        found = compare([(w, law) for w, law, _, _ in group], partial(_sign_at, group))
        if found.answer == "disproved":
            return _disproved(found, columns, dim)
        compared.append(found)
    if any(found.answer != "proved" for found in compared):
        return None
    words = [f"the spectral density is nowhere negative: {found.words}" for found in compared]
    words += ["the spectral measure has no negative atom"] if atoms else []
    return Finding("proved", tuple(dict.fromkeys(f"{word} [Bochner 1932]" for word in words)))


def _has_bessel(group: _Group) -> bool:
    """Whether a density has a Bessel factor, which costs much with more digits."""
    laws = [law for _, law, _, _ in group]
    factors = [(law.profile,) if isinstance(law, RadialLaw) else law.factors for law in laws]
    return any(isinstance(p, Falling) and p.bessel is not None for own in factors for p in own)


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
    """The sign of a number, never rounded; None if unknown."""
    try:
        return ClosedNumber.of(value).sign()
    except NotDecided:
        return None


def _sign_at(group: _Group, at: float) -> int | None:
    """The sign of the density at ω = 0, or relative to its first term far out on an axis; None if unknown."""
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
    """Proved if the kernel, multiplied out with equal terms merged, is: (g + h)² − g² − h² = 2gh."""
    verdict = question.expanded.verdict()
    if verdict.positive_definite != "proved":
        return None
    shown = str(question.expanded)
    written = shown if len(shown) <= 200 else "a weighted sum of products"
    return Finding("proved", (*verdict.reasons, f"multiplied out, the kernel is {written}"))


_RADII = np.concatenate([[0.0], np.geomspace(1e-2, 1.0, 30)[:-1], np.linspace(1.0, 60.0, 237)])
_BEYOND = 10
_NOISE = 1e-10  # share of the largest value of the density below which a value proves nothing


@lru_cache(maxsize=8)
def _on_grid(line: FormulaRadial) -> tuple[NDArray[np.float64], ...]:
    """Radii, the density there and its error bounds; shared by a product over the columns and its factor."""
    radii = _RADII / line.length
    return radii, *line.radial_density(radii)


def by_negative_frequency(question: Question) -> Finding | None:
    """Disproved if the density of a formula is negative at some frequency, beyond ten error bounds [Bochner 1932].

    The density is the Hankel transform of f on the given number of columns, or on one for product(t -> f(t)), with the
    error bound of its quadrature.
    """
    kernel = question.kernel
    if not isinstance(kernel.dim, int):
        return None
    line = kernel.line() if isinstance(kernel, FormulaProduct) else kernel
    if not isinstance(line, FormulaRadial) or line.shape.unknowns() or line.without_density() is not None:
        return None
    try:
        radii, density, errors = _on_grid(line)
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
    Dual: "dual: a power series with non-negative coefficients [Schoenberg 1942]",
    Select: "on some of the columns: positive definite when the kernel is",
    Stretch: "stretch: a linear map of the columns keeps positive definiteness",
}


def by_parts(question: Question) -> Finding | None:
    """Proved if the kernel is a product, power, sum, dual, selection or stretch of kernels that rules prove."""
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
