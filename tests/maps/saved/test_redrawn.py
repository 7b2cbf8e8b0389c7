"""Tests of `maps/redrawn.py`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import kernelspec as ks
from kernelspec.errors import FileError
from kernelspec.laws.atoms import AtomsLaw
from kernelspec.limits import MAX_FEATURES, MAX_REDRAWN
from kernelspec.maps import redrawn
from kernelspec.maps.feature_map import FeatureMap
from kernelspec.maps.redrawn import check_redrawn, replanned
from kernelspec.planning.plan import Plan
from kernelspec.spec import Spec
from tests.maps.files import NAMES, file_of
from tests.maps.parts import there_and_back
from tests.strategies.specs import specs
from tests.thoroughness import examples, sweep

OTHERWISE_NOW = {"linear_keys"}
"""Cases whose specs are sampled by another law since their files were written: products of finitely many features have
one law, with a column for every product."""

NAMED_NOW = {"kernel_written_product", "kernel_written_smooth", "polya_written"}
"""Cases whose formulas have become kernels of the catalogue since their files were written."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", sweep(sorted(set(NAMES) - OTHERWISE_NOW - NAMED_NOW), costly=["formula_of_the_distance", "neurons_written"])
)
def test_saved_maps_are_those_of_their_specs(name: str) -> None:
    ks.load_map(file_of("0.2", name), redraw=True)


@pytest.mark.parametrize("name", sorted(OTHERWISE_NOW))
def test_maps_of_another_law_load_and_are_not_drawn_again(name: str, tmp_path: Path) -> None:
    fmap = ks.load_map(file_of("0.2", name))
    with pytest.raises(FileError, match=r"map\.plan\.strata\[0\]\.law differs"):
        ks.load_map(file_of("0.2", name), redraw=True)
    again = ks.compile(fmap.plan.text, dim=fmap.plan.layout.dim, n_features=fmap.plan.n_features, buckets=3, seed=7)
    again.save(tmp_path / "map.npz")
    ks.load_map(tmp_path / "map.npz", redraw=True)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(NAMED_NOW))
def test_maps_of_formulas_that_have_names_now_load_and_are_not_drawn_again(name: str) -> None:
    assert ks.load_map(file_of("0.2", name)).n_columns > 0
    with pytest.raises(FileError, match=r"map\.plan\.strata\[0\]\.law.* differs"):
        ks.load_map(file_of("0.2", name), redraw=True)


def test_other_numbers_are_refused(tmp_path: Path) -> None:
    fmap = ks.compile("gaussian() + laplace() * match()[0]", dim=3, n_features=24)
    check_redrawn(fmap, "the map")
    assert fmap.dense is not None
    phasors = fmap.dense.phasors
    assert isinstance(phasors.frequencies, np.ndarray)
    changed = replace(phasors, frequencies=phasors.frequencies * (1 + 1e-6))
    replace(fmap, dense=replace(fmap.dense, phasors=changed)).save(tmp_path / "map.npz")
    assert ks.load_map(tmp_path / "map.npz").n_columns == fmap.n_columns
    with pytest.raises(FileError, match=r"map\.dense\.phasors\.frequencies differs"):
        ks.load_map(tmp_path / "map.npz", redraw=True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("gaussian(scale=3) + laplace() * match()[0]", r"plan\.strata\[0\]\.law\.kernel\.scale differs"),
        ("gaussian()", "cannot be drawn again from its spec"),
        ("gaussian(", "cannot be drawn again from its spec"),
        ("cauchy() + laplace() * match()[0]", r"plan\.strata\[0\]\.law\.kernel differs"),
    ],
)
def test_other_specs_are_refused(text: str, said: str) -> None:
    fmap = ks.compile("gaussian() + laplace() * match()[0]", dim=3, n_features=24)
    with pytest.raises(FileError, match=said):
        check_redrawn(replace(fmap, plan=replace(fmap.plan, text=text)), "the map")


def test_what_comes_from_data_is_not_judged() -> None:
    X = np.random.default_rng(0).standard_normal((40, 3))
    check_redrawn(ks.compile("laplace()", data=X, method="binning", keys="exact").with_columns(X), "the map")
    fitted = ks.compile(
        "shift_gaussian(by=[1, 0, 0])",
        data=X,
        method="jordan",
        published=ks.Published(masses="estimated"),
        n_features=24,
    )
    check_redrawn(fitted, "the map")


