"""State spaces against the kernels they are for."""

from __future__ import annotations

import time

import numpy as np
import pytest
import sympy
from scipy.linalg import expm

import kernelspec as ks
from kernelspec.errors import KernelspecError, NotAvailableYet
from tests.processor import seconds_since

LAGS = np.concatenate([[0.0], np.geomspace(1e-3, 1e3, 60)])

LEAVES = (
    "exponential(scale=2)", "laplace(scale=0.3)", "matern(nu=3/2, scale=0.3)", "matern(nu=5/2, scale=7)",
    "matern(nu=7/2)", "matern(nu=11/2, scale=0.01)", "cosine(3)", "constant()", "bochner(student_t(dof=3))",
    "bochner(cauchy(scale=2))", "polya(gamma(shape=2))", "polya(gamma(shape=4, scale=0.2))",
    "sho(frequency=2, quality=3)", "sho(frequency=0.3, quality=1/2)", "sho(frequency=5, quality=0.1)",
)  # fmt: skip
COMPOSITES = (
    *LEAVES,
    *(f"{leaf}*cosine(3)" for leaf in LEAVES[:6]),
    *(f"{leaf} + 0.3*exponential(scale=5)" for leaf in LEAVES),
    *(f"{leaf}*matern(nu=3/2, scale=2)" for leaf in LEAVES),
    "matern(nu=3/2)*cosine(3) + exponential() + 0.1*constant()",
    "laplace() - 1/3*laplace(scale=0.5)",
    "laplace()*cosine(2) - 0.2*laplace()",
    "0.3*laplace() + 0.2*laplace(scale=0.1) - 0.01*laplace(scale=0.02)",
    "stretch(matern(nu=5/2) + cosine(2), 3)",
    "mean(matern(nu=3/2), exponential(scale=1000))",
    "(matern(nu=3/2) + exponential())**2",
    "matern(nu=3/2)*cosine(300)",
    "laplace()**3",
)


@pytest.mark.parametrize("text", COMPOSITES)
def test_kernels_with_a_rational_density(text: str) -> None:
    facts = ks.analyze(text, dim=1)
    space, k = facts.state_space, facts.characteristic_function(LAGS[:, None])
    assert space.error == 0
    assert np.abs(space.kernel(LAGS) - k).max() < 1e-10 * k[0]
    F, L, q, H, P = space.F, space.L, space.q, space.H, space.P
    assert np.abs(F @ P + P @ F.T + L @ q @ L.T).max() <= 1e-12 * np.abs(F).max() * np.abs(P).max()
    assert H.shape == (1, space.n_states)


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("gaussian(scale=3)", 1e-4), ("gaussian()*cosine(2) + exponential()", 1e-4),
        ("periodic(2)*laplace(scale=10)", 1e-8), ("periodic(1)*matern(nu=3/2)", 1e-9),
        ("periodic(1)*gaussian()", 4e-3), ("gaussian()*laplace()*periodic(1)", 4e-3),
        ("rational_quadratic(alpha=1)", 1e-4), ("rational_quadratic(alpha=2, scale=1e-3)", 1e-4),
        ("rational_quadratic(alpha=1/2)", 1e-3), ("rational_quadratic(alpha=50, scale=100)", 1e-4),
        ("rational_quadratic(alpha=2)*cosine(2)", 1e-4),
        ("rational_quadratic(alpha=2)*exponential(scale=3) + 0.1*matern(nu=3/2)", 1e-4),
        ("stretch(rational_quadratic(alpha=2)*periodic(1), 3)", 4e-3),
        ("2*cauchy(scale=7) + 0.1*constant()", 2e-4), ("matern(nu=1)", 2e-3),
    ],
)  # fmt: skip
def test_the_error_of_approximations_is_stated(text: str, most: float) -> None:
    facts = ks.analyze(text, dim=1)
    space, k = facts.state_space, facts.characteristic_function(LAGS[:, None])
    difference = np.abs(space.kernel(LAGS) - k).max()
    assert difference <= space.error + 1e-11
    assert 0 < space.error < most
    F, L, q, P = space.F, space.L, space.q, space.P
    assert np.abs(F @ P + P @ F.T + L @ q @ L.T).max() <= 1e-11 * np.abs(F).max() * np.abs(P).max()
    assert np.linalg.eigvalsh(q)[0] >= -1e-11 * np.abs(q).max()


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "matern(nu=3/2, scale=s)", "exponential()*cosine(w)", "laplace(scale=s) + laplace()",
        "sho(frequency=w, quality=3)", "sho(frequency=w, quality=1/3)",
    ],
)  # fmt: skip
def test_matrices_with_symbols(text: str) -> None:
    facts = ks.analyze(f"param s > 0\nparam w > 0\n{text}", dim=1)
    found = facts.exact_state_space
    assert found is not None
    values = dict.fromkeys(found.F.free_symbols | found.H.free_symbols, 2)
    F, P, H = (np.array(matrix.subs(values).evalf(17).tolist(), dtype=float) for matrix in (found.F, found.P, found.H))
    known = ks.analyze(f"param s = 2\nparam w = 2\n{text}", dim=1)
    space = type(known.state_space)(F, F, F, H, P)
    assert np.abs(space.kernel(LAGS) - known.characteristic_function(LAGS[:, None])).max() < 1e-12


