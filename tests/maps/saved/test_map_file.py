"""Tests of `maps/map_file.py`."""

from __future__ import annotations

import json
import pickle
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import FileError, PlanError
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.laws.fourier import FourierLaw
from kernelspec.maps import map_file as map_archive
from kernelspec.maps.codec import Arrays, Entry, encoded
from kernelspec.maps.feature_map import draw_map
from kernelspec.maps.map_file import written_archive
from kernelspec.planning.options import Method
from kernelspec.tables import npz as npz_members
from tests.maps.example_maps import METHODS, X, same_maps

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
    with pytest.raises(FileError, match="no such file"):
        ks.load_map(path)
    with pytest.raises(FileError, match="not a kernelspec feature map"):
        ks.load_map(tmp_path)
    empty_archive = b"PK\x05\x06" + 18 * b"\0"
    for content in (b"", b"kernel", b"PK\x03\x04", pickle.dumps({"a": 1}), b"\x93NUMPY\x01\x00", empty_archive):
        path.write_bytes(content)
        with pytest.raises(FileError, match="not a kernelspec feature map"):
            ks.load_map(path)


def test_other_numpy_files(tmp_path: Path) -> None:
    np.savez(tmp_path / "other.npz", a=np.ones(3))
    np.savez(tmp_path / "nearly.npz", header=np.frombuffer(b'{"format": "something else"}', dtype=np.uint8))
    np.savez(tmp_path / "list.npz", header=np.frombuffer(b"[1]", dtype=np.uint8))
    np.savez(tmp_path / "deep.npz", header=np.frombuffer(b"[" * 100_000, dtype=np.uint8))
    np.save(tmp_path / "one.npy", np.ones(3))
    for name in ("other.npz", "nearly.npz", "list.npz", "deep.npz", "one.npy"):
        with pytest.raises(FileError, match="not a kernelspec feature map"):
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
    text = json.dumps(json.loads(arrays.pop("header").tobytes()) | edit).encode()
    del arrays["digest"]
    digest = map_archive._digest(text, arrays)
    np.savez(path, header=np.frombuffer(text, dtype=np.uint8), digest=digest, **arrays)


def test_other_versions_are_named(saved: Path) -> None:
    for version in (0, 1, 2, 4, 1000):
        rewritten(saved, {"version": version})
        with pytest.raises(FileError, match=f"format version {version}; this version of kernelspec reads 3"):
            ks.load_map(saved)


@pytest.mark.parametrize(
    "edit",
    [
        {"sections": []},
        {"sections": {}},
        {"sections": {"map": []}},
        {"sections": {"map": {}}},
        {"sections": {"maps": []}},
        {"sections": {"model": []}},
        {"format": "kernelspec feature map"},
        {"more": 1},
        {"software": 3},
        {"software": "\u001b[2J"},
        {"date": "yesterday"},
        {"date": None},
        {"version": "3"},
    ],
)
def test_edited_headers(saved: Path, edit: dict[str, object]) -> None:
    rewritten(saved, edit)
    with pytest.raises(FileError, match=r"damaged|version 3;"):
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
    with pytest.raises(FileError, match="at most 1,000 are allowed"):
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
    with pytest.raises(FileError, match=f"has {size:,} bytes, but at most {size - 1:,} are allowed"):
        ks.load_map(saved)
    with pytest.raises(FileError, match="are allowed: use fewer features"):
        fmap.save(saved)
    monkeypatch.setattr(map_archive, "MAX_MAP_FILE", most)
    fmap.save(saved)
    monkeypatch.setattr(map_archive, "MAX_MAP_ARRAYS", len(file.files))
    fmap.save(saved)
    assert same_maps(ks.load_map(saved), fmap)
    monkeypatch.setattr(map_archive, "MAX_MAP_ARRAYS", len(file.files) - 1)
    with pytest.raises(FileError, match=f"this map has {len(file.files) - 2} arrays of .* bytes, but at most"):
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


