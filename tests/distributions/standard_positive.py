"""The tests that every law of positive pitches must pass, against SciPy and quadrature of its density."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import mpmath
import numpy as np
import pytest
import sympy
from scipy.stats import kstest, rv_discrete

from kernelspec.errors import NoDensityError
from kernelspec.expressions.arguments import declared
from kernelspec.kernels.leaves.of_distributions import Polya
from kernelspec.random.streams import Stream
from kernelspec.testing.laboratory import assert_mean
from tests.distributions.standard import every_check
from tests.laboratory import assert_characteristic_function, assert_proportions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kernelspec.distributions.distribution import Positive

__all__ = ["standard_positive_tests"]

SEED = 20_251_204
BUDGET = 1e-8
DRAWS = 100_000
NODES = np.linspace(-6, 6, 24_001)
"""Nodes s of the double-exponential rules r = e^{π/2 sinh s} on (0, ∞) and 1 / (1 + e^{−π sinh s}) on (0, 1)."""


def standard_positive_tests(cases: Sequence[tuple[Positive, Any]]) -> Callable[..., None]:
    """One test for every check and every pair of a law and the same one frozen in SciPy, with a density or with atoms.

    A frozen `rv_discrete`, Poisson or made of values, stands for a law with atoms.
    """
    return every_check(CHECKS, cases)


def density(law: Positive, frozen: Any) -> None:
    """Inside and outside the support; a law with atoms says that it has none, and has Dirac's in SymPy."""
    x = sympy.Symbol("x", real=True)
    written = law.density_expression(x)
    if has_atoms(frozen):
        with pytest.raises(NoDensityError):
            law.density(np.ones(1))
        assert written.has(sympy.DiracDelta)
        return
    points = np.array([-1.0, *frozen.ppf([1e-6, 0.05, 0.3, 0.5, 0.8, 0.99]), frozen.isf(1e-7)])
    np.testing.assert_allclose(law.density(points), frozen.pdf(points), rtol=1e-11)
    for point in points[1:-1]:
        value = float(written.subs(x, sympy.Float(point, 30)).evalf(20))
        assert value == pytest.approx(frozen.pdf(point), rel=1e-10)
    assert float(law.density(np.array([law.support()[0] - 0.1]))[0]) == 0


def moments(law: Positive, frozen: Any) -> None:
    """E R and E[1/R] by quadrature; where they are infinite, the parts of the integral keep growing."""
    for stated, power in ((law.mean(), 1), (law.inverse_mean(), -1)):
        if np.isfinite(float(stated)):
            assert float(stated) == pytest.approx(expectation(frozen, lambda r, power=power: r**power), rel=1e-10)
            continue
        inner, outer = (
            expectation(
                frozen, lambda r, power=power, end=end: np.where(r**power < end, np.minimum(r**power, end), 0.0)
            )
            for end in (1e20, 1e40)
        )
        assert float(stated) == np.inf
        assert outer > 1.3 * inner
    assert tuple(float(end) for end in law.support()) == tuple(float(end) for end in frozen.support())
    assert not law.is_symmetric
    assert law.mass_at_zero() == 0


def kernel(law: Positive, frozen: Any) -> None:
    """∫_t^∞ (1 − t/r) dF(r) from t = 0 into the tail."""
    lags = lags_of(frozen)
    expected = [polya_kernel(frozen, lag) for lag in lags]
    found = law.polya_kernel(lags)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-300)
    assert found[0] == 1
    np.testing.assert_array_equal(law.polya_kernel(lags.reshape(1, -1, 1)).ravel(), found)
    assert law.polya_kernel(np.zeros((0, 3))).shape == (0, 3)
    if np.isfinite(end := float(law.support()[1])):
        np.testing.assert_array_equal(law.polya_kernel(np.array([end, 2 * end])), 0)


