"""Kernels once more as plain functions of the lag, and the checks that every measure has to pass."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import sympy
from scipy.special import kv
from scipy.stats import norm

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.measures.measure import Measure, measure_of
from kernelspec.random.streams import Stream
from kernelspec.samples.frequencies import phasors

Oracle = Callable[[np.ndarray], np.ndarray]

DRAWS = 100_000
SIGNIFICANCE = 1e-6


def measure_of_text(text: str, dim: int) -> Measure:
    return measure_of(ks.parse(text).kernel(Columns(dim)))


def expression_of(text: str, dim: int) -> sympy.Expr:
    measure = measure_of(ks.parse(text).symbolic_kernel(Columns(dim)))
    return measure.expression(SymbolicPairs.frequency(dim))


def frequency_symbols(dim: int) -> list[sympy.Symbol]:
    if dim == 1:
        return [sympy.Symbol("omega", real=True)]
    return [sympy.Symbol(f"omega_{i + 1}", real=True) for i in range(dim)]


def length(t: np.ndarray) -> np.ndarray:
    return np.sqrt((t**2).sum(axis=1))


def gaussian(scale: float = 1) -> Oracle:
    return lambda t: np.exp(-(t**2).sum(axis=1) / (2 * scale**2))


def laplace(scale: float = 1) -> Oracle:
    return lambda t: np.exp(-np.abs(t).sum(axis=1) / scale)


def cauchy(scale: float = 1) -> Oracle:
    return lambda t: (1 / (1 + t**2 / scale**2)).prod(axis=1)


def triangle(width: float = 1) -> Oracle:
    return lambda t: np.clip(1 - np.abs(t) / width, 0, None).prod(axis=1)


def sinc(bandwidth: float = 1) -> Oracle:
    return lambda t: np.sinc(bandwidth * t / np.pi).prod(axis=1)


def cosine(by: float | list[float]) -> Oracle:
    return lambda t: np.cos((t * np.asarray(by)).sum(axis=1))


def periodic(period: float, scale: float = 1) -> Oracle:
    return lambda t: np.exp(-2 * (np.sin(np.pi * t / period) ** 2).sum(axis=1) / scale**2)


def matern(nu: float, scale: float = 1) -> Oracle:
    def value(t: np.ndarray) -> np.ndarray:
        x = np.sqrt(2 * nu) * np.maximum(length(t), 1e-9) / scale
        return 2 * (x / 2) ** nu * kv(nu, x) / float(sympy.gamma(nu))

    return value


def exponential(scale: float = 1) -> Oracle:
    return lambda t: np.exp(-length(t) / scale)


def lags(dim: int) -> np.ndarray:
    """Lags on the axes and off them, none of them zero."""
    axes = [size * np.eye(dim)[i] for i in (0, dim - 1) for size in (0.3, 1.1)]
    spread = np.random.default_rng(7).normal(0, 0.8 / np.sqrt(dim), (5, dim))
    return np.vstack([*axes, spread, np.full((1, dim), 0.4)])


def assert_same_function(text: str, dim: int, oracle: Oracle) -> None:
    at = np.vstack([lags(dim), np.zeros((1, dim))])
    measure = measure_of_text(text, dim)
    np.testing.assert_allclose(measure.characteristic_function(at), oracle(at), rtol=1e-7, atol=1e-12)
    np.testing.assert_allclose(float(measure.total_mass()), oracle(np.zeros((1, dim)))[0], rtol=1e-7)


def assert_draws_follow(text: str, dim: int, oracle: Oracle, seed: int = 11) -> None:
    """E cos ω·Δ = k(Δ)/k(0) and E sin ω·Δ = 0, by z-scores at every lag together."""
    at = lags(dim)
    omega = measure_of_text(text, dim).sample(Stream(seed), DRAWS)
    assert omega.shape == (DRAWS, dim)
    waves = phasors(omega @ at.T)
    values = np.hstack([waves.real, waves.imag])
    expected = np.concatenate([oracle(at) / oracle(np.zeros((1, dim)))[0], np.zeros(len(at))])
    mean, deviation = values.mean(axis=0), values.std(axis=0)
    scores = (mean - expected) / (np.maximum(deviation, 1e-12) / np.sqrt(DRAWS))
    constant = deviation < 1e-9
    np.testing.assert_allclose(mean[constant], expected[constant], atol=1e-9)
    assert np.abs(scores[~constant]).max(initial=0) < norm.isf(SIGNIFICANCE / (2 * len(expected)))


def assert_prefix_stable(text: str, dim: int) -> None:
    measure = measure_of_text(text, dim)
    np.testing.assert_array_equal(measure.sample(Stream(5, (2,)), 50), measure.sample(Stream(5, (2,)), 500)[:50])


def grid(dim: int, reach: float, panels: int, nodes: int = 24) -> tuple[np.ndarray, np.ndarray]:
    """Gauss's rule on a box around zero, in panels that end at zero: points (n, dim) and weights (n,)."""
    x, w = np.polynomial.legendre.leggauss(nodes)
    cuts = np.linspace(-reach, reach, 2 * panels + 1)
    middle, half = (cuts[1:] + cuts[:-1]) / 2, np.diff(cuts) / 2
    line, weight = (middle[:, None] + half[:, None] * x).ravel(), (half[:, None] * w).ravel()
    if dim == 1:
        return line[:, None], weight
    first, second = np.meshgrid(line, line, indexing="ij")
    return np.column_stack([first.ravel(), second.ravel()]), np.outer(weight, weight).ravel()


def assert_density_inverts(text: str, dim: int, oracle: Oracle, *, reach: float = 30, panels: int = 12) -> None:
    """∫ density · cos ω·Δ dω is the kernel, at zero (the total mass) and elsewhere."""
    points, weights = grid(dim, reach, panels)
    density = measure_of_text(text, dim).density(points)
    at = np.vstack([np.zeros((1, dim)), lags(dim)])
    np.testing.assert_allclose((weights * density) @ np.cos(points @ at.T), oracle(at), rtol=1e-7, atol=1e-8)


def assert_expression_is_density(text: str, dim: int) -> None:
    omega = np.random.default_rng(3).uniform(0.2, 0.9, (3, dim))
    expression, symbols = expression_of(text, dim), frequency_symbols(dim)
    assert expression.free_symbols <= set(symbols)
    numeric = measure_of_text(text, dim).density(omega)
    stated = [float(expression.subs(dict(zip(symbols, row, strict=True))).evalf()) for row in omega.tolist()]
    np.testing.assert_allclose(stated, numeric, rtol=1e-9)
