"""Which keys get a column for every category met in the data."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.kernels.kernel import Kernel
from kernelspec.laws.rules import law_of
from kernelspec.planning import strata as categories
from kernelspec.planning.strata import Categories, categories_met, compared_by_all, compared_in
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


@pytest.mark.parametrize(
    ("text", "exact"),
    [
        ("match()[0]", True),
        ("match()[0] * match()[1] ** 2", True),
        ("tilt(match()[0], by=[0, 0.1, 0, 0])", True),
        ("match()[0] * gaussian()[2]", False),
        ("match()[0] + match()[1]", False),
        ("minmax()", False),
    ],
)
def test_samples_without_variance(text: str, exact: bool) -> None:
    assert law_of(kernel(text)).is_exact == exact


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