def shape(law: Positive, frozen: Any) -> None:
    """Between 0 and 1, decreasing and convex."""
    middle, last = float(frozen.median()), float(frozen.isf(1e-6))
    for grid in (
        np.linspace(0, 2 * middle, 400),
        np.linspace(0, last, 400),
        np.geomspace(1e-12 * middle, 1e4 * last, 400),
    ):
        values = law.polya_kernel(grid)
        assert (values >= 0).all()
        assert (values <= 1).all()
        rounding = 1e-13 * values[:-1]
        assert (np.diff(values) <= rounding).all()
        slopes, noise = np.diff(values) / np.diff(grid), rounding / np.diff(grid)
        assert (np.diff(slopes) >= -noise[:-1] - noise[1:]).all()


def area(law: Positive, frozen: Any) -> None:
    """2 ∫₀^∞ φ(t) dt is E R, which is the transform at zero."""
    np.testing.assert_allclose(law.polya_transform(np.zeros(2)), float(law.mean()), rtol=1e-12)
    if has_atoms(frozen):
        edges = np.concatenate([[0.0], atoms(frozen)[0]])  # straight in between
        total = float(np.trapezoid(law.polya_kernel(edges), edges))
    elif not np.isfinite(float(law.mean())):
        return
    else:
        total = sum(integral(law.polya_kernel, *ends) for ends in pairwise(smooth_pieces(frozen)))
    assert 2 * total == pytest.approx(float(law.mean()), rel=1e-9)


def transform(law: Positive, frozen: Any) -> None:
    """(2/ω²) E[(1 − cos Rω)/R]; an even function, which tends to E R at zero."""
    frequencies = np.array([1e-6, 0.05, 0.7, 3.0, 11.0]) / float(frozen.median())
    found = law.polya_transform(frequencies)
    expected = [polya_transform(frozen, frequency) for frequency in frequencies]
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    np.testing.assert_array_equal(law.polya_transform(-frequencies.reshape(1, -1)), found.reshape(1, -1))
    assert law.polya_transform(np.zeros((0, 3))).shape == (0, 3)
    for frequency in (1e-8, 1e6):
        value = law.polya_transform(np.array([frequency]) / float(frozen.median()))
        assert np.isfinite(value).all()
        assert (value >= 0).all()


@pytest.mark.long
def expressions(law: Positive, frozen: Any) -> None:
    """The formulas in SymPy are the floats, with numbers and with symbols for the parameters."""
    t, w = sympy.Symbol("t", nonnegative=True), sympy.Symbol("w", real=True)
    versions = [(law, {})]
    arguments = declared(type(law))
    if all(argument.kind == "number" for argument, _ in arguments.values()):
        parameters = {name: symbol_for(name, getattr(law, name)) for name in arguments}
        numbers = {parameters[name]: sympy.Float(getattr(law, name), 30) for name in arguments}
        versions.append((type(law)(**parameters), numbers))
    middle = float(frozen.median())
    lags, frequencies = [0.31 * middle, float(frozen.ppf(0.87)) * 1.01], [-0.4 / middle, 2.3 / middle]
    for version, numbers in versions:
        for formula, variable, places, floats in (
            (version.polya_kernel_expression(t), t, lags, law.polya_kernel),
            (version.polya_transform_expression(w), w, frequencies, law.polya_transform),
        ):
            few = places[:1] if numbers else []  # integrals take seconds each: once, by way of the symbols
            for place in few if formula.has(sympy.Integral) else places:
                written = formula.subs(numbers).subs(variable, sympy.Float(place, 30))
                found = float(floats(np.array([place]))[0])
                assert number_of(written) == pytest.approx(found, rel=1e-10, abs=1e-14)
        for stated, number in ((version.mean(), law.mean()), (version.inverse_mean(), law.inverse_mean())):
            value = sympy.S(stated).subs(numbers)
            assert float(value.evalf(20)) == pytest.approx(float(number), rel=1e-12)
        if not has_atoms(frozen):
            value = version.density_expression(t).subs(numbers).subs(t, sympy.Float(middle, 30))
            assert float(value.evalf(20)) == pytest.approx(float(frozen.pdf(middle)), rel=1e-10)