def of_more_samples(text: str, counts: int, *, dim: int, method: str = "auto") -> FeatureMap:
    """A map whose plan says that its first stratum has more samples than were drawn."""
    fmap = ks.compile(text, dim=dim, n_features=8, method=method)
    chosen = replace(fmap.plan.chosen, counts=(counts, *fmap.plan.chosen.counts[1:]))
    return replace(fmap, plan=replace(fmap.plan, chosen=chosen))


@pytest.mark.parametrize(
    ("text", "dim", "counts", "said"),
    [
        ("gaussian()", 2, MAX_FEATURES, r"10,000,000 samples, but at most 1,048,580 are drawn"),
        ("match()", 2, MAX_FEATURES, r"10,000,000 samples, but at most 1,048,584 are drawn"),
        ("gaussian()", 20, MAX_REDRAWN, r"184,549,376 bytes would be drawn, but at most 134,2"),
        ("laplace()", 2000, 100_000, r"bytes would be drawn, but at most 134,"),
    ],
)
def test_a_short_file_does_not_fill_the_memory(
    text: str, dim: int, counts: int, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    crafted = of_more_samples(text, counts, dim=dim)
    monkeypatch.setattr(redrawn, "draw_plan", not_to_be_called)
    with pytest.raises(FileError, match=said):
        check_redrawn(crafted, "the map")


def not_to_be_called(plan: Plan) -> FeatureMap:
    raise AssertionError(f"{plan.n_features} features were drawn")


def test_samples_up_to_the_bound_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    merged = ks.compile("full(exp(c=1/4), input=image(4, 4, 1))", dim=16, n_features=512, method="paired")
    assert merged.dense is not None
    count, stored = merged.plan.chosen.counts[0], len(merged.dense.weight)
    assert stored < count == 256
    monkeypatch.setattr(redrawn, "MAX_REDRAWN", count - stored)
    check_redrawn(merged, "the map")
    monkeypatch.setattr(redrawn, "MAX_REDRAWN", count - 1 - stored)
    with pytest.raises(FileError, match=f"the plan has {count} samples, but at most {count - 1} are drawn"):
        check_redrawn(merged, "the map")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "dim", "more"),
    [
        ("minmax()", 4000, {}),
        ("gaussian()", 2000, {"draws": "hadamard"}),
        ("0.5*match()[0] + gaussian()[1] * match()[2]", 3, {}),
        ("tilt(gaussian(), by=[1, 0.5])", 2, {}),
        ("dual(relu(), normalize(linear()))", 5, {}),
    ],
)
def test_bytes_are_those_of_what_is_drawn(
    text: str, dim: int, more: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Samples that store less than a number a column are not taken for more."""
    fmap = ks.compile(text, dim=dim, n_features=256, **more)
    monkeypatch.setattr(redrawn, "MAX_REDRAWN_BYTES", 0)
    check_redrawn(fmap, "the map")


def test_memory_that_is_not_there_is_an_error_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(plan: Plan) -> FeatureMap:
        raise MemoryError("Unable to allocate")

    monkeypatch.setattr(redrawn, "draw_plan", fails)
    with pytest.raises(FileError, match="cannot be drawn again from its spec: Unable to allocate"):
        check_redrawn(ks.compile("gaussian()", dim=2), "the map")


def stripped(plan: Plan) -> Plan:
    """What was decided, how many atoms are exact included, without what follows from the spec."""
    every = tuple(range(plan.layout.dim))  # types that were recorded must be of columns that are used
    exact = tuple(stratum for stratum in plan.strata if isinstance(stratum.law, AtomsLaw))
    return replace(plan, strata=exact, layout=replace(plan.layout, numeric=every, categorical=(), domains=()))


@pytest.mark.long
@settings(max_examples=examples(150), derandomize=True, database=None)
@given(specs(3, names=("a", "b c", "d"), signed=True))
def test_plans_are_restored_and_saved(spec: Spec) -> None:
    plan = ks.compile(spec, columns=("a", "b c", "d"), n_features=12, seed=2**63).plan
    assert replanned(stripped(plan)) == plan
    assert there_and_back(plan) == plan
