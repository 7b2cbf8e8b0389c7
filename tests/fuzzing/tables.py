"""Damaged and hostile files of every format that is read."""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from random import Random
from types import MappingProxyType

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from scipy import sparse

from kernelspec.tables.formats import open_table
from tests.fuzzing.campaign import Target
from tests.fuzzing.invariant import refused_or_right
from tests.fuzzing.mutation import bytes_near

__all__ = ["TARGETS"]

_TABLE = np.array([[1.5, 0.0, -2.0], [0.0, 3.0, 1e-3], [7.0, 0.5, 0.0]])
_TEXT_WORDS = tuple(
    word.encode()
    for word in (
        *("\n", "\r\n", ",", '"', "\t", " ", "#", ":", "0", "-1", "1000000000", "9" * 20, "1e308", "1e999", "01"),
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


@cache
def _members() -> dict[str, bytes]:
    file = io.BytesIO()
    sparse.save_npz(file, sparse.csr_array(_TABLE), compressed=False)
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _archive(members: dict[str, bytes]) -> bytes:
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
_TSV = tuple(text.replace(b",", b"\t") for text in _CSV)
_LIBSVM = (b"1 1:0.5 3:2\n-1 2:1e3 # comment\n", b"1 qid:3 1:1 2:2\n0\n1 5:1\n")
_ARRAYS = tuple(map(_npy, (_TABLE, np.asfortranarray(_TABLE), _TABLE[0], _TABLE.astype(">f4"), _TABLE.astype(np.int8))))
_ARCHIVES = (_npz(False, x=_TABLE), _npz(True, x=_TABLE))
_PARQUET = _parquet()


def _packed(random: Random, files: tuple[bytes, ...]) -> bytes:
    """What is within is damaged, or the packed file is."""
    if random.randrange(2):
        return gzip.compress(bytes_near(random, files, _TEXT_WORDS), mtime=0)
    return bytes_near(random, tuple(gzip.compress(file, mtime=0) for file in files))


def _npz_near(random: Random) -> bytes:
    """An archive that is damaged, or a whole one in which one of the arrays is: its checksums are right."""
    match random.randrange(3):
        case 0:
            members = _members()
            name = random.choice(sorted(members))
            return _archive({**members, name: bytes_near(random, (members[name],), _HEADER_WORDS)})
        case 1:
            return bytes_near(random, _ARCHIVES, _HEADER_WORDS)
        case _:
            return _archive({"x.npy": bytes_near(random, _ARRAYS[:1], _HEADER_WORDS)})


def _reads(suffix: str) -> Callable[[bytes, Path], None]:
    def check(data: bytes, folder: Path) -> None:
        path = folder / f"table{suffix}"
        path.write_bytes(data)
        with refused_or_right(), open_table(path, rows_per_block=2) as reader:
            for block in reader.blocks():
                rows, columns = block.shape
                assert rows > 0
                assert reader.n_columns in (None, columns)

    return check


def _target(suffix: str, made: Callable[[Random], bytes], share: int) -> Target:
    return Target(made, _reads(suffix), short=40, share=share)


TARGETS: Mapping[str, Target] = MappingProxyType(
    {
        f"files: {suffix}": _target(suffix, made, share)
        for suffix, made, share in (
            (".csv", lambda random: bytes_near(random, _CSV, _TEXT_WORDS), 60),
            (".tsv", lambda random: bytes_near(random, _TSV, _TEXT_WORDS), 30),
            (".csv.gz", lambda random: _packed(random, _CSV), 40),
            (".libsvm", lambda random: bytes_near(random, _LIBSVM, _TEXT_WORDS), 90),
            (".libsvm.gz", lambda random: _packed(random, _LIBSVM), 30),
            (".npy", lambda random: bytes_near(random, _ARRAYS, _HEADER_WORDS), 90),
            (".npz", _npz_near, 90),
            (".parquet", lambda random: bytes_near(random, _PARQUET), 60),
        )
    }
)