def draws(law: Positive, frozen: Any) -> None:
    """The law itself, positive, the first rows whatever follows, and the same for every version of NumPy."""
    drawn = law.draw(Stream(SEED), (DRAWS,))
    assert (drawn > 0).all()
    if has_atoms(frozen):
        values, chances = atoms(frozen)
        assert np.isin(drawn, values).all()
        if len(values) == 1:
            return
        assert_proportions([np.count_nonzero(drawn == v) for v in values], chances / chances.sum(), budget=BUDGET)
    else:
        assert kstest(drawn, frozen.cdf).pvalue > BUDGET
    few, many = law.draw(Counted(SEED), (10, 3)), law.draw(Counted(SEED), (100, 3))
    np.testing.assert_array_equal(few, many[:10])
    assert np.count_nonzero(few == law.draw(Counted(SEED + 1), (10, 3))) < 30
    assert np.count_nonzero(few == law.draw(Counted(SEED).child(0), (10, 3))) < 30


def features(law: Positive, frozen: Any) -> None:
    """Frequencies X/R, X of Fejér's law, have the characteristic function φ."""
    drawn = Polya(distribution=law, dim=1).draw(Stream(SEED), DRAWS)
    lags = np.array([0.03, 0.2, 0.6, 1.4]) * float(frozen.median())
    assert_characteristic_function(drawn, lags[:, None], law.polya_kernel(lags), budget=BUDGET)


def bins(law: Positive, frozen: Any) -> None:
    """Two points share a bin of pitch R and offset U(0, R) with probability φ of their distance."""
    pitch = law.draw(Stream(SEED), (DRAWS, 1))
    offset = pitch * Stream(SEED).uniforms("offset", (DRAWS, 1))
    middle = float(frozen.median())
    lags = np.array([0.03, 0.2, 0.6, 1.1]) * middle
    place = 0.37 * middle
    with np.errstate(over="ignore"):
        together = np.floor((place - offset) / pitch) == np.floor((place + lags - offset) / pitch)
    assert_mean(together, law.polya_kernel(lags), budget=BUDGET)


CHECKS = [density, moments, kernel, shape, area, transform, expressions, draws, features, bins]


class Counted(Stream):
    """A stream with uniforms but no generators: those of NumPy may change with its version."""

    __slots__ = ()

    def child(self, index: int) -> Stream:
        return Counted(self.seed, (*self.path, index))

    def generator(self, purpose: str) -> np.random.Generator:
        raise AssertionError(f"pitches must come from uniforms, not from a generator ({purpose})")


def symbol_for(name: str, value: float) -> sympy.Symbol:
    return sympy.Symbol(name, positive=True) if value > 0 else sympy.Symbol(name, real=True)


def number_of(written: sympy.Expr) -> float:
    """Twenty digits; integrals by mpmath without SymPy at every node, which takes seconds each."""
    with mpmath.workdps(20):  # each by itself: SymPy would evaluate them to print a sum that they are in
        found = {part: sympy.Float(sympy.lambdify((), part, "mpmath")(), 20) for part in written.atoms(sympy.Integral)}
    return float(written.xreplace(found).evalf(20))


def has_atoms(frozen: Any) -> bool:
    return isinstance(frozen.dist, rv_discrete)


def atoms(frozen: Any) -> tuple[np.ndarray, np.ndarray]:
    """The values and their chances, down to chances of 1e-200."""
    if hasattr(frozen.dist, "xk"):
        return np.asarray(frozen.dist.xk, dtype=float), np.asarray(frozen.dist.pk, dtype=float)
    low = int(frozen.support()[0])
    values = np.arange(low, low + 200 + 10 * int(frozen.mean()))
    chances = frozen.pmf(values)
    return values[chances > 1e-200].astype(float), chances[chances > 1e-200]


