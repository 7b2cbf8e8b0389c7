"""The file of a map: whole or not there, refused if anything in it was changed, and never a pickle."""

from __future__ import annotations

import json
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import FileError
from kernelspec.maps.saved import map_file as map_archive
from kernelspec.tables import npz as npz_members
from tests.maps.example_maps import same_maps

TEXT = "gaussian()[0:2] * match()[2] + 0.5 * match()[2] + 0.7 * laplace()[1] - 0.125 * (cauchy() + gaussian()) ** 2"


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "map.npz"
    ks.compile(TEXT, dim=3, n_features=24).save(path)
    return path


def test_saving_is_whole_or_not_at_all(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = saved.read_bytes()

    def fail(archive: zipfile.ZipFile, name: str, array: np.ndarray) -> None:
        archive.writestr(name, b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(npz_members, "write_array", fail)
    with pytest.raises(FileError, match="No space"):
        ks.compile("gaussian()", dim=3).save(saved)
    assert saved.read_bytes() == before
    assert [path.name for path in saved.parent.iterdir()] == ["map.npz"]
    with pytest.raises(FileError):
        ks.compile("gaussian()", dim=3).save(saved.parent / "nowhere" / "map.npz")


def test_missing_and_foreign_files(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    with pytest.raises(FileError, match="there is no file"):
        ks.load_map(path)
    with pytest.raises(FileError, match="no kernelspec feature map"):
        ks.load_map(tmp_path)
    empty_archive = b"PK\x05\x06" + 18 * b"\0"
    for content in (b"", b"kernel", b"PK\x03\x04", pickle.dumps({"a": 1}), b"\x93NUMPY\x01\x00", empty_archive):
        path.write_bytes(content)
        with pytest.raises(FileError, match="no kernelspec feature map"):
            ks.load_map(path)


def test_other_numpy_files(tmp_path: Path) -> None:
    np.savez(tmp_path / "other.npz", a=np.ones(3))
    np.savez(tmp_path / "nearly.npz", header=np.frombuffer(b'{"format": "something else"}', dtype=np.uint8))
    np.savez(tmp_path / "list.npz", header=np.frombuffer(b"[1]", dtype=np.uint8))
    np.savez(tmp_path / "deep.npz", header=np.frombuffer(b"[" * 100_000, dtype=np.uint8))
    np.save(tmp_path / "one.npy", np.ones(3))
    for name in ("other.npz", "nearly.npz", "list.npz", "deep.npz", "one.npy"):
        with pytest.raises(FileError, match="no kernelspec feature map"):
            ks.load_map(tmp_path / name)


class _Trap:
    def __reduce__(self) -> tuple[object, ...]:
        return (pytest.fail, ("a pickle was loaded",))


def test_pickles_inside_are_refused(saved: Path) -> None:
    with np.load(saved) as file:
        arrays = dict(file)
    trapped = np.empty(1, dtype=object)
    trapped[0] = _Trap()
    for name in arrays:
        np.savez(saved, allow_pickle=True, **{**arrays, name: trapped})
        with pytest.raises(FileError):
            ks.load_map(saved)


@pytest.mark.slow
def test_truncated(saved: Path) -> None:
    content = saved.read_bytes()
    for length in range(0, len(content), 97):
        saved.write_bytes(content[:length])
        with pytest.raises(FileError):
            ks.load_map(saved)


@pytest.mark.slow
def test_flipped_bits(saved: Path) -> None:
    content = saved.read_bytes()
    original = ks.load_map(saved)
    refused = 0
    positions = np.random.default_rng(0).integers(0, 8 * len(content), 400).tolist()
    for position in positions:
        damaged = bytearray(content)
        damaged[position // 8] ^= 1 << position % 8
        saved.write_bytes(damaged)
        try:
            again = ks.load_map(saved)
        except FileError:
            refused += 1
        else:
            assert same_maps(again, original)  # the bit was in what no reader looks at, such as a date
    assert refused > 300


def rewritten(path: Path, edit: dict[str, object]) -> None:
    """The file with values of its header replaced, everything else being as valid as before."""
    with np.load(path) as file:
        arrays = dict(file)
    header = json.loads(arrays["header"].tobytes())
    arrays["header"] = np.frombuffer(json.dumps(header | edit).encode(), dtype=np.uint8)
    np.savez(path, **arrays)


def test_other_versions_are_named(saved: Path) -> None:
    for version in (0, 1, 3, 1000):
        rewritten(saved, {"version": version})
        with pytest.raises(FileError, match=f"format version {version}; this version of kernelspec reads 2"):
            ks.load_map(saved)


@pytest.mark.parametrize(
    "edit",
    [
        {"parts": []},
        {"parts": {}},
        {"format": "kernelspec"},
        {"version": "2"},
    ],
)
def test_edited_headers(saved: Path, edit: dict[str, object]) -> None:
    rewritten(saved, edit)
    with pytest.raises(FileError, match=r"damaged|version 2;"):
        ks.load_map(saved)


def test_exchanged_arrays(saved: Path) -> None:
    with np.load(saved) as file:
        arrays = dict(file)
    name = next(name for name in arrays if name.endswith("frequencies"))
    np.savez(saved, **{**arrays, name: arrays[name] + 1})
    with pytest.raises(FileError, match="not what was saved"):
        ks.load_map(saved)


def test_there_is_no_pickle_in_the_file(saved: Path) -> None:
    with zipfile.ZipFile(saved) as archive:
        for name in archive.namelist():
            header = archive.read(name)[:200]
            assert header.startswith(b"\x93NUMPY")
            assert b"'O'" not in header.split(b"\n")[0]


def test_what_is_packed_or_larger_than_the_file_is_refused(saved: Path) -> None:
    with np.load(saved) as file:
        arrays = dict(file)
    np.savez_compressed(saved, **arrays)
    with pytest.raises(FileError, match="packed, or larger than the file"):
        ks.load_map(saved)


def test_headers_are_bounded(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(map_archive, "MAX_MAP_HEADER", 1000)
    with pytest.raises(FileError, match="header has more than 1,000 bytes"):
        ks.load_map(saved)
    with pytest.raises(FileError, match="at most 1,000 are read"):
        ks.compile(TEXT, dim=3, n_features=24).save(saved)


def test_members_are_bounded(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(map_archive, "MAX_MAP_ARRAYS", 5)
    with pytest.raises(FileError, match="too many arrays"):
        ks.load_map(saved)


def test_what_is_written_can_be_read_and_no_more_is_written(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The size that is allowed for a map is at least that of its file, and little more."""
    fmap, size = ks.load_map(saved), saved.stat().st_size
    with np.load(saved) as file:
        most = 1024 * len(file.files) + sum(array.nbytes for array in file.values())
    assert size <= most
    monkeypatch.setattr(map_archive, "MAX_MAP_FILE", size)
    assert same_maps(ks.load_map(saved), fmap)
    monkeypatch.setattr(map_archive, "MAX_MAP_FILE", size - 1)
    with pytest.raises(FileError, match=f"has {size:,} bytes, and at most {size - 1:,} are read"):
        ks.load_map(saved)
    with pytest.raises(FileError, match="are read: take fewer features"):
        fmap.save(saved)
    monkeypatch.setattr(map_archive, "MAX_MAP_FILE", most)
    fmap.save(saved)
    monkeypatch.setattr(map_archive, "MAX_MAP_ARRAYS", len(file.files))
    fmap.save(saved)
    assert same_maps(ks.load_map(saved), fmap)
    monkeypatch.setattr(map_archive, "MAX_MAP_ARRAYS", len(file.files) - 1)
    with pytest.raises(FileError, match=f"this map is {len(file.files) - 2} arrays of .* bytes; at most"):
        fmap.save(saved)


def test_a_long_header_is_refused_before_it_is_read(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(map_archive, "MAX_MAP_HEADER", 1000)
    read: list[int] = []
    plain = zipfile.ZipExtFile.read

    def counted(stream: zipfile.ZipExtFile, n: int | None = -1) -> bytes:
        found = plain(stream, n)
        read.append(len(found))
        return found

    monkeypatch.setattr(zipfile.ZipExtFile, "read", counted)
    with pytest.raises(FileError, match="header has more than 1,000 bytes"):
        ks.load_map(saved)
    assert max(read) < 1000


@pytest.mark.parametrize("descr", ["|O", "<M8[s]", "(2,)<f8", [("a", "<f8")]])
def test_arrays_of_other_types_are_refused_before_they_are_read(saved: Path, descr: object) -> None:
    with np.load(saved) as file:
        arrays = dict(file)
    with zipfile.ZipFile(saved, "w") as archive:
        for name, array in arrays.items():
            npz_members.write_array(archive, name, array)
        header = repr({"descr": descr, "fortran_order": False, "shape": (10**12,)}) + "\n"
        archive.writestr("more.npy", b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
    with pytest.raises(FileError):
        ks.load_map(saved)


def test_a_length_that_is_not_there_is_refused(saved: Path) -> None:
    with np.load(saved) as file:
        arrays = dict(file)
    with zipfile.ZipFile(saved, "w") as archive:
        for name, array in arrays.items():
            npz_members.write_array(archive, name, array)
        header = repr({"descr": "<f8", "fortran_order": False, "shape": (10**12,)}) + "\n"
        archive.writestr("more.npy", b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
    with pytest.raises(FileError, match="cut off"):
        ks.load_map(saved)


def test_the_same_map_is_the_same_file(saved: Path) -> None:
    before = saved.read_bytes()
    ks.load_map(saved).save(saved)
    assert saved.read_bytes() == before
