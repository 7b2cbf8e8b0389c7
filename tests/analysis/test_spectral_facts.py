"""Tests of `analysis/spectral_facts.py`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np
import pytest
import sympy
from scipy.special import kv

import kernelspec as ks
from kernelspec.analysis.facts import Facts
from kernelspec.analysis.overview import overview
from kernelspec.analysis.spectral_statements import tail_exponent
from kernelspec.errors import DataError, NoDensityError, NotStationaryError
from tests.elaboration.specs import STATIONARY
from tests.measures.algebra import referees as r
from tests.thoroughness import sweep

X, Y = np.random.default_rng(8).normal(size=(2, 6, 2))
X[3:, 1] = Y[3:, 1] = 2.0  # some rows agree in a column, for match()

FUNCTIONS = {"same": lambda a, b: 1.0 * (a == b), "besselk": kv}


def evaluate(expression: sympy.Expr) -> np.ndarray:
    """A SymPy expression in x and y on row i of X with row i of Y."""
    names = [sympy.Symbol(f"{letter}_{i}", real=True) for letter in "xy" for i in (1, 2)]
    assert expression.free_symbols <= set(names)
    expression = expression.replace(sympy.KroneckerDelta, sympy.Function("same"))
    function = sympy.lambdify(names, expression, modules=[FUNCTIONS, "scipy", "numpy"])
    return np.broadcast_to(function(*X.T, *Y.T), (len(X),))


@pytest.mark.parametrize("text", STATIONARY)
def test_characteristic_function_is_the_kernel(text: str) -> None:
    found = ks.analyze(text, dim=2).characteristic_function(X - Y)
    np.testing.assert_allclose(found, np.diag(ks.parse(text).gram(X, Y)), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    "text",
    ["dual(step, laplace())", "full(relu, input=image(1, 2, 1))", "dual(relu, shift_gaussian(by=0.1)) + cauchy()"],
)
def test_a_stationary_kernel_without_a_form_of_its_measure(text: str) -> None:
    facts, lags = ks.analyze(text, dim=2), np.array([[0.0, 0.0], [0.3, -1.2], [4.0, 2.0]])
    expected = ks.parse(text).gram(lags, np.zeros((1, 2)))[:, 0]
    np.testing.assert_allclose(facts.characteristic_function(lags), expected, rtol=1e-13)


def test_categories_have_no_spectral_measure() -> None:
    facts = ks.analyze("gaussian()*match()[0]", dim=2)
    asked = (
        lambda: facts.characteristic_function(np.zeros((1, 2))),
        lambda: facts.spectral_measure,
        lambda: facts.second_moment,
        lambda: facts.masses,
        lambda: facts.atoms,
    )
    for ask in asked:
        with pytest.raises(NotStationaryError, match="no spectral measure"):
            ask()


def test_atoms_instead_of_a_density() -> None:
    facts = ks.analyze("cosine([1, 2])", dim=2)
    np.testing.assert_allclose(sorted(facts.atoms.points.tolist()), [[-1, -2], [1, 2]])
    for ask in (lambda: facts.spectral_density, lambda: facts.spectral_density_at(np.zeros((1, 2)))):
        with pytest.raises(NoDensityError, match="consists of atoms"):
            ask()


def test_vectors_must_fit_the_columns() -> None:
    facts = ks.analyze("gaussian()", dim=2)
    with pytest.raises(DataError, match=r"omega must have shape \(n, 2\), not \(1, 3\)"):
        facts.spectral_density_at(np.zeros((1, 3)))
    with pytest.raises(DataError, match=r"delta must have shape \(n, 2\), not \(2,\)"):
        facts.characteristic_function(np.zeros(2))


@pytest.mark.parametrize("dim", [1, 2, 3, 20])
def test_the_second_moment_on_a_symbolic_number_of_columns(dim: int) -> None:
    d = sympy.Symbol("d", integer=True, positive=True)
    found = ks.analyze("2*gaussian(scale=2)*periodic(period=1)").second_moment.subs(d, dim)
    assert found == ks.analyze("2*gaussian(2)*periodic(1)", dim=dim).second_moment


def test_a_mixed_measure_gives_its_atoms_and_the_density_of_the_rest() -> None:
    facts = ks.analyze("gaussian() + 0.5*cosine(2)", dim=1)
    assert facts.atoms is not None
    assert sorted(zip(facts.atoms.points[:, 0], facts.atoms.weights, strict=True)) == [(-2.0, 0.25), (2.0, 0.25)]
    omega = np.linspace(-3, 3, 7)
    normal = np.exp(-(omega**2) / 2) / np.sqrt(2 * np.pi)
    np.testing.assert_allclose(facts.density_beside_atoms_at(omega[:, None]), normal, rtol=1e-12)
    with pytest.raises(NoDensityError, match=r"facts\.atoms"):
        facts.spectral_density_at([[1.0]])
    assert facts.to_dict()["atoms"]["weights"] == [0.25, 0.25]


@pytest.mark.parametrize("text", ["(gaussian()+cosine(1))**2", "(gaussian()+cosine(1))*(cosine(1)+gaussian())"])
def test_atoms_of_products_of_sums(text: str) -> None:
    """k² + 2 k cos t + cos² t: the last has half of its mass at 0, a quarter at ±2."""
    facts = ks.analyze(text, dim=1)
    assert facts.atoms is not None
    weights = dict(zip(facts.atoms.points[:, 0], facts.atoms.weights, strict=True))
    assert weights == pytest.approx({-2.0: 0.25, 0.0: 0.5, 2.0: 0.25})
    omega = np.array([0.0, 0.7, 2.0, 4.0])

    def normal(variance: float, mean: float = 0.0) -> np.ndarray:
        return np.exp(-((omega - mean) ** 2) / (2 * variance)) / np.sqrt(2 * np.pi * variance)

    expected = normal(2) + normal(1, 1) + normal(1, -1)
    np.testing.assert_allclose(facts.density_beside_atoms_at(omega[:, None]), expected, rtol=1e-10)
    assert ks.analyze("gaussian()", dim=1).atoms is None


def test_masses_of_a_mixed_measure_add_up() -> None:
    """∫ of the positive and the negative part of 2(1 − cos ω)/(πω²) − 0.3/(π(0.09ω² + 1)), beside two atoms."""
    masses = ks.analyze("2*triangle() - laplace(0.3) - 0.5*cosine(2)", dim=1).masses
    omega = np.linspace(1e-9, 4000.0, 2_000_001)
    density = 2 * (1 - np.cos(omega)) / (np.pi * omega**2) - 0.3 / (np.pi * (0.09 * omega**2 + 1))
    tail = 2 * (2 - 1 / 0.3) / np.pi / 4000.0  # of the mean of the density, which is negative
    positive = 2 * np.trapezoid(np.maximum(density, 0), omega)
    negative = 2 * np.trapezoid(np.maximum(-density, 0), omega) - tail
    assert float(masses.real_positive) == pytest.approx(positive, abs=2e-3)
    assert float(masses.real_negative) == pytest.approx(negative + 0.5, abs=2e-3)
    assert float(masses.real_positive - masses.real_negative) == pytest.approx(0.5, abs=1e-6)
    both = ks.analyze("gaussian() - 0.5*cosine(2)", dim=2).masses
    assert (float(both.real_positive), float(both.real_negative)) == pytest.approx((1.0, 0.5))


SPECTRAL = ("spectral_measure", "spectral_density", "atoms", "second_moment", "masses")


def spectral_lines(facts: Facts) -> list[str]:
    return [line for fact in facts.stated if fact.name in SPECTRAL for line in fact.lines]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("laplace()", ["E‖ω‖² = infinite", "total variation = 1"]),
        ("3*gaussian()", ["total variation = 3"]),
        ("gaussian() - gaussian()", ["E‖ω‖² = undefined, k(x, x) is 0"]),
        ("gaussian()*match()[0]", ["spectral measure: none (match() compares"]),
        ("cosine(1)", ["  atom 0.5 at (1, 1)", "  atom 0.5 at (-1, -1)"]),
        ("periodic(1)", ["  … and "]),
        (
            "2*gaussian() - laplace()",
            ["masses of the real part = ", "masses of the imaginary part = 0", "  standard error of the masses "],
        ),
    ],
)
def test_lines(text: str, lines: list[str]) -> None:
    found = "\n" + "\n".join(spectral_lines(ks.analyze(text, dim=2)))
    for line in lines:
        assert f"\n{line}" in found


def test_no_more_atoms_than_a_reader_reads() -> None:
    """On one column periodic() has an atom at every multiple of its frequency."""
    facts = ks.analyze("periodic(1)", dim=1)
    lines = spectral_lines(facts)
    assert sum(line.startswith("  atom ") for line in lines) == 6
    assert f"  … and {len(facts.atoms.points) - 6} more" in lines


def test_masses_that_need_a_value() -> None:
    lines = spectral_lines(ks.analyze("param w\nw*gaussian() + laplace()", dim=1))
    assert lines[-1].startswith("masses: parameter 'w' has no value")


def test_none_with_its_reason() -> None:
    for text, reason in (
        ("periodic(1)", "atoms"),
        ("param s > 0\nlaplace(s)", "no value"),
        ("laplace()*tilt(matern(nu=2), by=0.1)", "half"),
    ):
        found = tail_exponent(ks.analyze(text, dim=1))
        assert (found.value, found.lines) == (None, ())
        assert reason in str(found.missing)


LAGS = np.array([-1.7, -0.4, 0.0, 0.3, 0.9, 2.2])
NODES, WEIGHTS = np.polynomial.legendre.leggauss(12)

PARAMETERS = "param s > 0\nparam b > 0\n"
VALUES = {"s": 1.25, "b": 0.5}
LINE: dict[str, tuple[Callable[[Any], Any], float]] = {
    "gaussian(s)*matern(nu=3/2)": (r.product(r.gaussian(1.25), r.matern(3)), 4),
    "matern(nu=5/2, scale=s)*cosine(b)*gaussian()": (r.product(r.matern(5, 1.25), r.cosine(0.5), r.gaussian()), 6),
    "shift_gaussian(by=b)*matern(nu=3/2, scale=s)": (r.product(r.shifted(r.gaussian(), 0.5), r.matern(3, 1.25)), 4),
    "tilt(matern(nu=5/2), by=b)*gaussian(s)": (r.product(r.tilted(r.matern(5), 0.5), r.gaussian(1.25)), 6),
    "gaussian(s)*cauchy(b)": (r.product(r.gaussian(1.25), r.cauchy(0.5)), np.inf),
    "sinc(b)*rational_quadratic(alpha=2, scale=s)": (r.product(r.sinc(0.5), r.rational_quadratic(2, 1.25)), np.inf),
    "0.75*gaussian(s)*matern(nu=3/2) - 0.25*cauchy(b)*gaussian()": (
        lambda t: 0.75 * r.product(r.gaussian(1.25), r.matern(3))(t) - 0.25 * r.product(r.cauchy(0.5), r.gaussian())(t),
        4,
    ),
}
"""Products and sums with free parameters: k at their values, and α with μ(ω) = O(|ω|^−α)."""


def exact(k: Callable[[Any], Any]) -> np.ndarray:
    return np.array([float(mp.re(k(mp.mpf(float(t))))) for t in LAGS])


def panels(reach: float) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights on [0, reach], panels of at most two units; one ends at ½, the edge of sinc(1/2)."""
    cuts = np.concatenate([[0.0], np.arange(0.5, reach + 2, 2)])
    half = np.diff(cuts)[:, None] / 2
    return (cuts[:-1, None] + half * (NODES + 1)).ravel(), (half * WEIGHTS).ravel()


