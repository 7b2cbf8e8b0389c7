"""Ridge regression on features: a Gaussian process whose covariance is a Z Z' + a τ I, solved from a State.

With the centred scatter matrix S = V diag(s) V' and b = V' Σ w (z − z̄)(y − ȳ), for a noise τ relative to the amplitude
a: coefficients V b/(s + τ), fitted value ȳ + (z − z̄)·β, leverage of one observation 1/n + (z − z̄)'(S + τ)⁻¹(z − z̄).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kernelspec.samples.declared_arrays import array

if TYPE_CHECKING:
    from kernelspec.models.state import State

__all__ = ["NOISES", "RidgeFit", "RidgePath", "least"]

Numbers = NDArray[np.float64]

NOISES = (1e-6, 1e2)
"""The noise variances that are tried, relative to the mean of k(x, x)."""

_GRID = 65
_REFINED = 33


def least(loss: Callable[[Numbers], Numbers], scale: float, *, grid: int = _GRID, refined: int = _REFINED) -> Numbers:
    """The noise of least loss for each target, within `NOISES` times `scale`: `loss` takes noises (g,) to (g, T).

    A grid of logarithms first, as there may be several minima, then a finer one around the best.
    """
    coarse = scale * np.geomspace(*NOISES, grid)
    values = loss(coarse)
    found = []
    for target, best in enumerate(np.argmin(values, axis=0)):
        low, high = coarse[max(best - 1, 0)], coarse[min(best + 1, grid - 1)]
        fine = np.geomspace(low, high, refined)
        found.append(fine[np.argmin(loss(fine)[:, target])])
    return np.array(found)


@dataclass(frozen=True, eq=False)
class RidgePath:
    """The solutions for all noises, from one eigendecomposition of the scatter matrix of the features."""

    weight: float
    feature_mean: Numbers
    target_mean: Numbers
    eigenvalues: Numbers
    """s, (D,)."""
    eigenvectors: Numbers
    """V, (D, D)."""
    cross: Numbers
    """b, (D, T)."""
    target_scatter: Numbers

    @classmethod
    def of(cls, state: State) -> RidgePath:
        """The path of a state."""
        eigenvalues, eigenvectors = np.linalg.eigh(state.feature_scatter)
        return cls(
            state.weight,
            state.feature_mean,
            state.target_mean,
            np.maximum(eigenvalues, 0.0),
            np.ascontiguousarray(eigenvectors),  # as files have them: the same bits once they are loaded
            eigenvectors.T @ state.cross_scatter,
            state.target_scatter,
        )

    def quadratic(self, noises: Numbers) -> Numbers:
        """Q = (y − ȳ)'(Z_c Z_c' + τI)⁻¹(y − ȳ) for noises (g,): (g, T)."""
        explained = (1.0 / (self.eigenvalues[None, :] + noises[:, None])) @ np.square(self.cross)
        floor = np.finfo(float).eps * np.maximum(self.target_scatter, np.finfo(float).tiny)
        return np.asarray(np.maximum(self.target_scatter - explained, floor) / noises[:, None])

    def deviance(self, noises: Numbers) -> Numbers:
        """−2 log of the restricted marginal likelihood with the best amplitude a = Q/(n − 1), (g, T).

        The intercept is integrated out under a flat prior: (n − 1)(log 2πa + 1) + log det(Z_c Z_c' + τI) + log n, the
        determinant on the n − 1 dimensions orthogonal to the constant.
        """
        degrees = max(self.weight - 1.0, np.finfo(float).tiny)
        determinant = np.log1p(self.eigenvalues[None, :] / noises[:, None]).sum(axis=1) + degrees * np.log(noises)
        fit = degrees * (np.log(2 * np.pi * self.quadratic(noises) / degrees) + 1)
        return np.asarray(fit + determinant[:, None] + np.log(max(self.weight, 1.0)))

    def amplitudes(self, noises: Numbers) -> Numbers:
        """a for one noise for each target, (T,)."""
        degrees = max(self.weight - 1.0, np.finfo(float).tiny)
        return np.diagonal(self.quadratic(noises)) / degrees

    def fit(self, noises: Numbers) -> RidgeFit:
        """The solution with one noise for each target (T,)."""
        shrunk = self.cross / (self.eigenvalues[:, None] + noises[None, :])
        return RidgeFit(
            self.weight,
            self.feature_mean,
            self.target_mean,
            self.eigenvectors @ shrunk,
            self.eigenvectors,
            self.eigenvalues,
            noises,
        )


@dataclass(frozen=True, eq=False)
class RidgeFit:
    """A solution: one noise τ for each of T targets."""

    weight: float
    feature_mean: Numbers = array("float64", "columns")
    target_mean: Numbers = array("float64", "targets")
    coefficients: Numbers = array("float64", "columns", "targets")
    eigenvectors: Numbers = array("float64", "columns", "columns")
    eigenvalues: Numbers = array("float64", "columns", at_least=0)
    noises: Numbers = array("float64", "targets", above=0)

    def validate(self) -> None:
        """Raise ValueError for no observations: a saved model may hold any number."""
        if not self.weight > 0:
            raise ValueError(f"a model of {self.weight:g} observations")

    def mean(self, features: NDArray[np.float64]) -> Numbers:
        """Predictions for features (m, D): (m, T)."""
        return np.asarray(self.target_mean - self.feature_mean @ self.coefficients + features @ self.coefficients)

    def leverage(self, features: NDArray[np.float64]) -> Numbers:
        """1/n + (z − z̄)'(S + τ)⁻¹(z − z̄) for every row and target: (m, T).

        τ times it is the posterior variance of the fitted function, relative to the amplitude.
        """
        rotated = np.square((features - self.feature_mean) @ self.eigenvectors)
        return np.asarray(rotated @ (1.0 / (self.eigenvalues[:, None] + self.noises[None, :])) + 1.0 / self.weight)

    def drawn(self, features: NDArray[np.float64], n_samples: int, generator: np.random.Generator) -> Numbers:
        """Values of n functions drawn from the posterior, relative to the root of the amplitude, less the mean.

        (m, T, n): z·(β' − β) with β' − β ~ N(0, τ(S + τ)⁻¹), and the intercept's N(0, τ/n).
        """
        m, n_targets = features.shape[0], len(self.noises)
        rotated = (features - self.feature_mean) @ self.eigenvectors
        found = np.empty((m, n_targets, n_samples))
        for target, noise in enumerate(self.noises):
            normal = generator.standard_normal((len(self.eigenvalues), n_samples))
            scale = np.sqrt(noise / (self.eigenvalues + noise))
            offset = generator.standard_normal(n_samples) * np.sqrt(noise / self.weight)
            found[:, target] = rotated @ (scale[:, None] * normal) + offset
        return found
