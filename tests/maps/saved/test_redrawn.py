"""Saved maps drawn again from their spec and seed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import FileError
from kernelspec.maps.saved.redrawn import check_redrawn
from tests.maps.cases import CASES
from tests.maps.files import file_of


@pytest.mark.parametrize("name", CASES)
def test_the_maps_of_earlier_versions_are_theirs(name: str) -> None:
    ks.load_map(file_of("0.1", name), redraw=True)


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