@pytest.mark.parametrize(
    ("descr", "said"),
    [("|O", "holds"), ("<M8[s]", "holds"), ("(2,)<f8", "holds"), ([("a", "<f8")], "holds"), ("<f8", "cut off")],
)
def test_arrays_of_other_types_or_cut_off_are_refused_before_they_are_read(
    saved: Path, descr: object, said: str
) -> None:
    with np.load(saved) as file:
        arrays = dict(file)
    with zipfile.ZipFile(saved, "w") as archive:
        for name, array in arrays.items():
            npz_members.write_array(archive, name, array)
        header = repr({"descr": descr, "fortran_order": False, "shape": (10**12,)}) + "\n"
        archive.writestr("more.npy", b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
    with pytest.raises(FileError, match=said):
        ks.load_map(saved)


def test_the_same_map_is_the_same_file_at_the_same_time(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1764201600")
    fmap = ks.load_map(saved)
    fmap.save(saved)
    before = saved.read_bytes()
    ks.load_map(saved).save(saved)
    assert saved.read_bytes() == before
    origin = ks.load_map(saved).origin
    assert origin is not None
    assert (origin.software, origin.date) == (f"kernelspec {ks.__version__}", "2025-11-27T00:00:00Z")
    with np.load(saved) as file:
        assert origin.digest == file["digest"].tobytes().hex()


def test_a_model_beside_a_map_is_left_alone(saved: Path) -> None:
    """The section is there for models to come: a reader of maps needs to know nothing of it."""
    fmap = ks.load_map(saved)
    model: tuple[list[Entry], Arrays] = (
        [{"kind": "model.ridge", "coefficients": {"array": "0.c"}}],
        {"0.c": np.ones(3)},
    )
    with written_archive(saved, {"map": encoded(fmap.plain), "model": model}):
        pass
    assert same_maps(ks.load_map(saved), fmap)
    with written_archive(saved, {"model": model}):
        pass
    with pytest.raises(FileError, match="not a feature map"):
        ks.load_map(saved)


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "text",
    [
        "gaussian(scale=2)",
        "match()[2]",
        "gaussian()[0:2] * match()[2] + 0.5 * match()[2] + 0.7 * laplace()[1] - 0.125 * (cauchy() + gaussian()) ** 2",
        "gaussian() - gaussian()",
        "(gaussian() + match()[2]) * match()[0]",
        "tilt(laplace(2), by=0.2) + tilt(laplace(2), by=0.2) * match()[2]",
        "bochner(student_t(dof=3), isotropic=true) * cosine([1, 2, 1/3])",
        "let k = matern(nu=3/2, scale=0.1)\nmean(k, stretch(k[0, 1], [[0, 1, 1], [1/3, 0, 2]]), periodic(2)[-1])",
    ],
)
def test_round_trip(text: str, method: Method, tmp_path: Path) -> None:
    fmap = ks.compile(text, dim=3, n_features=24, seed=2**62 + 1, method=method)
    fmap.save(tmp_path / "map.npz")
    assert same_maps(ks.load_map(tmp_path / "map.npz"), fmap)
    assert same_maps(ks.load_map(str(tmp_path / "map.npz")), fmap)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "laplace(scale=2)",
        "laplace()[2, 0] * match()[1] * gaussian()",
        "stretch(laplace() - 0.5 * triangle(2), [1, 2, 1/3])",
        "stretch((laplace() - 0.5 * triangle(2)) * cosine(1), [[1, 2, 1/3], [0, 0, 1]])",
        "stretch(stretch(laplace() - 0.5 * triangle(2), 3), [1, 2, 1/3])",
    ],
)
def test_round_trip_of_bins(text: str, tmp_path: Path) -> None:
    fmap = ks.compile(text, dim=3, n_features=24, method="binning")
    assert fmap.is_sparse
    for drawn in (fmap, fmap.with_columns(X)):
        drawn.save(tmp_path / "map.npz")
        again = ks.load_map(tmp_path / "map.npz")
        assert same_maps(again, drawn)
        assert np.array_equal(again.keys(X), drawn.keys(X))


def test_maps_of_kernels_without_a_name_are_not_saved(tmp_path: Path) -> None:
    class Mine(Gaussian):
        """A kernel that no file knows."""

    fmap = ks.compile("gaussian()", dim=2, n_features=8)
    stratum = replace(fmap.plan.strata[0], law=FourierLaw(Mine(scale=1.0, dim=2)))
    with pytest.raises(PlanError, match="this map cannot be saved: a saved map cannot contain a"):
        replace(fmap, plan=replace(fmap.plan, strata=(stratum,))).save(tmp_path / "map.npz")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("field", ["counts", "n_features"])
def test_more_samples_than_anybody_may_ask_for_are_refused_before_they_are_drawn(field: str, tmp_path: Path) -> None:
    plan = ks.compile("gaussian()", dim=3, n_features=24).plan
    many = replace(plan.chosen, counts=(2**24,)) if field == "counts" else 2**24
    bad = replace(plan, **{"chosen" if field == "counts" else field: many})
    replace(draw_map(plan), plan=bad).save(tmp_path / "map.npz")
    with pytest.raises(FileError, match="more than 10,000,000 features"):
        ks.load_map(tmp_path / "map.npz", redraw=True)
