"""Names that no file can have are refused as other bad names are, wherever one is given."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import kernelspec as ks
from kernelspec.cli.data import feature_files
from kernelspec.errors import FileError
from kernelspec.tables.atomic import check_name
from kernelspec.tables.formats import open_table

PLACES: dict[str, Callable[[str], object]] = {
    "map written": lambda name: ks.compile("gaussian()", dim=2, n_features=4).save(name),
    "map read": ks.load_map,
    "spec": ks.load,
    "table": lambda name: open_table(f"{name}.csv"),
    "folder": lambda name: feature_files(["part.csv"], name, sparse=False, is_complex=False),
}


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES.keys())
@pytest.mark.parametrize("name", ["x\0y", "\0", "half of a pair \ud800"])
def test_every_place_refuses_them(name: str, place: Callable[[str], object]) -> None:
    with pytest.raises(FileError):
        place(name)


def test_names_of_bytes_that_are_no_text_are_names() -> None:
    check_name("\udcff.csv")  # how Python writes the byte 255
    check_name(Path("ä b.csv"))
    with pytest.raises(FileError, match=r"^'x\\x00y' cannot be the name of a file$"):
        check_name("x\0y")
