"""Verdicts are sound: what is positive definite by construction is never disproved, what is signed never proved.

The truth of every example is known before it is asked for: from Schur's and Bochner's theorems for kernels that are
put together by operations that keep positive definiteness, from a frequency with negative mass for signed ones, from
the identity k(x, y) = k(y, x) failing on paper for shifts and tilts.
"""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import kernelspec as ks
from tests.thoroughness import examples

SIZES = st.sampled_from(["1e-9", "1e-3", "0.1", "1", "3", "7.5", "1000", "1e9"])
PLAIN = settings(max_examples=examples(25), suppress_health_check=[HealthCheck.too_slow])


def leaves() -> st.SearchStrategy[str]:
    """Kernels of continuous spectrum, and of atoms."""
    one = st.sampled_from(
        ["gaussian(scale={})", "laplace(scale={})", "cauchy(scale={})", "triangle(width={})", "sinc(bandwidth={})",
         "matern(nu=3/2, scale={})", "exponential(scale={})", "rational_quadratic(alpha=2, scale={})",
         "powered_exponential(alpha=1.5, scale={})", "cosine(by={})", "periodic(period={})",
         "polya(gamma(shape=3, scale={}))"]
    )  # fmt: skip
    return st.builds(lambda kernel, size: kernel.format(size), one, SIZES)


def positive_definite() -> st.SearchStrategy[str]:
    """Kernels put together by operations that keep positive definiteness [Schur 1911]."""

    def composed(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.one_of(
            st.builds("({}) * ({})".format, parts, parts),
            st.builds("{} * ({}) + {} * ({})".format, SIZES, parts, SIZES, parts),
            st.builds("({})**{}".format, parts, st.integers(2, 4)),
            st.builds("stretch({}, {})".format, parts, SIZES),
            st.builds("modulate({}, {})".format, parts, SIZES),
            st.builds("normalize({})".format, parts),
            # the squares of a signed kernel and of the terms: what cancels is 2 k1 k2
            st.builds("({0} + {1})**2 - ({0})**2 - ({1})**2".format, parts, parts),
            st.builds("({0}) + ({1}) - ({1})".format, parts, parts),
        )

    return st.recursive(leaves(), composed, max_leaves=3)


@pytest.mark.slow
@PLAIN
@given(positive_definite(), st.sampled_from([1, 2, None]))
@example("(cosine(by=1e9) + cosine(by=1e9)*gaussian(scale=1e-9))**2 - (cosine(by=1e9))**2", 1)
def test_positive_definite_by_construction_is_never_disproved(text: str, dim: int | None) -> None:
    verdict = ks.analyze(text, dim=dim).verdict
    assert verdict.positive_definite != "disproved", verdict.reasons
    assert verdict.symmetric is not False, verdict.reasons


@pytest.mark.slow
@PLAIN
@given(st.integers(1, 10**12), st.sampled_from(["1e-9", "0.1", "1/3", "1", "7", "1e9", "pi", "sqrt(2)"]), st.booleans())
def test_whole_periods_are_periods(turns: int, period: str, of_waves: bool) -> None:
    text = (
        f"shift(cosine(by=2*pi/({period})), by={turns}*({period}))"
        if of_waves
        else f"shift(periodic(period={period}), by={turns}*({period}))"
    )
    verdict = ks.analyze(text, dim=1).verdict
    assert (verdict.positive_definite, verdict.symmetric) == ("proved", True)


@pytest.mark.slow
@PLAIN
@given(leaves(), SIZES, st.integers(1, 999) | st.just(500))
@example("periodic(period=1)", "1", 500)
@example("periodic(period=1e9)", "1", 500)
@example("cosine(by=7.5)", "1", 500)
def test_a_shift_by_no_period_is_disproved(leaf: str, size: str, thousandths: int) -> None:
    """A continuous spectrum has no period; atoms have one, which is missed by a fraction.

    k(Δ + r) = k(−Δ + r) = k(Δ − r) for all Δ only if 2r is a period, as it is for half of one.
    """
    has_period, share = leaf.startswith(("periodic", "cosine")), Fraction(thousandths, 1000)
    if leaf.startswith("periodic"):
        size = f"({leaf[len('periodic(period=') : -1]}) * {share}"
    if leaf.startswith("cosine"):
        size = f"2*pi / ({leaf[len('cosine(by=') : -1]}) * {share}"
    verdict = ks.analyze(f"shift({leaf}, by={size})", dim=1).verdict
    assert (verdict.positive_definite, verdict.symmetric) == ("disproved", has_period and 2 * share == 1)
    tilted = ks.analyze(f"tilt({leaf}, by={size if 'pi' not in size else '1'})", dim=1) if _within_range(leaf) else None
    assert tilted is None or tilted.verdict.symmetric is False


def _within_range(leaf: str) -> bool:
    """Whether the exponential is one that cosh_gaussian() takes: of a Gaussian its mass must be a float."""
    return not leaf.startswith("gaussian")


@pytest.mark.long
@PLAIN
@given(
    st.sampled_from(["gaussian", "laplace", "cauchy", "exponential"]),
    st.integers(1, 20),
    st.integers(1, 100),
    st.sampled_from([1, 2, 3]),
)
def test_negative_mass_at_a_known_frequency_is_never_proved(name: str, ratio: int, share: int, dim: int) -> None:
    """k(Δ/s) − w k(Δ), of density s^d p(sω) − w p(ω): at ω = 0 negative for w > s^d, as is the diagonal for w > 1."""
    scale = Fraction(ratio, 20)  # narrower than 1
    weight = scale**dim + Fraction(share, 100)
    verdict = ks.analyze(f"{name}(scale={scale}) - {weight}*{name}(scale=1)", dim=dim).verdict
    if ratio < 20 or weight > 1:
        assert verdict.positive_definite != "proved", verdict.reasons


@pytest.mark.slow
@PLAIN
@given(SIZES, SIZES)
def test_what_a_tilt_and_a_shift_undo_is_a_gaussian(scale: str, by: str) -> None:
    """(Δ + σ²β)²/2σ² − β(Δ + σ²β) = Δ²/2σ² − σ²β²/2: even; a hair more, and it is not."""
    exponent = Fraction(scale) ** 2 * Fraction(by) ** 2 / 2
    if exponent > 300:
        return
    right = f"shift(tilt(gaussian(scale={scale}), by={by}), by={scale}*{scale}*{by})"
    verdict = ks.analyze(right, dim=1).verdict
    assert (verdict.positive_definite, verdict.symmetric) == ("proved", True)
    wrong = f"shift(tilt(gaussian(scale={scale}), by={by}), by={scale}*{scale}*{by}*(1 + 1e-30))"
    verdict = ks.analyze(wrong, dim=1).verdict
    assert (verdict.positive_definite, verdict.symmetric) == ("disproved", False)


@pytest.mark.slow
@pytest.mark.parametrize(("exponent", "verdict"), [("1 - 1e-30", "disproved"), ("1 + 1e-30", "proved")])
def test_exponents_are_exact(exponent: str, verdict: str) -> None:
    """(1 − |Δ|)^a falls to 0 with a corner turned inwards for a < 1, and is convex for a ≥ 1."""
    found = ks.analyze(f"product(t -> max(0, 1-t)**({exponent}))", dim=1).verdict
    assert found.positive_definite == verdict


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    ["gaussian()", "shift(cosine(1), by=pi)", "dual(relu, sphere())", "tilt(laplace(), by=0.5)", "match()*gaussian()"],
)
def test_reports_carry_the_same_facts(text: str) -> None:
    facts = ks.analyze(text, dim=2)
    data, words = facts.to_dict(), facts.report()
    answers = {True: "yes", False: "no", None: "unknown"}
    assert f"positive definite: {data['verdict']['positive_definite']}\n" in words
    assert f"symmetric: {answers[data['verdict']['symmetric']]}\n" in words
    for method, variance in data["variance"].items():
        assert (
            ": infinite where" in next(line for line in words.splitlines() if f"{method}" in line and ":" in line)
        ) == (variance.startswith("infinite")) or method not in words


