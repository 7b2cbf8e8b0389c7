"""Damaged and hostile files of every format that is read."""

from __future__ import annotations

import gzip
import io
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import strategies as st
from scipy import sparse

from kernelspec.files import open_table
from tests.fuzzing.campaign import campaign
from tests.fuzzing.invariant import refused_or_right
from tests.fuzzing.mutation import bytes_near

_TABLE = np.array([[1.5, 0.0, -2.0], [0.0, 3.0, 1e-3], [7.0, 0.5, 0.0]])
_TEXT_WORDS = tuple(
    word.encode()
    for word in (
        *(
            "\n",
            "\r\n",
            ",",
            '"',
            "\t",
            " ",
            "#",
            ":",
            "0",
            "-1",
            "1000000000",
            "99999999999999999999",
            "1e308",
            "1e999",
        ),
        *("nan", "inf", "NULL", "true", "é", "\x00", "1_0", "0x10", "qid:1", "1:1", "2000000:1", "2000001:1", "1:1_0"),
    )
)
_HEADER_WORDS = tuple(
    word.encode()
    for word in (
        *("<f8", ">f4", "|O", "|b1", "<i8", "<c16", "<U9", "<m8", "True", "False", "(0, 1000000000000)", "(3,)", "()"),
        *("(-1, 3)", "(1000000000000, 0)", "(9223372036854775807, 3)", "(3, 3000000)", "99999999999999999999", "None"),
    )
)


def _npy(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def _npz(compressed: bool, **arrays: np.ndarray) -> bytes:
    file = io.BytesIO()
    (np.savez_compressed if compressed else np.savez)(file, **arrays)
    return file.getvalue()


def _members() -> dict[str, bytes]:
    file = io.BytesIO()
    sparse.save_npz(file, sparse.csr_array(_TABLE), compressed=False)
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _sparse_npz(members: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()


def _parquet() -> tuple[bytes, ...]:
    tables = (
        pa.table({"a": [1.5, 2.5, None], "b": ["x", "y", "z"]}),
        pa.table({"a": pa.array([1, 2, 3], pa.int64()), "b": pa.array([True, False, True])}),
        pa.table({"a": [[1.0], [2.0]], "b": [{"c": 1}, {"c": 2}]}),
    )
    files = []
    for table in tables:
        sink = io.BytesIO()
        pq.write_table(table, sink, compression="NONE")
        files.append(sink.getvalue())
    return tuple(files)


_CSV = (b"a,b,c\n1,2,3\n4.5,x,6\n", b'"a b",b\n1e3,"x, y"\n,2\n', b"a\n1\n\n2\n")
_LIBSVM = (b"1 1:0.5 3:2\n-1 2:1e3 # comment\n", b"1 qid:3 1:1 2:2\n0\n1 5:1\n")
_ARRAYS = tuple(map(_npy, (_TABLE, np.asfortranarray(_TABLE), _TABLE[0], _TABLE.astype(">f4"), _TABLE.astype(np.int8))))


@st.composite
def _sparse_files(draw: st.DrawFn) -> bytes:
    """One of the arrays is damaged, so that the checksums of the archive are right."""
    members = _members()
    name = draw(st.sampled_from(sorted(members)))
    return _sparse_npz({**members, name: draw(bytes_near((members[name],), _HEADER_WORDS))})


FORMATS: dict[str, st.SearchStrategy[bytes]] = {
    ".csv": bytes_near(_CSV, _TEXT_WORDS),
    ".tsv": bytes_near(tuple(text.replace(b",", b"\t") for text in _CSV), _TEXT_WORDS),
    ".csv.gz": bytes_near(_CSV, _TEXT_WORDS).map(gzip.compress) | bytes_near(tuple(map(gzip.compress, _CSV))),
    ".libsvm": bytes_near(_LIBSVM, _TEXT_WORDS),
    ".npy": bytes_near(_ARRAYS, _HEADER_WORDS),
    ".npz": _sparse_files()
    | bytes_near((_npz(False, x=_TABLE), _npz(True, x=_TABLE)), _HEADER_WORDS)
    | bytes_near((_npy(_TABLE),), _HEADER_WORDS).map(lambda data: _sparse_npz({"x.npy": data})),
    ".parquet": bytes_near(_parquet()),
}


@pytest.mark.slow
@pytest.mark.parametrize("suffix", FORMATS)
def test_readers(suffix: str, tmp_path: Path, fuzzing_cases: int | None) -> None:
    path = tmp_path / f"table{suffix}"

    def reads(data: bytes) -> None:
        path.write_bytes(data)
        with refused_or_right(), open_table(path, rows_per_block=2) as reader:
            for block in reader.blocks():
                rows, columns = block.shape
                assert rows > 0
                assert reader.n_columns in (None, columns)

    campaign(FORMATS[suffix], reads, 40, fuzzing_cases and fuzzing_cases * 5 // 100)
