"""Kalman filter and smoother of a linear state with a stationary law, for several targets at once: compiled loops.

States at times t_1 ≤ t_2 ≤ … with x_i = A_i x_{i−1} + noise, A_i = e^{F(t_i − t_{i−1})}, all with covariance P∞; y_i =
H x_i + ε_i, ε_i ~ N(0, r_i), where an infinite r_i means no observation [Kalman 1960; Bryson and Frazier 1963]. With n
states, N times and R targets this costs N (n³ + n R) operations.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelspec.numerics.compiled import compiled

__all__ = ["covariances", "filtered", "powers_of", "smoothed"]

_TERMS = 16  # terms of the Taylor series of e^{Ft} for |Ft| ≤ ½: the remainder is below 1e-19


def powers_of(generator: np.ndarray) -> np.ndarray:
    """F^k/k!, k = 1, …, 16, (16, n, n): the form in which the loops need F (n, n)."""
    found = [np.eye(len(generator))]
    for k in range(1, _TERMS + 1):
        found.append(found[-1] @ generator / k)
    return np.array(found[1:])


@compiled
def _multiply(left: Any, right: Any, found: Any) -> None:
    """A B."""
    for i in range(left.shape[0]):
        for j in range(right.shape[1]):
            total = 0.0
            for k in range(left.shape[1]):
                total += left[i, k] * right[k, j]
            found[i, j] = total


@compiled
def _transition(powers: Any, norm: float, span: float, found: Any, square: Any) -> None:
    """e^{F span} into `found`: the Taylor series at span/2^s, squared s times; |F| ≤ `norm`."""
    step, halvings = span, 0
    while norm * step > 0.5:
        step *= 0.5
        halvings += 1
    for i in range(found.shape[0]):
        for j in range(found.shape[0]):
            total = 0.0
            for k in range(powers.shape[0] - 1, -1, -1):
                total = (total + powers[k, i, j]) * step
            found[i, j] = total
        found[i, i] += 1.0
    for _ in range(halvings):
        _multiply(found, found, square)
        found[:] = square


@compiled
def covariances(spans: Any, powers: Any, output: Any, stationary: Any, found: Any) -> None:
    """H e^{F t} P∞ H' for each t ≥ 0 of `spans` (N,) into `found`."""
    n = output.shape[0]
    norm, by, scratch, start = np.abs(powers[0]).sum(), np.eye(n), np.zeros((n, n)), np.zeros(n)
    for j in range(n):
        for k in range(n):
            start[j] += stationary[j, k] * output[k]
    for i in range(len(spans)):
        _transition(powers, norm, spans[i], by, scratch)
        found[i] = 0.0
        for j in range(n):
            for k in range(n):
                found[i] += output[j] * by[j, k] * start[k]


@compiled
def _gain(less: Any, start: Any, output: Any, gains: Any) -> float:
    """P⁻H' into `gains`, from P⁻ − P∞ and P∞H', and H P⁻ H'."""
    own = 0.0
    for j in range(len(output)):
        total = start[j]
        for k in range(len(output)):
            total += less[j, k] * output[k]
        gains[j] = total
        own += output[j] * total
    return own


@compiled
def _observe(errors: Any, size: float, gains: Any, sums: Any, less: Any, means: Any) -> None:
    """Σ vv'/s, P⁻ − P⁻H'H P⁻/s and x⁻ + P⁻H'v/s for innovations v, `errors`, and their variance s."""
    for r in range(len(errors)):
        for other in range(len(errors)):
            sums[r, other] += errors[r] * errors[other] / size
    for j in range(len(gains)):
        for r in range(len(errors)):
            means[j, r] += gains[j] * errors[r] / size
        for k in range(len(gains)):
            less[j, k] -= gains[j] * gains[k] / size


