"""Predicted variance of a feature map's inner products, by the (A, B) recursion over the laws."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.laws.collisions import Collisions
from kernelspec.notation.pairs import NumericPairs
from kernelspec.numerics.phasor import Form
from kernelspec.planning.strata import Stratum

__all__ = ["estimate_bias", "estimate_variance", "normalized_variance"]


def estimate_variance(
    parts: Sequence[tuple[Stratum, int]], pairs: NumericPairs, form: Form, collisions: Collisions | None = None
) -> NDArray[Any]:
    """Variance of the whole estimate: Σ w² Var / n over strata with n samples each.

    With `collisions`, of features whose keys are hashed where their categories are not known.
    """
    total = np.zeros(pairs.shape)
    for stratum, n in parts:
        own = stratum.collisions(pairs, collisions)
        total += stratum.weight**2 * stratum.law.variance(pairs.select(stratum.positions), n, form, own)
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
