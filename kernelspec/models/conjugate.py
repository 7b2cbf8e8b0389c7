"""Ridge regression on features too many for a scatter matrix, by conjugate gradients over blocks of rows.

Coefficients β solve (Z_c'W Z_c + τ)β = Z_c'W(y − ȳ), Z_c the centered features. Every step is a pass over the rows,
whose features are kept if they take at most 1 GB, and otherwise computed again. Standard deviations and the evidence
need the determinant and the inverse of the matrix, and are refused.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NoReturn

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.loading import caller_level
from kernelspec.maps.drawn_plan import DrawnPlan
from kernelspec.maps.feature_map import FeatureMap
from kernelspec.models.posterior import Posterior
from kernelspec.models.ridge import KernelSize, compact
from kernelspec.planning.strata import kernel_value
from kernelspec.samples.declared_arrays import array
from kernelspec.tables.rows import Rows, row_lottery

if TYPE_CHECKING:
    from kernelspec.models.given import Observations

__all__ = ["WidePosterior", "fit_wide"]

Numbers = NDArray[np.float64]

_MOST_KEPT = 1_000_000_000
"""Bytes of features kept between passes."""

_TOLERANCE, _MOST_STEPS = 1e-12, 2_000
"""The residual of a solution, relative to the right side, and the most steps to it."""

_NOISES, _ROUGH, _FEW_STEPS = np.geomspace(1e-6, 1e4, 11), 1e-4, 200
"""Noises tried on rows held out, and the tolerance and most steps for them."""


@dataclass(frozen=True, eq=False)
class WidePosterior(Posterior):
    """The posterior mean on more features than a scatter matrix can have; `noises` are λ."""

    solver: ClassVar[Literal["features"]] = "features"
    kept_rows: ClassVar[int] = 0
    features: DrawnPlan
    offsets: Numbers = array("float64", "targets")
    coefficients: Numbers = array("float64", "columns", "targets")
    noises: Numbers = array("float64", "targets", above=0)
    amplitudes: Numbers = array("float64", "targets", at_least=0)

    def validate(self) -> None:
        """Raise ValueError unless coefficients fit the map; a saved model may hold anything."""
        own = self.features
        if not (own.has_columns and own.is_one_sided and own.n_columns == len(self.coefficients)):
            raise ValueError(f"{len(self.coefficients)} coefficients for the features of another map")

    @property
    def width(self) -> int:
        """The columns of a table."""
        return self.features.plan.layout.mapped.dim

    @cached_property
    def feature_map(self) -> FeatureMap:
        """The map of the features."""
        return FeatureMap.of(self.features)

    def mean(self, rows: Rows) -> Numbers:
        return np.concatenate([self.of_features(block) for block in self.feature_map.blocks(rows)])

    def of_features(self, features: Any) -> Numbers:
        """The posterior mean for features (m, D)."""
        found: Numbers = features @ self.coefficients + self.offsets
        return found

    def variance(self, *_: Any) -> NoReturn:
        """Raises PlanError."""
        raise PlanError(
            "standard deviations, covariances, likelihoods and leave-one-out errors need the scatter matrix of "
            f"{self.features.n_columns:,} columns, and this model was solved by conjugate gradients, without it: plan "
            "fewer features, or hash keys into buckets"
        )

    covariance = leave_one_out = variance  # type: ignore[assignment]
    log_likelihoods = property(variance)


@dataclass(eq=False)
class _Blocks:
    """Features of rows, block by block, as often as needed: kept if they are small."""

    feature_map: FeatureMap
    rows: Rows
    kept: list[Any] = field(default_factory=list)

    def __iter__(self) -> Iterator[tuple[slice, Any]]:
        blocks, first, size, keeps = self.kept or self.feature_map.blocks(self.rows), 0, 0, not self.kept
        parts: list[Any] = []
        for given in blocks:
            block = compact(given)
            own = slice(first, first + block.shape[0])
            first = own.stop
            if keeps:
                size += block.nbytes if isinstance(block, np.ndarray) else 2 * block.data.nbytes
                keeps = size <= _MOST_KEPT
                parts = [*parts, block.copy() if block is given else block] if keeps else []  # the next overwrites it
            yield own, block
        self.kept = self.kept or parts


class _System:
    """Z_c'W Z_c and Z_c'W(y − ȳ) for rows of these weights (n,) and targets (n, T), with its diagonal (D, 1)."""

    def __init__(self, blocks: _Blocks, targets: Numbers, weights: Numbers) -> None:
        self.blocks, self.weights, self.total = blocks, weights[:, None], float(weights.sum())
        self.target_mean = weights @ targets / self.total
        centred = self.weights * (targets - self.target_mean)
        sums: Any = 0.0
        squares, cross = sums, sums
        for own, block in blocks:
            squared = np.square(block) if isinstance(block, np.ndarray) else block.power(2)
            sums, squares = sums + block.T @ self.weights[own], squares + squared.T @ self.weights[own]
            cross = cross + block.T @ centred[own]
        self.mean: Numbers = np.asarray(sums / self.total)
        self.cross: Numbers = np.asarray(cross - self.mean * centred.sum(axis=0))
        self.diagonal = np.maximum(squares - self.total * np.square(self.mean), 1e-12 * np.asarray(squares))
        self.target_scatter = centred.T @ (targets - self.target_mean)

    def product(self, vectors: Numbers) -> Numbers:
        """Z_c'W Z_c times vectors (D, k)."""
        shift, found, sums = self.mean[:, 0] @ vectors, np.zeros_like(vectors), np.zeros(vectors.shape[1])
        for own, block in self.blocks:
            some = self.weights[own] * (block @ vectors - shift)
            found += block.T @ some
            sums += some.sum(axis=0)
        return found - self.mean * sums

    def solved(self, targets: NDArray[np.intp], noises: Numbers, tolerance: float, most: int) -> tuple[Numbers, int]:
        """Coefficients (D, k) of k targets with their noises, and the steps: Jacobi preconditioner, all k together."""
        left = self.cross[:, targets]
        found, scale = np.zeros_like(left), 1.0 / (self.diagonal + noises)
        size = np.sqrt(np.square(left).sum(axis=0)) + np.finfo(float).tiny
        direction = scale * left
        fall = (left * direction).sum(axis=0)
        for step in range(most):
            if (np.sqrt(np.square(left).sum(axis=0)) <= tolerance * size).all():
                return found, step
            turned = self.product(direction) + noises * direction
            length = fall / np.maximum((direction * turned).sum(axis=0), np.finfo(float).tiny)
            found += length * direction
            left = left - length * turned
            before, fall = fall, (left * scale * left).sum(axis=0)
            direction = scale * left + fall / np.maximum(before, np.finfo(float).tiny) * direction
        return found, most


