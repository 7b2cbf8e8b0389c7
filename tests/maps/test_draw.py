"""Tests of `maps/draw.py`."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse

import kernelspec as ks
from kernelspec.errors import PlanError, RangeError
from kernelspec.maps.draw import draw
from kernelspec.maps.feature_map import FeatureMap, draw_map
from kernelspec.planning.options import Method
from tests.maps.example_maps import KEYED, X
from tests.maps.example_maps import compiled as compiled_of_drawn_plan
from tests.maps.files import file_of
from tests.maps.parts import there_and_back

MIXED = "0.7 * gaussian(scale=2) + 0.5 * match()[0] + laplace()[1:] * match()[0] - 0.25 * cauchy()"
PURE = ["gaussian()", "3 * laplace()", "gaussian() * cosine(2)", "gaussian() ** 3", "periodic(2)", "matern(5/2)"]


def compiled(text: str, *, n: int = 64, seed: int = 0, method: Method = "paired") -> FeatureMap:
    return ks.compile(text, dim=3, n_features=n, seed=seed, method=method)


def frequencies(fmap: FeatureMap) -> np.ndarray:
    assert fmap.dense is not None
    return fmap.dense.phasors.frequencies


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


def test_strata_do_not_share_randomness() -> None:
    fmap = compiled("0.5 * gaussian() + 0.5 * stretch(gaussian(), 1)")
    drawn = frequencies(fmap)
    assert len(np.unique(drawn)) == drawn.size


def test_a_term_keeps_its_frequencies_when_the_others_change() -> None:
    plan = compiled("gaussian() + match()[0]", n=64).plan
    fewer = replace(plan, chosen=replace(plan.chosen, counts=(5, 9)))
    dense, _, _ = draw(fewer)
    assert dense is not None
    assert np.array_equal(dense.phasors.frequencies, frequencies(draw_map(plan))[:5])


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
    with pytest.raises(RangeError, match="sample weights beyond floats"):
        compiled(text)


def test_an_odd_leftover_stays_unused() -> None:
    assert compiled_of_drawn_plan("gaussian()", 7, method="paired").n_columns == 6
    assert compiled_of_drawn_plan("gaussian()", 7, method="complex").n_columns == 3
    assert compiled_of_drawn_plan("gaussian()", 7, method="phase").n_columns == 7


def test_jordan_shares_the_columns_of_real_parts() -> None:
    fmap = ks.compile("shift_gaussian(scale=1.5, by=0.5)", dim=3, n_features=120, method="jordan")
    imaginary = fmap.plan.chosen.counts[-1]
    assert fmap.sided.sum() == 2 * imaginary
    assert fmap.transform(X, side="both").shape[1] == 120 + 2 * imaginary
    assert (fmap.signs < 0).sum() == 2 * fmap.plan.chosen.counts[1]


def test_columns_are_asked_for_where_they_are_yet_to_be_learnt() -> None:
    fmap = ks.compile(KEYED, dim=3, n_features=40, keys="exact")
    for ask in (lambda: fmap.n_columns, lambda: fmap.sided, fmap.names):
        with pytest.raises(PlanError, match=r"learn them with with_columns\(X\)"):
            ask()
    learnt = fmap.with_columns(X)
    rows = learnt.plan.layout.read(X)
    met = [len(np.unique(part.keys(rows))) * part.entries("paired") for part in learnt.keyed]
    shared = [(4 if len(part) == 1 else len(part)) * part.entries("paired") for part in learnt.keyed]
    assert learnt.n_columns == len(learnt.names()) == sum(met) + sum(shared)
    assert learnt.shared_columns.sum() == sum(shared)
    assert learnt.unbiased


def changed(part: Any, path: str, value: Any) -> Any:
    """The part with another value at a path such as `keyed.0.weight`; a function gets the value that is there."""
    name, _, rest = path.partition(".")
    own = part[int(name)] if isinstance(part, tuple) else getattr(part, name)
    new = changed(own, rest, value) if rest else value(own) if callable(value) else value
    if isinstance(part, tuple):
        return (*part[: int(name)], new, *part[int(name) + 1 :])
    return replace(part, **{name: new})


def thrice(array: np.ndarray) -> np.ndarray:
    return np.concatenate([array] * 3)


@pytest.mark.parametrize(
    ("name", "path", "value"),
    [
        ("paired", "plan.chosen.counts", (4, 4)),
        ("paired", "plan.chosen.counts", (0,)),
        ("paired", "plan.chosen.form", "magic"),
        ("paired", "plan.n_features", 0),
        ("paired", "plan.seed", -1),
        ("paired", "plan.buckets", 1),
        ("paired", "plan.bits", 25),
        ("paired", "plan.normalized", True),
        ("paired", "plan.layout.dim", 2),
        ("paired", "plan.layout.dim", 0),
        ("paired", "plan.layout.numeric", (0, 1)),
        ("paired", "plan.layout.names", ("a", "a", "b")),
        ("paired", "plan.strata.0.positions", (0, 1)),
        ("paired", "plan.strata.0.positions", (0, 1, 3)),
        ("paired", "plan.strata.0.weight", np.inf),
        ("paired", "dense.phasors.columns", (0, 1, 3)),
        ("paired", "dense.phasors.columns", (0, 1)),
        ("paired", "dense.weight", thrice),
        ("paired", "dense.weight", np.negative),
        ("paired", "dense.sign", lambda sign: 0.5 * sign),
        ("paired", "dense.offsets", lambda offsets: offsets + 1),
        ("paired", "dense.n_real", 5),
        ("normalized_phase", "dense.weight", np.zeros_like),
        ("tilt", "dense.growth.rates", thrice),
        ("linear_pairs", "dense.amplitudes.0.stop", 2),
        ("linear_pairs", "dense.amplitudes.0.start", -1),
        ("linear_pairs", "dense.n_real", 1),
        ("linear_pairs", "dense.amplitudes.0.factor.first", lambda first: first + 3),
        ("linear_pairs", "dense.amplitudes.0.factor.starts", lambda starts: starts[::-1].copy()),
        ("binning_buckets", "plan.chosen.is_sparse", False),
        ("binning_buckets", "plan.buckets", 2**31),
        ("binning_buckets", "keyed.0.identity", thrice),
        ("binning_buckets", "keyed.0.factors", ()),
        ("binning_buckets", "keyed.0.factors.0.positions", (0, 1, 7)),
        ("binning_buckets", "keyed.0.factors.0.pitches", np.zeros_like),
        ("binning_buckets", "keyed.0.factors.0.offsets", lambda offsets: offsets + 1),
        ("binning_learnt", "occupied", ()),
        ("binning_learnt", "occupied.0.starts", thrice),
        ("binning_learnt", "occupied.0.starts", lambda starts: starts + 1),
        ("minmax_poisson", "keyed.0.factors.0.slots", lambda slots: slots + 2**10),
        ("minmax_poisson", "keyed.0.factors.0.sizes", lambda sizes: sizes + 1),
        ("minmax_poisson", "keyed.0.factors.0.sizes", lambda sizes: sizes * 2**13),
        ("matrix_keys", "keyed.0.factors.0.matrix", lambda matrix: matrix[:2]),
        ("matrix_keys", "keyed.0.factors.0.matrix", lambda matrix: matrix[:, :2]),
        ("matrix_keys", "keyed.0.factors.0.matrix", lambda matrix: matrix * np.nan),
        ("shifted_keys", "keyed.0.factors.0.positions", (0, 1, 3)),
        ("shifted_keys", "keyed.0.factors.0.by", (0.5, 0.0)),
        ("skeleton_laplace_binning", "keyed.0.factors.0.starts", lambda starts: starts + (starts == starts[-1])),
        ("skeleton_laplace_binning", "keyed.0.factors.0.factor.chosen", lambda chosen: chosen + 8),
        ("skeleton_circle", "plan.strata.1.law.base.kernel.image.height", 3),
        ("skeleton_circle", "plan.strata.1.law.base.kernel.layers.0.windows.stride", 0),
        ("skeleton_circle", "plan.strata.1.law.base.kernel.layers.1.below", (-7,)),
        ("skeleton_circle", "plan.strata.1.law.base.kernel.layers.0.windows.height", 2**30),
        ("estimated_masses", "plan.estimated.weights", (1.0,)),
        ("rejection", "plan.strata.0.law.mass", 0.0),
        ("unit_rows", "dense.phasors.columns.0.position", 7),
    ],
)
def test_parts_that_do_not_fit_are_refused(name: str, path: str, value: Any) -> None:
    fmap = ks.load_map(file_of("0.2", name)).plain
    there_and_back(fmap)
    with pytest.raises(ValueError):
        there_and_back(changed(fmap, path, value))


@pytest.mark.long
def test_a_table_too_wide_to_try_is_refused_without_drawing() -> None:
    """A few dense samples of a million columns are gigabytes themselves."""
    rows = scipy.sparse.random_array((50, 1_000_000), density=2e-6, format="csr", rng=np.random.default_rng(0))
    tracemalloc.start()
    try:
        with pytest.raises(PlanError, match=r"need 8\.9 GiB"):
            ks.compile("gaussian()", data=rows, n_features=1_200, seed=0, method="phase", draws="independent")
        assert tracemalloc.get_traced_memory()[1] < 2**30
    finally:
        tracemalloc.stop()


def test_memory_of_sparse_frequencies_is_that_of_their_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    """2,000 samples of 100 columns are 1.5 MiB of numbers, but those of a skeleton read a few columns each."""
    monkeypatch.setattr("kernelspec.maps.draw.MAX_MAP_BYTES", 2**20)
    for text in ("gaussian()", "exponential()"):
        with pytest.raises(PlanError, match="4,000 features of 100 columns need"):
            ks.compile(text, dim=100, n_features=4_000, seed=0, method="paired")
    found = ks.compile("full(exp(c=1/4), input=image(10, 10, 1))", dim=100, n_features=4_000, seed=0, method="paired")
    assert found.plan.n_features == 4_000
