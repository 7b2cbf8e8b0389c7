"""Tests of `verdicts/rules.py`."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.special import ive

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.nodes.sums_and_products import Sum
from kernelspec.limits import counted_work
from kernelspec.measures.algebra.pieces import NotClosed
from kernelspec.measures.measure import measure_of
from kernelspec.tables.rows import Rows
from kernelspec.verdicts.exact_signs import PolynomialDensity, by_exact_signs, polynomial_densities, polynomial_density
from kernelspec.verdicts.expansion import expanded
from kernelspec.verdicts.rules import (
    Question,
    by_closed_densities,
    by_common_factor,
    by_densities,
    by_expansion,
    by_parts,
)


def found(text: str, dim: int) -> str | None:
    finding = by_closed_densities(Question(ks.parse(text).symbolic_kernel(Columns(dim))))
    return None if finding is None else finding.positive_definite


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "dim", "expected"),
    [
        ("gaussian()*laplace() - 0.1*gaussian()", 1, "proved"),
        ("gaussian()*laplace() - 0.6*gaussian()", 1, "disproved"),
        ("exponential() - 0.5*matern(nu=3/2)*exponential()", 3, "proved"),
        ("exponential() - 1.5*matern(nu=3/2)*exponential()", 3, "disproved"),
        ("gaussian()*laplace() - 0.1*gaussian()", 2, None),
        ("gaussian()*laplace() - 0.1*cosine(1)", 1, None),
        ("shift(laplace(), by=1)*gaussian()", 1, None),
    ],
)
def test_findings(text: str, dim: int, expected: str | None) -> None:
    assert found(text, dim) == expected


@pytest.mark.slow
def test_a_disproof_has_its_frequency_and_its_rows() -> None:
    verdict = ks.analyze("gaussian()*laplace() - 0.9*gaussian()", dim=1).verdict
    assert verdict.positive_definite == "disproved"
    assert verdict.witness is not None
    x = np.array(verdict.witness.points)
    gap = np.abs(x - x.T)
    matrix = np.exp(-(gap**2) / 2) * (np.exp(-gap) - 0.9)
    assert np.linalg.eigvalsh(matrix)[0] == pytest.approx(verdict.witness.eigenvalue, rel=1e-6)


def test_what_is_proved_has_no_negative_mass() -> None:
    facts = ks.analyze("gaussian()*laplace() - 0.1*gaussian()", dim=1)
    assert float(facts.masses.real_positive) == pytest.approx(0.9)
    assert (facts.masses.real_negative, facts.masses.error) == (0, 0)


def test_a_symbol_is_left_open() -> None:
    assert (
        ks.analyze("param s > 0\ngaussian(s)*laplace() - 0.1*gaussian()", dim=1).verdict.positive_definite == "unknown"
    )


@pytest.mark.parametrize(
    ("text", "proved"),
    [
        ("laplace()[0]*match()[1] - 0.1*gaussian()[0]*match()[1]", True),
        ("laplace()[0]*match()[1] - 0.9*gaussian()[0]*match()[1]", False),  # nothing follows
        ("gaussian()*match()[0] - 0.5*match()[0]", False),  # one term is the factor alone
        ("gaussian() - 0.1*laplace()", False),
        ("match()[1]", False),
    ],
)
def test_answers(text: str, proved: bool) -> None:
    found = by_common_factor(Question(ks.parse(text).symbolic_kernel(Columns(2))))
    assert (found is not None) == proved
    if found is not None:
        assert "Schur 1911" in found.reasons[-1]
        assert found.positive_definite == "proved"


def asked(text: str, dim: int) -> tuple[str, str]:
    found = by_densities(Question(ks.parse(text).symbolic_kernel(Columns(dim))))
    return ("", "") if found is None else (found.positive_definite, found.reasons[-1])


@pytest.mark.parametrize(
    ("text", "dim", "answer", "words"),
    [
        ("laplace() - 0.1*gaussian()", 5, "proved", "nowhere negative"),
        ("laplace() - 0.1*gaussian()", 6, "disproved", "-3.82e-06 < 0 at ω = (1, 1, 1, 1, 1, 1)"),
        ("triangle() - 0.001*gaussian()", 1, "disproved", "-1.07e-12 < 0 at ω = (6.28319)"),
        ("gaussian() - 0.25*gaussian(scale=2)", 2, "proved", "nowhere negative"),
        ("cosine(by=1)*cosine(by=2) - 0.6*cosine(by=3)", 1, "disproved", "the atom -0.05 < 0 at ω = ("),
        ("cosine(by=1) - 0.1*gaussian()", 1, "disproved", "density"),
        ("gaussian() - 0.1*gaussian()[1]", 2, "disproved", "density on column 1 is"),
        ("match()[0] + gaussian()[1] - 0.2*gaussian(scale=2)[1]", 2, "proved", "nowhere negative"),
        ("match()[0] + gaussian()[1] - 0.8*gaussian(scale=2)[1]", 2, "", ""),
        ("gaussian() - 0.1*match()", 1, "", ""),
        ("param w\\ngaussian() - w*laplace()", 1, "", ""),
    ],
)
def test_answers_densities(text: str, dim: int, answer: str, words: str) -> None:
    found, reason = asked(text.replace("\\n", "\n"), dim)
    assert found == answer
    assert words in reason


def test_a_frequency_is_where_the_density_is_negative() -> None:
    text = "exponential() - 0.5*gaussian()"
    found = by_densities(Question(ks.parse(text).symbolic_kernel(Columns(3))))
    assert found is not None
    assert found.frequency is not None
    assert ks.analyze(text, dim=3).spectral_density_at(np.array([found.frequency]))[0] < 0


@pytest.mark.parametrize("dim", [1, 4, None])
def test_squares_cancel(dim: int | None) -> None:
    verdict = ks.analyze("(gaussian() + laplace())**2 - (gaussian()**2 + laplace()**2)", dim=dim).verdict
    assert verdict.positive_definite == "proved"
    assert verdict.reasons[-1] == "multiplied out, the kernel is 2*gaussian(scale=1)*laplace(scale=1)"


def test_what_stays_signed_is_left_open() -> None:
    kernel = ks.parse("(gaussian() - laplace())**2").symbolic_kernel(Columns(1))
    assert by_expansion(Question(kernel)) is None


def test_long_kernels_are_not_shown() -> None:
    sums = " + ".join(f"gaussian(scale={n})[0]*laplace()[1]" for n in range(2, 12))
    verdict = ks.analyze(f"(gaussian() + {sums})**2 - gaussian()**2", dim=2).verdict
    assert verdict.reasons[-1] == "multiplied out, the kernel is a weighted sum of products"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "dim", "source"),
    [
        ("max(0, 1 - r)**4*(4*r + 1)", 5, "Wendland 1995: φ_{3,1} up to d = 3"),
        ("exp(-r)*(1 + sin(3*r)/3)", 3, "numbers"),
        ("(1 - r**2)*exp(-r**2/2)", 2, "the density has the factor ω² − (d − 1)"),
    ],
)
def test_disproved(text: str, dim: int, source: str) -> None:
    verdict = ks.analyze(f"radial(r -> {text})", dim=dim).verdict
    assert verdict.positive_definite == "disproved", source


@pytest.mark.slow
@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "dim", "source"),
    [
        ("(1 - r**2)*exp(-r**2/2)", 1, "minus the second derivative of a Gaussian"),
        ("(1 - r**2/3)*exp(-r**2/2)", 3, "the Laplacian of a Gaussian"),
        ("max(0, 1 - r)**4*(4*r + 1)*exp(-r)", 3, "a product of kernels, Wendland's and the exponential"),
    ],
)
def test_never_disproved(text: str, dim: int, source: str) -> None:
    assert ks.analyze(f"radial(r -> {text})", dim=dim).verdict.positive_definite != "disproved", source


PART = "(laplace() - 0.1*gaussian())"


@pytest.mark.parametrize(
    ("text", "proved"),
    [
        (f"gaussian()*{PART}", True),
        (f"{PART}**2", True),
        (f"stretch({PART}, 2)", True),
        (f"dual(exp(c=1), {PART})", True),
        (f"match()*{PART} + gaussian()", True),
        ("gaussian()*(gaussian() - laplace())", False),
        (f"gaussian()*{PART} - 0.1*match()", False),
        ("gaussian()", False),
    ],
)
def test_answers_parts(text: str, proved: bool) -> None:
    found = by_parts(Question(ks.parse(text).symbolic_kernel(Columns(1))))
    assert (found is not None) == proved
    assert found is None or found.positive_definite == "proved"


@pytest.mark.parametrize(
    ("text", "dim", "rows"),
    [
        ("exponential() - 0.05*periodic(period=2)", 1, np.arange(0, 400, 2.0)[:, None]),
        ("laplace()*gaussian() - 0.05*periodic(period=2)", 1, np.arange(0, 400, 2.0)[:, None]),
        ("cosine(by=3)*exponential() - 0.03*cosine(by=1)", 3, np.indices((6, 6, 6)).reshape(3, -1).T * 0.9),
        ("matern(nu=3/2)[0] + gaussian()[1] - 0.1*periodic(period=1)[0]", 2, np.indices((9, 9)).reshape(2, -1).T * 0.3),
    ],
)
def test_a_negative_atom_beside_densities_disproves(text: str, dim: int, rows: np.ndarray) -> None:
    verdict = ks.analyze(text, dim=dim).verdict
    assert verdict.positive_definite == "disproved"
    assert any("the spectral measure has the atom -0" in reason for reason in verdict.reasons)
    assert np.linalg.eigvalsh(ks.parse(text).gram(np.asarray(rows, dtype=float)))[0] < -0.1


@pytest.mark.parametrize(
    "text",
    [
        "exponential() + periodic(period=2) - 0.05*periodic(period=2, scale=3)",  # an atom where that one has more
        "exponential() + 2*cosine(by=pi*0.7)*periodic(period=2) - 0.1*constant()*cosine(by=0.7*pi)",
    ],
)
def test_positive_atoms_at_the_same_place_count(text: str) -> None:
    assert ks.analyze(text, dim=1).verdict.positive_definite != "disproved"
    assert ks.analyze(text, dim=1).masses.real_negative < 1e-6


def density_of(text: str, dim: int) -> PolynomialDensity:
    return polynomial_density(measure_of(expanded(ks.parse(text).symbolic_kernel(Columns(dim)))))


@pytest.mark.parametrize(
    ("text", "dim"),
    [
        ("laplace() - 0.4*matern(3/2)", 1),
        ("laplace()*cosine(2) - 0.2*laplace(scale=2)", 1),
        ("laplace()*matern(3/2)*cosine(1) - 0.3*matern(5/2)*cosine(3)", 1),
        ("exponential() - 0.2*exponential(scale=2)", 3),
        ("matern(3/2)*exponential() - 0.1*exponential()*exponential()", 3),
        ("matern(5/2)*exponential() - 0.05*exponential()*matern(5/2)", 2),
        ("gaussian() - 0.4*gaussian(scale=sqrt(2)) + 0.1*gaussian(scale=2)", 1),
        ("gaussian() - 0.4*gaussian(scale=sqrt(2)) + 0.1*gaussian(scale=2)", 4),
        ("gaussian()*cosine(2) - 0.4*gaussian()*cosine(1) + 0.1*gaussian()", 1),
        ("triangle() - 0.4*triangle(width=2) + 0.2*triangle(width=3/2)", 1),
    ],
)
def test_the_quotient_is_positive_and_has_no_other_sign(text: str, dim: int) -> None:
    assert share_of_clear_signs(density_of(text, dim), text, dim, np.geomspace(0.01, 30, 60)) > 2 / 3


def share_of_clear_signs(density: PolynomialDensity, text: str, dim: int, places: np.ndarray) -> float:
    """The share of places at which the polynomial is not within rounding of 0: there it has the sign of the density."""
    radii = np.array([density.radius(float(x)) for x in places])
    values = ks.analyze(ks.parse(text), dim=dim).spectral_density_at(np.eye(1, dim) * radii[:, None])
    coefficients = [float(c.enclosed(30)[0]) for c in density.polynomial]
    polynomial = np.polynomial.Polynomial(coefficients)(places)
    clear = np.abs(polynomial) > 1e-9 * np.polynomial.Polynomial(np.abs(coefficients))(places)
    assert (np.sign(values) == np.sign(polynomial))[clear].all()
    return float(clear.mean())


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("sinc()**2 - 0.6*sinc()", 2),
        ("sinc(bandwidth=sqrt(2))*sinc(bandwidth=3) - 0.2*sinc(bandwidth=pi)", 3),
        ("cauchy()**2 - 0.7*cauchy()", 1),
        ("cauchy() - cauchy(scale=2) + 0.3*cauchy(scale=3)", 1),
        ("cauchy()*sinc() - 0.7*cauchy()", 2),
        ("cauchy()*sinc() - 0.1*sinc(bandwidth=3) + 0.1*cauchy(scale=2)", 3),
    ],
)
def test_on_every_interval_the_quotient_has_one_sign(text: str, count: int) -> None:
    found = polynomial_densities(measure_of(expanded(ks.parse(text).symbolic_kernel(Columns(1)))))
    assert len(found) == count
    for density in found:
        assert share_of_clear_signs(density, text, 1, np.geomspace(0.03, 30, 40)) > 3 / 4


@pytest.mark.parametrize(
    ("text", "dim"),
    [
        ("gaussian() - 0.1*gaussian(scale=pi)", 1),
        ("laplace() - 0.1*gaussian()", 1),
        ("laplace() - 0.1*triangle()", 1),
        ("cauchy() - 0.1*gaussian()", 1),
        ("exponential() - 0.1*exponential(scale=2)", 2),
        ("triangle() - 0.1*triangle(width=sqrt(2))", 1),
        ("gaussian() - 0.1*gaussian(scale=101/100)", 1),
    ],
)
def test_others_are_refused(text: str, dim: int) -> None:
    with pytest.raises(NotClosed):
        density_of(text, dim)


def question(text: str, dim: int) -> Question:
    return Question(ks.parse(text).symbolic_kernel(Columns(dim)))


def test_a_tie_is_proved_and_the_polynomial_printed() -> None:
    found = by_exact_signs(question("laplace() - 4*sqrt(3)/9*matern(3/2)", 1))
    assert found is not None
    assert found.positive_definite == "proved"
    assert "P(x) = x**2 - 2*x + 1" in found.reasons[0]
    assert "1 distinct root" in found.reasons[0]


@pytest.mark.parametrize(
    ("text", "dim"),
    [
        ("laplace() - 0.8*matern(3/2)", 1),
        ("laplace()*cosine(2) - 0.3*laplace()", 1),
        ("exponential() - 0.7*exponential(1/2)", 3),
        ("gaussian() - 0.6*gaussian(scale=2)", 1),
        ("gaussian() - 0.3*gaussian(scale=2)", 2),
        ("triangle() - 0.6*triangle(width=2)", 1),
        ("sinc()**3 - 0.6*sinc()", 1),
        ("cauchy() - 2*cauchy(scale=2) + 1.3*cauchy(scale=3)", 1),
        ("cauchy()*sinc() - 0.7*cauchy()", 1),
    ],
)
def test_the_density_is_negative_at_the_frequency(text: str, dim: int) -> None:
    found = by_exact_signs(question(text, dim))
    assert found is not None
    assert found.positive_definite == "disproved"
    assert found.frequency is not None
    assert ks.analyze(ks.parse(text), dim=dim).spectral_density_at(np.array([found.frequency]))[0] < 0


def test_rates_without_a_common_divisor_are_refused() -> None:
    for text in ("cauchy()**2 - 0.1*cauchy(scale=2)", "cauchy() - 0.1*cauchy(scale=sqrt(2)) - 0.1*cauchy(scale=2)"):
        with pytest.raises(NotClosed):
            polynomial_densities(measure_of(expanded(ks.parse(text).symbolic_kernel(Columns(1)))))


def test_breakpoints_are_stated() -> None:
    found = by_exact_signs(question("sinc(bandwidth=sqrt(2))**2 - 1/2*sinc(bandwidth=sqrt(2))", 1))
    assert found is not None
    assert found.positive_definite == "proved"
    assert "for 0 < |ω| < sqrt(2), x = |ω|/(sqrt(2) − |ω|)" in found.reasons[0]
    assert "for sqrt(2) < |ω| < 2*sqrt(2)" in found.reasons[1]


@pytest.mark.parametrize("text", ["gaussian() - 0.1*cosine(1)", "linear() - gaussian()", "minmax() - 0.1*gaussian()"])
def test_what_has_no_density_is_left_to_others(text: str) -> None:
    assert by_exact_signs(question(text, 1)) is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "largest"),
    [
        ("laplace() - 0.1*gaussian()", 5),
        ("2*gaussian() - gaussian(scale=1.2)", 3),
        ("gaussian() - 0.25*gaussian(scale=2)", 2),
        ("laplace() - 0.3*gaussian()", 2),
    ],
)
def test_the_last_number_of_columns_is_said(text: str, largest: int) -> None:
    verdict = ks.analyze(text).verdict
    assert verdict.positive_definite == "disproved"
    assert verdict.most_columns == largest
    assert f"positive definite for d ≤ {largest} columns, and not from d = {largest + 1} on" in verdict.reasons
    assert [ks.analyze(text, dim=d).verdict.positive_definite for d in (largest, largest + 1)] == [
        "proved",
        "disproved",
    ]


def test_what_fails_at_once_says_so() -> None:
    reasons = ks.analyze("gaussian(scale=2) - 0.1*gaussian()").verdict.reasons
    assert reasons[-1].startswith("with 1 column: the spectral density is -")


@pytest.mark.slow
def test_what_holds_for_all_that_are_tried_is_no_proof() -> None:
    verdict = ks.analyze("exponential() - 0.01*gaussian()").verdict
    assert verdict.positive_definite == "unknown"
    assert "proved for d = 1, …, 256" in verdict.reasons[-1]


@pytest.mark.parametrize("text", ["gaussian(scale=d) - 0.1*gaussian(scale=2*d)", "gaussian()[0] - 0.1*gaussian()[1]"])
def test_where_columns_are_part_of_the_spec_nothing_is_concluded(text: str) -> None:
    assert not any("columns, and not from" in reason for reason in ks.analyze(text).verdict.reasons)


TEXTS = {
    "(gaussian() + laplace())**3": 4,
    "(gaussian() - laplace())*(gaussian() + laplace())": 2,
    "((gaussian() + cauchy())[0] - laplace()[0])*match()[1]": 3,
    "stretch(gaussian() + laplace(), 2)*(gaussian() - 1/2*laplace())": 4,
    "matern(nu=1/2) - powered_exponential(alpha=1)": 0,
    "powered_exponential(alpha=2) - gaussian(scale=sqrt(1/2))": 0,
    "(gaussian() + match())**2 - match()": 2,
    "dual(relu, gaussian()/2 - laplace()/2)*gaussian()": 1,
}


@pytest.mark.parametrize("text", TEXTS)
def test_values_are_the_same(text: str) -> None:
    rows = Rows(np.random.default_rng(0).standard_normal((6, 2)))
    kernel = ks.parse(text).numeric_kernel(Columns(2))
    pairs = NumericPairs(rows, rows)
    gap = np.asarray(expanded(kernel).value(pairs) - kernel.value(pairs))
    assert np.abs(gap).max() < 1e-14


@pytest.mark.parametrize(("text", "count"), TEXTS.items())
def test_equal_terms_are_merged(text: str, count: int) -> None:
    found = expanded(ks.parse(text).symbolic_kernel(Columns(2)))
    assert (len(found.terms) if isinstance(found, Sum) else 1) == count


def test_too_many_terms_are_left_alone() -> None:
    kernel = ks.parse("(gaussian() + laplace() + cauchy())**100").numeric_kernel(Columns(1))
    assert expanded(kernel) is kernel


def periodic_atoms(terms: list[tuple[float, float, float]], dim: int) -> float:
    """The least atom over the frequencies (2πm/p, 0, …) of Σ w periodic(p, ℓ), relative to the sizes of its terms."""
    found = []
    frequencies = {Fraction(m) / Fraction(p) for _, p, _ in terms for m in range(40)}
    for frequency in frequencies:
        sizes = [
            w * ive(float(frequency * Fraction(p)), 1 / scale**2) * ive(0, 1 / scale**2) ** (dim - 1)
            for w, p, scale in terms
            if (frequency * Fraction(p)).denominator == 1
        ]
        found.append(sum(sizes) / max(sum(map(abs, sizes)), 1e-300))
    return min(found)


@pytest.mark.parametrize("dim", [1, 2])
@pytest.mark.parametrize(
    "terms",
    [
        [(2, 2, 1), (-1, 2, 2)],
        [(1, 2, 1), (-0.58, 2, 2)],
        [(1, 2, 1), (-0.6, 2, 2)],
        [(1, 2, 2), (-0.01, 2, 1)],
        [(1, 2, 1), (1, 2, 0.5), (-0.8, 2, 2)],
        [(1, 2, 1), (-0.01, 1, 3)],
        [(1, 2, 1), (-1e-4, 3, 1)],
        [(1, 2, 1), (-1e-4, 1, 0.5)],
    ],
)
def test_periodic_kernels_less_another(terms: list[tuple[float, float, float]], dim: int) -> None:
    text = " + ".join(f"({w})*periodic({p}, scale={scale})" for w, p, scale in terms)
    verdict = ks.analyze(text, dim=dim).verdict
    expected = "proved" if periodic_atoms(terms, dim) > 0 else "disproved"
    assert verdict.positive_definite == expected, verdict.reasons
    if expected == "disproved":
        assert verdict.witness is not None
        assert verdict.witness.frequency is not None


def test_all_periodic_kernels_have_an_atom_at_zero() -> None:
    """At ω = 0 also those count whose periods have no common measure: here 0.7·0.466 + 0.466 > 0.791·0.9."""
    verdict = ks.analyze("0.7*periodic(sqrt(2)) + periodic(1) - 0.9*periodic(1, scale=2)", dim=1).verdict
    assert verdict.positive_definite != "disproved"


@pytest.mark.slow
def test_negative_powers_are_series_for_a_positive_base_only() -> None:
    """(−g)⁻² for a kernel g is at least 1: within 2e-15 of the constant 1, which is too close for numbers."""
    verdict = ks.analyze("radial(r -> (-1 + 1e-15 - 1e-15*exp(-r**2))**(-2))", dim=1).verdict
    assert verdict.positive_definite != "proved"


@pytest.mark.parametrize(
    ("bound", "expected"),
    [("< 0", "disproved"), ("in [-1, 1]", "unknown"), ("", "unknown"), ("> 0", "proved"), ("in [0, 1]", "proved")],
)
def test_noise_of_unknown_sign_is_not_proved(bound: str, expected: str) -> None:
    """1[x = y] times a negative number beside a continuous kernel is never positive definite."""
    assert ks.analyze(f"param v {bound}\ngaussian() + v*noise()", dim=1).verdict.positive_definite == expected


@pytest.mark.slow
def test_densities_of_a_thousand_atoms_are_not_tried() -> None:
    """Each frequency of periodic() asks for a Hankel transform: that took minutes."""
    spec = "radial(r -> exp(-r)/(1 + r))*periodic(3) - 0.1*triangle()"
    with counted_work() as work:
        assert ks.analyze(spec, dim=2).verdict.positive_definite == "unknown"
    assert work.done < 2000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("param a >= 0\na*gaussian()", "proved"),
        ("param a\na**2*gaussian()", "proved"),
        ("param a in [0, 1]\na*gaussian() + (1 - a)*laplace()", "proved"),
        ("param a in [0, 0.9]\na*gaussian() + (0.9 - a)*laplace()", "proved"),
        ("param a in [0, 1]\n(a*gaussian() + (1 - a)*laplace())*cauchy()", "proved"),
        ("param a in [-1, 1]\n(1 - a**2)*gaussian() + (2 - exp(a/2))*laplace()", "proved"),
        ("param a in [1, 2]\nlog(a)*gaussian()", "proved"),
        ("param a in [0, 1]\ngaussian() + a*(1 - a)*noise()", "proved"),
        ("param a < 0\na*gaussian()", "disproved"),
        ("param a in [0, 1]\na*gaussian() + (0.9 - a)*laplace()", "unknown"),  # −0.1 for a = 1
        ("param a in [-1, 2]\na**3*gaussian()", "unknown"),
        ("param a in [0, 1]\ngaussian() + (0.9 - a)*noise()", "unknown"),
    ],
)
@pytest.mark.parametrize("dim", [1, None])
def test_weights_have_the_signs_of_their_ranges(text: str, expected: str, dim: int | None) -> None:
    assert ks.analyze(text, dim=dim).verdict.positive_definite == expected
