"""Tests of `planning/strata.py`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.kernel import Kernel
from kernelspec.laws.law import Collisions, sample_variance
from kernelspec.laws.rules import law_of
from kernelspec.laws.sums_and_products import MixtureLaw
from kernelspec.numerics.phasor import Form
from kernelspec.planning import strata as categories
from kernelspec.planning.strata import (
    Categories,
    Stratum,
    Term,
    categories_met,
    compared_by_all,
    compared_in,
    estimate_bias,
    estimate_variance,
    kernel_value,
    terms_of,
)
from kernelspec.tables.rows import Rows
from tests.laws.texts import kernel_of

ROWS = Rows(np.column_stack([np.arange(60) % 3, np.arange(60) % 4, np.arange(60.0), np.arange(60) % 30]))


def kernel(text: str) -> Kernel:
    return kernel_of(text, 4)


@pytest.mark.parametrize(
    ("text", "compared"),
    [
        ("match()[0]", {(0,)}),
        ("match()[1, 0]", {(0, 1)}),
        ("match()[1] * match()[0] ** 2", {(0, 1)}),
        ("gaussian()[2] * match()[1]", {(1,)}),
        ("(gaussian()[2] + laplace()[2] * match()[1]) * cauchy()[2]", {(), (1,)}),
        ("(match()[1] + gaussian()[2] * match()[1])[0:4]", {(1,)}),
        ("tilt(match()[1] * laplace()[2], by=[0, 0, 0.1, 0])", {(1,)}),
        ("gaussian()", {()}),
        ("match()[1] * (match()[0] + match()[3])", {(0, 1), (1, 3)}),
        ("mean(match()[0], constant()) * match()[1]", {(1,), (0, 1)}),
        ("mean(match()[0], constant()) * mean(match()[1], linear()[2])", {(), (0,), (1,), (0, 1)}),
        ("(match()[0] - 0.5*gaussian()[2]) ** 3", {(), (0,)}),
        ("(2*match()[0] + noise()[0, 2]) * match()[0, 2]", {(0, 2)}),
        ("match()[1] * minmax()[2]", None),
        ("match()[1] * mean(minmax()[2], constant())", None),
        ("dual(step, match()[1])", None),
    ],
)
def test_the_columns_that_keys_compare(text: str, compared: set[tuple[int, ...]] | None) -> None:
    """By hand: a part without keys compares no columns, which is not what a part that compares some does."""
    assert law_of(kernel(text)).compared((0, 1, 2, 3)) == compared


def test_keys_of_cells_compare_no_categories() -> None:
    assert law_of(kernel("laplace() * match()[1]"), "binning").compared((0, 1, 2, 3)) is None
    assert law_of(kernel("match()"), "category_phases").compared((0, 1, 2, 3)) == {()}


def test_too_many_sets_of_columns_are_not_told_apart() -> None:
    """2⁶ of them are, 2²⁰ would take a second a product; the keys are hashed."""
    for n, known in ((6, 64), (7, None), (20, None)):
        text = " * ".join(f"(match()[{i}] + constant())" for i in range(n))
        found = law_of(kernel_of(text, 20)).compared(tuple(range(20)))
        assert (None if found is None else len(found)) == known


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("mean(match()[0], constant()) * gaussian()[2]", (0,)),
        ("mean(match()[0], constant()) * match()[0, 1]", (0, 1)),
        ("mean(match()[0], constant()) * match()[1]", None),
        ("gaussian()", None),
        ("minmax()", None),
    ],
)
def test_the_key_of_every_sample_that_has_one(text: str, columns: tuple[int, ...] | None) -> None:
    assert compared_by_all(law_of(kernel(text)), (0, 1, 2, 3)) == columns


def test_all_sets_of_columns_are_found() -> None:
    text = "match()[0] + gaussian()[2] * match()[1, 3] + laplace() + dual(step, match())"
    assert compared_in(kernel(text)) == {(0,), (1, 3)}


def test_blocks_make_no_difference() -> None:
    whole = categories_met([ROWS], {(0,), (0, 1)})
    assert {positions: len(known) for positions, known in whole.items()} == {(0,): 3, (0, 1): 12}
    assert categories_met([block for _, block in ROWS.blocks(7)], {(0,), (0, 1)}) == whole
    assert categories_met([ROWS], ()) == {}


def test_blocks_of_columns_where_they_are_no_more_than_hashing_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    own = Categories(categories_met([ROWS], {(0,), (3,)}), most=8)
    few, many = law_of(kernel("gaussian()[2] * match()[0]")), law_of(kernel("gaussian()[2] * match()[3]"))
    assert own.of(few, (0, 1, 2, 3)) == own.met[(0,)]
    assert own.of(many, (0, 1, 2, 3)) is None
    assert own.of(law_of(kernel("match()[3]")), (0, 1, 2, 3)) == own.met[(3,)]  # without variance: one sample is enough
    assert Categories(own.met).of(many, (0, 1, 2, 3)) == own.met[(3,)]
    assert own.of(law_of(kernel("gaussian()")), (0, 1, 2, 3)) is None
    monkeypatch.setattr(categories, "MAX_CATEGORIES", 20)
    assert own.of(law_of(kernel("match()[3]")), (0, 1, 2, 3)) is None


def test_terms_share_the_budget_where_no_two_rows_agree() -> None:
    """Many categories: no pair of the reference agrees, and the term seems to have no variance."""
    X = np.column_stack([np.random.default_rng(0).standard_normal(2000), np.arange(2000.0)])
    fmap = ks.compile("gaussian()[0] * match()[1] + 0.5 * gaussian()[0]", data=X, n_features=400, buckets=4000)
    assert fmap.plan.strata[0].known is not None
    assert min(fmap.plan.chosen.counts) >= 10


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
        with pytest.raises(ValueError, match="of a term"):
            replace(stratum, weight=weight).validate()


def test_positions_are_those_of_the_table() -> None:
    assert [s.positions for s in spine("(gaussian()[1] + laplace())[2, 0] + match()")] == [(0,), (2, 0), (0, 1, 2)]


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


V = np.column_stack([np.random.default_rng(0).standard_normal((8, 2)), np.arange(8) % 3])
LAPLACE = ["gaussian(scale=2)", "laplace()", "cauchy()", "matern(3/2)", "cosine(1)", "periodic(2)", "sinc()"]


def strata(text: str) -> list[Stratum]:
    return [stratum for term in terms_of(kernel_of(text, 3)) for stratum in term.under(None)]


def predicted(text: str, form: Form, buckets: int | None = None, bits: int | None = None) -> np.ndarray:
    (stratum,) = strata(text)
    pairs = NumericPairs(Rows(V), Rows(V)).select(stratum.positions)
    return sample_variance(stratum.law, pairs, form, Collisions.of(buckets, bits))


def gram(text: str, data: np.ndarray = V) -> np.ndarray:
    return ks.parse(text).gram(data)


@pytest.mark.parametrize("text", LAPLACE)
def test_one_frequency(text: str) -> None:
    k, doubled = gram(text), gram(text, 2 * V)
    paired = (1 + doubled) / 2 - k**2
    assert np.abs(predicted(text, "paired") - paired).max() <= 1e-14
    assert np.array_equal(predicted(text, "complex"), predicted(text, "paired"))
    assert np.abs(predicted(text, "phase") - (1 + doubled / 2 - k**2)).max() <= 1e-14


@pytest.mark.parametrize("form", ["paired", "phase", "complex"])
def test_a_key_alone_has_no_variance_but_in_buckets(form: Form) -> None:
    assert not predicted("match()[2]", form).any()
    k = gram("match()[2]")
    assert np.allclose(predicted("match()[2]", form, 16), (1 - k) / 16, rtol=1e-14)
    c = k + (1 - k) / 16
    assert np.allclose(predicted("match()[2]", form, bits=4), (16 / 15) ** 2 * c * (1 - c), atol=1e-15)


def test_a_frequency_with_a_key() -> None:
    text = "gaussian()[0, 1] * match()[2]"
    k, doubled, match = gram("gaussian()[0, 1]"), gram("gaussian()[0, 1]", 2 * V), gram("match()[2]")
    paired = match * (1 + doubled) / 2 - (k * match) ** 2
    assert np.abs(predicted(text, "paired") - paired).max() <= 1e-14
    in_buckets = paired + (1 - match) * (1 + doubled) / 2 / 16
    assert np.abs(predicted(text, "paired", 16) - in_buckets).max() <= 1e-14
    phase = match * (1 + doubled / 2) - (k * match) ** 2
    assert np.abs(predicted(text, "phase") - phase).max() <= 1e-14


def test_a_mixture_and_its_power() -> None:
    # drawn with probability ⅓ (weight 1) and ⅔ (weight 2): p is 3 times one phasor, so A = 9
    text = "(gaussian() + 2 * laplace()) * cauchy()"
    k = gram(text)
    b = (3 * gram("gaussian()", 2 * V) + 6 * gram("laplace()", 2 * V)) * gram("cauchy()", 2 * V)
    assert np.abs(predicted(text, "paired") - ((9 + b) / 2 - k**2)).max() <= 1e-13
    squared = "(gaussian() + 2 * laplace()) ** 2"
    b = (3 * gram("gaussian()", 2 * V) + 6 * gram("laplace()", 2 * V)) ** 2
    assert np.abs(predicted(squared, "phase") - (81 + b / 2 - gram(squared) ** 2)).max() <= 1e-12


def test_a_mixture_of_a_key_and_a_frequency_needs_an_offset_for_the_latter_only() -> None:
    # q = ½ each, p is 2·1[x₂ = y₂] or 2 cos
    text = "(match()[2] + gaussian()) * match()[0]"
    match, first, k = gram("match()[2]"), gram("match()[0]"), gram(text)
    phase = first * (2 * match + 2 * (1 + gram("gaussian()", 2 * V) / 2)) - k**2
    assert np.abs(predicted(text, "phase") - phase).max() <= 1e-13


def test_strata_add_up() -> None:
    parts = list(zip(strata("3 * gaussian() - 0.5 * laplace() + match()[2]"), (4, 7, 1), strict=True))
    expected = 9 / 4 * predicted("gaussian()", "paired") + 0.25 / 7 * predicted("laplace()", "paired")
    total = estimate_variance(parts, NumericPairs(Rows(V), Rows(V)), "paired")
    assert np.abs(total - expected).max() <= 1e-14


def test_never_negative() -> None:
    for text in LAPLACE:
        assert (predicted(text, "paired") >= 0).all()
        assert not predicted(text, "paired").diagonal().any()


def test_pairs_taken_one_with_one() -> None:
    (stratum,) = strata("laplace() * match()[2]")
    single = sample_variance(
        stratum.law, NumericPairs(Rows(V), Rows(V[::-1]), grid=False), "paired", Collisions(8, signed=True)
    )
    grid = sample_variance(stratum.law, NumericPairs(Rows(V), Rows(V[::-1])), "paired", Collisions(8, signed=True))
    assert np.allclose(single, grid.diagonal(), rtol=1e-14)
    assert estimate_variance([], NumericPairs(Rows(V), Rows(V)), "paired").shape == (8, 8)


def test_the_bias_is_what_is_cut() -> None:
    """Of e^{c(k−1)} all but e^{−c}(1 + ck); the variance is one about that mean."""
    parts = strata("3 * dual(exp(c=1), laplace(), max_degree=1) + gaussian()")
    pairs = NumericPairs(Rows(V), Rows(V))
    k, doubled = gram("laplace()"), gram("laplace()", 2 * V)
    kept = (1 + k) / np.e
    np.testing.assert_allclose(estimate_bias(parts, pairs), 3 * (kept - np.exp(k - 1)), atol=1e-14)
    second = (2 / np.e + (1 + doubled) / np.e) / 2
    np.testing.assert_allclose(sample_variance(parts[0].law, pairs, "paired"), second - kept**2, atol=1e-14)
    assert not estimate_bias(parts[1:], pairs).any()