@compiled
def filtered(
    times: Any,
    noises: Any,
    targets: Any,
    powers: Any,
    output: Any,
    stationary: Any,
    sums: Any,
    predicted: Any,
    spread: Any,
    gains: Any,
) -> float:
    """Σ log s_i over the observations, s_i = H P⁻ H' + r_i; `sums` (R, R) accumulates Σ v v'/s, v = y − H x⁻.

    H x⁻, H P⁻ H' and P⁻ H' go to `predicted` (N, R), `spread` (N,) and `gains` (N, n) for `smoothed`; arrays of one row
    are overwritten instead.
    """
    n, kept = output.shape[0], predicted.shape[0]
    norm = np.abs(powers[0]).sum()
    less, means, moved = np.zeros((n, n)), np.zeros((n, targets.shape[1])), np.zeros((n, targets.shape[1]))
    by, scratch = np.eye(n), np.zeros((n, n))
    start, errors = np.zeros(n), np.zeros(targets.shape[1])
    _gain(stationary, np.zeros(n), output, start)
    last, logarithms = 0.0, 0.0
    for i in range(len(times)):
        row, span = i % kept, times[i] - times[max(i - 1, 0)]
        if span != last and span > 0.0:
            _transition(powers, norm, span, by, scratch)
            last = span
        if span > 0.0:
            _multiply(by, less, scratch)
            _multiply(scratch, by.T, less)
            _multiply(by, means, moved)
            means[:] = moved
        spread[row] = _gain(less, start, output, gains[row])
        for r in range(len(errors)):
            total = 0.0
            for j in range(n):
                total += output[j] * means[j, r]
            predicted[row, r] = total
            errors[r] = targets[i, r] - total
        if not np.isinf(noises[i]):
            size = spread[row] + noises[i]
            logarithms += np.log(size)
            _observe(errors, size, gains[row], sums, less, means)
    return logarithms


@compiled
def _observe_back(errors: Any, size: float, gains: Any, output: Any, weights: Any, matrix: Any, product: Any) -> None:
    """λ − H'(K'λ + v/s) and (I − KH)'Λ(I − KH) + H'H/s, K = P⁻H'/s."""
    own = _gain(matrix, product * 0.0, gains, product) / size / size
    for j in range(len(output)):
        for k in range(len(output)):
            matrix[j, k] += output[j] * output[k] * (own + 1.0 / size)
            matrix[j, k] -= (product[j] * output[k] + output[j] * product[k]) / size
    for r in range(len(errors)):
        total = errors[r]
        for j in range(len(output)):
            total += gains[j] * weights[j, r]
        for j in range(len(output)):
            weights[j, r] -= output[j] * total / size


@compiled
def smoothed(
    times: Any, noises: Any, targets: Any, powers: Any, output: Any, predicted: Any, spread: Any, gains: Any
) -> None:
    """H x given all observations: replaces `predicted` and `spread`, from `filtered`, by its mean and variance.

    x⁻ − P⁻λ and P⁻ − P⁻ΛP⁻, backwards from the last time: `_observe_back` at an observation, then λ ← A'λ, Λ ← A'ΛA.
    """
    n, n_targets = output.shape[0], targets.shape[1]
    norm = np.abs(powers[0]).sum()
    weights, moved, matrix = np.zeros((n, n_targets)), np.zeros((n, n_targets)), np.zeros((n, n))
    by, scratch, product, errors = np.eye(n), np.zeros((n, n)), np.zeros(n), np.zeros(n_targets)
    last = 0.0
    for i in range(len(times) - 1, -1, -1):
        if not np.isinf(noises[i]):
            errors[:] = targets[i] - predicted[i]
            _observe_back(errors, spread[i] + noises[i], gains[i], output, weights, matrix, product)
        spread[i] -= _gain(matrix, product * 0.0, gains[i], product)
        for r in range(n_targets):
            for j in range(n):
                predicted[i, r] -= gains[i, j] * weights[j, r]
        span = times[i] - times[max(i - 1, 0)]
        if span != last and span > 0.0:
            _transition(powers, norm, span, by, scratch)
            last = span
        if span > 0.0:
            _multiply(by.T, matrix, scratch)
            _multiply(scratch, by, matrix)
            _multiply(by.T, weights, moved)
            weights[:] = moved
