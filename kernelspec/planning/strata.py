"""The additive spine of a kernel, and the variance of its strata."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

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

if TYPE_CHECKING:
    from kernelspec.laws.columns_and_lags import StretchLaw
    from kernelspec.tables.rows import Rows

__all__ = [
    "SHARED",
    "Categories",
    "Stratum",
    "Term",
    "categories_met",
    "compared_by_all",
    "compared_in",
    "estimate_bias",
    "estimate_variance",
    "exactness_of",
    "kernel_value",
    "normalized_variance",
    "shared_by",
    "terms_of",
]

SHARED = 4
"""Columns for keys that were not met, where there is one sample; of several samples each has one."""

Compared = tuple[int, ...]
"""Columns whose categories are compared, all of them together."""


_JOINT = "kernelspec.laws.joint:JointLaw"


@dataclass(frozen=True)
class Categories:
    """The categories met in some data, by the columns that are compared, for keys with up to `most` of them.

    Samples without variance, one of which is enough, have a column for every category up to a million. Where features
    are stored as arrays, zeros too, `stored` are the columns of a key that is hashed.
    """

    met: Mapping[Compared, KnownCategories] = field(default_factory=dict)
    most: int | None = None
    stored: int | None = None

    def of(self, law: Law, positions: tuple[int, ...]) -> KnownCategories | None:
        """Those that get columns of their own for samples of this law on some columns; None where keys are hashed."""
        compared = compared_by_all(law, positions)
        known = None if compared is None else self.met.get(compared)
        most = MAX_CATEGORIES if self.most is None or law.is_exact else self.most
        return known if known is not None and len(known) <= most else None

    def columns_stored(self, law: Law, known: KnownCategories | None) -> int:
        """Entries that are stored for each one of a sample: 1, or the columns of its key where zeros are stored too."""
        if self.stored is None or not law.has_key:
            return 1
        return self.stored if known is None else len(known) + shared_by(law)


def compared_by_all(law: Law, positions: tuple[int, ...]) -> Compared | None:
    """The columns whose categories are the key of every sample that has one; None if keys differ in what they say."""
    keys = [columns for columns in law.compared(positions) or () if columns]
    return keys[0] if len(keys) == 1 else None


def shared_by(law: Law) -> int:
    """The columns of every sample into which keys that are not known are hashed, with signs."""
    return SHARED if law.is_exact else 1


def categories_met(blocks: Iterable[Rows], wanted: Iterable[Compared]) -> dict[Compared, KnownCategories]:
    """The categories that some rows have in the columns `wanted`, whatever blocks the rows come in."""
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

    `scheme` names the way in which the term is sampled, where that is not the one it has by itself. The categories
    that are `known` have columns of their own; without any, keys are hashed, or columns are learnt for the samples. A
    key takes `columns_stored` entries: 1, unless zeros are stored too.
    """

    weight: float
    law: Law
    positions: tuple[int, ...]
    scheme: str | None = None
    known: KnownCategories | None = None
    columns_stored: int = 1

    def validate(self) -> None:
        """Raise ValueError unless the law is one on as many columns as there are positions, with a possible weight."""
        if self.law.dim not in (None, len(self.positions)):
            raise ValueError(f"a law on {self.law.dim} columns stands on {len(self.positions)}")
        if not abs(self.weight) <= MAX_SIZE:  # its square is a float
            raise ValueError(f"a term has the weight {self.weight:.3g}")
        if self.known is not None and compared_by_all(self.law, self.positions) != self.known.positions:
            raise ValueError(f"categories are known of the columns {self.known.positions}, which the keys are not of")

    @property
    def shared(self) -> int:
        """The columns of every sample into which keys that are not known are hashed, with signs."""
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
        """What sharing columns adds to the variance of features, `hashed` being that of keys which are not known.

        Of keys that are known nothing; two that are not share a column with chance 1/`shared`.
        """
        if self.known is None or hashed is None:
            return hashed
        x, y = (np.where(self.known.numbers(rows) < 0, 1.0, 0.0) for rows in (pairs.x, pairs.y))
        both = np.multiply.outer(x, y) if pairs.grid else x * y
        return Collisions(self.shared, signed=True, concerned=both) if both.any() else None

    @property
    def draws(self) -> str | None:
        """How samples are drawn together; None where they are independent."""
        return self.law.draws if isinstance(self.law, loaded(_JOINT)) else None

    @property
    def independent(self) -> Stratum:
        """The stratum with independent samples."""
        return replace(self, law=self.law.base) if isinstance(self.law, loaded(_JOINT)) else self

    @property
    def ratio(self) -> float:
        """The variance over that of as many independent samples, as it was measured."""
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
        """The other ways to sample it."""
        return schemes_of(self.kernel)

    def under(self, scheme: str | None, *, whole: bool = False) -> tuple[Stratum, ...]:
        """The strata of the term, sampled in another way where it has that one.

        A sum that the scheme makes is divided into its terms, unless it is to be kept `whole`.
        """
        named = scheme if scheme in self.schemes else None
        if (named, whole) not in self._met:
            stratum = Stratum(self.weight, law_of(self.kernel, named), self.positions, named)
            strata = _stored_alike([stratum] if whole else _spread(stratum))
            self._met[named, whole] = tuple(_with_categories(part, self.categories) for part in strata)
        return self._met[named, whole]

    @cached_property
    def _met(self) -> dict[tuple[str | None, bool], tuple[Stratum, ...]]:
        """What was asked for before: the same objects, whose moments are computed once."""
        return {}