SCALES = st.sampled_from(
    [Fraction(1, 3), Fraction(1, 2), Fraction(9, 10), Fraction(11, 10), Fraction(3, 2), Fraction(2)]
)


@pytest.mark.long
@PLAIN
@given(SCALES, st.sampled_from([1, 2, 3, 5]), st.sampled_from([-1, 0, 1]), st.sampled_from(["1e-9", "1", "1e9"]))
def test_two_gaussians_are_decided_exactly(scale: Fraction, dim: int, off: int, unit: str) -> None:
    """G(1) − b G(s) has a density ∝ e^{−u/2} − b s^d e^{−s²u/2}: positive for s ≥ 1, b s^d ≤ 1, ties included."""
    weight = scale**-dim * (1 + Fraction(off, 10**12))
    text = f"gaussian(scale={unit}) - {weight}*gaussian(scale={scale}*{unit})"
    verdict = ks.analyze(text, dim=dim).verdict
    assert verdict.positive_definite == ("proved" if scale > 1 and off <= 0 else "disproved")


@pytest.mark.long
@PLAIN
@given(SCALES, st.sampled_from([1, 2, 3]), st.sampled_from([-1, 0, 1]))
def test_two_laplace_kernels_are_decided_exactly(scale: Fraction, dim: int, off: int) -> None:
    """The quotient of the densities lies between s^d at 0 and s^−d far out."""
    weight = max(scale, 1 / scale) ** -dim * (1 + Fraction(off, 10**12))
    verdict = ks.analyze(f"laplace() - {weight}*laplace(scale={scale})", dim=dim).verdict
    if scale < 1 and dim > 1 and off >= 0:  # equal or negative in the limit alone, where no frequency shows it
        assert verdict.positive_definite != ("disproved" if off == 0 else "proved")
    else:
        assert verdict.positive_definite == ("proved" if off <= 0 else "disproved")
