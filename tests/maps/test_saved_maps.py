"""Maps saved by earlier versions: they load for ever, and give the features that they gave."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
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
    assert len([name for version, name in SAVED if version == "0.1"]) >= 175
    assert sum(path.stat().st_size for path in FOLDER.rglob("*.npz")) < 5e6


@pytest.mark.parametrize(("version", "name"), SAVED)
def test_a_saved_map_gives_what_it_gave(version: str, name: str) -> None:
    """To the bit on the machine that wrote the file; elsewhere cosines and sums may be rounded in another way."""
    with np.load(expected_of(version, name)) as file:
        expected = dict(file)
    here = str(expected.pop("machine")) == machine()
    rows = rows_in(expected)
    given = given_by(ks.load_map(file_of(version, name)), rows)
    assert given.keys() == {part for part in expected if not part.startswith(("numbers", "text"))}
    for part, array in given.items():
        assert array.dtype == expected[part].dtype
        if here or part in EXACT:
            np.testing.assert_array_equal(array, expected[part], err_msg=part)
        else:
            np.testing.assert_allclose(array, expected[part], rtol=1e-9, atol=1e-12, err_msg=part)
