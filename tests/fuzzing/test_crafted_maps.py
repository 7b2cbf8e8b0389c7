"""Maps from strangers, with a valid checksum, that once did harm."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import FileError
from kernelspec.maps.codec import decoded, encoded
from kernelspec.maps.map_file import _digest
from tests.maps.files import file_of


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("binning_buckets", "9.identity"),
        ("binning_buckets", "8.pitches"),
        ("minmax_gcws", "8.weight"),
        ("minmax_poisson", "8.weight"),
        ("minmax_poisson", "7.slots"),
        ("match_codes", "10.weight"),
        ("match_codes", "10.identity"),
        ("binning_exact", "10.starts"),
        ("paired", "7.frequencies"),
        ("paired", "8.weight"),
        ("skeleton_circle", "22.frequencies.indptr"),
        ("linear_pairs", "14.starts"),
    ],
)
@pytest.mark.parametrize("times", [0, 0.5, 3])
def test_arrays_of_another_length_are_refused(name: str, array: str, times: float, tmp_path: object) -> None:
    """What ended in double free, SIGSEGV or a bare error of compiled loops before arrays were checked."""
    with np.load(file_of("0.2", name)) as file:
        arrays = {own: file[own] for own in file.files if own != "digest"}
    text = arrays.pop("header").tobytes()
    array = f"map.{array}"
    whole = arrays[array]
    arrays[array] = np.concatenate([whole] * 3) if times > 1 else whole[: int(len(whole) * times)]
    path = f"{tmp_path}/map.npz"
    np.savez(path, header=np.frombuffer(text, dtype=np.uint8), digest=_digest(text, arrays), **arrays)
    with pytest.raises(FileError, match="not a kernelspec feature map, or it is damaged"):
        ks.load_map(path)


def test_another_spec_in_the_header_is_found_by_drawing_again(tmp_path: object) -> None:
    with np.load(file_of("0.2", "paired")) as file:
        arrays = {own: file[own] for own in file.files if own != "digest"}
    text = arrays.pop("header").tobytes().replace(b"gaussian(scale=1.5)", b"gaussian(scale=2.5)")
    path = f"{tmp_path}/map.npz"
    np.savez(path, header=np.frombuffer(text, dtype=np.uint8), digest=_digest(text, arrays), **arrays)
    ks.load_map(path)  # whose features are those of its arrays
    with pytest.raises(FileError, match="not the map that its spec and seed give"):
        ks.load_map(path, redraw=True)


def test_no_more_columns_than_tables_have(tmp_path: Path) -> None:
    """A hundred gigabytes were filled with the numbers of columns that a header had."""
    parts, arrays = encoded(ks.load_map(file_of("0.2", "paired")).plain)
    (layout,) = (part for part in parts if part["kind"] == "layout")
    layout["dim"] = 2**31 - 1
    with pytest.raises(ValueError, match="a table has at most 2,000,000 columns"):
        decoded(parts, arrays)


def test_columns_that_are_stored_for_every_row(tmp_path: Path) -> None:
    parts, arrays = encoded(
        ks.compile("laplace()", dim=2, n_features=4, buckets=4, method="binning", storage="dense").plain
    )
    (plan,) = (part for part in parts if part["kind"] == "plan")
    plan["buckets"] = 2**24
    with pytest.raises(ValueError, match="16,777,216 columns are stored per row, but at most 10,000,000 are allowed"):
        decoded(parts, arrays)


def test_columns_without_names_and_without_a_file(tmp_path: Path) -> None:
    fmap = ks.compile("laplace()", dim=2, n_features=2, buckets=2**26, method="binning")
    with pytest.raises(ks.KernelspecError, match="134,217,728 columns cannot be named"):
        fmap.names()
    with pytest.raises(ks.KernelspecError, match="cannot be saved, only up to 67,108,864:"):
        fmap.save(tmp_path / "map.npz")
    assert not list(tmp_path.iterdir())


def test_rows_divided_by_their_norms_have_no_keys() -> None:
    """Sparse features are not divided: they were those of another map than the plan said."""
    parts, arrays = encoded(ks.load_map(file_of("0.2", "normalized_phase")).plain)
    (plan,) = (part for part in parts if part["kind"] == "plan")
    parts[plan["chosen"]["part"]]["is_sparse"] = True
    with pytest.raises(ValueError, match="only one kernel with random offsets can be divided by its norm"):
        decoded(parts, arrays)
