"""Exact features of kernels with finitely many: the columns of an inner product, and their products."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.expressions.arguments import Scalar, Value
from kernelspec.expressions.pairs import NumericPairs, Pairs
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import Leaf
from kernelspec.kernels.leaves.of_rows import InnerProduct
from kernelspec.kernels.nodes.columns_and_lags import Select
from kernelspec.kernels.nodes.sums_and_products import Sum
from kernelspec.laws.coordinate import columns_read_by
from kernelspec.laws.finite_features import Feature, finite_features
from kernelspec.laws.fourier import opposite_atoms
from kernelspec.laws.law import KernelLaw, Moments, columns_shown, reads_shown
from kernelspec.laws.rules import law_of
from kernelspec.random.streams import Stream
from kernelspec.samples.amplitudes import LinearForms
from kernelspec.samples.factor import amplitude_values
from kernelspec.samples.frequencies import in_order, positions_read
from kernelspec.samples.keys import MatchKey
from kernelspec.samples.samples import Phasors, Samples

__all__ = ["ExactFeaturesLaw", "exact"]

_MOST_PARTS = 1_024  # the most parts of a list of features: each is planned on its own


@dataclass(frozen=True)
class ExactFeaturesLaw(KernelLaw):
    """p = Σ_t c_t m_t(x) m_t(y) = k(x, y): a term per feature, without randomness or variance.

    m_t are the columns of an inner product, or products of columns, of equal categories and of single frequencies
    (`finite_features`). A `part` has the features that compare the same columns, all with a frequency or all without:
    parts are planned and stored separately. Frequencies share one random sign, which cancels in the sum of cosine and
    sine; random offsets would add variance, and plans do not use them.
    """

    kernel: Kernel
    part: int | None = None

    def validate(self) -> None:
        super().validate()
        found = finite_features(self.kernel)
        if not found or (self.part is not None and not 0 <= self.part < len(_parts_of(self.kernel))):
            raise ValueError(f"{self.kernel} has no finite list of features, or no part {self.part} of one")

    @cached_property
    def coefficients(self) -> dict[Feature, float]:
        """The features with their coefficients, on columns 0, 1, …"""
        known = finite_features(self.kernel) or {}
        chosen = tuple(known) if self.part is None else _parts_of(self.kernel)[self.part]
        return {feature: known[feature] for feature in chosen}

    def parts(self) -> tuple[ExactFeaturesLaw, ...]:
        """The law as parts of features that are stored alike; itself if all are."""
        count = 1 if self.part is not None else len(_parts_of(self.kernel))
        return (self,) if count == 1 else tuple(replace(self, part=i) for i in range(count))

    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        return [self._batch(own, stream, n, columns) for own in _uniform(tuple(self.coefficients))]

    def _batch(self, features: tuple[Feature, ...], stream: Stream, n: int, columns: tuple[int, ...]) -> Samples:
        placed, count = [feature.on(columns) for feature in features], len(features)
        sizes = np.tile([self.coefficients[feature] for feature in features], n)
        return Samples(
            np.repeat(np.arange(n), count),
            np.abs(sizes),
            np.sign(sizes),
            _phasors(placed, stream, n) if features[0].wave else None,
            (MatchKey(placed[0].compared),) if placed[0].compared else (),
            amplitudes=(_forms(placed, n),) if any(feature.reads for feature in placed) else (),
        )

    def value(self, pairs: Pairs) -> Value:
        if isinstance(pairs, NumericPairs) and (self.has_key or self.has_phasor or self.part is not None):
            return sum(np.real(own) for own, _, _ in self._products(pairs))
        if self.part is not None:
            raise TypeError("a part of the features can only be evaluated on rows")
        return self.kernel.value(pairs)

    def moments(self, pairs: Pairs) -> Moments:
        """A = |p|² and B = Re p²; where categories differ and columns are shared, every feature has its own sign.

        E of the square is then the sum of the squares.
        """
        if not isinstance(pairs, NumericPairs) or not (self.has_key or self.has_phasor):
            square = self.value(pairs) ** 2
            return Moments(square, square, square)
        products, moduli, squares = zip(*self._products(pairs), strict=True)
        total = sum(products)
        real = sum(own for own in products if not np.iscomplexobj(own))
        shared = sum(own for own, product in zip(moduli, products, strict=True) if not np.iscomplexobj(product))
        return Moments(
            np.abs(total) ** 2 + sum(moduli),
            np.real(total * total) + sum(squares),
            real * (2 * np.real(total) - real) + shared,
        )

    def _products(self, pairs: NumericPairs) -> list[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]]:
        """Σ p_t, p_t = c_t z_t(x) conj z_t(y), of features that are stored alike, where categories agree.

        Also Σ |p_t|² and Σ Re p_t² where they differ, if keys are forced to agree.
        """
        found = []
        for batch in self.draw(Stream(0), 1, tuple(range(pairs.dim))):
            compared = [key.columns for key in batch.keys]
            plain = replace(batch, keys=())
            left, right = amplitude_values(plain, pairs.x, "left"), amplitude_values(plain, pairs.y, "right")
            right = np.conj(right)
            total, moduli, squares = _inner(left * batch.sign, right, pairs.grid), np.zeros(1), np.zeros(1)
            if compared:
                equal = pairs.select(compared[0]).equal()
                total = total * equal
                if pairs.keys_agree:
                    moduli = (1 - equal) * _inner(np.abs(left) ** 2, np.abs(right) ** 2, pairs.grid)
                    squares = (1 - equal) * np.real(_inner(left**2, right**2, pairs.grid))
            found.append((total, moduli, squares))
        return found

    @property
    def is_one_sided(self) -> bool:
        return min(self.coefficients.values()) >= 0

    def magnitude(self) -> Scalar:
        return self.kernel.magnitude() if self.part is None else sum(map(abs, self.coefficients.values()))

    @property
    def has_phasor(self) -> bool:
        return any(feature.wave for feature in self.coefficients)

    @property
    def has_key(self) -> bool:
        return any(feature.compared for feature in self.coefficients)

    @property
    def has_amplitude(self) -> bool:
        return any(feature.reads or feature.wave for feature in self.coefficients)

    def compared(self, columns: tuple[int, ...]) -> frozenset[tuple[int, ...]]:
        return frozenset(feature.on(columns).compared for feature in self.coefficients)

    @property
    def n_terms(self) -> int:
        return len(self.coefficients)

    @property
    def exactness(self) -> str:
        if isinstance(self.kernel, InnerProduct):
            return "the columns of an inner product are its features"
        return "a kernel made of finitely many features has all their products as features"

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        if isinstance(self.kernel, InnerProduct):
            return [f"all of the columns {reads_shown(columns_read_by(self.kernel, columns), columns, names)}, exactly"]
        features = [feature.on(columns) for feature in self.coefficients]
        n, degree = len(features), max(len(feature.reads) for feature in features)
        read = positions_read(read for feature in features for read in feature.reads)
        what = f"of columns {columns_shown(read, names)}, up to degree {degree}, " if degree else ""
        if any(feature.wave for feature in features):
            what += "with cosine and sine of their frequencies, "
        compared = sorted({column for feature in features for column in feature.compared})
        where = f", for every category of columns {columns_shown(compared, names)}" if compared else ""
        return [f"{f'all {n} products' if n > 1 else 'one product'} of features {what}exactly{where}"]


def exact(kernel: Kernel) -> ExactFeaturesLaw | None:
    """The scheme "exact", for inner products, and for products and powers of kernels with finitely many features.

    A sum has it if its terms share features; otherwise its terms have it. None for a kernel that is exact by default,
    such as binary() and match(), for lists of atoms, which have the scheme "atoms", and for more than 1,024 parts.
    """
    if not isinstance(kernel.dim, int):
        return None
    if isinstance(kernel, InnerProduct):
        return None if kernel.of_signs else ExactFeaturesLaw(kernel)
    if isinstance(kernel, Leaf | Select) or not (found := finite_features(kernel)):
        return None
    if isinstance(kernel, Sum) and len(found) == sum(len(finite_features(term) or ()) for term in kernel.terms):
        return None
    if len(_parts_of(kernel)) > _MOST_PARTS or opposite_atoms(kernel) is not None or law_of(kernel).is_exact:
        return None
    return ExactFeaturesLaw(kernel)


@lru_cache(maxsize=256)
def _parts_of(kernel: Kernel) -> tuple[tuple[Feature, ...], ...]:
    """The features of the whole kernel in groups that are stored alike."""
    return tuple(_uniform(tuple(finite_features(kernel) or ())))


def _uniform(features: tuple[Feature, ...]) -> list[tuple[Feature, ...]]:
    """Groups of features that compare the same columns, with and without frequencies, in the order of
    `finite_features`.
    """
    return [tuple(own) for _, own in groupby(features, key=lambda feature: (feature.compared, bool(feature.wave)))]


def _forms(features: Sequence[Feature], n: int) -> LinearForms:
    reads = in_order(read for feature in features for read in feature.reads)
    place = {read: i for i, read in enumerate(reads)}
    first = np.tile(np.array([place[read] for feature in features for read in feature.reads], dtype=np.intp), n)
    starts = np.concatenate([[0], np.cumsum(np.tile([len(feature.reads) for feature in features], n))])
    none, ones = np.full(len(first), -1), np.ones(len(first))
    return LinearForms(reads, starts.astype(np.intp), first, none, ones, ones)


def _phasors(features: Sequence[Feature], stream: Stream, n: int) -> Phasors:
    signs = np.where(stream.generator("sign").random(n) < 0.5, -1.0, 1.0)
    columns = tuple(sorted({i for feature in features for i, _ in feature.wave}))
    frequencies = np.array([[dict(feature.wave).get(i, 0.0) for i in columns] for feature in features])
    return Phasors.symmetric(columns, np.repeat(signs, len(features))[:, None] * np.tile(frequencies, (n, 1)))


def _inner(left: NDArray[Any], right: NDArray[Any], grid: bool) -> NDArray[Any]:
    return np.asarray(left @ right.T if grid else (left * right).sum(axis=1))
