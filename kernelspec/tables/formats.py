"""The formats of data and feature files by name."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.errors import FileError
from kernelspec.loading import load_from

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import DTypeLike

    from kernelspec.tables.feature_writer import FeatureWriter
    from kernelspec.tables.table_reader import TableReader

__all__ = ["create_features", "open_table"]

_ACCEPTED = ".csv, .tsv, .parquet, .npy, .npz, .libsvm, .svm, .svmlight (text also with .gz)"


def open_table(
    path: Path | str,
    *,
    rows_per_block: int = 16384,
    columns: int | None = None,
    header: bool | None = None,
    names: Sequence[str] | None = None,
) -> TableReader:
    """Open a table of data for reading in blocks of about `rows_per_block` rows, at most 128 MiB each.

    CSV, TSV and Parquet give `pyarrow.Table`s, NPY and NPZ arrays, LIBSVM and the NPZ files of
    `scipy.sparse.save_npz` `csr_array`s. Labels of LIBSVM files are ignored; `columns` is how many columns such a file
    has, and without it the file is read twice. Other formats say so themselves and ignore it. `header` says whether CSV
    and TSV begin with a line of names (None: they do, and a line that may be data is refused); `names` are those of a
    file without.

    Raises:
        DataError: the columns of the file cannot be told apart, or its text is not what the format asks for.
        FileError: no such file, an unknown or wrong suffix, or a damaged file.
    """
    path = Path(path)
    if rows_per_block < 1:
        raise ValueError(f"rows_per_block must be at least 1, not {rows_per_block}")
    if columns is not None and columns < 1:
        raise ValueError(f"columns must be at least 1, not {columns}")
    suffix = path.suffix.lower()
    compressed = suffix == ".gz"
    if compressed:
        suffix = Path(path.stem).suffix.lower()
    if suffix in (".csv", ".tsv"):
        delimiter = "\t" if suffix == ".tsv" else ","
        from kernelspec.tables.csv import DelimitedReader

        return DelimitedReader(
            path, rows_per_block, delimiter=delimiter, compressed=compressed, header=header, names=names
        )
    if suffix in (".libsvm", ".svm", ".svmlight"):
        from kernelspec.tables.libsvm import LibsvmReader

        return LibsvmReader(path, rows_per_block, compressed=compressed, columns=columns)
    if not compressed:
        if suffix == ".parquet":
            from kernelspec.tables.parquet import ParquetReader

            return ParquetReader(path, rows_per_block)
        if suffix == ".npy":
            from kernelspec.tables.npy import NpyReader

            return NpyReader(path, rows_per_block)
        if suffix == ".npz":
            from kernelspec.tables.npz import SPARSE_MEMBERS, NpzReader, SparseNpzReader, array_headers

            headers = array_headers(path)
            reader = SparseNpzReader if headers.keys() >= SPARSE_MEMBERS else NpzReader
            return reader(path, headers, rows_per_block)
    ending = f"the suffix {path.suffix!r}" if path.suffix else "no suffix"
    raise FileError(f"{path}: has {ending}, by which its format is told; accepted are {_ACCEPTED}")


_WRITERS: Mapping[str, str] = MappingProxyType(
    {
        ".npy": "kernelspec.tables.npy:NpyWriter",
        ".npz": "kernelspec.tables.npz:NpzWriter",
        ".parquet": "kernelspec.tables.parquet:ParquetWriter",
    }
)
"""Suffix → "module:Class"; a format is one file and one line here."""


def create_features(
    path: Path | str, *, names: Sequence[str], dtype: DTypeLike, sparse: bool, n_rows: int | None = None
) -> FeatureWriter:
    """A writer of feature blocks, to be used in a `with` statement; at its end the file is there, whole.

    `.npy`: one array. `.npz`: the arrays `features` and `names`, or with `sparse` what `scipy.sparse.load_npz`
    opens. `.parquet`: one column per name. `n_rows`, if given, is checked at the end.

    Raises:
        FileError: an unknown suffix, a format that cannot hold such features, or no such folder.
        ValueError: no names, or repeated ones.
    """
    path, kind = Path(path), np.dtype(dtype)
    suffix = path.suffix.lower()
    if suffix not in _WRITERS:
        ending = f"the suffix {path.suffix!r}" if path.suffix else "no suffix"
        raise FileError(f"{path}: has {ending}; features are written to {', '.join(_WRITERS)}")
    if not names or len(set(names)) < len(names):
        raise ValueError("feature columns need names, each its own")
    if sparse and suffix != ".npz":
        raise FileError(f"{path}: a {suffix} file cannot hold sparse features; name a .npz file instead")
    if suffix == ".parquet" and kind.kind == "c":
        raise FileError(f"{path}: Parquet has no complex numbers; name a .npy or .npz file instead")
    from kernelspec.tables.npz import SparseNpzWriter

    writer: type[FeatureWriter] = SparseNpzWriter if sparse else load_from(_WRITERS[suffix])
    return writer(path, names, _checked(kind), n_rows)


def _checked(dtype: np.dtype[Any]) -> np.dtype[Any]:
    if dtype.kind not in "biufc":
        raise ValueError(f"features are numbers, not {dtype}")
    return dtype
