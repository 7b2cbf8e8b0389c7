"""Tests of `measures/processes.py`, through `facts.mean_embedding` and `facts.paths`."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
import sympy
from scipy import integrate, special

import kernelspec as ks
from kernelspec.errors import NotAvailableYet, NotStationaryError, ParameterError
from tests.thoroughness import sweep

EULER_MASCHERONI = 0.5772156649015329

KERNELS: dict[str, Callable[[float], float]] = {
    "gaussian(2)": lambda t: math.exp(-t * t / 8),
    "laplace(0.5)": lambda t: math.exp(-2 * abs(t)),
    "matern(nu=3/2)": lambda t: (1 + math.sqrt(3) * abs(t)) * math.exp(-math.sqrt(3) * abs(t)),
    "triangle(2)": lambda t: max(0.0, 1 - abs(t) / 2),
    "cauchy()": lambda t: 1 / (1 + t * t),
    "sinc(3)": lambda t: float(np.sinc(3 * t / np.pi)),
    "gaussian()*cauchy()": lambda t: math.exp(-t * t / 2) / (1 + t * t),
    "laplace()*cauchy()": lambda t: math.exp(-abs(t)) / (1 + t * t),
    "2*gaussian() - laplace()*cosine(2)": lambda t: (
        2 * math.exp(-t * t / 2) - math.exp(-abs(t)) * math.cos(2 * t)
    ),
    "shift(laplace(), by=1)": lambda t: math.exp(-abs(t + 1)),
    "powered_exponential(alpha=3/2)": lambda t: math.exp(-(abs(t) ** 1.5)),
    "periodic(2)": lambda t: math.exp(-2 * math.sin(math.pi * t / 2) ** 2),
    "polya(gamma(shape=1))": lambda t: math.exp(-abs(t)) - abs(t) * special.exp1(abs(t)) if t else 1.0,
    "product(t -> exp(-t)*(1 + t/2))": lambda t: math.exp(-abs(t)) * (1 + abs(t) / 2),
}  # fmt: skip


def density_of(law: str, a: float, b: float) -> tuple[Callable[[float], float], float, float]:
    if law == "uniform":
        return lambda y: 1 / (b - a), a, b
    return lambda y: math.exp(-(((y - a) / b) ** 2) / 2) / (b * math.sqrt(2 * math.pi)), a - 12 * b, a + 12 * b


@pytest.mark.slow
@pytest.mark.parametrize("law", [("normal", 0.3, 1.5), ("uniform", -1.0, 2.0)], ids=["normal", "uniform"])
@pytest.mark.parametrize("text", KERNELS)
def test_embeddings_are_integrals(text: str, law: tuple[str, float, float]) -> None:
    """Against QUADPACK, for each x, and for the average over x: within the error stated, and that of the referee."""
    kind, a, b = law
    density, low, high = density_of(*law)
    found = ks.analyze(text, dim=1).mean_embedding(**{kind: (a, b)})
    places = np.array([-0.7, 0.4, 5.0])
    values, errors = found.at(places[:, None])
    assert (found(places[:, None]) == values).all()

    def referee(x: float) -> float:
        breaks = [p for p in (x - 2, x - 1, x, x + 1, x + 2) if low < p < high]
        value, _ = integrate.quad(
            lambda y: KERNELS[text](x - y) * density(y), low, high, points=breaks or None, limit=400, epsabs=1e-13
        )
        return float(value)

    expected = np.array([referee(x) for x in places])
    assert (np.abs(values - expected) <= errors + 2e-11).all()
    assert (errors < 1e-10).all()
    width = b - a
    apart = density_of("normal", 0, math.sqrt(2) * b)[0] if kind == "normal" else lambda t: (1 - abs(t) / width) / width
    ends = [-40.0, -2.0, -1.0, 0.0, 1.0, 2.0, 40.0] if kind == "normal" else [-width, -2.0, -1.0, 0.0, 1.0, 2.0, width]
    mean = sum(
        integrate.quad(lambda t: KERNELS[text](t) * apart(t), *ends[i : i + 2], limit=200, epsabs=1e-13)[0]
        for i in range(len(ends) - 1)
    )
    assert found.mean == pytest.approx(mean, abs=found.error + 1e-10)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "law"),
    [
        ("laplace(1/2)", {"normal": (0.25, 2)}),
        ("gaussian()", {"uniform": (-1, 2)}),
        ("laplace()", {"uniform": (-1, 2)}),
        ("cauchy()", {"normal": (0, 1)}),
        ("matern(nu=5/2)*gaussian()", {"normal": (1, 3)}),
        ("cosine(2)", {"normal": (1, 1)}),
        ("triangle()", {"normal": (1 / 2, 1)}),
    ],
)
def test_expressions_have_the_values(text: str, law: dict[str, tuple[float, float]]) -> None:
    found = ks.analyze(text, dim=1).mean_embedding(**law)
    (x,) = found.expression.free_symbols
    for place in (-1.5, 0.3, 4.0):
        value = complex(found.expression.subs(x, place).evalf(30))
        assert value == pytest.approx(found([[place]])[0], abs=1e-13)


def test_embeddings_on_scales_that_a_rule_may_miss() -> None:
    """2 s Γ(5/3) inside an interval that is long for the kernel; I_0 of a wave that is short for it."""
    found = ks.analyze("powered_exponential(alpha=3/2, scale=1e-5)", dim=1).mean_embedding(uniform=(0, 1))
    (value,), (error,) = found.at([[0.3]])
    assert abs(value - 2e-5 * math.gamma(5 / 3)) <= error < 1e-13
    found = ks.analyze("periodic(1e-5)", dim=1).mean_embedding(uniform=(0, 1))
    (value,), (error,) = found.at([[0.3]])
    assert abs(value - special.ive(0, 1)) <= error < 1e-8


@pytest.mark.slow
def test_several_columns_are_products() -> None:
    """E k(x, Y) of a mixture over two of three columns, with a law for every column."""
    x = np.array([[0.5, -1.0, 9.0]])
    text = "0.7*gaussian()[0]*laplace()[1] + 0.3*laplace()[1]"
    found = ks.analyze(text, dim=3).mean_embedding(normal=([0, 1, 2], [1, 2, 3]))
    ones = [
        ks.analyze(kernel, dim=1).mean_embedding(normal=law)(x[:, [i]])[0]
        for kernel, law, i in (("gaussian()", (0, 1), 0), ("laplace()", (1, 2), 1))
    ]
    assert found(x)[0] == pytest.approx(0.7 * ones[0] * ones[1] + 0.3 * ones[1], rel=1e-13)
    radial = ks.analyze("gaussian()", dim=3).mean_embedding(normal=(0, 1))
    assert radial.mean == pytest.approx(3**-1.5, rel=1e-13)  # (1 + 2 s²/σ²)^(−d/2)


def test_rows_of_any_kind() -> None:
    rows = np.array([[0.0, 1.0], [2.0, 1.0], [0.5, 3.0]])
    found = ks.analyze("gaussian()[0]*match()[1] + noise()[0]", dim=2).mean_embedding(rows)
    expected = [(math.exp(-0.5) + math.exp(-0.5)) / 3, 0.0]
    assert found([[1.0, 1.0], [9.0, 2.0]]) == pytest.approx(expected, rel=1e-14)
    assert found.mean == pytest.approx((3 + 2 * math.exp(-2) + 3) / 9, rel=1e-14)


@pytest.mark.parametrize(
    "given", [{}, {"normal": (0, 0)}, {"normal": 1}, {"uniform": (1, 1)}, {"normal": (0, [1, 2])},
              {"uniform": (0, "b")},
              {"normal": (0, 1), "uniform": (0, 1)}, {"normal": (math.inf, 1)}],
)  # fmt: skip
def test_laws_that_are_refused(given: dict[str, object]) -> None:
    with pytest.raises(ParameterError, match="needs"):
        ks.analyze("gaussian()", dim=1).mean_embedding(**given)


def test_kernels_that_are_refused() -> None:
    with pytest.raises(NotAvailableYet, match="give rows X"):
        ks.analyze("matern(nu=3/2)", dim=2).mean_embedding(normal=(0, 1))
    with pytest.raises(NotStationaryError):
        ks.analyze("linear()", dim=1).mean_embedding(normal=(0, 1))


PATHS = [
    ("gaussian()", 1, math.inf, None),
    ("laplace()", 1, 0, 1 / 2),
    ("laplace()", 3, 0, 1 / 2),
    ("matern(nu=3/2)", 3, 1, 1 / 2),
    ("matern(nu=1)", 2, 0, 1),
    ("matern(nu=2.2)", 1, 2, 0.2),
    ("powered_exponential(alpha=3/2)", 2, 0, 3 / 4),
    ("powered_exponential(alpha=2)", 1, math.inf, None),
    ("triangle()", 2, 0, 1 / 2),
    ("sho(frequency=1, quality=2)", 1, 1, 1 / 2),
    ("polya(gamma(shape=1/2))", 1, 0, 1 / 4),
    ("polya(uniform(1, 2))", 1, 0, 1 / 2),
    ("gaussian() + 0.1*laplace()[0]", 2, 0, 1 / 2),
    ("matern(nu=5/2)*matern(nu=3/2)", 1, 1, 1 / 2),
    ("periodic(2)*matern(nu=3/2) + cosine(1)", 1, 1, 1 / 2),
    ("periodic(2) + constant()", 1, math.inf, None),
    ("1.5*laplace(0.3) - 0.5*laplace(0.1)", 1, 1, 1 / 2),  # the kinks cancel
    ("product(t -> exp(-t)*(1 + t))", 1, 1, 1 / 2),
    ("radial(r -> max(0, 1 - r)**4*(4*r + 1))", 3, 1, 1 / 2),
]


@pytest.mark.slow
@pytest.mark.parametrize(("text", "dim", "derivatives", "hoelder"), PATHS)
def test_smoothness_of_paths(text: str, dim: int, derivatives: float, hoelder: float | None) -> None:
    """Where k(0) − k(t) is dominated by |t|^β, β < 2, its slope in logarithms is twice the Hölder order."""
    facts = ks.analyze(text, dim=dim)
    assert (facts.paths.derivatives, facts.paths.hoelder) == (derivatives, pytest.approx(hoelder))
    if derivatives == 0 and "nu=1" not in text:
        lags = np.array([[0.0], [1e-7], [1e-5]]) * np.eye(1, dim)
        k = facts.characteristic_function(lags)
        assert math.log((k[0] - k[2]) / (k[0] - k[1])) / math.log(100) == pytest.approx(2 * hoelder, abs=0.01)


@pytest.mark.parametrize("text", ["gaussian(2)", "matern(nu=5/2)", "cauchy()*cosine(3)", "periodic(2)", "cosine(2)"])
def test_crossings_are_those_of_a_fine_grid(text: str) -> None:
    """Of two normal numbers with correlation ρ the signs differ with probability arccos(ρ)/π."""
    facts = ks.analyze(text, dim=1)
    lag = 1e-4
    on_grid = math.acos(facts.characteristic_function([[lag]])[0] / float(facts.k0)) / math.pi / lag
    assert float(facts.paths.crossing_rate) == pytest.approx(on_grid, rel=1e-5)
    assert ks.analyze("laplace()", dim=1).paths.crossing_rate == sympy.oo


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("gaussian() - 2*laplace()", "disproved"), ("dual(relu, gaussian())", "constant term"),
        ("param s > 0\nlaplace(s)", "no value"), ("radial(r -> 1/(1 + r**1.3))", "exponent of k(0)"),
    ],
)  # fmt: skip
def test_paths_that_are_not_known(text: str, reason: str) -> None:
    facts = ks.analyze(text, dim=1).to_dict()
    assert facts["paths"] is None
    assert reason in facts["no_paths"]


LAWS = {
    "gamma(shape=0.4)": 1.4,
    "gamma(shape=1)": 2,
    "gamma(shape=3.3)": 2,
    "exponential()": 2,
    "erlang(2)": 2,
    "chi(0.5)": 1.5,
    "chi(3)": 2,
    "chi_square(1)": 1.5,
    "half_normal()": 2,
    "nakagami(0.3)": 1.6,
    "rayleigh()": 2,
    "weibull(shape=0.7)": 1.7,
    "weibull(shape=3)": 2,
    "uniform(0, 1)": 2,
    "uniform(1, 2)": 2,
    "pareto(2)": 2,
    "inverse_gamma(1)": 2,
    "lognormal()": 2,
    "rice(1)": 2,
    "shifted_poisson(2)": 2,
}
"""1 + min(1, s), P(R < r) ~ r^s at 0 [Feller 1971, XIII.5]."""


@pytest.mark.slow
@pytest.mark.parametrize(("law", "expected"), sweep(list(LAWS.items()), every=3))
def test_tails_of_polya_kernels(law: str, expected: float) -> None:
    """Averages over octaves of the density fall by 2^α from one to the next, but for a logarithm."""
    facts = ks.analyze(f"polya({law})", dim=1)
    assert facts.tail_exponent == pytest.approx(expected)
    has_logarithm = law in ("gamma(shape=1)", "exponential()", "uniform(0, 1)", "half_normal()")
    middle = 2e4
    omega = np.linspace(middle, 2 * middle, 2001)[:, None]
    near, far = (facts.spectral_density_at(factor * omega).mean() for factor in (1, 8))
    assert math.log2(near / far) / 3 == pytest.approx(expected, abs=0.15 if has_logarithm else 0.02)
