"""Tests of `analysis/facts.py`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import kernelspec as ks
from kernelspec.analysis.facts import answer_or_reason
from kernelspec.analysis.overview import derivatives, half_distances, overview, smoothness_in_words, variance_lines
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.kernel import Kernel

VERDICTS = [
    ("gaussian()", "proved"),
    ("0.5*gaussian() + 3*match()", "proved"),
    ("(gaussian()*laplace())**2", "proved"),
    ("gaussian() - gaussian()", "proved"),
    ("(-gaussian())*(-laplace())", "proved"),
    ("normalize(gaussian() + laplace())[0]", "proved"),
    ("-gaussian()", "disproved"),
    ("gaussian() - 2*laplace()", "disproved"),
    ("gaussian() - laplace()", "disproved"),
    ("2*gaussian() - 1.9*laplace()", "disproved"),
    ("gaussian(2) - 0.5*gaussian(1)", "disproved"),
    ("match() - gaussian()", "disproved"),
    ("1e-12*(gaussian() - laplace())", "disproved"),
    ("2*laplace() - 0.1*gaussian()", "proved"),  # its density is positive
    ("-((0.1*gaussian() - 2*laplace())*cauchy())", "proved"),  # a product of two that are
    ("gaussian() - 0.5*gaussian()[0]*gaussian()[1]", "proved"),  # half a gaussian
]


@pytest.mark.parametrize(("text", "verdict"), VERDICTS, ids=[row[0] for row in VERDICTS])
def test_verdict(text: str, verdict: str) -> None:
    found = ks.analyze(text, dim=2).verdict
    assert found.positive_definite == verdict
    assert found.symmetric
    assert found.reasons


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "verdict"),
    [("param w > 0\nw*gaussian() + laplace()", "proved"), ("param w < 0\nw*gaussian() + laplace()", "unknown"),
     ("param w\nw*gaussian() + laplace()", "unknown"), ("param w > 0\n-w*laplace()", "disproved"),
     ("param w > 0\nlaplace() - w*gaussian()", "unknown")],
)  # fmt: skip
def test_verdict_with_free_weights(text: str, verdict: str) -> None:
    assert ks.analyze(text).verdict.positive_definite == verdict
    assert ks.analyze(text, dim=2).verdict.positive_definite == verdict


def test_stationary() -> None:
    assert ks.analyze("gaussian()", dim=2).verdict.stationary is True
    assert ks.analyze("gaussian()*match()[0]", dim=2).verdict.stationary is None


@pytest.mark.slow
def test_every_number_has_its_name() -> None:
    facts = ks.analyze("0.7*gaussian(scale=2) + 0.3*cauchy()", dim=8)
    assert facts.k0 == facts.masses.total_variation == facts.masses.real_positive == 1
    assert (facts.masses.real_negative, facts.masses.imaginary_positive, facts.masses.imaginary_negative) == (0, 0, 0)
    assert facts.mean is None
    assert facts.verdict.positive_definite == "proved"
    assert float(facts.second_moment) == pytest.approx(0.7 * 8 / 4 + 0.3 * 16)
    assert facts.bound(0.1, 0.05, 2).columns == 2 * facts.bound(0.1, 0.05, 2).samples
    zero = np.zeros((3, 8))
    expected = 0.7 * (4 / (2 * np.pi)) ** 4 + 0.3 / 2**8
    np.testing.assert_allclose(facts.spectral_density_at(zero), np.full(3, expected))
    assert float(facts.spectral_density.subs(dict.fromkeys(facts.spectral_density.free_symbols, 0))) == pytest.approx(
        expected
    )
    np.testing.assert_allclose(facts.characteristic_function(zero), np.ones(3))
    assert facts.atoms is None
    assert set(facts.variance) == {"paired", "phase", "complex"}
    assert facts.latex().startswith("\\begin{align*}")
    assert facts.to_dict()["k0"] == "1"


def test_the_reason_of_a_spec_shows_no_place() -> None:
    spec = ks.parse("param s > 0\ngaussian(s)", name="churn.kernel")
    nothing, reason = answer_or_reason(lambda: spec.gram([[0.0]]))
    assert nothing is None
    assert reason is not None
    assert reason.startswith("parameter 's' has no value")


def test_other_refusals_are_reasons_as_they_are() -> None:
    facts = ks.analyze("cosine(1)", dim=1)
    nothing, reason = answer_or_reason(lambda: facts.spectral_density)
    assert nothing is None
    assert reason is not None
    assert "consists of atoms" in reason


def test_terms_with_weight_distance_and_smoothness() -> None:
    lines = overview(ks.analyze("let k = gaussian(2)[a]\n0.7*k*match()[c] + 0.3*laplace(3)[b] + match()[c]"))
    assert "positive definite: proved; symmetric; stationary in its numeric columns" in lines
    assert "columns: a, c, b" in lines
    assert "k(x, y) = 0.7*[x_c = y_c]*k + 0.3*exp(-Abs(Δ_b)/3) + [x_c = y_c]" in lines
    assert any(line.startswith("spectral measure between equal categories: μ(ω) = ") for line in lines)
    assert lines[-3:] == [
        "  0.7  [x_c = y_c]*k: compares c; k = ½ at 2.35; all derivatives",
        "  0.3  exp(-Abs(Δ_b)/3): k = ½ at 2.08; continuous, no derivative",
        "  1  [x_c = y_c]: compares c",
    ]


@pytest.mark.parametrize(
    ("text", "dim", "density"),
    [
        ("gaussian(scale=2)", 3, lambda omega: stats.multivariate_normal.pdf(omega, cov=np.eye(3) / 4)),
        ("matern(nu=3/2)", 3, lambda omega: stats.multivariate_t.pdf(omega, shape=np.eye(3), df=3)),
        ("matern(nu=5/2)", 20, lambda omega: stats.multivariate_t.pdf(omega, shape=np.eye(20), df=5)),
        ("laplace()", 2, lambda omega: stats.cauchy.pdf(omega).prod(axis=1)),
        ("gaussian()[a, b]*laplace()[c]", None, lambda omega: stats.norm.pdf(omega[:, :2]).prod(axis=1)
         * stats.cauchy.pdf(omega[:, 2])),
        ("0.3*match()[c]*gaussian()[a, b] + 0.7*gaussian(2)[a, b]", None,
         lambda omega: stats.multivariate_normal.pdf(omega, cov=np.eye(2)) * 0.3
         + stats.multivariate_normal.pdf(omega, cov=np.eye(2) / 4) * 0.7),
    ],
)  # fmt: skip
def test_the_density_is_on_the_screen(text: str, dim: int | None, density: Any) -> None:
    facts = ks.analyze(text, dim)
    (line,) = (line for line in overview(facts) if line.startswith("spectral density"))
    formula = line.partition(" = ")[2].replace("²", "**2").replace("³", "**3").replace("⁴", "**4").replace("ω[i]", "ω")
    compared = "match" in text
    assert line.startswith(f"spectral density{' between equal categories' * compared}: p(ω) = ")
    names = [own for own in facts.columns.names or () if own != "c" or not compared] or [
        str(i + 1) for i in range(int(dim or 1))
    ]
    omega = np.random.default_rng(0).standard_normal((5, len(names)))
    assert ("‖ω‖" in formula) == (text[0] != "l" and (compared or facts.columns.names is None))
    known = {"sqrt": np.sqrt, "exp": np.exp, "pi": np.pi, "size": np.linalg.norm(omega, axis=1)}
    known |= {f"ω_{name}": omega[:, i] for i, name in enumerate(names)}
    found = eval(formula.replace("‖ω‖", "size"), known)
    np.testing.assert_allclose(found, density(omega), rtol=1e-9)


@pytest.mark.parametrize(
    ("text", "dim", "said"),
    [
        ("matern(nu=3/2)*gaussian()", 2, "p(ω) = Convolution("),
        ("cosine(by=3)", 1, "spectral measure: μ(ω) = DiracDelta(ω - 3)/2 + DiracDelta(ω + 3)/2"),
        ("cosine(by=3)", 1, "E‖ω‖² = 9; E ω⁴ = 81; E ω⁶ = 729"),
        ("matern(nu=3/2)", 2, "E‖ω‖² = 6; the density falls like ‖ω‖^−5"),
        ("param s > 0\ngaussian(scale=s)", None, "exp(-s²*‖ω‖²/2)"),
        ("param s > 0\ngaussian(scale=s)", None, "E‖ω‖² = d/s²"),
        ("minmax()", 2, "no spectral density: minmax() depends on the sizes"),
        ("match()[c]*cosine(by=3)[x]", None, "between equal categories: μ(ω) = DiracDelta(ω_x - 3)/2 + DiracDelta("),
        ("match()[c]*matern(nu=3/2)[x, y]", None, "E‖ω‖² = 6; the density falls like ‖ω‖^−5"),
        ("match()[c]", None, "no spectral density: match() compares categories"),
        ("match()[c]*gaussian()[c]", None, "no spectral density: match() compares categories"),
        ("noise()[x]*gaussian()[x]", None, "no spectral density: noise() jumps at zero"),
        ("gaussian()[0]", None, "spectral density on column 0: p(ω) = sqrt(2)*exp(-ω_1²/2)/(2*sqrt(pi))"),
        ("gaussian()[0]", 3, "spectral density on column 0: p(ω) = sqrt(2)*exp(-ω_1²/2)/(2*sqrt(pi))"),
        ("gaussian()[0:2]", None, "spectral density on columns 0, 1: p(ω) = exp(-‖ω‖²/2)/(2*pi)"),
        ("laplace()[2]*match()[0]", None, "density on column 2 between equal categories: p(ω) = 1/(pi*(ω_3² + 1))"),
        (
            "cosine(by=3)[0] + cosine(by=3)[1]",
            None,
            "on columns 0, 1: μ(ω) = (DiracDelta(ω_1 - 3)/2 + DiracDelta(ω_1 + 3)/2)*DiracDelta(ω_2) +",
        ),
        ("gaussian()[0] + laplace()", None, "spectral measure: μ(ω) = "),  # laplace() reads all columns
        ("let k = laplace()\ngaussian()[0] + k", None, "spectral measure: μ(ω) = "),
        ("laplace()[x]*hamming()[c]", None, "spectral density between equal categories: p(ω) = 1/(pi*(ω_x² + 1))"),
        ('laplace()[x]*levels(["a"], [[1]])[c]', None, "between equal categories: p(ω) = 1/(pi*(ω_x² + 1))"),
        ('laplace()[x]*levels(["a"], [[2]])[c]', None, "no spectral density: levels"),  # 2 for a, something for others
        ("gaussian()[0]*match()[0]", None, "no spectral density: match() compares categories"),
    ],
)
def test_what_else_a_spectrum_says(text: str, dim: int | None, said: str) -> None:
    assert any(said in line for line in overview(ks.analyze(text, dim)))


@pytest.mark.parametrize(
    "text",
    [
        "\n".join([*(f"let k{i} = gaussian({i + 1})[a{i}]" for i in range(9)), " + ".join(f"k{i}" for i in range(9))]),
        "param s > 0\ngaussian(scale=s)",
        "gaussian() - 0.5*laplace()",
        "shift_gaussian(by=1)",
    ],
)
def test_it_is_short(text: str) -> None:
    lines = overview(ks.analyze(text))
    assert len(lines) <= 20
    assert max(map(len, lines)) <= 400


def test_variances_say_what_their_names_are() -> None:
    lines = variance_lines(ks.analyze("let k = gaussian()[a]\n2*k + match()[b]"))
    assert lines[-1] == "  with k = exp(-Δ_a²/2)"
    assert any("k(2Δ)" in line for line in lines)


HALF = math.sqrt(2 * math.log(2))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("gaussian(scale=3)", {0: 3 * HALF, 1: 3 * HALF}),
        ("laplace(scale=3)", {0: 3 * math.log(2), 1: 3 * math.log(2)}),
        ("stretch(gaussian(), [5, 800])", {0: 5 * HALF, 1: 800 * HALF}),
        ("triangle(width=4)[1]", {0: None, 1: 2}),
        ("gaussian(2)[0]*match()[1]", {0: 2 * HALF}),
        ("gaussian(1e-12)", {0: 0.0}),
        ("constant()", {0: None}),
    ],
)
def test_half_distances(text: str, expected: dict[int, float | None]) -> None:
    spec = ks.parse(text)
    found = half_distances(spec.kernel(spec.columns(2)), expected)
    assert {i for i, t in found.items() if t is None} == {i for i, t in expected.items() if t is None}
    assert all(t is None or t == pytest.approx(expected[i], rel=1e-9) for i, t in found.items())


@pytest.mark.parametrize(
    ("text", "state", "symmetric"),
    [
        # not one of these lags is a period, though k(r) and k(0) are one float
        ("shift(cosine(by=1e-8), by=1)", "disproved", False),
        ("shift(sinc(bandwidth=1e-9), by=1)", "disproved", False),
        ("shift(rational_quadratic(alpha=2, scale=1e9), by=1)", "disproved", False),
        # all of these are, though k(r) and k(0) are different floats
        ("shift(cosine(by=pi), by=2e10)", "proved", True),
        ("shift(periodic(period=0.1), by=1e9)", "proved", True),
        ("shift(circle(), by=2*pi*1e10)", "proved", True),
        # multiples of a Gaussian: (Δ + 1)²/2 − (Δ + 1) = Δ²/2 − 1/2
        ("shift(tilt(gaussian(), by=1), by=1)", "proved", True),
        ("tilt(shift(gaussian(), by=1), by=1)", "proved", True),
        ("shift(tilt(gaussian(scale=3), by=1/3), by=3)", "proved", True),
        ("shift(tilt(gaussian(scale=3), by=1/3), by=3 + 1e-20)", "disproved", False),
        # sums of decimals, which cancel where floats do not, and do not where floats do
        ("shift(shift(shift(gaussian(), 0.1), 0.2), -0.3)", "proved", True),
        ("gaussian() - 1e-17*gaussian() - gaussian()", "disproved", True),
        ("gaussian(scale=1) - gaussian(scale=1.00000000000000000001)", "disproved", True),  # k(0) = 0, and k is not 0
    ],
)
def test_exact_numbers_decide(text: str, state: str, symmetric: bool) -> None:
    verdict = ks.analyze(text, dim=1).verdict
    assert (verdict.positive_definite, verdict.symmetric) == (state, symmetric)


@pytest.mark.parametrize("text", ["param r\nshift(cosine(1), by=r)", "param b\ncosh_gaussian(by=b)"])
def test_what_hangs_on_a_symbol_is_not_known(text: str) -> None:
    verdict = ks.analyze(text, dim=1).verdict
    assert (verdict.positive_definite, verdict.symmetric) == ("unknown", None)


def test_even_functions_of_what_is_not_symmetric_may_be_symmetric() -> None:
    # cos(Δ + π/2) = −sin Δ, whose square is symmetric; rows find nothing, and no rule knows
    squared = ks.analyze("shift(cosine(1), by=pi/2)**2", dim=1).verdict
    assert squared.symmetric is not False
    cubed = ks.analyze("shift(cosine(1), by=pi/2)**3", dim=1).verdict
    assert (cubed.positive_definite, cubed.symmetric) == ("disproved", False)


def test_a_parameter_with_a_symbol_solves_for_the_period() -> None:
    verdict = ks.analyze("param w > 0\nshift(cosine(by=w), by=2*pi/w)").verdict
    assert (verdict.positive_definite, verdict.symmetric) == ("proved", True)


def kernel(text: str) -> Kernel:
    spec = ks.parse(text)
    return spec.kernel(spec.columns(1))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("gaussian()", math.inf),
        ("matern(1/2)", 0),
        ("matern(1)", 0),
        ("matern(3/2)", 1),
        ("matern(2)", 1),
        ("matern(5/2)", 2),
        ("laplace()", 0),
        ("triangle(3)", 0),
        ("powered_exponential(1.5)", 0),
        ("rational_quadratic(2)", math.inf),
        ("periodic(2)", math.inf),
        ("gaussian() + 0.1*matern(3/2)", 1),
        ("gaussian()*laplace(5)", 0),
        ("stretch(matern(5/2), 3)**2", 2),
        ("polya(gamma(3))", 0),
        ("sinc()", math.inf),
        ("cauchy()", math.inf),
    ],
)
def test_a_process_has_a_derivative_where_k_falls_with_the_square(text: str, expected: float) -> None:
    """1 − k(h) ~ h^p with p = 2 just where there is a first derivative [Rasmussen and Williams 2006, section 4.1.1]."""
    found = kernel(text)
    assert derivatives(found) == expected
    lags = np.array([[1e-4], [2e-4]])
    one, two = found.value(NumericPairs.of_vectors(np.zeros((1, 1))))[0] - found.value(NumericPairs.of_vectors(lags))
    order = np.log2(two / one)
    assert (order > 1.95) == (expected >= 1) or text == "matern(1)"  # there h² ln h


def test_words_and_what_is_not_known() -> None:
    assert smoothness_in_words(kernel("matern(3/2)")) == "1 derivative"
    assert smoothness_in_words(kernel("laplace()")) == "continuous, no derivative"
    for text in ("gaussian() - 0.5*laplace()", "dual(relu, gaussian())", "noise()", "bochner(student_t(3))"):
        assert smoothness_in_words(kernel(text)) is None
