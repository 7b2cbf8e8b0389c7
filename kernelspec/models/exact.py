"""The exact Gaussian process of a kernel on a few thousand rows, for all noise levels from one eigendecomposition.

Equal rows are merged: row i stands for w_i observations with mean ȳ_i. With W = diag(w) and W^½ K W^½ = U diag(s) U',
A⁻¹ = (K + λW⁻¹)⁻¹ = W^½ U diag(1/(s + λ)) U' W^½. The intercept has a flat prior: it is m = 1'A⁻¹ȳ / 1'A⁻¹1, and P =
A⁻¹ − A⁻¹11'A⁻¹ / 1'A⁻¹1 [Rasmussen and Williams 2006, section 2.7].
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kernelspec.analysis.gram import evaluate_blocks
from kernelspec.errors import DataError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import Leaf
from kernelspec.kernels.parts import leaf_columns, leaves_with_degrees
from kernelspec.loading import caller_level
from kernelspec.maps.evaluation import RoundingWarning
from kernelspec.models.ridge import KernelSize
from kernelspec.planning.landmarks.landmarks import LandmarkRows
from kernelspec.planning.strata import least_spread, terms_of
from kernelspec.samples.declared_arrays import array
from kernelspec.tables.layout import Layout
from kernelspec.tables.rows import Rows

if TYPE_CHECKING:
    from kernelspec.models.given import Observations

__all__ = [
    "MOST_ROWS",
    "ExactFit",
    "ExactPath",
    "diagonal_of",
    "gram_of",
    "rounding_of",
    "size_of",
    "warn_of_lost_terms",
]

Numbers = NDArray[np.float64]

MOST_ROWS = 10_000
"""The most distinct rows for an exact solution on request: its eigenvectors take 800 MB."""


def gram_of(kernel: Kernel, x: Rows, y: Rows) -> Numbers:
    """k(x_i, y_j), (n, m). Raises DataError if a value overflows."""
    return np.concatenate(list(_blocks_of(kernel, x, y)))


def _blocks_of(kernel: Kernel, x: Rows, y: Rows) -> Iterator[Numbers]:
    """The same for some rows after the other."""
    first = 0
    for _, values in evaluate_blocks(kernel, x, y):
        if not np.isfinite(values).all():
            row = first + int(np.flatnonzero(~np.isfinite(values).all(axis=1))[0])
            raise DataError(f"k(x, y) overflows in row {row}: divide the columns by a number")
        first += len(values)
        yield values


def diagonal_of(kernel: Kernel, rows: Rows) -> Numbers:
    """k(x_i, x_i), (n,)."""
    values = np.asarray(kernel.value(NumericPairs(rows, rows, grid=False)), dtype=np.float64)
    return np.broadcast_to(values, (len(rows),))


def size_of(kernel: Kernel, rows: Rows) -> KernelSize:
    """That of the kernel on the rows."""
    return KernelSize(float(np.mean(diagonal_of(kernel, rows))), least_spread(terms_of(kernel), rows), len(rows))


_LOST = 1e-3
"""Rounding relative to the spread of the smallest term of a kernel, from which the term is lost."""

_FAR = 1e4
"""How much smaller the curved part of a power of an inner product is than the power, if it is lost."""

_LOOKED_AT, _SHOWN = 256, 3


def warn_of_lost_terms(kernel: Kernel, layout: Layout, rows: Rows) -> None:
    """Warn (RoundingWarning) if inner products of columns far from 0 are so large that terms of the kernel are lost.

    Of x·y with x = m + u, the intercept absorbs what does not depend on both rows, and u·v is left, (‖m‖/‖u‖)² times
    smaller; of a power p, the part that is not linear is about (‖m‖/‖u‖)^p times smaller.
    """
    places = leaf_columns(kernel, _is_inner_product)
    if len(rows) < 2 or not places:
        return
    some, size = rows.some(_LOOKED_AT), size_of(kernel, rows)
    ratios = {place: _offset(some.select((place,)).dense()) for place in places}
    seen_by_leaves = leaves_with_degrees(kernel, NumericPairs(some, some), _is_inner_product)
    is_lost = size.rounding > _LOST * size.spread > 0 or any(
        degree > 1 and _offset(pairs.x.dense()) ** degree > _FAR for _, pairs, degree in seen_by_leaves
    )
    if not is_lost or max(ratios.values()) <= 1:
        return
    far = sorted(ratios, key=lambda own: -ratios[own])[:_SHOWN]
    means = {place: float(some.select((place,)).dense().mean()) for place in sorted(far) if ratios[place] > 1}
    seen = layout.mapped
    shown = {place: f"column({place})" if seen.names is None else seen.names[place] for place in means}
    less = ", ".join(f"{shown[place]} {'-' if own > 0 else '+'} {abs(own):.4g}" for place, own in means.items())
    warnings.warn(
        f"{seen.name_of(far[0])} is far from 0: its mean is {ratios[far[0]]:.2g} times its standard deviation. Inner "
        "products of its rows are nearly equal, and rounding hides what tells them apart, so predictions and the noise "
        f"may be far off: subtract the mean, as in [{less}]",
        RoundingWarning,
        stacklevel=caller_level(),
    )


def _is_inner_product(leaf: Leaf) -> bool:
    """Whether a kernel grows with the distance of rows from 0, as x·y does."""
    is_bounded = leaf.takes_differences or leaf.has_constant_diagonal
    return leaf.is_analytic and leaf.reads_numbers and not is_bounded


def _offset(rows: Numbers) -> float:
    """‖m‖/√E‖u‖² for rows m + u; 0 if they are equal."""
    mean = rows.mean(axis=0)
    deviation = math.sqrt(float(np.square(rows - mean).sum(axis=1).mean()))
    return math.sqrt(float(mean @ mean)) / deviation if deviation > 0 else 0.0


def rounding_of(targets: Numbers, center: Numbers) -> Numbers:
    """The rounding error of squares of targets (u, T) after subtracting `center`, (T,); never 0."""
    eps, tiny = np.finfo(float).eps, np.finfo(float).tiny
    size, given = (np.abs(own).max(axis=0, initial=0.0) for own in (targets, targets + center))
    return np.asarray(eps * np.square(size) + np.square(eps * given) + tiny)


@dataclass(frozen=True, eq=False)
class ExactPath:
    """The solutions for all noises λ."""

    kernel: Kernel
    training: LandmarkRows
    """The distinct rows, u of them."""
    weights: Numbers
    targets: Numbers
    """ȳ less `center`, (u, T)."""
    center: Numbers
    """(T,)."""
    within: Numbers
    """Σ w (y − ȳ_i)² over the observations of equal rows, (T,)."""
    eigenvalues: Numbers
    """s, (u,), with those that rounding makes negative set to 0."""
    eigenvectors: Numbers
    least_eigenvalue: float

    @classmethod
    def of(cls, kernel: Kernel, observations: Observations, used: tuple[int, ...]) -> ExactPath:
        """The path of a kernel that reads the columns `used`. Raises DataError if values of the kernel overflow."""
        weights, training = observations.totals, LandmarkRows.of(observations.rows, used)
        root, rows = np.sqrt(weights), training.rows
        matrix = gram_of(kernel, rows, rows)
        eigenvalues, eigenvectors = np.linalg.eigh((matrix + matrix.T) / 2 * np.outer(root, root))
        center = observations.center
        least = float(eigenvalues.min(initial=0.0))
        # in the memory order of files: products in another order have different last bits
        vectors = np.ascontiguousarray(eigenvectors)
        return cls(
            kernel,
            training,
            weights,
            observations.means - center,
            center,
            observations.within,
            np.maximum(eigenvalues, 0.0),
            vectors,
            least,
        )

    @property
    def n_observations(self) -> float:
        """n = Σ w."""
        return float(self.weights.sum())

    def _rotated(self, values: Numbers) -> Numbers:
        """U'W^½ v for v (u,) or (u, T)."""
        root = np.sqrt(self.weights)
        return np.asarray(self.eigenvectors.T @ (values * (root if values.ndim == 1 else root[:, None])))

    def _sums(self, noises: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """1'A⁻¹1 (g,), 1'A⁻¹ȳ (g, T) and ȳ'Pȳ (g, T) for noises (g,)."""
        inverse = 1.0 / (self.eigenvalues[None, :] + noises[:, None])
        ones, rotated = self._rotated(np.ones(len(self.weights))), self._rotated(self.targets)
        constant = inverse @ np.square(ones)
        mixed = inverse @ (ones[:, None] * rotated)
        return constant, mixed, inverse @ np.square(rotated) - np.square(mixed) / constant[:, None]

    def quadratic(self, noises: Numbers) -> Numbers:
        """ȳ'Pȳ + Σ w(y − ȳ)²/λ, (g, T)."""
        _, _, fit = self._sums(noises)
        return np.maximum(fit + self.within / noises[:, None], rounding_of(self.targets, self.center))

    def deviance(self, noises: Numbers) -> Numbers:
        """−2 log of the restricted marginal likelihood with the best amplitude a = Q/(n − 1), (g, T).

        (n − 1)(log 2πa + 1) + log det A + log 1'A⁻¹1 + (n − u) log λ + Σ log w_i: for the observations, including equal
        rows.
        """
        degrees = max(self.n_observations - 1.0, np.finfo(float).tiny)
        constant, _, _ = self._sums(noises)
        repeated = self.n_observations - len(self.weights)
        determinant = np.log(self.eigenvalues[None, :] + noises[:, None]).sum(axis=1)  # of W A, which is Σ log w more
        rest = determinant + np.log(constant) + repeated * np.log(noises)
        return np.asarray(degrees * (np.log(2 * np.pi * self.quadratic(noises) / degrees) + 1) + rest[:, None])

    def amplitudes(self, noises: Numbers) -> Numbers:
        """a for one noise for each target, (T,)."""
        return np.diagonal(self.quadratic(noises)) / max(self.n_observations - 1.0, np.finfo(float).tiny)

    def fit(self, noises: Numbers) -> ExactFit:
        """The solution with one noise for each target (T,)."""
        constant, mixed, _ = self._sums(noises)
        offsets = np.diagonal(mixed) / constant
        inverse = 1.0 / (self.eigenvalues[:, None] + noises[None, :])
        root = np.sqrt(self.weights)[:, None]
        rotated = self._rotated(self.targets) - self._rotated(np.ones(len(self.weights)))[:, None] * offsets
        dual = root * (self.eigenvectors @ (inverse * rotated))
        offsets = self.center + offsets
        return ExactFit(
            self.kernel, self.training, self.weights, self.eigenvalues, self.eigenvectors, noises, offsets, dual
        )


@dataclass(frozen=True, eq=False)
class ExactFit:
    """A solution: one noise λ for each of T targets."""

    kernel: Kernel
    training: LandmarkRows
    weights: Numbers = array("float64", "rows", above=0)
    eigenvalues: Numbers = array("float64", "rows", at_least=0)
    eigenvectors: Numbers = array("float64", "rows", "rows")
    noises: Numbers = array("float64", "targets", above=0)
    offsets: Numbers = array("float64", "targets")
    """m, (T,)."""
    dual: Numbers = array("float64", "rows", "targets")
    """A⁻¹(ȳ − m), (u, T)."""

    def validate(self) -> None:
        """Raise ValueError unless the arrays match the training rows; a saved model may hold anything."""
        if len(self.training) != len(self.weights) or self.kernel.dim != self.training.width:
            raise ValueError("the kernel, the training rows and their weights do not fit each other")

    @cached_property
    def rows(self) -> Rows:
        """The distinct rows."""
        return self.training.rows

    @cached_property
    def _root(self) -> Numbers:
        return np.sqrt(self.weights)

    @cached_property
    def _ones(self) -> Numbers:
        """U'W^½ 1."""
        return np.asarray(self.eigenvectors.T @ self._root)

    @property
    def _inverse(self) -> Numbers:
        """1/(s + λ), (u, T)."""
        return np.asarray(1.0 / (self.eigenvalues[:, None] + self.noises[None, :]))

    def mean(self, rows: Rows) -> Numbers:
        """Predictions (m, T)."""
        blocks = _blocks_of(self.kernel, rows, self.rows)
        return np.asarray(self.offsets + np.concatenate([values @ self.dual for values in blocks]))

    def variance(self, rows: Rows) -> Numbers:
        """Posterior variance of the fitted function relative to the amplitude, (m, T).

        k(x, x) − k_x'A⁻¹k_x + (1 − k_x'A⁻¹1)² / 1'A⁻¹1.
        """
        inverse, explained, seen = self._inverse, [], []
        for values in _blocks_of(self.kernel, rows, self.rows):
            rotated = (values * self._root) @ self.eigenvectors
            explained.append(np.square(rotated) @ inverse)
            seen.append(rotated @ (self._ones[:, None] * inverse))
        own = diagonal_of(self.kernel, rows)[:, None] - np.concatenate(explained)
        missed = 1.0 - np.concatenate(seen)
        return np.asarray(np.maximum(own, 0.0) + np.square(missed) / (np.square(self._ones) @ inverse))

    def covariance(self, rows: Rows, target: int) -> Numbers:
        """Posterior covariance of the fitted function on the rows, relative to the amplitude: (m, m)."""
        inverse = self._inverse[:, target]
        rotated = (gram_of(self.kernel, rows, self.rows) * self._root) @ self.eigenvectors
        missed = 1.0 - rotated @ (self._ones * inverse)
        explained = (rotated * inverse) @ rotated.T
        prior = gram_of(self.kernel, rows, rows)
        return np.asarray(prior - explained + np.outer(missed, missed) / (np.square(self._ones) @ inverse))

    def leverage(self) -> Numbers:
        """The weight of one observation of each distinct row in its own fitted value: (u, T).

        H = I − λW⁻¹P maps means ȳ to fitted values, and one observation moves its mean by 1/w: H_ii/w_i.
        """
        root, inverse = self._root[:, None], self._inverse
        projected = root * (self.eigenvectors @ (self._ones[:, None] * inverse))  # A⁻¹1
        diagonal = np.square(root) * (np.square(self.eigenvectors) @ inverse)
        diagonal -= np.square(projected) / (np.square(self._ones) @ inverse)
        weights = self.weights[:, None]
        return np.asarray((1.0 - self.noises * diagonal / weights) / weights)
