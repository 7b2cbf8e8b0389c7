"""Tests of `verification/verifier.py`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kstest

import kernelspec as ks
import kernelspec.planning.plan as plan_module
from kernelspec.errors import DataError, DimensionError, PlanError
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.leaves.radial import Matern
from kernelspec.maps import feature_map as feature_map_module
from kernelspec.maps.feature_map import draw_map
from kernelspec.maps.hashed_columns import Buckets
from kernelspec.verification import Certificate, verifier
from kernelspec.verification.verifier import RowPairs, chosen_rows, reference_rows
from tests.thoroughness import sweep


def plan_of(text: str, dim: int):
    """The plan of a spec."""
    return ks.compile(text, dim=dim, n_features=16).plan


def test_rows_are_chosen_once_and_in_order():
    generator = np.random.default_rng(0)
    assert chosen_rows(5, 9, generator).tolist() == [0, 1, 2, 3, 4]
    some = chosen_rows(1000, 9, generator)
    assert len(some) == 9
    assert (np.diff(some) > 0).all()


def test_reference_rows_lie_on_and_off_the_axes():
    layout = plan_of("gaussian()[0, 1, 2] * match()[3]", 4).layout
    rows = reference_rows(layout, 24, np.random.default_rng(0))
    moved = (rows.numbers[:, :3] != rows.numbers[0, :3]).sum(axis=1)
    assert {1, 3} <= set(moved[2:8].tolist())
    assert (rows.codes(3)[:8] == rows.codes(3)[0]).all()
    assert len(np.unique(rows.codes(3))) == 3


def test_pairs_of_one_table_are_tested_once():
    X = np.random.default_rng(0).standard_normal((50, 2))
    X[1] = X[0]
    spec = ks.parse("gaussian()")
    pairs = RowPairs.of(spec, plan_of("gaussian()", 2), X[:6], None, 24, 0)
    assert pairs.tested.sum() == 21
    np.testing.assert_allclose(pairs.kernel, spec.gram(X[:6]), rtol=1e-12)
    np.testing.assert_array_equal(pairs.size, np.ones((6, 6)))
    assert np.argwhere(np.triu(pairs.identical, 1)).tolist() == [[0, 1]]
    both = RowPairs.of(spec, plan_of("gaussian()", 2), X, X, 24, 0)
    assert both.tested.shape == (16, 16)
    assert both.tested.all()
    assert (both.identical == np.equal.outer(both.index_x, both.index_y)).sum() >= 16 * 16 - 2


def test_the_size_of_a_difference_is_that_of_its_terms():
    pairs = RowPairs.of(
        ks.parse("gaussian() - gaussian(scale=2)"),
        plan_of("gaussian() - gaussian(scale=2)", 1),
        np.zeros((1, 1)),
        None,
        4,
        0,
    )
    assert pairs.kernel.tolist() == [[0]]
    assert pairs.size.tolist() == [[2]]


RNG = np.random.default_rng(7)
X = RNG.standard_normal((40, 2))


def check_of(certificate: Certificate, method: str, *, hashed: bool = False):
    """The check of one estimator."""
    return next(c for c in certificate.checks if (c.method, c.hashed) == (method, hashed))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "estimators"),
    sweep(
        [
            ("gaussian(scale=2)", ["paired", "phase", "complex"]),
            ("gaussian(scale=2)[0] * match()[1]", ["paired", "paired, hashed", "phase", "phase, hashed", "complex"]),
            ("0.6*gaussian() + 0.4*match()[1]", ["paired", "paired, hashed", "phase"]),
            ("match()[1]", ["paired", "paired, hashed"]),
            ("2*gaussian() - 0.5*gaussian(scale=3)", ["paired", "phase", "complex"]),
            ("matern(nu=3/2)", ["paired", "phase", "complex"]),
        ],
        costly=[
            "gaussian(scale=2)[0] * match()[1]",
            "0.6*gaussian() + 0.4*match()[1]",
            "matern(nu=3/2)",
            "gaussian(scale=2)",
        ],
    ),
)
def test_right_maps_pass(spec, estimators):
    table = X.copy()
    table[:, 1] = np.arange(len(X)) % 3
    certificate = ks.verify(spec, table, n_maps=200, n_features=1536)
    assert certificate.passed, str(certificate)
    assert [check.name for check in certificate.checks][: len(estimators)] == estimators
    assert certificate.n_tests == sum(check.n_tests for check in certificate.checks)


@pytest.mark.slow
def test_without_data_and_against_other_rows():
    assert ks.verify("gaussian()", dim=7, n_maps=100, n_features=1600).passed
    certificate = ks.verify("gaussian()", X, X[:5] + 0.25, n_maps=100, n_features=1600, method="phase")
    assert certificate.passed
    assert [check.name for check in certificate.checks] == ["phase"]
    assert len(certificate.rows_x) == 16
    assert certificate.rows_y == (0, 1, 2, 3, 4)
    assert certificate.checks[0].n_pairs == 16 * 5


@pytest.mark.long
def test_frames_named_columns_and_categories():
    frame = pd.DataFrame({"unused": list("abcdef") * 4, "city": list("xyzxyz") * 4, "age": np.linspace(0, 3, 24)})
    certificate = ks.verify("gaussian()[age] * match()[city]", frame, n_maps=100, n_features=1600)
    assert certificate.passed, str(certificate)
    assert certificate.columns == 3


@pytest.mark.slow
def test_rows_alike_are_no_false_alarm():
    # differences so small that the predicted variance is nothing but rounding
    near = 3.0 + np.array([0, 1e-9, 1e-7, 1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 1e-2])[:, None]
    certificate = ks.verify("gaussian()", near, n_maps=100)
    assert certificate.passed, str(certificate)


def test_the_zero_kernel_agrees_exactly():
    certificate = ks.verify("gaussian() - gaussian()", dim=2)
    assert certificate.passed
    assert certificate.n_tests == 0
    assert certificate.checks[0].exact_deviation == 0


@pytest.mark.long
def test_a_mixture_of_dense_and_sparse_samples():
    # some maps draw no sample with a key at all; leaving those out would bias the hashed estimates
    spec = "(0.002*match()[0] + 0.998*gaussian()[1]) * gaussian()[2]"
    certificate = ks.verify(spec, dim=3, seed=5, n_maps=200, n_features=768)
    assert certificate.passed, str(certificate)


@pytest.mark.long
def test_z_scores_of_right_maps_are_standard_normal():
    points = np.array([[0.0, 0.0], [0.4, 0.0], [0.0, 1.5], [-2.0, 1.0]])
    scores = {"paired": [], "phase": []}
    for seed in range(60):
        for method, found in scores.items():
            check = ks.verify("gaussian()", points, seed=seed, n_maps=50, n_features=64, method=method).checks[0]
            found.append(check.z_scores)
    for found in scores.values():
        z = np.array(found)
        assert abs(z.mean()) < 0.25
        assert np.all(np.abs(z.std(axis=0) - 1) < 0.35)
        # pairs of one seed depend on each other, seeds do not
        assert all(kstest(column, "norm").pvalue > 1e-3 for column in z.T)


@pytest.mark.long
def test_the_budget_is_kept_where_it_is_large():
    # one in ten families may fail by design; 30 families with more than 9 failures would be a 1-in-1000 event
    failures = sum(
        ks.verify("gaussian()[0] * match()[1]", X.round(), seed=s, n_maps=50, method="phase", budget=0.1).verdict
        == "FAILED"
        for s in range(30)
    )
    assert failures <= 9


@pytest.mark.long
def test_the_same_seed_gives_the_same_certificate():
    one, two, other = (ks.verify("gaussian()", X, seed=seed, n_maps=50) for seed in (1, 1, 2))
    assert one == two
    assert one != other


@pytest.mark.slow
@pytest.mark.parametrize("mistake", ["rate for scale", "root of two forgotten"])
def test_wrong_frequencies_fail(monkeypatch, mistake):
    right = Gaussian.draw
    if mistake == "rate for scale":
        monkeypatch.setattr(Gaussian, "draw_variance", lambda self, stream, n: float(self.scale) ** 2)
    else:
        monkeypatch.setattr(Gaussian, "draw", lambda self, stream, n: right(self, stream, n) / np.sqrt(2))
    certificate = ks.verify("gaussian(scale=2)", X, n_maps=100)
    assert certificate.verdict == "FAILED"
    assert not any(check.bias_passed for check in certificate.checks)
    assert "FAILED" in str(certificate)


@pytest.mark.slow
def test_amplitudes_with_the_root_of_two_forgotten_fail(monkeypatch):
    def draw_wrong(plan):
        found = draw_map(plan)
        return replace(found, dense=replace(found.dense, weight=found.dense.weight / 2))

    monkeypatch.setattr(verifier, "draw_map", draw_wrong)
    check = check_of(ks.verify("gaussian()", X, n_maps=100), "paired")
    assert not check.bias_passed
    assert not check.exact_passed  # x = y has no variance, and is half of what it should be


@pytest.mark.slow
def test_weights_lost_in_a_sum_fail(monkeypatch):
    def draw_wrong(plan):
        strata = tuple(replace(stratum, weight=0.5) for stratum in plan.strata)
        return replace(draw_map(replace(plan, strata=strata)), plan=plan)

    monkeypatch.setattr(verifier, "draw_map", draw_wrong)
    certificate = ks.verify("0.8*gaussian() + 0.2*gaussian(scale=4)", X, n_maps=100, draws="independent")
    assert not any(check.bias_passed for check in certificate.checks)


@pytest.mark.slow
def test_student_frequencies_drawn_per_coordinate_fail(monkeypatch):
    def per_coordinate(self, stream, n):
        nu = float(self.nu)
        normal = stream.generator("normal").standard_normal((n, self.dim))
        chi = stream.generator("wrong").chisquare(2 * nu, (n, self.dim))
        return normal * np.sqrt(2 * nu / chi) / float(self.scale)

    monkeypatch.setattr(Matern, "draw", per_coordinate)
    on_an_axis = np.array([[0.0, 0.0], [1.0, 0.0], [2.5, 0.0]])
    assert ks.verify(
        "matern(nu=3/2)", on_an_axis, n_maps=100, n_features=1600, method="phase"
    ).passed  # where the mistake hides
    assert ks.verify("matern(nu=3/2)", X, method="phase").verdict == "FAILED"
    assert ks.verify("matern(nu=3/2)", dim=2, method="phase").verdict == "FAILED"


@pytest.mark.long
def test_hashing_without_signs_fails(monkeypatch):
    right = Buckets.write

    def unsigned(self, part, rows, side, form, table, entry, column):
        missing = right(self, part, rows, side, form, table, entry, column)
        np.abs(table.data, out=table.data)
        return missing

    monkeypatch.setattr(Buckets, "write", unsigned)
    certificate = ks.verify("match()[0]", X.round(), keys="hashed", buckets=64)
    assert check_of(certificate, "paired").passed  # keys compared themselves are right
    assert not check_of(certificate, "paired", hashed=True).bias_passed


@pytest.mark.slow
def test_every_scheme_is_an_estimator_of_its_own():
    certificate = ks.verify("laplace() * gaussian()[0]", X, n_maps=100, n_features=1600, draws="independent")
    assert certificate.passed
    assert [(check.method, check.hashed) for check in certificate.checks] == [
        ("paired", False), ("phase", False), ("complex", False), ("binning", False), ("binning", True),
    ]  # fmt: skip
    by_bits = ks.verify("laplace()", X, n_maps=100, n_features=768, method="binning", keys="bits", bits=3)
    assert by_bits.passed
    assert len(by_bits.checks) == 2


@pytest.mark.slow
@pytest.mark.parametrize("factor", sweep([0.8, 1.25], every=2))
def test_a_variance_wrong_by_a_fifth_fails(monkeypatch, factor):
    right = plan_module.estimate_variance
    monkeypatch.setattr(plan_module, "estimate_variance", lambda *args: factor * right(*args))
    certificate = ks.verify("gaussian()", X, draws="independent")
    for check in certificate.checks:
        assert check.bias_passed
        assert not check.variance_passed
        assert check.variance_ratio == pytest.approx(1 / factor, rel=0.12)


def test_a_wildly_wrong_variance_fails_for_each_pair(monkeypatch):
    right = plan_module.estimate_variance
    monkeypatch.setattr(plan_module, "estimate_variance", lambda *args: 10 * right(*args))
    check = ks.verify("gaussian()", X, method="phase", n_maps=100).checks[0]
    assert check.worst_ratio < check.worst_ratio_interval[0]


def test_estimates_that_never_vary_fail(monkeypatch):
    monkeypatch.setattr(
        feature_map_module.FeatureMap, "approximate", lambda self, x, y: np.zeros((len(x), len(y))) + 0.5
    )
    check = ks.verify("gaussian()", X, method="phase", n_maps=100).checks[0]
    assert check.verdict == "FAILED"
    assert check.variance_ratio < 1e-20


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        ({"X": X, "n_maps": 10}, PlanError, "at least 50"),
        ({"X": X, "budget": 0}, PlanError, "between 0 and 1"),
        ({"X": X, "max_rows": 1}, PlanError, "max_rows"),
        ({"Y": X}, PlanError, "Y requires X"),
        ({"X": X, "method": "binning?"}, PlanError, "method must be one of"),
        ({"X": X[:, 0]}, DataError, "Expected 2D array"),
        ({"X": X, "Y": X[:, :1]}, DataError, "1 features"),
        ({"X": [[1.0, float("nan")]]}, DataError, "row 0, column 1"),
        ({}, DimensionError, "number of columns is unknown"),
    ],
)
def test_bad_input(arguments, error, said):
    with pytest.raises(error, match=said):
        ks.verify("gaussian()", **arguments)


@pytest.mark.long
def test_heavy_tails_near_the_diagonal_raise_no_alarm() -> None:
    # the variance of relu's duals at small lags is that of rare high degrees, which a few maps do not meet
    angles = np.concatenate([np.linspace(0, 0.1, 8), [1.0, 2.0]])[:, None]
    for seed in range(6):
        certificate = ks.verify("dual(relu, circle())", angles, method="paired", seed=seed)
        assert certificate.passed
        (check,) = certificate.checks
        assert check.n_rare > 0
        assert check.n_variances > 0
        assert check.n_judged + check.n_exact == check.n_pairs


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::kernelspec.compilation.DeadKernelWarning")
def test_rows_that_are_nearly_equal_are_judged() -> None:
    near = 0.01 * np.random.default_rng(0).standard_normal((20, 3))
    certificate = ks.verify("gaussian(scale=2)", near, n_maps=100)
    assert certificate.passed
    by_formula = [check for check in certificate.checks if "sobol" not in check.name]  # that one by its own spread
    assert [check.name for check in by_formula] == ["paired", "phase", "complex"]
    assert all(check.n_judged + check.n_exact == check.n_pairs == 210 for check in by_formula)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::kernelspec.compilation.DeadKernelWarning")
def test_a_small_bias_at_nearly_equal_rows_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    right = Gaussian.draw
    monkeypatch.setattr(Gaussian, "draw", lambda self, stream, n: right(self, stream, n) * 1.2)
    near = 0.01 * np.random.default_rng(0).standard_normal((20, 3))
    assert not check_of(ks.verify("gaussian(scale=2)", near, n_maps=100), "paired").bias_passed


@pytest.mark.slow
def test_every_estimator_has_a_name_of_its_own() -> None:
    certificate = ks.verify("0.6*gaussian() + 0.4*match()[1]", X.round(), n_maps=50, max_rows=4)
    names = [check.name for check in certificate.checks]
    assert len(set(names)) == len(names)
    assert "paired and category_phases" in names


def test_a_certificate_that_judged_nothing_is_no_pass() -> None:
    # relu's dual over the sphere has samples of infinite variance: there is nothing to judge by
    rows = np.random.default_rng(0).standard_normal((8, 3))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    certificate = ks.verify("dual(relu, sphere())", rows, n_maps=50, method="paired")
    assert certificate.verdict == "not judged"
    assert not certificate.passed
    assert "certificate: not judged" in str(certificate)


@pytest.mark.slow
def test_a_scheme_that_cannot_be_drawn_is_named_and_the_others_are_judged() -> None:
    # rejection would take 46,000 proposals for one frequency of a part of mass 2e-5
    certificate = ks.verify("cosh_gaussian(by=0.3)", dim=2, n_maps=50, max_rows=4)
    assert [method for method, _ in certificate.refused] == ["rejection"]
    assert "jordan" in {check.method for check in certificate.checks}
    assert "rejection" not in {check.method for check in certificate.checks}
    (line,) = [line for line in str(certificate).splitlines() if line.startswith("rejection")]
    assert line.startswith("rejection: not tested; the negative real part")
    assert certificate.to_dict()["refused"] == certificate.refused
    with pytest.raises(PlanError, match="rejection would need"):
        ks.verify("cosh_gaussian(by=0.3)", dim=2, n_maps=50, method="rejection")


def test_how_far_a_certificate_has_come() -> None:
    told: list[tuple[int, int]] = []
    ks.verify("gaussian()", dim=2, n_maps=50, n_features=8, advance=lambda *done: told.append(done))
    assert told == [(i, told[-1][1]) for i in range(1, len(told) + 1)]
    assert told[-1][0] == told[-1][1]
    assert len(told) % 50 == 0


@pytest.mark.long
@pytest.mark.parametrize("spec", ["gaussian(scale=2)", "laplace(scale=2) + 0.5*matern(nu=3/2)[0]"])
def test_joint_draws_are_judged_by_their_own_spread(spec):
    rows = np.random.default_rng(4).standard_normal((300, 3))
    certificate = ks.verify(spec, rows, n_features=320, max_rows=12)
    check = certificate.checks[-1]
    assert check.method.endswith("sobol")
    assert certificate.passed, str(certificate)
    assert check.n_judged > 60
    assert check.n_variance_tests == 0


@pytest.mark.long
def test_landmarks_of_rough_kernels_are_judged():
    rows = np.random.default_rng(4).standard_normal((300, 3))
    check = ks.verify("laplace(scale=2)", rows, n_features=256, max_rows=12, method="landmarks").checks[0]
    assert (check.method, check.verdict) == ("landmarks, sobol", "passed")


@pytest.mark.slow
def test_a_bias_of_joint_draws_is_found(monkeypatch):
    def draw_wrong(plan):
        found = draw_map(plan)
        return replace(found, dense=replace(found.dense, weight=1.2 * found.dense.weight))

    monkeypatch.setattr(verifier, "draw_map", draw_wrong)
    rows = np.random.default_rng(4).standard_normal((300, 3))
    assert ks.verify("gaussian(scale=2)", rows, n_features=64, draws="sobol").verdict == "FAILED"


@pytest.mark.slow
def test_landmarks_alone_do_not_pass():
    rows = np.random.default_rng(4).standard_normal((300, 3))
    assert ks.verify("gaussian(scale=1)", rows, n_features=32, method="nystrom").verdict == "FAILED"
