"""Tests of `measures/jordan.py`."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import sympy
from scipy.integrate import quad

import kernelspec as ks
from kernelspec.errors import NoDensityError, NotStationaryError
from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.measures.cartesian import envelope, polar
from kernelspec.measures.jordan import jordan_moments, mass_expression, transform_expression
from kernelspec.measures.measure import measure_of
from kernelspec.special.wave_integrals import wave_cosine, wave_mass
from kernelspec.special.wave_parts import WavePart

TEXTS = [
    "laplace()",
    "gaussian() - 2 * laplace()", "shift_gaussian(by=[1, 0.5])", "sinh_gaussian(by=0.5)",
    "cosh_gaussian(by=0.5)", "shift(laplace(), [1, 2]) - 0.5 * shift_gaussian(by=1)",
    "shift(shift_gaussian(by=1) + gaussian(), [1, 2])[1, 0]", "stretch(shift(laplace(), 1), 2)",
    "tilt(laplace(), 0.5)",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("text", TEXTS)
def test_parts_put_the_density_together(text: str) -> None:
    facts = ks.analyze(text, dim=2)
    parts, polar = facts.jordan, facts.polar
    symbols = sympy.symbols("omega_1 omega_2", real=True)
    for point in ([0.3, -0.8], [1.9, 1.1]):
        at = dict(zip(symbols, point, strict=True))
        value = complex(facts.spectral_density_at(np.array([point]))[0])
        found = [float(sympy.S(part).subs(at)) for part in vars(parts).values()]
        assert min(found) >= 0
        assert found == pytest.approx(
            [max(v, 0) for v in (value.real, -value.real, value.imag, -value.imag)], rel=1e-10
        )
        turned = complex((polar.modulus * sympy.exp(sympy.I * polar.argument)).subs(at).evalf())
        assert turned == pytest.approx(value, rel=1e-10)


def test_refusals() -> None:
    with pytest.raises(NoDensityError):
        _ = ks.analyze("shift(cosine(1), 1)", dim=1).jordan
    with pytest.raises(NotStationaryError):
        _ = ks.analyze("match()", dim=1).polar


def moments_of(text: str, dim: int) -> tuple[float, float, float]:
    spec = ks.parse(text)
    found = jordan_moments(spec.kernel(spec.columns(dim)), ks.analyze(text, dim=dim).masses)
    return found.real_positive, found.real_negative, found.imaginary


@pytest.mark.slow
@pytest.mark.parametrize("text", ["shift_gaussian(0.7, 1.1)", "cosh_gaussian(0.7, 1.1)", "sinh_gaussian(0.7, 1.1)"])
def test_along_one_direction_by_quadrature(text: str) -> None:
    density = ks.analyze(text, dim=1).spectral_density_at
    angle = 1.1 if "shift" in text else 0.7**2 * 1.1
    edges = np.arange(-40, 41) * np.pi / 2 / angle
    edges = np.unique([-14, *edges[np.abs(edges) < 14], 14])

    def moment(part: object) -> float:
        sizes = [
            sum(
                quad(lambda w, p=p: part(density([[w]])[0]) * w**p, lo, hi, epsabs=1e-12)[0]
                for lo, hi in pairwise(edges)
            )  # type: ignore[operator]
            for p in (0, 2)
        ]
        return sizes[1] / sizes[0] if sizes[0] > 1e-15 else 0.0

    expected = (moment(lambda v: max(v.real, 0)), moment(lambda v: max(-v.real, 0)), moment(lambda v: max(v.imag, 0)))
    assert moments_of(text, 1) == pytest.approx(expected, rel=1e-7)


def test_the_orthogonal_directions_are_gaussian() -> None:
    line, space = moments_of("shift_gaussian(2, [1.5])", 1), moments_of("shift_gaussian(2, [0, 1.5, 0])", 3)
    assert np.subtract(space, line) == pytest.approx([2 / 4] * 3, rel=1e-10)


def test_others_by_draws() -> None:
    series, drawn = moments_of("shift_gaussian(by=0.8)", 2), moments_of("shift_gaussian(by=0.8) - 0 * laplace()", 2)
    assert series == drawn  # a zero term is dropped
    spread = moments_of("shift_gaussian(by=0.8) + 0.001 * gaussian()", 2)  # all but the same measure, without a series
    assert spread == pytest.approx(series, rel=0.05)
    assert moments_of("gaussian() - laplace()", 1) == (np.inf, np.inf, np.inf)


@pytest.mark.slow
@pytest.mark.parametrize("part", WavePart, ids=lambda part: part.name)
@pytest.mark.parametrize("a", [0.6, 2.0])
def test_series(part: WavePart, a: float) -> None:
    symbol = sympy.Symbol("a", positive=True)
    exact = sympy.Float(a, 30)
    found = _finite(mass_expression(part, symbol).subs(symbol, exact))
    assert found == pytest.approx(wave_mass(part, a), rel=1e-11)
    transformed = _finite(transform_expression(part, exact, sympy.Float("0.7", 30)))
    assert transformed == pytest.approx(float(wave_cosine(part, a, np.array(0.7))), abs=1e-13)


def _finite(expression: sympy.Expr) -> float:
    """The value with every series cut at |k| = 30."""
    for series in expression.atoms(sympy.Sum):
        k, low, _ = series.limits[0]
        start = 1 if low == 1 else -30
        expression = expression.subs(series, sympy.Add(*[series.function.subs(k, n) for n in range(start, 31)]))
    return float(expression.evalf(25))


def test_known_phases_are_not_reduced() -> None:
    spec = ks.parse("shift_gaussian(by=7)")
    frequency = SymbolicPairs.frequency(1)
    modulus, argument = polar(measure_of(spec.symbolic_kernel(spec.columns(1))), frequency)
    assert argument == 7 * frequency.component(1)
    assert not modulus.has(sympy.I)


@pytest.mark.parametrize(
    "text",
    [
        "gaussian() - 2 * laplace()", "shift_gaussian(by=1) - 0.5 * shift(laplace(), 2)",
        "stretch(shift(laplace(), 1) - gaussian(), 2)[1, 0]", "cosh_gaussian(by=0.5)",
        "sinh_gaussian(by=0.5)", "tilt(laplace(), 0.5)",
    ],
)  # fmt: skip
def test_dominates_up_to_a_constant(text: str) -> None:
    spec = ks.parse(text)
    measure = measure_of(spec.kernel(spec.columns(2)))
    outer = envelope(measure)
    omega = np.random.default_rng(0).standard_normal((50, 2)) * np.geomspace(0.1, 30, 50)[:, None]
    density = outer.density(omega)
    assert not outer.is_complex
    assert (density >= 0).all()
    near = np.sum(omega**2, axis=1) < 200  # the Gaussian underflows beyond
    ratio = np.abs(measure.density(omega))[near] / density[near]
    assert ratio.max() < 5