def smooth_pieces(frozen: Any) -> list[float]:
    """Zero, the ends of the support, and a middle, between which densities and kernels are smooth."""
    low, high = (float(end) for end in frozen.support())
    return sorted({0.0, low, float(frozen.median()), high})


def integral(function: Callable[[np.ndarray], np.ndarray], low: float, high: float) -> float:
    """∫ over (low, high) by the double-exponential rule, which forgives singular ends."""
    step, growth = NODES[1] - NODES[0], np.pi / 2 * np.cosh(NODES)
    if np.isfinite(high):
        share, left = 1 / (1 + np.exp(-np.pi * np.sinh(NODES))), 1 / (1 + np.exp(np.pi * np.sinh(NODES)))
        x = np.where(share < 0.5, low + (high - low) * share, high - (high - low) * left)
        weights = 2 * (high - low) * share * left * growth
    else:
        beyond = np.exp(np.pi / 2 * np.sinh(NODES))
        x, weights = low + beyond, beyond * growth
    inside = (x > low) & (x < high)
    with np.errstate(all="ignore"):
        values = np.where(inside, function(np.where(inside, x, 1.0)) * weights, 0.0)
    return float(np.nansum(values) * step)


def expectation(frozen: Any, function: Callable[[np.ndarray], np.ndarray]) -> float:
    if has_atoms(frozen):
        values, chances = atoms(frozen)
        return float(function(values) @ chances)
    low = float(frozen.support()[0])
    ends = [end for end in smooth_pieces(frozen) if end >= low]
    return sum(integral(lambda r: function(r) * frozen.pdf(r), *piece) for piece in pairwise(ends))


def lags_of(frozen: Any) -> np.ndarray:
    tail = [frozen.isf(1e-3), frozen.isf(1e-8)]
    middle = float(frozen.median())
    bulk = [0.0, 1e-9 * middle, 1e-3 * middle, 0.4 * middle, frozen.ppf(0.1), 0.9 * middle, frozen.ppf(0.83)]
    return np.array([*bulk, *tail], dtype=float)


def polya_kernel(frozen: Any, lag: float) -> float:
    """∫_t^∞ (r − t)/r dF(r), with r − t for the variable where the density goes on beyond t."""
    if has_atoms(frozen):
        values, chances = atoms(frozen)
        return float(np.maximum(0, 1 - lag / values) @ chances)
    low = float(frozen.support()[0])
    if lag <= low:
        return expectation(frozen, lambda r: (r - lag) / r)
    ends = [0.0] + [end - lag for end in smooth_pieces(frozen) if end > lag]
    return sum(integral(lambda x: x / (x + lag) * frozen.pdf(x + lag), *piece) for piece in pairwise(ends))


def polya_transform(frozen: Any, frequency: float) -> float:
    """E[(1 − cos Rω)/R]·2/ω², its heavy tail half-period by half-period with repeated averages of the partial sums."""
    half = frequency / 2
    if has_atoms(frozen) or frequency * frozen.isf(1e-18) < 150:
        return expectation(frozen, lambda r: r * np.square(np.sinc(r * half / np.pi)))
    start = 40 / frequency
    ends = [end for end in smooth_pieces(frozen) if float(frozen.support()[0]) <= end < start]
    total = sum(
        integral(lambda r: r * np.square(np.sinc(r * half / np.pi)) * frozen.pdf(r), *piece)
        for piece in pairwise([*ends, start])
    )
    total += 2 / frequency**2 * integral(lambda r: frozen.pdf(r) / r, start, np.inf)
    nodes, weights = np.polynomial.legendre.leggauss(24)
    width = np.pi / frequency
    r = start + width * (np.arange(400)[:, None] + (nodes + 1) / 2)
    partial = np.cumsum((frozen.pdf(r) / r * np.cos(frequency * r)) @ weights * width / 2)[-60:]
    while len(partial) > 1:
        partial = (partial[1:] + partial[:-1]) / 2
    return total - 2 / frequency**2 * float(partial[0])
