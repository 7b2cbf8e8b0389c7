"""Maps that version 0.1 wrote: converted, and checked like any other."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import FileError
from kernelspec.maps.saved.first_format import restored
from kernelspec.maps.saved.map_archive import _digest, read_archive
from tests.maps.files import file_of


def rewritten(path: Path, name: str, **edits: bytes) -> Path:
    """The file of a case with texts in its header replaced, and a valid checksum."""
    with np.load(file_of("0.1", name)) as file:
        arrays = {own: file[own] for own in file.files if own not in ("header", "digest")}
        text = file["header"].tobytes()
    for old, new in edits.items():
        assert old.encode() in text
        text = text.replace(old.encode(), new)
    np.savez(path, header=np.frombuffer(text, dtype=np.uint8), digest=_digest(text, arrays), **arrays)
    return path


def test_a_plan_is_derived_from_the_text_of_its_spec() -> None:
    found = restored(*read_archive(file_of("0.1", "names_and_params")))
    assert found.plan.layout.names == ("age", "in come", "land")
    assert dict(found.plan.values)["s"] == Fraction(1, 10)
    assert found.plan == ks.load_map(file_of("0.1", "names_and_params")).plan


def test_numpy_2_0_saved_an_option_as_an_array(tmp_path: Path) -> None:
    with np.load(file_of("0.1", "paired")) as file:
        np.savez(tmp_path / "map.npz", **dict(file))
    import zipfile

    from kernelspec.files.npz_members import write_array

    with zipfile.ZipFile(tmp_path / "map.npz", "a") as archive:
        write_array(archive, "allow_pickle", np.array(False))
    assert ks.load_map(tmp_path / "map.npz").plan == ks.load_map(file_of("0.1", "paired")).plan


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("binning_buckets", '"kind": "binning"', b'"kind": "magic"'),
        ("neurons_relu", '"kind": "neurons"', b'"kind": "magic"'),
        ("neurons_relu", '"name": "relu"', b'"name": "magic"'),
        ("paired", '"form": "paired"', b'"form": "magic"'),
        ("paired", "gaussian(scale=1.5)", b"gaussian(scale=1.5"),
        ("paired", "gaussian(scale=1.5)", b"gaussian() + match()"),
        ("paired", '"dim": 3', b'"dim": 0'),
        ("paired", '"dim": 3', b'"dim": 2'),
        ("paired", '"counts": [4]', b'"counts": [4, 4]'),
        ("paired", '"schemes": [null]', b'"schemes": ["magic"]'),
    ],
)
def test_damage_is_noticed(name: str, old: str, new: bytes, tmp_path: Path) -> None:
    with pytest.raises(FileError, match="damaged"):
        ks.load_map(rewritten(tmp_path / "map.npz", name, **{old: new}))
