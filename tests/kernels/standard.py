"""The tests that every stationary kernel of the catalogue must pass, against an independent formula.

A test file states the kernel once more as a plain function of one lag in mpmath, for several specs or for the cases
of `CATALOGUE_CASES` that it answers for; everything else follows: `test_x = standard_kernel_tests({"x(1)": oracle})`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, cast

import mpmath as mp
import numpy as np
import pytest
import sympy
from scipy.integrate import quad
from scipy.special import gamma

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.expressions.arguments import declared
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.kernels.stationary import Coordinatewise
from kernelspec.measures.measure import measure_of
from kernelspec.random.streams import Stream
from kernelspec.tables.rows import Rows
from kernelspec.testing.laboratory import assert_mean
from tests.kernels.cases import CATALOGUE_CASES
from tests.laboratory import assert_characteristic_function, assert_variance
from tests.standard_checks import check_parameters
from tests.thoroughness import sweep

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kernelspec.kernels.leaf import Stationary

__all__ = ["Case", "at", "euclidean", "over_columns", "standard_kernel_tests"]

SEED = 20_251_121
BUDGET = 1e-8
DRAWS = 40_000
SAMPLES = 10_000
PHASES = 3e-10  # rounding of phases of 1e6


@dataclass(frozen=True)
class Case:
    """A kernel in every dimension with its formula for one lag, a sequence of mpmath numbers."""

    name: str
    kernel: Callable[[int], Stationary]
    oracle: Callable[[Sequence[Any]], Any]
    dims: tuple[int, ...] = (1, 2, 3, 7)
    factor: int = 1
    """How many times as many numbers are drawn: more under --thorough."""

    def __str__(self) -> str:
        return self.name

    def exact(self, lags: np.ndarray) -> np.ndarray:
        """The formula at lags (n, d), computed with 40 digits."""
        with mp.workdps(40):
            return np.array([float(self.oracle([mp.mpf(float(entry)) for entry in lag])) for lag in lags])


def euclidean(profile: Callable[[Any], Any]) -> Callable[[Sequence[Any]], Any]:
    """A function of the Euclidean norm of the lag."""
    return lambda lag: profile(mp.sqrt(mp.fsum(entry**2 for entry in lag)))


def over_columns(factor: Callable[[Any], Any]) -> Callable[[Sequence[Any]], Any]:
    """The product of one function over the columns."""
    return lambda lag: mp.fprod(factor(entry) for entry in lag)


def standard_kernel_tests(
    oracles: Mapping[str, Callable[[Sequence[Any]], Any]], leave_out: Sequence[str] = ()
) -> Callable[..., None]:
    """One test for every check and every case named: one of `CATALOGUE_CASES`, or else the text of a kernel.

    Every other case is for the long run.
    """
    factories = dict(CATALOGUE_CASES)
    cases = [Case(name, factories.get(name) or _of_text(name), oracle) for name, oracle in oracles.items()]
    checks = [check for check in CHECKS if check.__name__ not in leave_out]

    @pytest.mark.parametrize("check", check_parameters(checks))
    @pytest.mark.parametrize("case", sweep(cases, every=2), ids=str)
    def test(case: Case, check: Callable[[Case], None], thorough: bool) -> None:
        check(replace(case, factor=10 if thorough else 1))

    return test


def _of_text(text: str) -> Callable[[int], Stationary]:
    return lambda dim: cast("Stationary", ks.parse(text).kernel(Columns(dim)))


def at(kernel: Stationary, lags: np.ndarray) -> np.ndarray:
    """k(Δ) for lags (n, d)."""
    return kernel.numbers(NumericPairs.of_vectors(lags))


def lags_on_and_off_the_axes(dim: int, sizes: Sequence[float]) -> np.ndarray:
    """Lags of the given Euclidean norms on an axis, on the diagonal and in a direction of no symmetry."""
    rng = np.random.default_rng(SEED + dim)
    axis, diagonal = np.eye(dim)[dim - 1], np.ones(dim) / np.sqrt(dim)
    oblique = rng.standard_normal(dim)
    directions = np.stack([axis, diagonal, oblique / np.linalg.norm(oblique)])
    return (np.asarray(sizes)[:, None, None] * directions).reshape(-1, dim)


def values(case: Case) -> None:
    """k(Δ) = formula from lags of 1e-12 to 1e6, and the same for all pairs of two blocks of rows."""
    for dim in case.dims:
        lags = lags_on_and_off_the_axes(dim, [0, 1e-12, 1e-6, 1e-2, 0.3, 1, 2.7, 12, 150, 1e6])
        np.testing.assert_allclose(at(case.kernel(dim), lags), case.exact(lags), rtol=4e-12, atol=PHASES)
        rng = np.random.default_rng(SEED)
        x, y = rng.standard_normal((4, dim)), rng.standard_normal((3, dim))
        grid = case.kernel(dim).numbers(NumericPairs(Rows(x), Rows(y)))
        one_by_one = at(case.kernel(dim), (x[:, None, :] - y[None, :, :]).reshape(-1, dim)).reshape(4, 3)
        np.testing.assert_allclose(grid, one_by_one, rtol=1e-12, atol=1e-14)


def relative_values(case: Case) -> None:
    """The relative error of k(Δ), down to the smallest values, where the phase is moderate."""
    for dim in case.dims:
        lags = lags_on_and_off_the_axes(dim, [1e-300, 1e-100, 1e-9, 1e-3, 0.1, 0.77, 1.9, 6.5, 25])
        expected = case.exact(lags)
        has_zeros = any(word in case.name for word in ("sinc", "cosine", "triangle", "uniform"))
        np.testing.assert_allclose(at(case.kernel(dim), lags), expected, rtol=4e-12, atol=2e-16 * has_zeros)


def expression(case: Case) -> None:
    """The SymPy expression has the same values, and is 1 at x = y."""
    for dim in case.dims[:3]:
        pairs, kernel = SymbolicPairs.between(dim), case.kernel(dim)
        formula = kernel.expression(pairs)
        rng = np.random.default_rng(SEED)
        x, y = rng.uniform(-1, 1, (3, dim)), rng.uniform(-1, 1, (3, dim))
        for a, b in zip(x, y, strict=True):
            found = float(formula.subs(_numbers(pairs, a, b)).evalf(25))
            assert found == pytest.approx(float(at(kernel, (a - b)[None])[0]), rel=1e-11, abs=1e-14)
        assert float(formula.subs(_numbers(pairs, x[0], x[0])).evalf(25)) == 1
    d = sympy.Symbol("d", integer=True, positive=True)
    if "cosine" not in case.name:
        kernel = case.kernel(2)
        assert kernel.expression(SymbolicPairs.between(d)).has(d)


def _numbers(pairs: SymbolicPairs, x: np.ndarray, y: np.ndarray) -> dict[Any, Any]:
    numbers = {}
    for i, (a, b) in enumerate(zip(x, y, strict=True), 1):
        left, right = pairs.operands(i)
        numbers[left], numbers[right] = _exactly(a), _exactly(b)
    return numbers


def _exactly(number: float) -> Any:
    return sympy.Float(float(number), 30)  # a ratio of 53-bit integers as exponent would be factorised


def symbolic_parameters(case: Case) -> None:
    """With symbols for parameters: the same kernel, density and second moment once numbers are put in."""
    for dim in case.dims[:3]:
        numeric = case.kernel(dim)
        arguments = [name for name, (argument, _) in declared(type(numeric)).items() if argument.kind == "number"]
        if not arguments:
            return
        symbols = {name: sympy.Symbol(name, positive=True) for name in arguments}
        numbers = {symbols[name]: _exactly(getattr(numeric, name)) for name in arguments}
        symbolic = type(numeric)(**symbols, dim=dim)
        pairs, lag = SymbolicPairs.between(dim), np.linspace(0.31, 0.83, dim)
        formula = symbolic.expression(pairs).subs(numbers).subs(_numbers(pairs, lag, 0 * lag))
        assert float(formula.evalf(25)) == pytest.approx(float(at(numeric, lag[None])[0]), rel=1e-11)
        found, stated = sympy.S(symbolic.frequency_variance()).subs(numbers), numeric.frequency_variance()
        assert float(found) == pytest.approx(float(stated), rel=1e-12)
        density = symbolic.density_expression(SymbolicPairs.frequency(dim)).subs(numbers)
        if numeric.without_density() is None and not density.has(sympy.Integral):
            _compare_density(density, numeric, dim)


def density_expression(case: Case) -> None:
    """The SymPy density has the same values as the numeric one."""
    for dim in case.dims[:3]:
        kernel = case.kernel(dim)
        formula = kernel.density_expression(SymbolicPairs.frequency(dim))
        if kernel.without_density() is not None:
            assert formula.has(sympy.DiracDelta)
        elif not formula.has(sympy.Integral):
            _compare_density(formula, kernel, dim)


def _compare_density(formula: Any, kernel: Stationary, dim: int) -> None:
    frequency = SymbolicPairs.frequency(dim)
    for point in np.random.default_rng(SEED).uniform(-1.9, 1.9, (3, dim)):
        numbers = {frequency.component(i + 1): _exactly(point[i]) for i in range(dim)}
        expected = float(formula.subs(numbers).evalf(25))
        assert float(density(kernel, point[None])[0]) == pytest.approx(expected, rel=1e-11)


def density(kernel: Stationary, frequencies: np.ndarray) -> np.ndarray:
    return kernel.density(NumericPairs.of_vectors(frequencies))


@pytest.mark.long
def density_transforms_to_kernel(case: Case) -> None:
    """∫ cos(ωt) p(ω) dω = k(t) in one dimension; the total mass is 1."""
    kernel = case.kernel(1)
    if kernel.without_density() is not None or any(word in case.name for word in ("triangle", "shifted_poisson")):
        return  # atoms; densities like Fejér's, which oscillate, are tested the other way round

    @cache  # near zero the lags share their nodes
    def p(omega: float) -> float:
        return float(density(kernel, np.array([[omega]]))[0])

    end = {"sinc(1)": 1.0, "sinc(3)": 3.0, "bochner(uniform)": 2.0}.get(case.name)
    for lag in (0.0, 0.4, 2.1):
        total = 2 * (_bounded(p, lag, end) if end else _near_zero(p, lag, 1.0) + _tail(p, lag, 1.0))
        exact = float(case.exact(np.array([[lag]]))[0])
        assert total == pytest.approx(exact, rel=2e-8, abs=2e-9)


def _bounded(p: Callable[[float], float], lag: float, end: float) -> float:
    return float(quad(lambda w: p(w) * np.cos(w * lag), 0, end, epsabs=1e-13, epsrel=1e-12)[0])


def _near_zero(p: Callable[[float], float], lag: float, cut: float) -> float:
    # ω = cut·u⁴ takes the edge off densities that are infinite at zero
    def integrand(u: float) -> float:
        return p(cut * u**4) * np.cos(cut * u**4 * lag) * 4 * cut * u**3

    return float(quad(integrand, 1e-12, 1, epsabs=1e-11, epsrel=1e-10)[0])


def _tail(p: Callable[[float], float], lag: float, cut: float) -> float:
    if lag > 0:
        return float(quad(p, cut, np.inf, weight="cos", wvar=lag, epsabs=1e-10, limlst=400, limit=400)[0])

    # ω = cut·e^s: heavy tails become exponential ones
    def integrand(s: float) -> float:
        return p(cut * np.exp(s)) * cut * np.exp(s)

    return float(quad(integrand, 0, 120, epsabs=1e-11, limit=400, points=[1, 4, 12])[0])


@pytest.mark.long
def density_in_several_dimensions(case: Case) -> None:
    """The density in d dimensions has the density in one dimension as its marginal; products factorise."""
    for dim in (2, 3):
        kernel, line = case.kernel(dim), case.kernel(1)
        if kernel.without_density() is not None:
            return
        if isinstance(kernel, Coordinatewise) or not getattr(kernel, "isotropic", True):
            point = np.linspace(-0.9, 0.8, dim)
            factors = [float(density(line, np.array([[entry]]))[0]) for entry in point]
            assert float(density(kernel, point[None])[0]) == pytest.approx(float(np.prod(factors)), rel=1e-12)
            continue
        s = np.arange(-36 / (dim - 1), 60, 0.1)  # distance e^s from the line, in the other coordinates
        area = 2 * np.pi ** ((dim - 1) / 2) / gamma((dim - 1) / 2)
        for omega in (0.2, 4.0):
            points = np.zeros((len(s), dim))
            points[:, 0], points[:, 1] = omega, np.exp(s)
            total = area * 0.1 * np.sum(density(kernel, points) * np.exp((dim - 1) * s))
            assert total == pytest.approx(float(density(line, np.array([[omega]]))[0]), rel=1e-10)


@pytest.mark.slow
def draws(case: Case) -> None:
    """The characteristic function of 40,000 draws is the formula, in every dimension, on and off the axes.

    An error of 0.03 is found by one lag in one dimension, under --thorough one of 0.01.
    """
    n = DRAWS * case.factor
    for dim in case.dims:
        frequencies = case.kernel(dim).draw(Stream(SEED, (dim,)), n)
        assert frequencies.shape == (n, dim)
        lags = lags_on_and_off_the_axes(dim, [0.07, 0.4, 1, 2.3])
        what = f"{case} in {dim} dimensions"
        assert_characteristic_function(frequencies, lags, case.exact(lags), budget=BUDGET, what=what)


def prefix(case: Case) -> None:
    """The first draws do not depend on how many follow, and another path gives others."""
    for dim in case.dims[:3]:
        kernel = case.kernel(dim)
        few, many = kernel.draw(Stream(SEED, (4,)), 50), kernel.draw(Stream(SEED, (4,)), 500)
        assert np.array_equal(few, many[:50])
        assert not np.array_equal(many, kernel.draw(Stream(SEED, (5,)), 500))


def second_moment(case: Case) -> None:
    """E‖Aω‖² is the curvature of the formula at zero, Σ_rows 2(1 − k(ha))/h², or both are infinite."""
    for dim in case.dims[:3]:
        kernel = case.kernel(dim)
        matrix = np.array([[0.5, -1, 2][:dim], [1.5, 0.25, 0][:dim]])
        diagonal = np.array([0.5, 2, 3][:dim])
        one = np.eye(dim)
        for given, rows in ((None, one), (1.5, 1.5 * one), (diagonal, np.diag(diagonal)), (matrix, matrix)):
            stated = float(kernel.second_moment(given))
            near, nearer = _curvature(case, rows, 1e-7), _curvature(case, rows, 1e-14)
            if np.isinf(stated):
                assert nearer > 1.5 * near
            else:
                assert stated == pytest.approx(nearer, rel=1e-7)
        assert kernel.second_moment(np.zeros((1, dim))) == 0


def _curvature(case: Case, rows: np.ndarray, step: float) -> float:
    with mp.workdps(60):
        falls = [1 - case.oracle([mp.mpf(float(entry)) * step for entry in row]) for row in rows]
        return float(2 * mp.fsum(falls) / mp.mpf(step) ** 2)


def verdict(case: Case) -> None:
    """Proved positive definite, symmetric, stationary, with k(0) = 1 and the name in the reason."""
    kernel = case.kernel(2)
    found = kernel.verdict()
    assert (found.positive_definite, found.symmetric, found.stationary) == ("proved", True, True)
    assert kernel.name in found.reasons[0]
    assert kernel.reference in found.reasons[0]
    assert kernel.is_stationary
    assert kernel.diagonal() == 1
    assert measure_of(kernel).total_mass() == 1


def printing(case: Case) -> None:
    """The kernel prints as text of the language that stands for the same kernel."""
    for dim in case.dims:
        kernel = case.kernel(dim)
        assert ks.parse(str(kernel)).kernel(Columns(dim)) == kernel


def features(case: Case) -> None:
    """Every sample of a feature map has the mean k and the variance predicted: paired and phase."""
    n = SAMPLES * case.factor
    for dim in case.dims[:3]:
        rows = np.random.default_rng(SEED + dim).uniform(-1, 1, (4, dim))
        first, second = np.triu_indices(len(rows), 1)
        lags = rows[first] - rows[second]
        k, doubled = case.exact(lags), case.exact(2 * lags)
        for method, columns, variance in (
            ("paired", 2, (1 + doubled) / 2 - k**2),
            ("phase", 1, 1 + doubled / 2 - k**2),
        ):
            feature_map = ks.compile(str(case.kernel(dim)), dim, columns * n, seed=SEED, method=method)
            if feature_map.n_columns < columns * n:  # finitely many frequencies, and all of them are there
                found = feature_map.approximate(rows)[first, second]
                np.testing.assert_allclose(found, k, atol=1e-12, err_msg=f"{method} features of {case}, d = {dim}")
                continue
            drawn = feature_map.transform(rows).reshape(len(rows), columns, n) * np.sqrt(n)
            samples = (drawn[first] * drawn[second]).sum(axis=1).T
            assert_mean(samples, k, budget=BUDGET, what=f"{method} features of {case}, d = {dim}")
            assert_variance(samples, variance, budget=BUDGET, what=f"variance of {method} features of {case}")


CHECKS = [
    values,
    relative_values,
    expression,
    symbolic_parameters,
    density_expression,
    density_transforms_to_kernel,
    density_in_several_dimensions,
    draws,
    prefix,
    second_moment,
    verdict,
    printing,
    features,
]