@pytest.mark.slow
@pytest.mark.parametrize("text", sweep(LINE, costly=["matern(nu=5/2, scale=s)*cosine(b)*gaussian()"]))
def test_on_a_line(text: str) -> None:
    """What is left beyond Ω is at most Ω^{1−α}, with room for the constant."""
    k, power = LINE[text]
    symbolic, facts = (ks.analyze(ks.parse(PARAMETERS + text, params=values), dim=1) for values in (None, VALUES))
    found = facts.characteristic_function(LAGS[:, None])
    np.testing.assert_allclose(found, exact(k), rtol=1e-13, atol=1e-15)

    omega, weights = panels(90 if np.isinf(power) else 1e9 ** (1 / (power - 1)))
    density = facts.spectral_density_at(omega[:, None])
    back = 2 * np.real(np.exp(1j * np.outer(LAGS, omega)) @ (weights * density))
    np.testing.assert_allclose(back, found, atol=1e-9)

    # with symbols: numbers for them after the derivation instead of before
    density_of = symbolic.spectral_density
    assert {str(symbol) for symbol in density_of.free_symbols} >= {"omega"} | {c for c in "sb" if f"{c})" in text}
    places = {"omega": 0.7, **VALUES}
    value = density_of.subs({symbol: sympy.Rational(places[str(symbol)]) for symbol in density_of.free_symbols})
    assert complex(value.evalf(20)) == pytest.approx(complex(facts.spectral_density_at([[0.7]])[0]), rel=1e-11)


