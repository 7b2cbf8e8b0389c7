"""The sum structure of a kernel, and the variance of its strata."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cached_property
from numbers import Number
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError
from kernelspec.expressions.arguments import Value
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import Leaf
from kernelspec.laws.law import Collisions, Law, Moments
from kernelspec.laws.rules import law_of, schemes_of
from kernelspec.limits import MAX_CATEGORIES, MAX_SIZE
from kernelspec.loading import loaded
from kernelspec.numerics.phasor import Form
from kernelspec.tables.categories import KnownCategories
from kernelspec.tables.rows import Rows, every_column

if TYPE_CHECKING:
    from kernelspec.laws.columns_and_lags import StretchLaw

__all__ = [
    "SHARED",
    "Categories",
    "Stratum",
    "Term",
    "categories_met",
    "compared_in",
    "estimate_bias",
    "estimate_variance",
    "exactness_of",
    "kernel_value",
    "least_spread",
    "normalized_variance",
    "smallest_share",
    "terms_of",
]

SHARED = 4
"""Columns for unknown keys with a single sample; with several samples, each has one."""

Compared = tuple[int, ...]
"""Columns whose categories are compared jointly."""


_JOINT = "kernelspec.laws.joint:JointLaw"


@dataclass(frozen=True)
class Categories:
    """The categories in some data, by the columns compared, for keys with up to `most` of them.

    Samples without variance, of which one suffices, have a column for each of up to a million categories. If features
    are stored as arrays, including zeros, `stored` is the number of columns of a hashed key.
    """

    met: Mapping[Compared, KnownCategories] = field(default_factory=dict)
    most: int | None = None
    stored: int | None = None

    def of(self, law: Law, positions: tuple[int, ...]) -> KnownCategories | None:
        """The categories with their own columns for samples of this law; None if keys are hashed."""
        compared = compared_by_all(law, positions)
        known = None if compared is None else self.met.get(compared)
        most = MAX_CATEGORIES if self.most is None or law.is_exact else self.most
        return known if known is not None and len(known) <= most else None

    def added_to(self, stratum: Stratum) -> Stratum:
        """The stratum with the categories of its keys, and the number of entries stored per key."""
        law, stored = stratum.law, 1
        known = self.of(law, stratum.positions)
        if self.stored is not None and law.has_key:
            stored = self.stored if known is None else len(known) + shared_by(law)
        return replace(stratum, known=known, columns_stored=stored)


def compared_by_all(law: Law, positions: tuple[int, ...]) -> Compared | None:
    """The columns whose categories are the key of every sample that has one; None if keys differ."""
    keys = [columns for columns in law.compared(positions) or () if columns]
    return keys[0] if len(keys) == 1 else None


def shared_by(law: Law) -> int:
    """The number of columns per sample into which unknown keys are hashed, with signs."""
    return SHARED if law.is_exact else 1


def categories_met(blocks: Iterable[Rows], wanted: Iterable[Compared]) -> dict[Compared, KnownCategories]:
    """The categories of some rows in the columns `wanted`, independent of block sizes."""
    categories: dict[Compared, KnownCategories] = {}
    wanted = sorted(wanted)
    for rows in blocks if wanted else ():
        for positions in wanted:
            known = categories.get(positions)
            categories[positions] = KnownCategories.of(rows, positions) if known is None else known.with_rows(rows)
    return categories


@dataclass(frozen=True)
class Stratum:
    """One term w·k of a kernel Σ w_i k_i, with the law of its samples, on some columns of the table.

    `scheme` names the sampling scheme, unless it is the term's default. The `known` categories have their own columns;
    without any, keys are hashed, or columns are learned for the samples. A key stores `columns_stored` entries: 1,
    unless zeros are stored too.
    """

    weight: float
    law: Law
    positions: tuple[int, ...]
    scheme: str | None = None
    known: KnownCategories | None = None
    columns_stored: int = 1

    def validate(self) -> None:
        """Raise ValueError unless the law has as many columns as positions, and a valid weight."""
        if self.law.dim not in (None, len(self.positions)):
            raise ValueError(f"a law on {self.law.dim} columns is applied to {len(self.positions)}")
        if not abs(self.weight) <= MAX_SIZE:  # its square is a float
            raise ValueError(f"invalid weight {self.weight:.3g} of a term")
        if self.known is not None and compared_by_all(self.law, self.positions) != self.known.positions:
            raise ValueError(f"known categories belong to columns {self.known.positions}, but the keys use others")

    @property
    def shared(self) -> int:
        """The number of columns per sample into which unknown keys are hashed, with signs."""
        return shared_by(self.law)

    def value(self, pairs: NumericPairs) -> Value:
        """k(x, y), without the weight."""
        return self.law.value(pairs.select(self.positions))

    def mean_value(self, pairs: NumericPairs) -> Value:
        """The mean of the samples at (x, y), without the weight: k(x, y), unless something is cut."""
        return self.law.mean(pairs.select(self.positions))

    def moments(self, pairs: NumericPairs) -> Moments:
        """Second moments of one sample of k, without the weight."""
        return self.law.moments(pairs.select(self.positions))

    def collisions(self, pairs: NumericPairs, hashed: Collisions | None) -> Collisions | None:
        """The variance that shared columns add to features; `hashed` is that for unknown keys.

        None for known keys; two unknown ones share a column with probability 1/`shared`.
        """
        if self.known is None or hashed is None:
            return hashed
        x, y = (np.where(self.known.numbers(rows) < 0, 1.0, 0.0) for rows in (pairs.x, pairs.y))
        both = np.multiply.outer(x, y) if pairs.grid else x * y
        return Collisions(self.shared, signed=True, concerned=both) if both.any() else None

    @property
    def draws(self) -> str | None:
        """How samples are coupled; None if independent."""
        return self.law.draws if isinstance(self.law, loaded(_JOINT)) else None

    def coupled(self, draws: str | None) -> Stratum:
        """The stratum with its samples coupled in this way. Raises PlanError if that has no effect."""
        if draws is None:
            return self
        from kernelspec.laws.joint import joint

        law = joint(self.law, draws, self.positions)
        if law is None:
            raise PlanError(f"draws={draws!r}, as in plan=, changes nothing for this kernel: compile without plan=")
        return replace(self, law=law)

    @property
    def structure(self) -> Hashable:
        """Everything but the numbers, such as scales and weights."""
        return self.positions, self.scheme, _without_numbers(self.independent.law)

    @property
    def independent(self) -> Stratum:
        """The stratum with independent samples."""
        return replace(self, law=self.law.base) if isinstance(self.law, loaded(_JOINT)) else self

    @property
    def ratio(self) -> float:
        """The measured variance over that of the same number of independent samples."""
        known = self.law.ratio if isinstance(self.law, loaded(_JOINT)) else None
        return 1.0 if known is None else known


@dataclass(frozen=True)
class Term:
    """One term w·k of a kernel Σ w_i k_i, on some columns of the table."""

    weight: float
    kernel: Kernel
    positions: tuple[int, ...]
    categories: Categories = field(default_factory=Categories, compare=False)

    @cached_property
    def schemes(self) -> tuple[str, ...]:
        """Its other sampling schemes."""
        return schemes_of(self.kernel)

    def value(self, pairs: NumericPairs) -> Value:
        """k(x, y), without the weight."""
        return self.kernel.value(pairs.select(self.positions))

    def under(self, scheme: str | None, *, whole: bool = False) -> tuple[Stratum, ...]:
        """The strata of the term under a scheme, if it has it; sums made by the scheme are divided unless `whole`."""
        named = scheme if scheme in self.schemes else None
        if (named, whole) not in self._met:
            stratum = Stratum(self.weight, law_of(self.kernel, named), self.positions, named)
            strata = _stored_alike([stratum] if whole else _spread(stratum))
            self._met[named, whole] = tuple(map(self.categories.added_to, strata))
        return self._met[named, whole]

    @cached_property
    def _met(self) -> dict[tuple[str | None, bool], tuple[Stratum, ...]]:
        """Cached results: identical objects, whose moments are computed once."""
        return {}


def _without_numbers(part: Any) -> Any:
    """The types of a tree of dataclasses, and what is neither a number nor an array."""
    if is_dataclass(part) and not isinstance(part, type):
        return type(part), *(_without_numbers(getattr(part, own.name)) for own in fields(part) if own.compare)
    if isinstance(part, tuple):
        return tuple(map(_without_numbers, part))
    if isinstance(part, str | bool):
        return part
    return float if isinstance(part, Number | np.ndarray) else type(part)


def exactness_of(strata: Iterable[Stratum], form: Form, *, hashed: bool) -> str:
    """The rules by which samples of all strata equal the kernel, in words; "" if those of some stratum vary.

    Random offsets vary if there are frequencies, and so do `hashed` keys unless their categories are known.
    """
    rules = []
    for law, known in ((stratum.independent.law, stratum.known) for stratum in strata):
        varies = (law.has_phasor and form == "phase") or (law.has_key and hashed and known is None)
        if varies or not law.exactness:
            return ""
        rules.append(law.exactness)
    return "; ".join(dict.fromkeys(rules)) or "the zero kernel has features of zeros"


def kernel_value(strata: Iterable[Stratum], pairs: NumericPairs) -> NDArray[np.float64]:
    """Σ w_i k_i(x, y) of all strata, of the shape of the pairs."""
    total: NDArray[np.float64] | None = None
    for stratum in strata:
        value = np.asarray(stratum.value(pairs), dtype=float)
        weighted = value if stratum.weight == 1 else stratum.weight * value
        total = weighted if total is None else total + weighted
    if total is None:
        return np.zeros(pairs.shape)
    return total if total.shape == pairs.shape else np.broadcast_to(total, pairs.shape)


_FAR_SMALLER = 1e-3
"""The share of a term that targets may depend on, though bounds relative to the kernel call it nothing."""

_FOR_SPREAD = 256
"""Rows among which the spread of a term is measured, fewer for many terms, and the most terms."""


def least_spread(terms: Sequence[Term | Stratum], rows: Rows) -> float:
    """The least mean of w k(x, x) − w k(x, y) over some rows, of the terms w k that are not constant there; 0 if all
    are, or if there are too many.

    A model sees no more of a term: its intercept absorbs the mean.
    """
    if len(terms) > _FOR_SPREAD:
        return 0.0
    some, spreads = rows.some(_FOR_SPREAD // math.isqrt(max(len(terms), 1))), []
    for term in terms:
        values = np.broadcast_to(term.value(NumericPairs(some, some)), (len(some), len(some)))
        spreads.append(abs(term.weight) * float(np.mean(np.diagonal(values)) - np.mean(values)))
    return min((own for own in spreads if own > 0), default=0.0)


def smallest_share(spread: float, average: float) -> float:
    """The share of the smallest term in a kernel of this average k(x, x), if it is far smaller; else 1."""
    return spread / average if 0 < spread < _FAR_SMALLER * average else 1.0


def terms_of(kernel: Kernel, categories: Categories | None = None) -> list[Term]:
    """The terms of a kernel, found through sums, selections and stretches (which are linear in the kernel).

    A kernel that is not a sum is its only term; the zero kernel has none. Inside a product, a sum stays a mixture: its
    strata would not be independent of the other factor.
    """
    whole = Term(1.0, kernel, every_column(kernel.dim), categories or Categories())
    if isinstance(kernel, Leaf):
        return [whole]
    from kernelspec.kernels.nodes.columns_and_lags import Select, Stretch
    from kernelspec.kernels.nodes.sums_and_products import Sum

    terms: list[Term] = []
    pending = [whole]
    while pending:
        term = pending.pop()
        match term.kernel:
            case Sum() as node:
                parts = zip(node.weights, node.terms, strict=True)
                pending.extend(reversed([replace(term, weight=term.weight * w, kernel=part) for w, part in parts]))
            case Select() as node:
                positions = tuple(term.positions[i] for i in node.positions)
                pending.append(replace(term, kernel=node.base, positions=positions))
            case Stretch() as node:
                inner = terms_of(node.base)
                bases = [_selected(part, node.base.dim) for part in inner]
                terms += [
                    replace(term, weight=term.weight * part.weight, kernel=replace(node, base=base))
                    for part, base in zip(inner, bases, strict=True)
                ]
            case _:
                terms.append(term)
    return terms


def compared_in(kernel: Kernel) -> set[tuple[int, ...]]:
    """The columns of the table whose categories are the key of all samples of some term, under any scheme."""
    terms = [(term, False) for term in terms_of(kernel)]
    terms.append((Term(1.0, kernel, every_column(kernel.dim)), True))
    strata = (
        stratum
        for term, whole in terms
        for scheme in (None, *term.schemes)
        for stratum in term.under(scheme, whole=whole)
    )
    compared = (compared_by_all(stratum.law, stratum.positions) for stratum in strata)
    return {columns for columns in compared if columns is not None}


def _selected(term: Term, dim: int) -> Kernel:
    """The kernel of a term on all columns."""
    from kernelspec.kernels.nodes.columns_and_lags import Select

    if term.positions == every_column(dim):
        return term.kernel
    return Select(base=term.kernel, positions=term.positions, dim=dim, span=term.kernel.span)


def _stored_alike(strata: Iterable[Stratum]) -> list[Stratum]:
    """The strata, with finite feature sets divided into parts that have keys of one kind."""
    divided = []
    for stratum in strata:
        parts = (
            stratum.law.parts()
            if isinstance(stratum.law, loaded("kernelspec.laws.exact_features:ExactFeaturesLaw"))
            else (stratum.law,)
        )
        divided += [replace(stratum, law=part) for part in parts]
    return divided


def _spread(whole: Stratum) -> list[Stratum]:
    """The same for laws: mixtures made by a scheme become strata."""
    if not any(True for _ in whole.law.children()):
        return [whole]
    from kernelspec.laws.columns_and_lags import SelectedLaw, StretchLaw
    from kernelspec.laws.sums_and_products import MixtureLaw

    match whole.law:
        case MixtureLaw() as law:
            parts = zip(law.weights, law.parts, strict=True)
            terms = [replace(whole, weight=whole.weight * w, law=part) for w, part in parts]
            return [stratum for term in terms for stratum in _spread(term)]
        case SelectedLaw() as law:
            return _spread(replace(whole, law=law.base, positions=law.chosen(whole.positions)))
        case StretchLaw() as law:
            inner = _spread(replace(whole, law=law.base, positions=tuple(range(law.base_dim))))
            return [replace(part, law=_restretched(part, law), positions=whole.positions) for part in inner]
    return [whole]


def _restretched(part: Stratum, law: StretchLaw) -> Law:
    from kernelspec.laws.columns_and_lags import SelectedLaw, stretched

    every = tuple(range(law.base_dim))
    base = part.law if part.positions == every else SelectedLaw(part.law, part.positions, law.base_dim)
    return stretched(base, law.matrix, law.base_dim, law.dim)


def estimate_variance(
    parts: Sequence[tuple[Stratum, int]], pairs: NumericPairs, form: Form, collisions: Collisions | None = None
) -> NDArray[Any]:
    """Σ w² Var / n over strata with n samples each; with `collisions`, for hashed keys of unknown categories."""
    total = np.zeros(pairs.shape)
    for stratum, n in parts:
        collisions_there = stratum.collisions(pairs, collisions)
        total += stratum.weight**2 * stratum.law.variance(pairs.select(stratum.positions), n, form, collisions_there)
    return total


def estimate_bias(terms: Iterable[Stratum], pairs: NumericPairs) -> NDArray[Any]:
    """Mean of the whole estimate minus the kernel: what cut degrees of dual activations leave out; 0 without them."""
    bias = np.zeros(pairs.shape)
    for stratum in terms:
        if stratum.law.cuts:
            bias += stratum.weight * (np.asarray(stratum.mean_value(pairs)) - np.asarray(stratum.value(pairs)))
    return bias


def normalized_variance(stratum: Stratum, n: int, pairs: NumericPairs) -> NDArray[Any]:
    """Asymptotic variance of n phase features of one Fourier kernel, with every row divided by its norm.

    (1 + k(2Δ)/2 − 7k²/4 + k² k(2Δ)/4) / n for k(0) = 1, from the part of s/√(uv) that is linear in the means s, u, v of
    products and squares: E a³b = 3k/2 and E a²b² = 1 + k(2Δ)/2 for a = √2 cos(ω·x + b). For the Gaussian, k(2Δ) = k⁴,
    it is Theorem 2.2 of [Li 2017]. The estimate is biased, of order 1/n.
    """
    size = float(stratum.law.magnitude())  # k(0) of a positive definite kernel
    k = np.asarray(stratum.value(pairs), dtype=float) / size
    doubled = np.asarray(stratum.moments(pairs).b, dtype=float) / size**2
    variance = 1 + doubled / 2 + k**2 * (doubled - 7) / 4
    return np.asarray(np.maximum((stratum.weight * size) ** 2 * variance / n, 0.0))
