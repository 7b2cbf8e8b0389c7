"""Tests of `planning/refinements.py`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest

import kernelspec as ks
from kernelspec.errors import DataError, PlanError
from kernelspec.laws.joint import joint
from kernelspec.maps.feature_map import FeatureMap, draw_map
from kernelspec.planning import refinements
from kernelspec.planning.candidates import Proposal
from kernelspec.planning.options import kinds_of_draws
from kernelspec.planning.plan import Candidate
from kernelspec.planning.strata import Stratum
from tests.laws.texts import law
from tests.thoroughness import sweep

GENERATOR = np.random.default_rng(3)
POOL, NEW = GENERATOR.standard_normal((3000, 4)), GENERATOR.standard_normal((600, 4))
MAPS = 48


def measured(fmap: FeatureMap, rows: np.ndarray) -> tuple[float, float]:
    """Relative error on rows that were not seen at planning, root mean square over maps, and its standard error."""
    exact = ks.parse(fmap.plan.text).gram(rows)
    maps = (draw_map(replace(fmap.plan, seed=seed)) for seed in range(MAPS))
    squares = np.array([np.square(one.approximate(rows) - exact).sum() for one in maps])
    error = float(np.sqrt(np.mean(squares)) / np.linalg.norm(exact))
    return error, error * float(squares.std(ddof=1) / squares.mean() / np.sqrt(MAPS)) / 2


@pytest.mark.slow
@pytest.mark.parametrize(
    "draws", [*(pytest.param(draws, marks=pytest.mark.long) for draws in ("independent", "sobol")), "auto"]
)
@pytest.mark.parametrize(
    "text",
    sweep(
        ["gaussian(scale=2)", "matern(nu=3/2, scale=3)[0:3] + 0.3*linear()"],
        costly=["matern(nu=3/2, scale=3)[0:3] + 0.3*linear()"],
    ),
)
def test_the_error_is_predicted(text: str, draws: str) -> None:
    """Within 10 %, besides five standard errors of what 48 maps make of it."""
    fmap = ks.compile(text, data=POOL, n_features=96, method="landmarks", draws=draws)
    error, deviation = measured(fmap, NEW)
    for predicted in (fmap.plan.chosen.error, fmap.predicted_error(NEW)):
        assert abs(predicted - error) <= 0.1 * error + 5 * deviation


@pytest.mark.slow
def test_the_budget_is_kept() -> None:
    for n in (8, 33, 64):
        fmap = ks.compile("laplace(scale=3) + gaussian()", data=POOL, n_features=n, method="landmarks")
        assert fmap.plan.chosen.landmarks + 2 * sum(fmap.plan.chosen.counts) <= n
        assert fmap.n_columns <= n


def test_nystrom_has_the_error_that_was_measured() -> None:
    fmap = ks.compile("gaussian(scale=2)", data=POOL, n_features=64, method="nystrom")
    exact = ks.parse("gaussian(scale=2)").gram(NEW)
    assert fmap.plan.chosen.error == pytest.approx(
        np.linalg.norm(fmap.approximate(NEW) - exact) / np.linalg.norm(exact), rel=0.2
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "shift_gaussian(scale=2, by=1)",
        "tilt(gaussian(scale=2), [0.3, 0, 0, 0])",
        "gaussian(scale=3) - 0.5*laplace(scale=2)",
    ],
)
def test_nystrom_on_two_sides(text: str) -> None:
    """K(L, R) = U Σ V'; left k(x, R) V Σ^{−1/2}, right k(L, y)' U Σ^{−1/2}: a pseudo-inverse of K(L, R)."""
    fmap = ks.compile(text, data=POOL, n_features=48, method="nystrom")
    kernel = ks.parse(text)
    exact, estimated = kernel.gram(NEW, POOL[:50]), fmap.approximate(NEW, POOL[:50])
    signs = np.ones(fmap.n_columns) if fmap.signs is None else fmap.signs
    np.testing.assert_allclose(estimated, (fmap.left(NEW) * signs) @ fmap.right(POOL[:50]).T, atol=1e-12)
    assert np.linalg.norm(estimated - exact) / np.linalg.norm(exact) == pytest.approx(fmap.plan.chosen.error, rel=0.5)
    chosen = fmap.plan.landmarks
    right = chosen.rows_for_left.rows.dense()
    U, S, Vt = np.linalg.svd(kernel.gram(chosen.left.rows.dense(), right))
    r = np.count_nonzero(S / S.max() > 1e-3)
    best = kernel.gram(NEW, right) @ Vt[:r].T / S[:r] @ U[:, :r].T @ kernel.gram(chosen.left.rows.dense(), POOL[:50])
    assert np.linalg.norm(estimated - best) < 0.2 * np.linalg.norm(exact)
    assert not fmap.unbiased
    assert "without a bound" in str(fmap.explain())
    with pytest.raises(PlanError, match="asymmetric"):
        fmap.residual(NEW)


STRATA = tuple(Stratum(1.0, law(text, 3), (0, 1, 2)) for text in ("gaussian()", "laplace()"))


def proposal(strata: Sequence[Stratum], counts: Sequence[int] | None = (16, 16)) -> Proposal:
    """With a variance that the ratios say; where the numbers of samples may be chosen, they are 16."""
    counts = tuple(counts or [16] * len(strata))
    variance = sum(stratum.ratio / n for stratum, n in zip(strata, counts, strict=True))
    candidate = Candidate("paired", False, counts, variance, draws=tuple(stratum.draws for stratum in strata))
    return Proposal(candidate, tuple(strata))


drawn_together = partial(
    refinements.drawn_together, join=lambda stratum, draws: joint(stratum.law, draws, stratum.positions)
)


def test_the_kind_that_varies_least_is_taken() -> None:
    ratios = {"orthogonal": 0.7, "sobol": 0.4}  # the first has both, the second Sobol' points only
    found = drawn_together(
        proposal(STRATA), tuple(ratios), lambda stratum, n: ratios[str(stratum.draws)], proposal, asked=False
    )
    assert found is not None
    assert [(stratum.draws, stratum.ratio) for stratum in found.strata] == [("sobol", 0.4)] * 2


def test_what_gains_nothing_stays_independent() -> None:
    assert drawn_together(proposal(STRATA), ("sobol",), lambda *_: 1.2, proposal, asked=False) is None
    few = proposal(STRATA, (3, 3))
    assert drawn_together(few, ("sobol",), lambda *_: 0.5, proposal, asked=False) is None


def test_what_is_asked_for_is_taken_where_it_can_be() -> None:
    found = drawn_together(proposal(STRATA), ("orthogonal",), lambda *_: 1.2, proposal, asked=True)
    assert found is not None
    assert found.strata[0].draws == "orthogonal"
    line = replace(STRATA[0], law=law("gaussian()", 1), positions=(0,))
    with pytest.raises(PlanError, match="draws='orthogonal' changes nothing for this kernel"):
        drawn_together(proposal([line], (16,)), ("orthogonal",), lambda *_: 1.0, proposal, asked=True)


def test_ratios_are_measured_again_for_the_new_shares() -> None:
    def ratio(stratum: Stratum, n: int) -> float:
        return 1 / n

    def cost(strata: Sequence[Stratum], counts: Sequence[int] | None) -> Proposal:
        return proposal(strata, (24, 8) if counts is None else counts)

    found = drawn_together(proposal(STRATA, (8, 8)), ("sobol",), ratio, cost, asked=False)
    assert found is not None
    assert [stratum.ratio for stratum in found.strata] == [1 / 24, 1 / 8]
    assert found.candidate.counts == (24, 8)


@pytest.mark.parametrize("fewer", [1, 3, 8])
def test_a_plan_is_costed_with_the_ratios_of_its_own_size(fewer: int) -> None:
    """A ratio that is small at 32 samples, and no gain with fewer, does not shrink the plan."""

    def ratio(stratum: Stratum, n: int) -> float:
        return 1e-6 if n == 32 else 1.5

    def cost(strata: Sequence[Stratum], counts: Sequence[int] | None) -> Proposal:
        return proposal(strata, (fewer,) if counts is None else counts)

    found = drawn_together(proposal(STRATA[:1], (32,)), ("sobol",), ratio, cost, asked=False)
    assert found is not None
    assert (found.candidate.counts, found.strata[0].ratio, found.candidate.joint) == ((32,), 1e-6, ("sobol",))


X = np.random.default_rng(0).standard_normal((300, 3))


def test_auto_compares_where_there_are_data() -> None:
    assert kinds_of_draws("auto", has_data=True) == ("orthogonal", "sobol")
    assert kinds_of_draws("auto", has_data=False) == ()
    assert kinds_of_draws("independent", has_data=True) == ()
    assert kinds_of_draws("sobol", has_data=False) == ("sobol",)
    assert ks.compile("gaussian()", dim=3).plan.chosen.draws == ()


@pytest.mark.slow
def test_the_unbiased_plan_of_least_error_is_taken() -> None:
    plan = ks.compile("gaussian(scale=2)", data=X, n_features=64).plan
    biased = [other for other in plan.alternatives if other.is_biased]
    assert [other.method for other in biased] == ["nystrom"]
    assert plan.chosen.error is not None
    assert all(
        other.error is not None and plan.chosen.error <= other.error
        for other in plan.alternatives
        if other not in biased
    )
    assert plan.unbiased
    assert (
        plan.chosen.error
        < 0.2 * ks.compile("gaussian(scale=2)", data=X, n_features=64, method="paired").plan.chosen.error
    )


def test_no_rows_of_the_data_are_kept_if_that_is_forbidden() -> None:
    plan = ks.compile("gaussian(scale=2)", data=X, n_features=64, landmarks="never").plan
    assert plan.landmarks is None
    assert plan.chosen.draws == ("sobol",)
    assert not any(other.landmarks for other in plan.alternatives)


@pytest.mark.slow
def test_the_same_plan_every_time() -> None:
    first, again = (ks.compile("laplace(scale=2)", data=X, n_features=64) for _ in range(2))
    assert first.plan.chosen == again.plan.chosen
    assert np.array_equal(first.transform(X), again.transform(X))


def test_numbers_too_large_for_landmarks() -> None:
    large = 1e155 * X
    with pytest.raises(PlanError, match="so large that k\\(x, x\\) is not finite: center or scale the columns"):
        ks.compile("gaussian()*linear()", data=large, method="nystrom")
    with pytest.raises(DataError, match="is too large for this kernel"):
        ks.compile("gaussian()*linear()", data=large, n_features=32).transform(large)


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (
            "gaussian()",
            {"draws": "halton"},
            "draws must be one of 'auto', 'independent', 'hadamard', 'orthogonal', 'sobol', not 'halton'",
        ),
        ("gaussian()", {"landmarks": True}, "landmarks must be one of 'auto', 'never', not True"),
        ("gaussian()", {"method": "landmarks", "landmarks": "never"}, "landmarks='never' forbids"),
        ("gaussian()", {"method": "nystrom", "draws": "sobol"}, "draws no samples"),
        ("gaussian()", {"method": "landmarks", "data": None, "dim": 3}, "chooses rows of the data: set data="),
        ("gaussian()", {"method": "landmarks", "data": X[:20]}, "there are 20 rows of data, but at least 32"),
        ("gaussian()", {"method": "landmarks", "data": X[:1]}, "there is one row of data, but at least 32"),
        ("gaussian()", {"method": "nystrom", "data": X[:1]}, "there is one row of data, but at least 2 are needed"),
        ("match()*gaussian()", {"method": "landmarks"}, "those of this kernel have keys; method='nystrom'"),
        ("dual(relu, gaussian(), max_degree=3)", {"method": "landmarks"}, "are biased"),
        ("gaussian()", {"method": "landmarks", "n_features": 2}, "is too small for a landmark and a sample"),
        ("gaussian() - gaussian()", {"method": "nystrom"}, "the zero kernel needs no landmarks"),
        ("match()", {"draws": "sobol"}, "draws='sobol' changes nothing for this kernel: it works for laws with known"),
        ("gaussian()", {"draws": "hadamard"}, "it works for frequencies of isotropic kernels on 64 columns or more"),
        ("gaussian()", {"draws": "hadamard", "method": "landmarks"}, "those of draws='hadamard' are biased"),
    ],
)
def test_what_there_is_not(text: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(PlanError) as raised:
        ks.compile(text, **{"data": X, "n_features": 16, **options})
    assert message in str(raised.value)


@pytest.mark.parametrize("text", ["gaussian(scale=2)", "minmax()", "laplace(scale=2)*match()[0]"])
def test_landmarks_alone_are_for_keys_as_well(text: str) -> None:
    data = np.abs(X).round(1)
    fmap = ks.compile(text, data=data, n_features=64, method="nystrom")
    assert not fmap.unbiased
    assert not fmap.is_sparse
    k = ks.parse(text).gram(data)
    listed = ks.compile(text, data=data, n_features=64).plan
    assert [other.landmarks > 0 for other in listed.alternatives if other.is_biased] == [True]
    assert listed.unbiased
    (said,) = [note for note in listed.notes if "landmarks alone (nystrom, biased): error at most" in note]
    bound = float(said.split("at most ")[1].split()[0])
    assert 0 < bound <= k.max()
    assert np.linalg.norm(fmap.approximate(data) - k) < 0.9 * np.linalg.norm(k)


@pytest.mark.slow
def test_constant_rows_and_duplicates() -> None:
    for data in (np.ones((100, 3)), np.repeat(X[:5], 30, axis=0)):
        fmap = ks.compile("gaussian()", data=data, n_features=32)
        np.testing.assert_allclose(fmap.approximate(data), ks.parse("gaussian()").gram(data), atol=1e-6)


@pytest.mark.slow
def test_renaming_changes_nothing() -> None:
    one = ks.compile("gaussian()[a] + laplace()[b, c]", data=pd.DataFrame(X, columns=list("abc")), n_features=48)
    other = ks.compile("gaussian()[p] + laplace()[q, r]", data=pd.DataFrame(X, columns=list("pqr")), n_features=48)
    assert one.plan.chosen == other.plan.chosen
    wide = ks.compile("gaussian(scale=3)[0] + laplace(scale=3)[1:3]", data=3 * X, n_features=48)
    assert (wide.plan.chosen.counts, wide.plan.chosen.draws) == (one.plan.chosen.counts, one.plan.chosen.draws)


def test_ratios_are_measured_where_categories_agree() -> None:
    """Of 30 independent of the numbers: one pair of rows in 30 says anything, and the ratio is that of the numbers."""
    generator = np.random.default_rng(0)
    rows = np.column_stack([generator.integers(0, 30, 400), generator.standard_normal((400, 3))])
    found = [
        ks.compile(text, None, 64, data=rows, draws="sobol", landmarks="never", method="paired").plan.strata[0].ratio
        for text in ("match()[0] * gaussian(scale=2)[1:4]", "gaussian(scale=2)[1:4]")
    ]
    # 256 pairs of either kernel know it to 8 %
    assert found[0] == pytest.approx(found[1], rel=0.33)


def test_landmarks_of_a_kernel_that_is_zero_on_the_rows() -> None:
    with pytest.raises(PlanError, match="the kernel is zero on all rows of the data"):
        ks.compile("linear()", data=np.zeros((4, 2)), method="nystrom")


@pytest.mark.parametrize("method", ["landmarks", "nystrom"])
def test_landmarks_of_a_kernel_that_reads_no_column(method: str) -> None:
    table = pd.DataFrame({"a": np.arange(60.0)})
    fmap = ks.compile("3*constant()", data=table, n_features=8, method=method)
    np.testing.assert_allclose(fmap.approximate(table), 3.0)
    np.testing.assert_allclose(fmap.transform(table) @ fmap.transform(table).T, 3.0)