def exactness_of(strata: Iterable[Stratum], form: Form, *, hashed: bool) -> str:
    """The rules by which samples of all strata are the kernel itself, in words; "" if those of one of them vary.

    Random offsets vary where there are frequencies, and so do keys that are `hashed` unless their categories are known.
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


def terms_of(kernel: Kernel, categories: Categories | None = None) -> list[Term]:
    """The terms of a kernel, looked for through sums, selections and stretches (which are linear in the kernel).

    A kernel that is no sum is its only term; the zero kernel has none. Below a product, a sum stays a mixture: strata
    there would no longer be independent of the other factor.
    """
    whole = Term(1.0, kernel, tuple(range(kernel.dim)), categories or Categories())
    if isinstance(kernel, Leaf):
        return [whole]
    from kernelspec.kernels.nodes.columns_and_lags import Select, Stretch
    from kernelspec.kernels.nodes.sum import Sum

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
    """The columns of the table whose categories are the key of all samples of some term, in any way to sample it."""
    terms = [(term, False) for term in terms_of(kernel)]
    terms.append((Term(1.0, kernel, tuple(range(kernel.dim))), True))
    strata = (
        stratum
        for term, whole in terms
        for scheme in (None, *term.schemes)
        for stratum in term.under(scheme, whole=whole)
    )
    compared = (compared_by_all(stratum.law, stratum.positions) for stratum in strata)
    return {columns for columns in compared if columns is not None}


def _with_categories(stratum: Stratum, categories: Categories) -> Stratum:
    known = categories.of(stratum.law, stratum.positions)
    return replace(stratum, known=known, columns_stored=categories.columns_stored(stratum.law, known))


def _selected(term: Term, dim: int) -> Kernel:
    """The kernel of a term on all columns again."""
    from kernelspec.kernels.nodes.columns_and_lags import Select

    if term.positions == tuple(range(dim)):
        return term.kernel
    return Select(base=term.kernel, positions=term.positions, dim=dim, span=term.kernel.span)


def _stored_alike(strata: Iterable[Stratum]) -> list[Stratum]:
    """The strata, those of finitely many features divided into parts that have keys of one kind."""
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
    """The same for laws: the mixtures that a scheme has made become strata."""
    if not any(True for _ in whole.law.children()):
        return [whole]
    from kernelspec.laws.columns_and_lags import SelectedLaw, StretchLaw
    from kernelspec.laws.mixture import MixtureLaw

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
    """Variance of the whole estimate: Σ w² Var / n over strata with n samples each.

    With `collisions`, of features whose keys are hashed where their categories are not known.
    """
    total = np.zeros(pairs.shape)
    for stratum, n in parts:
        collisions_there = stratum.collisions(pairs, collisions)
        total += stratum.weight**2 * stratum.law.variance(pairs.select(stratum.positions), n, form, collisions_there)
    return total


def estimate_bias(terms: Iterable[Stratum], pairs: NumericPairs) -> NDArray[Any]:
    """Mean of the whole estimate less the kernel: what cut degrees of dual activations leave out; 0 without them."""
    bias = np.zeros(pairs.shape)
    for stratum in terms:
        if stratum.law.cuts:
            bias += stratum.weight * (np.asarray(stratum.mean_value(pairs)) - np.asarray(stratum.value(pairs)))
    return bias


def normalized_variance(stratum: Stratum, n: int, pairs: NumericPairs) -> NDArray[Any]:
    """Asymptotic variance of n phase features of one Fourier kernel, every row of them divided by its norm.

    (1 + k(2Δ)/2 − 7k²/4 + k² k(2Δ)/4) / n for k(0) = 1, from the part of s/√(uv) that is linear in the means
    s, u, v of products and squares: E a³b = 3k/2 and E a²b² = 1 + k(2Δ)/2 for a = √2 cos(ω·x + b). For the Gaussian,
    k(2Δ) = k⁴, it is Theorem 2.2 of [Li 2017]. The estimate is biased, of order 1/n.
    """
    size = float(stratum.law.magnitude())  # k(0) of a positive definite kernel
    k = np.asarray(stratum.value(pairs), dtype=float) / size
    doubled = np.asarray(stratum.moments(pairs).b, dtype=float) / size**2
    variance = 1 + doubled / 2 + k**2 * (doubled - 7) / 4
    return np.asarray(np.maximum((stratum.weight * size) ** 2 * variance / n, 0.0))
