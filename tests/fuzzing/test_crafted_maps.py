"""Maps from strangers, with a valid checksum, that once did harm."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import FileError
from kernelspec.maps.saved.map_archive import _digest
from tests.maps.files import file_of


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("binning_buckets", "keyed0_identity"),
        ("binning_buckets", "keyed0_factor0_pitches"),
        ("minmax_gcws", "keyed0_weight"),
        ("minmax_poisson", "keyed0_weight"),
        ("minmax_poisson", "keyed0_factor0_slots"),
        ("match_codes", "keyed0_weight"),
        ("match_codes", "keyed0_identity"),
        ("binning_exact", "keyed0_starts"),
        ("paired", "dense_frequencies"),
        ("paired", "dense_weight"),
        ("skeleton_circle", "dense_frequency_starts"),
        ("linear_pairs", "dense_amplitude0_starts"),
    ],
)
@pytest.mark.parametrize("times", [0, 0.5, 3])
def test_arrays_of_another_length_are_refused(name: str, array: str, times: float, tmp_path: object) -> None:
    """What ended in double free, SIGSEGV or a bare error of compiled loops before arrays were checked."""
    with np.load(file_of("0.1", name)) as file:
        arrays = {own: file[own] for own in file.files if own != "digest"}
    text = arrays.pop("header").tobytes()
    whole = arrays[array]
    arrays[array] = np.concatenate([whole] * 3) if times > 1 else whole[: int(len(whole) * times)]
    path = f"{tmp_path}/map.npz"
    np.savez(path, header=np.frombuffer(text, dtype=np.uint8), digest=_digest(text, arrays), **arrays)
    with pytest.raises(FileError, match="no kernelspec feature map, or it is damaged"):
        ks.load_map(path)


def test_another_spec_in_the_header_is_found_by_drawing_again(tmp_path: object) -> None:
    with np.load(file_of("0.1", "paired")) as file:
        arrays = {own: file[own] for own in file.files if own != "digest"}
    text = arrays.pop("header").tobytes().replace(b"gaussian(scale=1.5)", b"gaussian(scale=2.5)")
    path = f"{tmp_path}/map.npz"
    np.savez(path, header=np.frombuffer(text, dtype=np.uint8), digest=_digest(text, arrays), **arrays)
    ks.load_map(path)  # whose features are those of its arrays
    with pytest.raises(FileError, match="not the map that its spec and seed give"):
        ks.load_map(path, redraw=True)
