"""radial(r -> f(r)) in a spec."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import ArgumentError, RangeError, SpecError, TypeMismatchError

X = np.random.default_rng(8).normal(size=(6, 3))
DISTANCE = np.linalg.norm(X[:, None, :] - X[None, :, :], axis=-1)
SPHERICAL = "radial(r -> 1 - 1.5*min(r, 1) + 0.5*min(r, 1)**3)"


def test_is_the_formula_of_the_distance() -> None:
    h = np.minimum(DISTANCE, 1)
    np.testing.assert_allclose(ks.parse(SPHERICAL).gram(X), 1 - 1.5 * h + 0.5 * h**3, rtol=1e-12, atol=1e-15)
    some = np.linalg.norm(X[:, None, [0, 2]] - X[None, :, [0, 2]], axis=-1)
    spec = ks.parse("param s = 2\nlet c = 1/2\n3*stretch(radial(r -> s*exp(-c*r**1.5)*tanh(r)/r), 2)[0, 2]")
    safe = np.where(some == 0, 1, some / 2)
    expected = np.where(some == 0, 6, 6 * np.exp(-(safe**1.5) / 2) * np.tanh(safe) / safe)
    np.testing.assert_allclose(spec.gram(X), expected, rtol=1e-12)
    assert ks.parse(str(spec)) == spec


def test_the_exponential_of_the_distance_is_not_laplace() -> None:
    assert "exponential(scale=1)" in ks.analyze("radial(r -> exp(-r))", dim=2).verdict.reasons[0]
    np.testing.assert_allclose(ks.parse("radial(r -> exp(-r))").gram(X), ks.parse("exponential()").gram(X))
    assert not np.allclose(ks.parse("radial(r -> exp(-r))").gram(X), ks.parse("laplace()").gram(X))


@pytest.mark.parametrize(("dim", "answer"), [(1, "proved"), (2, "proved"), (3, "proved"), (4, "disproved")])
def test_the_spherical_kernel(dim: int, answer: str) -> None:
    facts = ks.analyze(SPHERICAL, dim=dim)
    assert facts.verdict.positive_definite == answer
    assert "overlap of two balls" in facts.verdict.reasons[0]
    assert facts.k0 == 1


def test_for_which_d() -> None:
    verdict = ks.analyze(SPHERICAL).verdict
    assert "positive definite for d ≤ 3 columns, and not from d = 4 on" in verdict.reasons
    verdict = ks.analyze("param s > 0\nradial(r -> 1/(1 + log(1 + r/s)))").verdict
    assert verdict.positive_definite == "proved"
    assert "completely monotone" in verdict.reasons[0]


def test_sums_and_products_with_others() -> None:
    assert ks.analyze(f"2*{SPHERICAL} + gaussian()", dim=2).verdict.positive_definite == "proved"
    assert ks.analyze(f"{SPHERICAL}*gaussian()", dim=3).verdict.positive_definite == "proved"


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("radial()", ArgumentError, "radial() needs a formula: radial(r -> f(r)), such as radial(r -> exp(-r))"),
        ("radial(gaussian())", TypeMismatchError, "radial() takes a formula"),
        ("radial(r -> 1/r)", RangeError, "radial() needs a formula with a value other than 0 at r = 0"),
        ("radial(r -> r*exp(-r**1.5))", RangeError, "radial() needs a formula with a value other than 0 at r = 0"),
        ("radial(r -> sqrt(1 - r))", RangeError, "f(r) is not a real number at r = 1.01"),
        ("radial(r -> exp(-s))", SpecError, "unknown name 's' in a formula; the variable is 'r'"),
    ],
)
def test_what_is_refused(text: str, error: type[SpecError], message: str) -> None:
    with pytest.raises(error) as caught:
        ks.parse(text)
    assert message in caught.value.message


def test_points_in_a_spec_are_pointed_to_formulas() -> None:
    with pytest.raises(SpecError, match=r"radial\(r -> f\(r\)\) or product"):
        ks.parse("exp(-(x-y)**2)")
