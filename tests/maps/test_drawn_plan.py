"""Drawn plans: how many columns, and which of them have sides."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import PlanError
from tests.maps.example_maps import DENSE, KEYED, X, compiled
from tests.maps.files import file_of
from tests.maps.parts import there_and_back


def test_an_odd_leftover_stays_unused() -> None:
    assert compiled("gaussian()", 7, method="paired").n_columns == 6
    assert compiled("gaussian()", 7, method="complex").n_columns == 3
    assert compiled("gaussian()", 7, method="phase").n_columns == 7


def test_maps_compare_by_identity() -> None:
    feature_map = compiled(DENSE)
    assert feature_map == feature_map  # noqa: PLR0124
    assert feature_map != compiled(DENSE)
    assert len({feature_map, compiled(DENSE)}) == 2


def test_jordan_shares_the_columns_of_real_parts() -> None:
    feature_map = ks.compile("shift_gaussian(scale=1.5, by=0.5)", dim=3, n_features=120, method="jordan")
    imaginary = feature_map.plan.chosen.counts[-1]
    assert feature_map.sided.sum() == 2 * imaginary
    assert feature_map.transform(X, side="both").shape[1] == 120 + 2 * imaginary
    assert (feature_map.signs < 0).sum() == 2 * feature_map.plan.chosen.counts[1]


def test_columns_are_asked_for_where_they_are_yet_to_be_learnt() -> None:
    feature_map = ks.compile(KEYED, dim=3, n_features=40, keys="exact")
    for ask in (lambda: feature_map.n_columns, lambda: feature_map.sided, feature_map.names):
        with pytest.raises(PlanError, match=r"learn them with with_columns\(X\)"):
            ask()
    learnt = feature_map.with_columns(X)
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
