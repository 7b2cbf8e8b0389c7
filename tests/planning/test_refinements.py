"""What joint draws and anchors make of the best plan of independent samples."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import PlanError
from kernelspec.planning.refinements import kinds_of_draws

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
    plan = ks.compile("gaussian(scale=2)", data=X, n_features=64, anchors="never").plan
    assert plan.anchors is None
    assert plan.chosen.draws == ("sobol",)
    assert not any(other.anchors for other in plan.alternatives)


@pytest.mark.slow
def test_the_same_plan_every_time() -> None:
    first, again = (ks.compile("laplace(scale=2)", data=X, n_features=64) for _ in range(2))
    assert first.plan.chosen == again.plan.chosen
    assert np.array_equal(first.transform(X), again.transform(X))


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (
            "gaussian()",
            {"draws": "halton"},
            "there are no draws 'halton': use one of auto, independent, hadamard, orthogonal, sobol",
        ),
        ("gaussian()", {"anchors": True}, "anchors must be 'auto' or 'never', not True"),
        ("gaussian()", {"method": "anchored", "anchors": "never"}, "anchors='never' forbids them"),
        ("gaussian()", {"method": "nystrom", "draws": "sobol"}, "draws no samples"),
        ("gaussian()", {"method": "anchored", "data": None, "dim": 3}, "chooses rows of the data: give data="),
        ("gaussian()", {"method": "anchored", "data": X[:20]}, "there are 20 rows of data, and at least 32"),
        ("gaussian()", {"method": "anchored", "data": X[:1]}, "there is one row of data, and at least 32"),
        ("gaussian()", {"method": "nystrom", "data": X[:1]}, "there is one row of data, and at least 32"),
        ("match()*gaussian()", {"method": "anchored"}, "samples, and those of this kernel have keys; method='nystrom'"),
        ("dual(relu, gaussian(), max_degree=3)", {"method": "anchored"}, "another mean than the kernel"),
        ("gaussian() - laplace()", {"method": "nystrom"}, "anchors alone are for positive definite kernels"),
        ("gaussian()", {"method": "anchored", "n_features": 2}, "does not reach for an anchor and a sample"),
        ("gaussian() - gaussian()", {"method": "nystrom"}, "the zero kernel has nothing to explain"),
        ("match()", {"draws": "sobol"}, "draws='sobol' changes nothing for this kernel: it is for laws with known"),
        ("gaussian()", {"draws": "hadamard"}, "it is for frequencies of isotropic kernels on 64 columns or more"),
        ("gaussian()", {"draws": "hadamard", "method": "anchored"}, "those of draws='hadamard' are biased"),
    ],
)
def test_what_there_is_not(text: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(PlanError) as raised:
        ks.compile(text, **{"data": X, "n_features": 16, **options})
    assert message in str(raised.value)


@pytest.mark.parametrize("text", ["gaussian(scale=2)", "minmax()", "laplace(scale=2)*match()[0]"])
def test_anchors_alone_are_for_keys_as_well(text: str) -> None:
    data = np.abs(X).round(1)
    fmap = ks.compile(text, data=data, n_features=64, method="nystrom")
    assert not fmap.unbiased
    assert not fmap.is_sparse
    k = ks.parse(text).gram(data)
    listed = ks.compile(text, data=data, n_features=64).plan
    assert [other.anchors > 0 for other in listed.alternatives if other.is_biased] == [True]
    assert listed.unbiased
    (said,) = [note for note in listed.notes if "anchors alone (nystrom, biased): off by at most" in note]
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
    import pandas as pd

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
        ks.compile(text, data=rows, n_features=64, draws="sobol", anchors="never", method="paired").plan.strata[0].ratio
        for text in ("match()[0] * gaussian(scale=2)[1:4]", "gaussian(scale=2)[1:4]")
    ]
    # 256 pairs of either kernel know it to 8 %
    assert found[0] == pytest.approx(found[1], rel=0.33)