@pytest.mark.slow
def test_a_series_over_atoms() -> None:
    facts = ks.analyze("periodic(2)*gaussian()", dim=1)
    found = facts.characteristic_function(LAGS[:, None])
    np.testing.assert_allclose(found, np.exp(-2 * np.sin(np.pi * LAGS / 2) ** 2 - LAGS**2 / 2), rtol=1e-13)
    omega, weights = panels(90)
    back = 2 * np.cos(np.outer(LAGS, omega)) @ (weights * facts.spectral_density_at(omega[:, None]))
    np.testing.assert_allclose(back, found, atol=1e-13)


@pytest.mark.slow
def test_radial_in_three_columns() -> None:
    """∫ sin(ωr)/(ωr) 4πω² S(ω) dω, S = O(ω⁻⁸)."""
    facts = ks.analyze("matern(nu=5/2)*gaussian(2)*matern(nu=5/2)", dim=3)
    radii = np.abs(LAGS) + 0.1
    lags = radii[:, None] * np.array([2, -1, 2]) / 3
    found = facts.characteristic_function(lags)
    k = r.product(r.matern(5), r.gaussian(2), r.matern(5))
    np.testing.assert_allclose(found, [float(k(mp.mpf(x))) for x in radii], rtol=1e-13)
    omega, weights = panels(60)
    density = facts.spectral_density_at(omega[:, None] * np.array([[0, 1, 0]]))
    back = 4 * np.pi * np.sinc(np.outer(radii, omega) / np.pi) @ (weights * omega**2 * density)
    np.testing.assert_allclose(back, found, atol=1e-9)


