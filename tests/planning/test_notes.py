"""Tests of `planning/explain.py`."""

from __future__ import annotations

import re
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

import kernelspec as ks
from kernelspec.errors import PlanError
from kernelspec.laws.fourier import normalized_variance, phase_variance
from kernelspec.maps.feature_map import draw_map
from kernelspec.planning.explain import bias_of_draws, reason_of
from kernelspec.planning.plan import Candidate
from kernelspec.planning.reference import Reference
from kernelspec.testing.laboratory import assert_mean, z_threshold
from tests.maps.parts import there_and_back
from tests.thoroughness import sweep

X = np.random.default_rng(0).standard_normal((60, 64))


@pytest.mark.slow
def test_they_are_labelled_with_the_bias_that_was_measured() -> None:
    fmap = ks.compile("gaussian(scale=8)", 64, 128, draws="hadamard")
    assert fmap.plan.chosen.describe() == "paired, hadamard (biased)"
    assert not fmap.unbiased
    found = re.search(r"uniform; bias at most (\S+) ± (\S+) on 256 pairs of standard normal rows", fmap.explain())
    assert found is not None
    assert 0 < float(found[1]) < 1e-3
    assert float(found[2]) < 3e-4
    assert fmap.plan.to_dict()["bias"] == fmap.plan.bias
    assert not fmap.plan.to_dict()["unbiased"]


@pytest.mark.long
def test_pairs_on_which_nothing_can_be_seen_are_said_to_be_such() -> None:
    far, near = (ks.compile(f"gaussian(scale={scale})", 64, 64, draws="hadamard").plan.bias for scale in (1, 8))
    assert re.search(r"pairs of .*, all so far apart that the kernel is at most \S+e-\d+; unknown for closer rows", far)
    assert "far apart" not in near


@pytest.mark.long
def test_weights_multiply() -> None:
    whole, half = (ks.compile(f"{weight}*gaussian(scale=8)", 64, 16, draws="hadamard").plan for weight in ("1", "0.5"))
    reference = Reference.of(whole.layout, None)
    size, fraction = (float(bias_of_draws(plan.strata, reference).split()[2]) for plan in (whole, half))
    assert fraction == pytest.approx(size / 2, rel=0.05)  # two digits


@pytest.mark.long
def test_planning_on_wide_rows_takes_little_more_memory_than_for_independent_samples() -> None:
    """A matrix of the differences of all 256 pairs, padded to 32,768 columns, would take 64 MiB, and four are used."""
    rows = sparse.random_array((20, 20_000), density=0.001, format="csr", rng=np.random.default_rng(0))
    peaks = {}
    for draws in ("independent", "hadamard"):
        tracemalloc.start()
        try:
            fmap = ks.compile("gaussian(scale=5)", data=rows, draws=draws, n_features=32)
            peaks[draws] = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert peaks["hadamard"] < peaks["independent"] + (64 << 20)
    found = re.search(r"uniform; bias at most (\S+) ± \S+ on 32 of 256 random pairs of rows", fmap.explain())
    assert found is not None
    assert float(found[1]) < 1e-6  # of the order 1/p²


@pytest.mark.slow
def test_they_are_never_chosen_by_themselves() -> None:
    for options in ({"dim": 64}, {"data": X}):
        plan = ks.compile("gaussian(scale=8)", n_features=64, **options).plan
        assert all("hadamard" not in one.draws for one in (plan.chosen, *plan.alternatives))
    plan = ks.compile("gaussian(scale=8)", n_features=64, data=X, draws="hadamard").plan
    assert plan.chosen.draws == ("hadamard",)
    assert not plan.chosen.landmarks


@pytest.mark.parametrize(
    "text", ["gaussian()[0:63]", "laplace()", "gaussian() * match()[0]", "gaussian()*matern(nu=3/2)", "minmax()"]
)
def test_where_they_have_no_meaning(text: str) -> None:
    with pytest.raises(PlanError, match="it works for frequencies of isotropic kernels on 64 columns or more, such as"):
        ks.compile(text, 64, 32, draws="hadamard")


FAR = np.random.default_rng(0).standard_normal((40, 3)) + np.array([2.0, 0.0, 0.0])


def test_four_estimators_at_one_budget() -> None:
    fmap = ks.compile("rbf_cosine(gamma=2)", dim=3, n_features=64, data=FAR, draws="independent", landmarks="never")
    notes = fmap.plan.notes
    assert len(notes) == 5
    shown = {note.split(", ", 1)[1].rsplit(": ", 1)[0]: float(note.rsplit(": ", 1)[1]) for note in notes[:4]}
    assert shown["pairs of cosine and sine"] == pytest.approx(fmap.plan.chosen.variance**0.5, rel=0.01)
    phase = ks.compile(
        "rbf_cosine(gamma=2)", dim=3, n_features=64, data=FAR, method="phase", draws="independent"
    ).plan.chosen.variance
    normalized = ks.compile(
        "rbf_cosine(gamma=2)", dim=3, n_features=64, data=FAR, published=ks.Published(normalized=True)
    ).plan.chosen.variance
    assert shown["random offsets [Li 2017, theorem 2.1]"] == pytest.approx(phase**0.5, rel=0.01)
    assert shown["normalized=True, biased [theorem 2.2]"] == pytest.approx(normalized**0.5, rel=0.01)
    assert notes[4].split(": ")[1].split(";")[0] == min(shown, key=shown.__getitem__)
    for note in notes:
        assert f"\n  {note}\n" in fmap.explain()
    assert there_and_back(fmap.plan) == fmap.plan