def fit_wide(noise: float | None, feature_map: FeatureMap, observations: Observations) -> tuple[WidePosterior, str]:
    """The posterior mean of observations on a map, and how it was found.

    `noise` is given, or for each target, of eleven from 1e-6 to 1e4 times the average of k(x, x), the one of
    least squared error on a random fifth of the distinct rows. The amplitude is that of largest likelihood. Warns
    ConvergenceWarning.
    """
    rows, totals, means = observations.rows, observations.totals, observations.means
    scale = float(np.mean(kernel_value(feature_map.plan.strata, NumericPairs(rows, rows, grid=False)))) or 1.0
    blocks, n_targets = _Blocks(feature_map, rows), means.shape[1]
    if noise is not None:
        noises, rule = np.full(n_targets, KernelSize(scale).raised(noise)), "the noise of the spec"
    else:
        held = row_lottery().permutation(len(rows)) < max(len(rows) // 5, 1)
        n_tried = len(_NOISES)
        grid = np.tile(scale * _NOISES, n_targets)
        targets = np.repeat(np.arange(n_targets), n_tried)
        system = _System(blocks, means, totals * ~held)
        tried, _ = system.solved(targets, grid, _ROUGH, _FEW_STEPS)
        offsets, errors = system.target_mean[targets] - system.mean[:, 0] @ tried, np.zeros(len(grid))
        for own, block in blocks:
            errors += (totals * held)[own] @ np.square(means[own][:, targets] - offsets - block @ tried)
        best = errors.reshape(n_targets, n_tried).argmin(axis=1)
        noises = grid[:n_tried][best]
        rule = f"of {n_tried} noises the one of least error on {int(held.sum()):,} rows held out"
    system = _System(blocks, means, totals)
    found, steps = system.solved(np.arange(n_targets), noises, _TOLERANCE, _MOST_STEPS)
    if steps == _MOST_STEPS:
        from sklearn.exceptions import ConvergenceWarning

        text = f"conjugate gradients stopped after {steps:,} steps, before the residual was {_TOLERANCE:g}"
        warnings.warn(f"{text}: a larger noise converges faster", ConvergenceWarning, stacklevel=caller_level())
    scatter = np.diagonal(system.target_scatter) + observations.within
    left = scatter - (system.cross * found).sum(axis=0)
    amplitudes = np.maximum(left, np.finfo(float).eps * scatter) / noises / max(system.total - 1.0, 1e-300)
    reason = (
        f"{feature_map.n_columns:,} columns, too many for a scatter matrix: conjugate gradients with "
        f"{steps:,} steps to a residual of {_TOLERANCE:g}, {'kept' if blocks.kept else 'computed again'} features, "
        f"{rule}; no standard deviations, no likelihood"
    )
    offsets = system.target_mean - system.mean[:, 0] @ found
    return WidePosterior(feature_map.plain, offsets, found, noises, amplitudes), reason