def test_the_exponential_kernel_is_the_ornstein_uhlenbeck_process() -> None:
    found = ks.analyze("param s > 0\nexponential(scale=s)", dim=1).exact_state_space
    assert found is not None
    s = sympy.Symbol("s", positive=True)
    assert [matrix.tolist() for matrix in vars(found).values()] == [[[-1 / s]], [[1]], [[2 / s]], [[1]], [[1]]]


@pytest.mark.parametrize(
    ("text", "dim", "what"),
    [
        ("rational_quadratic(alpha=1/10)", 1, "rational density"),
        ("sinc()", 1, "rational density"),
        ("triangle()", 1, "breakpoints"),
        ("laplace()", 2, "reads several"),
        ("stretch(laplace(), [[1], [1]])", 1, "stretched by several"),  # exp(−2|t|), of two columns
        ("laplace() - 2*laplace(scale=2)", 1, "disproved"),
        ("shift_gaussian(by=1)", 1, "positive definiteness is disproved"),
        ("periodic(1)*periodic(2)*periodic(3)", 1, "harmonics leave 16%"),
        ("gaussian()*periodic(2, scale=1/2)", 1, "230 states"),
        ("matern(nu=19/2)*matern(nu=21/2, scale=3)", 1, "more than 16 poles"),
        ("linear()", 1, "no spectral measure"),
    ],
)
def test_kernels_without_a_state_space(text: str, dim: int, what: str) -> None:
    facts = ks.analyze(text, dim=dim)
    _ = facts.verdict
    began = time.process_time()
    with pytest.raises(KernelspecError, match=what):
        _ = facts.state_space
    assert seconds_since(began, bound=5) < 5  # large matrices are not made before they are refused


def test_a_damped_oscillation_is_the_equation_of_its_name() -> None:
    """x'' + (ω₀/Q) x' + ω₀² x = white noise: eigenvalues −ω₀/2Q ± √(ω₀²/4Q² − ω₀²), overdamped or not."""
    for quality in (0.2, 0.5, 4.0):
        space = ks.analyze(f"sho(frequency=3, quality={quality})", dim=1).state_space
        found = np.poly(space.F)  # the characteristic polynomial
        np.testing.assert_allclose(found, [1, 3 / quality, 9], rtol=1e-9)
        assert (space.H @ space.P @ space.H.T).item() == pytest.approx(1)


def test_another_column_may_be_there() -> None:
    facts = ks.analyze("matern(nu=3/2)[time] + constant()", columns=["x", "time"])
    assert facts.state_space.n_states == 3


@pytest.mark.slow
def test_reports_name_the_states() -> None:
    facts = ks.analyze("matern(nu=3/2)*cosine(2)", dim=1)
    assert "state space: 4 states" in facts.report()
    assert facts.to_dict()["state_space"]["F"][0] == ["0", "sqrt(7)", "0", "0"]
    assert ks.analyze("triangle()", dim=1).to_dict()["state_space"] is None
    with pytest.raises(NotAvailableYet):
        _ = ks.analyze("triangle()", dim=1).state_space


@pytest.mark.parametrize(
    "text", ["modulate(laplace(), by=w)", "laplace()*cosine(by=w)", "modulate(laplace(), by=w) + laplace()"]
)
def test_the_sign_of_a_wave_may_be_unknown(text: str) -> None:
    """Both w and −w are poles: one of them counts, whichever it is."""
    found = ks.analyze(f"param w\n{text}", dim=1).exact_state_space
    assert found is not None
    matrices = [sympy.Matrix(own) for own in (found.F, found.H, found.P)]
    (w,) = set().union(*(own.free_symbols for own in matrices))
    F, H, P = (np.array(own.subs(w, sympy.Rational(13, 10)).evalf().tolist(), dtype=float) for own in matrices)
    lags = np.linspace(0, 3, 7)
    k = [(H @ expm(F * lag) @ P @ H.T).item() for lag in lags]
    expected = ks.parse(f"param w\n{text}").with_params({"w": 1.3}).gram(lags[:, None], np.zeros((1, 1)))[:, 0]
    np.testing.assert_allclose(k, expected, atol=1e-12)


def test_poles_are_counted_before_they_are_multiplied() -> None:
    """The sixth power has hundreds of them, and multiplying took minutes."""
    start = time.process_time()
    with pytest.raises(ks.KernelspecError, match="more than the limit"):
        ks.analyze("(cosine(by=1) + cosine(by=sqrt(2)) + laplace())**6", dim=1).state_space  # noqa: B018
    assert time.process_time() - start < 20