def test_other_kernels_have_no_notes() -> None:
    for text in ("gaussian()", "rbf_cosine() + gaussian()", "rbf_cosine() * gaussian()"):
        assert ks.compile(text, dim=3).plan.notes == ()


ON = "some rows"


def candidate(variance: float, error: float | None = None, **options: object) -> Candidate:
    return Candidate("paired", False, (4,), variance, error=error, **options)  # type: ignore[arg-type]


def test_less_error_with_landmarks_or_joint_draws() -> None:
    best = candidate(0.1, 0.01, landmarks=7)
    assert reason_of(best, [candidate(0.2, 0.04), candidate(0.2, 0.08)], "auto", ON) == (
        "7 landmarks, paired: 4 times less expected error than paired"
    )
    exact = candidate(0.1, 0.0, draws=("sobol",))
    assert "hardly any expected error on the data; paired has more" in reason_of(
        exact, [candidate(0.2, 0.04)], "auto", ON
    )
    assert "no expected error on the data, nor with paired" in reason_of(exact, [candidate(0.2, 0.0)], "auto", ON)


def test_what_is_biased_is_no_rival() -> None:
    biased = Candidate("paired", False, (0,), 0.0, error=1e-9, landmarks=7)
    assert biased.is_biased
    assert reason_of(candidate(0.1, 0.1), [biased], "auto", ON) == "the only candidate"


def test_what_was_asked_for() -> None:
    assert reason_of(candidate(0.1, 0.1, landmarks=3), [], "landmarks", ON) == "method='landmarks' was requested"
    worse = candidate(0.1, 0.2, draws=("orthogonal",))
    assert reason_of(worse, [candidate(0.1, 0.1)], "auto", ON) == "paired, orthogonal was requested"


UNIT = np.array([[1.0, 0.0], [0.6, 0.8], [-0.28, 0.96], [0.8, -0.6]])


def test_the_variance_of_theorem_2_2() -> None:
    fmap = ks.compile("rbf_cosine(gamma=2)", dim=2, n_features=128, published=ks.Published(normalized=True))
    expected = normalized_variance(UNIT @ UNIT.T, 2) / 128
    np.testing.assert_allclose(fmap.predicted_variance(UNIT), expected, atol=1e-16)
    plain = ks.compile("rbf_cosine(gamma=2)", dim=2, n_features=128, method="phase")
    np.testing.assert_allclose(plain.predicted_variance(UNIT), phase_variance(UNIT @ UNIT.T, 2) / 128, rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("text", sweep(["rbf_cosine(gamma=2)", "laplace()"], costly=["rbf_cosine(gamma=2)"]))
def test_measured_variance_and_unit_rows(text: str) -> None:
    plan = ks.compile(text, dim=2, n_features=400, published=ks.Published(normalized=True)).plan
    maps = [draw_map(replace(plan, seed=seed)) for seed in range(800)]
    np.testing.assert_allclose(np.linalg.norm(np.asarray(maps[0].transform(UNIT)), axis=1), 1, rtol=1e-12)
    estimates = np.stack([fmap.approximate(UNIT)[np.triu_indices(4, 1)] for fmap in maps])
    predicted = maps[0].predicted_variance(UNIT)[np.triu_indices(4, 1)]
    ratio = estimates.var(axis=0, ddof=1) / predicted
    # the variance of 800 normal numbers has the relative standard error 5 %; terms of order 1/400 are far less
    assert np.abs(ratio - 1).max() <= z_threshold(6) * np.sqrt(2 / 799)
    assert not maps[0].unbiased
    assert "biased, of order 1/n" in maps[0].explain()


@pytest.mark.long
@pytest.mark.usefixtures("outside_the_ledger")
def test_the_bias_is_there() -> None:
    # of order 1/n: with few columns a test of the mean finds it
    plan = ks.compile("gaussian()", dim=2, n_features=4, published=ks.Published(normalized=True)).plan
    maps = (draw_map(replace(plan, seed=seed)) for seed in range(4000))
    estimates = np.stack([fmap.approximate(UNIT)[np.triu_indices(4, 1)] for fmap in maps])
    with pytest.raises(AssertionError, match="z ="):
        assert_mean(estimates, ks.parse("gaussian()").gram(UNIT)[np.triu_indices(4, 1)])


def test_refusals_and_round_trip() -> None:
    with pytest.raises(PlanError, match="not method='paired'"):
        ks.compile("gaussian()", dim=2, method="paired", published=ks.Published(normalized=True))
    for text in ("gaussian() + laplace()", "match()", "gaussian() - cauchy()", "gaussian() * match()[0]"):
        with pytest.raises(PlanError, match="normalized=True requires one kernel"):
            ks.compile(text, dim=2, published=ks.Published(normalized=True))
    plan = ks.compile("laplace()", dim=2, published=ks.Published(normalized=True)).plan
    assert there_and_back(plan) == plan
