"""Maps saved by earlier versions: they load for ever, and give the features that they gave."""

from __future__ import annotations

import json

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.maps.feature_map import FeatureMap
from kernelspec.samples.frequencies import numbers_on
from tests.maps.cases import CASES_OF
from tests.maps.files import FOLDER, expected_of, file_of, given_by, machine, rows_in

SAVED = [
    (version.name, path.name.removesuffix(".expected.npz"))
    for version in sorted(FOLDER.iterdir())
    if version.is_dir()
    for path in sorted(version.glob("*.expected.npz"))
]

EXACT = ("keys", "keys_right", "names", "signs")
"""What must be the same on every machine."""


def test_there_are_files() -> None:
    assert len([name for version, name in SAVED if version == "0.2"]) >= 180
    assert sum(path.stat().st_size for path in FOLDER.rglob("*.npz")) < 5e6


def test_every_case_of_a_version_has_its_file() -> None:
    for version, cases in CASES_OF.items():
        assert {name for own, name in SAVED if own == version} == {name.replace(" ", "_") for name in cases}


@pytest.mark.parametrize("name", sorted(name.replace(" ", "_") for name in CASES_OF["0.2"]))
def test_files_are_of_format_3(name: str) -> None:
    with np.load(file_of("0.2", name)) as file:
        assert json.loads(file["header"].tobytes())["version"] == 3


@pytest.mark.parametrize(("version", "name"), SAVED)
def test_a_saved_map_gives_what_it_gave(version: str, name: str) -> None:
    """To the bit on the machine that wrote the file, and to the rounding of angles; elsewhere sums may be rounded."""
    with np.load(expected_of(version, name)) as file:
        expected = dict(file)
    here = str(expected.pop("machine")) == machine()
    rows = rows_in(expected)
    feature_map = ks.load_map(file_of(version, name))
    given, allowed = given_by(feature_map, rows), rounding(feature_map, rows)
    assert given.keys() == {part for part in expected if not part.startswith(("numbers", "text"))}
    for part, array in given.items():
        assert array.dtype == expected[part].dtype
        if part in EXACT or (here and not allowed):
            np.testing.assert_array_equal(array, expected[part], err_msg=part)
        elif here:
            assert np.abs(array - expected[part]).max() <= allowed * max(1, np.abs(expected[part]).max()), part
        else:
            np.testing.assert_allclose(array, expected[part], rtol=1e-9, atol=1e-12, err_msg=part)


def rounding(feature_map: FeatureMap, X: np.ndarray) -> float:
    """1e-14, and two units in the last place of the largest angle; 0 for a map that takes no angles and no products."""
    parts = [*feature_map.keyed, *([] if feature_map.dense is None else [feature_map.dense])]
    if not any(part.phasors is not None or part.has_amplitudes for part in parts):  # a dense part always has phasors
        return 0.0
    rows, largest = feature_map.plan.layout.read(X), 0.0
    for part in parts:
        if part.phasors is not None and part.phasors.columns:
            numbers = np.abs(numbers_on(rows, part.phasors.columns))
            stored = part.phasors.frequencies
            matrix = stored if isinstance(stored, np.ndarray) else stored.toarray()
            largest = max(largest, (numbers @ np.abs(matrix).T).max(initial=0))
    return 1e-14 + 2 * np.finfo(float).eps * largest