@pytest.mark.slow
def test_over_two_columns() -> None:
    """A product over the columns, of which one factor is shifted: complex. Lines through a point of it are enough."""
    facts = ks.analyze("shift_gaussian(by=0.5)[0]*cauchy()[0]*matern(nu=5/2)[1]*gaussian()[1]", dim=2)
    lags = np.stack([LAGS, LAGS[::-1]], axis=1)
    found = facts.characteristic_function(lags)
    first, second = r.product(r.shifted(r.gaussian(), 0.5), r.cauchy()), r.product(r.gaussian(), r.matern(5))
    expected = [float(mp.re(first(mp.mpf(a)) * second(mp.mpf(b)))) for a, b in lags.tolist()]
    np.testing.assert_allclose(found, expected, rtol=1e-13)
    half, share = panels(60)
    omega, weights = np.concatenate([-half, half]), np.concatenate([share, share])
    peak = facts.spectral_density_at([[0.3, 0.3]])[0]
    back = np.ones(len(lags), dtype=complex)
    for i in (0, 1):
        on_line = facts.spectral_density_at(np.insert(omega[:, None], 1 - i, 0.3, axis=1))
        back *= np.exp(1j * np.outer(lags[:, i], omega)) @ (weights * on_line)
    np.testing.assert_allclose(back / peak, found, atol=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("text", ["1/(2 - cos(r))", "exp(cos(2*r) - 1)", "cos(r/3)**2", "cos(r)*cos(sqrt(2)*r)"])
def test_almost_periodic_functions_have_no_density(text: str) -> None:
    """They do not tend to 0, so their measures have atoms [Wiener 1930]."""
    facts = ks.analyze(f"radial(r -> {text})", dim=1)
    with pytest.raises(NoDensityError):
        _ = facts.spectral_density
    assert not any("p(ω) =" in line for line in overview(facts))


def test_moments_of_formulas_are_short() -> None:
    """1/cosh(r) = 1 − r²/2 + …: a number in floats, which is 1."""
    assert "  E‖ω‖² = 1" in overview(ks.analyze("radial(r -> 1/cosh(r))", dim=1))


@pytest.mark.parametrize(
    ("text", "dim", "expected"),
    [
        # −d k″(0) of k(r) = 2 e^{−r} − e^{−2r}, which has no kink; the others have one
        ("2*exponential() - exponential(1/2)", 3, 6),
        ("(2*exponential() - exponential(1/2))*gaussian()", 3, 9),
        ("param s > 0\n2*exponential(s) - exponential(s/2)", 2, 4 / sympy.Symbol("s", positive=True) ** 2),
        ("4/3*exponential() - 1/3*exponential(1/2)", 3, sympy.oo),
        ("matern(0.3) - 0.1*matern(0.7)", 2, sympy.oo),
    ],
)
def test_second_moments_of_radial_kernels_whose_infinite_terms_cancel(text: str, dim: int, expected: Any) -> None:
    assert ks.analyze(text, dim=dim).second_moment == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("laplace() - 0.5*laplace(2)", sympy.oo),
        ("(gaussian() + laplace())**2 - laplace()**2", sympy.oo),
        ("2*laplace() - laplace(1/2)", 2),
    ],
)
def test_second_moments_of_terms_that_are_infinite(text: str, expected: Any) -> None:
    """They cancel, or not: k″(0) decides. 2 e^{−|t|} − e^{−2|t|} has none of the kink, and −k″(0) = 2."""
    facts = ks.analyze(text, dim=1)
    assert facts.second_moment == facts.moment(2) == expected
    if expected == sympy.oo:
        with pytest.raises(ks.PlanError, match="the second moment of the spectral measure is infinite"):
            facts.bound(0.1, 0.05, 1.0)
    else:
        assert facts.bound(0.1, 0.05, 1.0).samples > 100


