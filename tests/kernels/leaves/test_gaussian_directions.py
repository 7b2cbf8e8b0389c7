"""Tests of `kernels/leaves/gaussian_directions.py`."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
import sympy

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.errors import RangeError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.laws.rules import law_of, laws_of, schemes_of
from kernelspec.measures.measure import measure_of
from kernelspec.random.streams import Stream
from kernelspec.testing.laboratory import assert_mean
from tests.kernels.asymmetric import CLASSES, direction, exact, make, rows

KINDS = list(CLASSES)
DIMS = [1, 2, 3, 7]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dim", DIMS)
def test_every_scheme_has_the_same_value(kind: str, dim: int) -> None:
    kernel = make(kind, dim)
    pairs = NumericPairs(rows(dim), rows(dim, seed=4))
    value = np.asarray(kernel.value(pairs))
    lags = pairs.x.dense()[:, None] - pairs.y.dense()[None]
    np.testing.assert_allclose(value.ravel(), exact(kernel, lags.reshape(-1, dim)), rtol=1e-12, atol=1e-15)
    expected = {"polar", "jordan", "rejection"} | {"sinh": {"rows", "shifts"}, "cosh": {"rows"}}.get(kind, set())
    assert set(schemes_of(kernel)) == expected
    for name, other in laws_of(kernel).items():
        np.testing.assert_allclose(other.value(pairs), value, atol=1e-12, err_msg=str(name))
        turned, back = NumericPairs(pairs.y, pairs.x), law_of(kernel.transposed(), name)
        np.testing.assert_allclose(np.asarray(back.value(turned)).T, value, atol=1e-12, err_msg=str(name))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dim", DIMS)
def test_every_scheme_samples_the_kernel_with_the_moments_it_states(kind: str, dim: int) -> None:
    kernel, n = make(kind, dim, scale=1.1), 6_000
    x, y = rows(dim, 3).dense() / 2, rows(dim, 3, seed=4).dense() / 2
    pairs = NumericPairs(rows(dim, 3).__class__(x), rows(dim, 3).__class__(y))
    value = np.asarray(kernel.value(pairs)).ravel()
    for i, name in enumerate(schemes_of(kernel)):
        law = law_of(kernel, name)
        batches = law.draw(Stream(11, (i, dim)), n, tuple(range(dim)))
        p = np.zeros((n, 3, 3), dtype=complex)
        for batch in batches:
            assert batch.phasors is not None
            w = batch.phasors.on(tuple(range(dim)))
            left = np.exp(1j * (x @ w.T + batch.phasors.left))
            right = np.exp(1j * (y @ w.T + batch.phasors.right))
            if batch.growth is not None:
                rates = batch.growth.on(tuple(range(dim)))
                left, right = left * np.exp(x @ rates.T), right * np.exp(-(y @ rates.T))
            size = batch.weight * batch.sign
            np.add.at(p, batch.index, np.moveaxis(size * left[:, None] * right.conj()[None], 2, 0))
        flat = p.reshape(n, -1)
        moments = law.moments(pairs)
        shape = np.ones((3, 3))
        assert_mean(flat.real, value, budget=1e-8, what=f"{kind} {name} mean")
        assert_mean(flat.imag, np.zeros(9), budget=1e-8, what=f"{kind} {name} imaginary part")
        a, b = ((np.asarray(m) * shape).ravel() for m in (moments.a, moments.b))
        assert_mean(np.abs(flat) ** 2, a, budget=1e-8, what=f"{kind} {name} A")
        assert_mean((flat**2).real, b, budget=1e-8, what=f"{kind} {name} B")


@pytest.mark.parametrize("kind", KINDS)
def test_verdict(kind: str) -> None:
    found = make(kind, 2).verdict()
    assert (found.positive_definite, found.symmetric, found.stationary) == ("disproved", False, True)
    still = make(kind, 2, by=(0.0, 0.0))
    assert (still.verdict().positive_definite, still.verdict().symmetric) == ("proved", True)
    assert not schemes_of(still)
    pairs = NumericPairs(rows(2), rows(2))
    np.testing.assert_allclose(still.value(pairs), still.gaussian.value(pairs), rtol=1e-14)
    b = sympy.Symbol("b", real=True)
    open_question = CLASSES[kind](scale=sympy.S.One, by=(b,), dim=sympy.Symbol("d")).verdict()
    assert (open_question.positive_definite, open_question.symmetric) == ("unknown", None)


@pytest.mark.parametrize("kind", KINDS)
def test_symbolic_moments_are_the_numeric_ones(kind: str) -> None:
    kernel = make(kind, 2, scale=1.25, by=(0.5, -0.25))
    symbolic = CLASSES[kind](scale=sympy.Rational(5, 4), by=(sympy.Rational(1, 2), sympy.Rational(-1, 4)), dim=2)
    pairs = SymbolicPairs.between(2)
    x, y = rows(2).dense()[0], rows(2).dense()[1]
    letters = [pairs.operands(i)[s] for s in (0, 1) for i in (1, 2)]  # type: ignore[misc]
    numeric = law_of(kernel).moments(NumericPairs(rows(2).take(slice(0, 1)), rows(2).take(slice(1, 2))))
    moments = law_of(symbolic).moments(pairs)
    # SciPy's quadrature of the integrals that are stated: SymPy's own takes half a minute
    a, b = (sympy.lambdify(letters, sympy.S(moment), "scipy")(*x, *y) for moment in (moments.a, moments.b))
    assert a == pytest.approx(float(np.ravel(numeric.a)[0]), rel=1e-9)
    assert b == pytest.approx(float(np.ravel(numeric.b)[0]), abs=1e-9)


@pytest.mark.parametrize("kind", ["sinh", "cosh"])
def test_a_mass_beyond_floats_is_refused(kind: str) -> None:
    with pytest.raises(RangeError, match="must be at most 300"):
        make(kind, 1, scale=1.0, by=(25.0,))
    assert np.isfinite(float(make(kind, 1, scale=1.0, by=(24.0,)).total_variation()) ** 2)


@pytest.mark.parametrize("kind", KINDS)
def test_arguments_come_in_order_and_a_number_is_the_constant_vector(kind: str) -> None:
    name = f"{kind}_gaussian"
    first = ks.parse(f"{name}(2, 0.5)").kernel(Columns(3))
    assert first == ks.parse(f"{name}(scale=2, by=[0.5, 0.5, 0.5])").kernel(Columns(3))
    with pytest.raises(ks.KernelspecError, match="needs the argument 'by'"):
        ks.parse(f"{name}(2)")
    with pytest.raises(ks.KernelspecError, match="2 entries for 3 columns"):
        ks.parse(f"{name}(by=[1, 2])").kernel(Columns(3))
    assert direction(2) == (0.7, 0.4)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dim", DIMS)
def test_values_diagonal_and_total_variation(kind: str, dim: int) -> None:
    kernel = make(kind, dim)
    lags = np.random.default_rng(dim).standard_normal((20, dim)) * np.geomspace(1e-6, 30, 20)[:, None]
    found = measure_of(kernel).characteristic_function(lags)
    np.testing.assert_allclose(found, exact(kernel, lags), rtol=1e-11, atol=1e-300)
    assert kernel.diagonal() == pytest.approx(exact(kernel, np.zeros((1, dim)))[0], rel=1e-14)
    if kind != "sinh":
        # the maximum of the kernel is the mass of the modulus, at Δ = −r and at Δ = σ²β
        top = exact(kernel, np.array([kernel.by]) * (-1 if kind == "shift" else 1.3**2))[0]
        assert kernel.total_variation() == pytest.approx(top, rel=1e-13)


def test_no_overflow_far_away() -> None:
    lag = np.array([[800.0], [-800.0]])
    found = measure_of(make("cosh", 1, scale=30.0, by=(0.7,))).characteristic_function(lag)
    np.testing.assert_allclose(found, exact(make("cosh", 1, scale=30.0, by=(0.7,)), lag), rtol=1e-12)


def test_total_variation() -> None:
    kernel = make("sinh", 2, scale=1.3, by=(0.4, 0.3))
    with mp.workdps(25):
        a = mp.mpf("1.3") * mp.mpf("0.5")
        c = mp.exp(a**2 / 2)
        cuts = sorted({-12, 12, *(mp.pi * k / a for k in range(-2, 3))})
        mass = mp.quad(lambda z: mp.sqrt(1 + c**2 * mp.sin(a * z) ** 2) * mp.npdf(z), cuts)
    assert kernel.total_variation() == pytest.approx(float(mass), rel=1e-12)
