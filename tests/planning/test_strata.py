"""The additive spine: terms found through sums, selections and stretches, and nowhere else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.laws.mixture import MixtureLaw
from kernelspec.planning.strata import Stratum, Term, kernel_value, terms_of
from kernelspec.tables.rows import Rows
from tests.laws.texts import kernel_of

X = np.random.default_rng(0).integers(-2, 3, (7, 3)).astype(float)


def terms(text: str) -> list[Term]:
    return terms_of(kernel_of(text, 3))


def spine(text: str) -> list[Stratum]:
    return [stratum for term in terms(text) for stratum in term.under(None)]


@pytest.mark.parametrize(
    ("text", "weights"),
    [
        ("gaussian()", [1]),
        ("3 * gaussian()", [3]),
        ("0.5 * gaussian() - 2 * laplace()", [0.5, -2]),
        ("2 * (gaussian() + 3 * (laplace() + cauchy()))", [2, 6, 6]),
        ("mean(gaussian(), laplace(), match(), cauchy())", [0.25] * 4),
        ("(gaussian() + laplace())[0, 1] + match()[2]", [1, 1, 1]),
        ("stretch(gaussian() + 2 * laplace(), [1, 2, 3])", [1, 2]),
        ("stretch((gaussian() - 2 * laplace())[0], 2)", [1, -2]),
        ("stretch(stretch(gaussian() - 2 * laplace(), 2), 3)", [1, -2]),
        ("(2 * (gaussian() + laplace())[1])[2, 1] * 3", [6, 6]),
        ("normalize(gaussian() + 3 * laplace())", [0.25, 0.75]),
        ("(gaussian() + laplace()) * match()", [1]),
        ("(gaussian() + laplace()) ** 2", [1]),
        ("gaussian() - gaussian()", []),
        ("(gaussian() - gaussian())[0] * match()", []),
    ],
)
def test_weights_of_the_terms(text: str, weights: list[float]) -> None:
    found = spine(text)
    assert [stratum.weight for stratum in found] == pytest.approx(weights, rel=1e-14)
    total = kernel_value(found, NumericPairs(Rows(X), Rows(X)))
    assert total.shape == (7, 7)
    assert np.abs(total - ks.parse(text).gram(X)).max() <= 1e-13


def test_weights_whose_squares_are_no_floats_are_refused() -> None:
    """As those of a map from a stranger: predictions square them."""
    (stratum,) = spine("gaussian()")
    replace(stratum, weight=-1e100).validate()
    for weight in (1e101, -1.7e308, float("inf"), float("nan")):
        with pytest.raises(ValueError, match="a term has the weight"):
            replace(stratum, weight=weight).validate()


def test_positions_are_those_of_the_table() -> None:
    assert [s.positions for s in spine("(gaussian()[1] + laplace())[2, 0] + match()")] == [(0,), (2, 0), (0, 1, 2)]


def test_moments_are_without_the_weight() -> None:
    (stratum,) = spine("3 * match()[1]")
    pairs = NumericPairs(Rows(X), Rows(X))
    assert np.array_equal(stratum.moments(pairs).a, X[:, None, 1] == X[None, :, 1])
    assert stratum.law.has_key


def test_the_mean_of_samples_that_are_cut() -> None:
    pairs = NumericPairs(Rows(X), Rows(X))
    first, second = spine("dual(identity, gaussian(), max_degree=0) + laplace()[1]")
    assert np.array_equal(first.mean_value(pairs), np.zeros((7, 7)))
    assert first.law.cuts
    assert second.law.cuts == ()
    assert np.array_equal(second.mean_value(pairs), second.value(pairs))


def test_a_mixture_that_a_scheme_makes_is_divided_unless_kept_whole() -> None:
    (term,) = terms("3 * sinh_gaussian(scale=1.5, by=[0.3, -0.1, 0.2])")
    pairs = NumericPairs(Rows(X), Rows(X))
    expected = 3 * ks.parse("sinh_gaussian(scale=1.5, by=[0.3, -0.1, 0.2])").gram(X)
    parts, (whole,) = term.under("shifts"), term.under("shifts", whole=True)
    assert [stratum.scheme for stratum in (*parts, whole)] == ["shifts"] * 4
    assert isinstance(whole.law, MixtureLaw)
    for found in (parts, (whole,)):
        total = sum((s.weight * np.asarray(s.value(pairs)) for s in found), start=np.zeros((7, 7)))
        np.testing.assert_allclose(total, expected, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("text", ["stretch({}, 2)", "({})[2, 0, 1]", "stretch(({})[1, 0, 2], [2, 1, 4])"])
def test_division_goes_through_stretches_and_selections(text: str) -> None:
    text = text.format("dual(exp(c=1), gaussian())")
    (term,) = terms(text)
    assert term.schemes == ("varying",)
    constant, rest = term.under("varying")
    pairs = NumericPairs(Rows(X), Rows(X))
    total = sum(s.weight * np.broadcast_to(np.asarray(s.value(pairs)), (7, 7)) for s in (constant, rest))
    np.testing.assert_allclose(total, ks.parse(text).gram(X), rtol=1e-12)


def test_a_scheme_that_a_term_does_not_have_leaves_it_as_it_is() -> None:
    (term,) = terms("gaussian()")
    assert term.schemes == ()
    assert term.under("binning") is term.under(None)
    assert term.under(None)[0].scheme is None