def test_moments_with_parameters_have_values_where_factors_cancel() -> None:
    """k = 1/((1 + x²/s²)(1 + x²)): k⁗(0) = 24 (1 + 1/s² + 1/s⁴), also for s = 1, where the poles meet."""
    found = ks.analyze("param s > 0\ncauchy(s)*cauchy()", dim=1).moment(4)
    (s,) = found.free_symbols
    assert found.subs(s, 1) == 72
    assert ks.analyze("cauchy()*cauchy()", dim=1).moment(4) == 72


def test_moments_beyond_the_tail_are_infinite() -> None:
    """The density of matern(2) on one column falls like |ω|⁻⁵."""
    facts = ks.analyze("matern(2)", dim=1)
    assert facts.tail_exponent == 5
    assert (facts.moment(2), facts.moment(4), facts.moment(6)) == (2, sympy.oo, sympy.oo)
    with pytest.raises(ks.KernelspecError, match="is not a piecewise exponential polynomial"):
        ks.analyze("matern(nu=3.2)", dim=1).moment(4)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("dual(activation(x -> max(0, x)), gaussian())", "dual(relu, gaussian())"),
        ("dual(activation(x -> x/abs(x)), gaussian())", "dual(sign, gaussian())"),
        ("dual(activation(x -> x/abs(x)), 0.9*gaussian())", "dual(sign, 0.9*gaussian())"),
        ("dual(step, gaussian(), max_degree=50)", "dual(step, gaussian())"),
    ],
)
def test_second_moments_count_the_degrees_left_out(text: str, same: str) -> None:
    found, expected = (ks.analyze(own, dim=2).second_moment for own in (text, same))
    assert float(found) == pytest.approx(float(expected), rel=1e-9)


def test_second_moments_of_activations_with_poles_in_their_slopes() -> None:
    # E f'² / E f² for f = |x|^0.7, from the absolute moments of a normal number
    absolute = {p: 2 ** (p / 2) * math.gamma((p + 1) / 2) for p in (-0.6, 1.4)}
    found = ks.analyze("dual(activation(x -> abs(x)**0.7), gaussian())", dim=1).second_moment
    assert float(found) == pytest.approx(0.49 * absolute[-0.6] / absolute[1.4], rel=1e-6)
    for formula in ("abs(x)**0.4", "1/(1 + exp(1/(x - 1)))"):  # infinite; the second jumps without any branches
        facts = ks.analyze(f"dual(activation(x -> {formula}), gaussian())", dim=1)
        assert "E‖ω‖² is not stated: it depends on degrees left out of activation(x" in facts.report()
