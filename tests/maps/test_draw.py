"""From a plan to arrays: streams, weights, offsets, and samples told apart."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import RangeError
from kernelspec.maps.draw import draw
from kernelspec.maps.feature_map import FeatureMap, draw_map
from kernelspec.planning.methods import Method

MIXED = "0.7 * gaussian(scale=2) + 0.5 * match()[0] + laplace()[1:] * match()[0] - 0.25 * cauchy()"
PURE = ["gaussian()", "3 * laplace()", "gaussian() * cosine(2)", "gaussian() ** 3", "periodic(2)", "matern(5/2)"]


def compiled(text: str, *, n: int = 64, seed: int = 0, method: Method = "paired") -> FeatureMap:
    return ks.compile(text, dim=3, n_features=n, seed=seed, method=method)


def frequencies(feature_map: FeatureMap) -> np.ndarray:
    assert feature_map.dense is not None
    return feature_map.dense.phasors.frequencies


def test_keyless_samples_are_one_batch_and_keyed_ones_come_by_structure() -> None:
    feature_map = compiled(MIXED)
    assert feature_map.dense is not None
    counts = feature_map.plan.chosen.counts
    assert len(feature_map.dense.weight) == counts[0] + counts[3]
    assert [len(part) for part in feature_map.keyed] == [counts[1], counts[2]]
    assert [part.phasors is not None for part in feature_map.keyed] == [False, True]


def test_weights_are_shares_of_the_terms() -> None:
    feature_map = compiled(MIXED)
    assert feature_map.dense is not None
    n = feature_map.plan.chosen.counts[0]
    assert np.allclose(feature_map.dense.weight[:n], 0.7 / n, rtol=1e-15)
    assert feature_map.dense.weight[n:].sum() == pytest.approx(0.25, rel=1e-14)
    assert (feature_map.dense.sign[:n] == 1).all()
    assert (feature_map.dense.sign[n:] == -1).all()
    assert [part.weight.sum() for part in feature_map.keyed] == pytest.approx([0.5, 1.0], rel=1e-14)


def test_samples_are_told_apart() -> None:
    identities = np.concatenate([part.identity for part in compiled(MIXED, n=512).keyed])
    assert len(np.unique(identities)) == len(identities)
    other = np.concatenate([part.identity for part in compiled(MIXED, n=512, seed=1).keyed])
    assert not np.intersect1d(identities, other).size


@pytest.mark.parametrize("text", [*PURE, MIXED])
@pytest.mark.parametrize("method", ["paired", "phase", "complex"])
def test_same_seed_same_bits(text: str, method: Method) -> None:
    first, again, other = (compiled(text, seed=seed, method=method) for seed in (5, 5, 6))
    assert np.array_equal(frequencies(first), frequencies(again))
    assert not np.array_equal(frequencies(first), frequencies(other))
    X = np.random.default_rng(0).integers(0, 3, (20, 3)).astype(float)
    assert np.array_equal(first.approximate(X), again.approximate(X))
    assert not np.array_equal(first.approximate(X), other.approximate(X))


@pytest.mark.parametrize("text", PURE)
def test_first_frequencies_do_not_depend_on_the_number(text: str) -> None:
    few, many = compiled(text, n=20), compiled(text, n=200)
    assert np.array_equal(frequencies(few), frequencies(many)[:10])
    phases = [compiled(text, n=n, method="phase").dense for n in (10, 100)]
    assert phases[0] is not None
    assert phases[1] is not None
    assert np.array_equal(phases[0].offsets, phases[1].offsets[:10])


@pytest.mark.parametrize("text", PURE)
def test_all_forms_have_the_same_frequencies(text: str) -> None:
    paired = compiled(text, n=64)
    for method, n in (("phase", 32), ("complex", 64)):
        other = compiled(text, n=n, method=method)  # type: ignore[arg-type]
        assert np.array_equal(frequencies(other), frequencies(paired))


def test_only_the_phase_form_has_offsets() -> None:
    for method in ("paired", "complex"):
        feature_map = compiled(MIXED, method=method)  # type: ignore[arg-type]
        assert feature_map.dense is not None
        assert not feature_map.dense.offsets.any()
        assert not any(part.offsets.any() for part in feature_map.keyed)
    feature_map = compiled(MIXED, method="phase")
    assert feature_map.dense is not None
    offsets = feature_map.dense.offsets
    assert len(np.unique(offsets)) == len(offsets)
    assert (offsets >= 0).all()
    assert (offsets < 2 * np.pi).all()


def test_strata_do_not_share_randomness() -> None:
    feature_map = compiled("0.5 * gaussian() + 0.5 * stretch(gaussian(), 1)")
    drawn = frequencies(feature_map)
    assert len(np.unique(drawn)) == drawn.size


def test_a_term_keeps_its_frequencies_when_the_others_change() -> None:
    plan = compiled("gaussian() + match()[0]", n=64).plan
    fewer = replace(plan, chosen=replace(plan.chosen, counts=(5, 9)))
    dense, _, _ = draw(fewer)
    assert dense is not None
    assert np.array_equal(dense.phasors.frequencies, frequencies(draw_map(plan))[:5])


def test_nothing_to_draw() -> None:
    assert draw(compiled("gaussian() - gaussian()").plan) == (None, (), None)


@pytest.mark.parametrize(
    "text",
    [
        "cosh_gaussian(scale=2, by=[0.5, 2, 0])**100",  # a mass of e^850
        "1e100*cosh_gaussian(scale=2, by=[0.5, 2, 0])**80",
        "gaussian() + cosh_gaussian(scale=2, by=[0.5, 2, 0])**100",
        "(1e90*match() + gaussian())**9",
    ],
)
def test_samples_that_weigh_more_than_any_float(text: str) -> None:
    with pytest.raises(RangeError, match="samples that weigh more than any float"):
        compiled(text)
