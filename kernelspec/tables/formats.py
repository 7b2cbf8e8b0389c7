"""The formats of data and feature files, by suffix."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.errors import FileError
from kernelspec.loading import load_from

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from kernelspec.tables.npy import FeatureWriter
    from kernelspec.tables.table_reader import TableReader

__all__ = ["QUERY", "check_feature_output", "create_features", "open_table", "write_features"]

QUERY = "duckdb:"  # what begins the name of a table that is the result of a query

_READERS: Mapping[str, str] = {
    **dict.fromkeys((".csv", ".tsv"), "kernelspec.tables.csv:DelimitedReader"),
    **dict.fromkeys((".jsonl", ".ndjson"), "kernelspec.tables.columnar:JsonLinesReader"),
    **dict.fromkeys((".arrow", ".feather"), "kernelspec.tables.columnar:ArrowReader"),
    ".parquet": "kernelspec.tables.columnar:ParquetReader",
    ".npy": "kernelspec.tables.npy:NpyReader",
    ".npz": "kernelspec.tables.npz:npz_reader",
    **dict.fromkeys((".libsvm", ".svm", ".svmlight"), "kernelspec.tables.libsvm:LibsvmReader"),
}
_TEXT = (".csv", ".tsv", ".jsonl", ".ndjson", ".libsvm", ".svm", ".svmlight")


def open_table(
    path: Path | str,
    *,
    rows_per_block: int = 16384,
    columns: int | None = None,
    header: bool | None = None,
    names: Sequence[str] | None = None,
    dates: Sequence[str] = (),
) -> TableReader:
    """Open a data table for reading in blocks of about `rows_per_block` rows, at most 128 MiB each.

    CSV, TSV, JSON lines, Arrow and Parquet give `pyarrow.Table`s, NPY and NPZ arrays, LIBSVM and the NPZ files of
    `scipy.sparse.save_npz` `csr_array`s. LIBSVM labels are ignored; `columns` is the width of such a file, which is
    read twice without it; other formats ignore it. `header` says whether CSV and TSV have a header line (None: yes, but
    reject one that may be data); `names` are the column names of a file without one; `dates` are date formats
    (`DelimitedReader`). Raises DataError: the columns of the file cannot be identified, or its text does not match the
    format; FileError: no such file, an unknown or wrong suffix, or a damaged file.
    """
    if str(path).startswith(QUERY):
        from kernelspec.tables.columnar import QueryReader

        return QueryReader(str(path).removeprefix(QUERY), rows_per_block)
    path = Path(path)
    if rows_per_block < 1:
        raise ValueError(f"rows_per_block must be at least 1, not {rows_per_block}")
    if columns is not None and columns < 1:
        raise ValueError(f"columns must be at least 1, not {columns}")
    suffix = path.suffix.lower()
    text: dict[str, Any] = {"compressed": suffix == ".gz"}
    if text["compressed"]:
        suffix = Path(path.stem).suffix.lower()
    if suffix in (".csv", ".tsv"):
        text |= {"delimiter": "\t" if suffix == ".tsv" else ",", "header": header, "names": names, "dates": dates}
    elif suffix in (".libsvm", ".svm", ".svmlight"):
        text["columns"] = columns
    if (home := _READERS.get(suffix)) is not None and (suffix in _TEXT or not text["compressed"]):
        reader: TableReader = load_from(home)(path, rows_per_block, **(text if suffix in _TEXT else {}))
        return reader
    ending = f"the suffix {path.suffix!r}" if path.suffix else "no suffix"
    raise FileError(f"{path}: has {ending}; supported are {', '.join(_READERS)} (text also with .gz)")


_WRITERS: Mapping[str, str] = {
    ".npy": "kernelspec.tables.npy:NpyWriter",
    ".npz": "kernelspec.tables.npz:NpzWriter",
    ".parquet": "kernelspec.tables.columnar:ParquetWriter",
}
"""Suffix → "module:Class"; a new format is one file and one line here."""


_TABLES = (".csv", ".tsv", ".jsonl", ".arrow", ".feather")
"""Formats for features as named columns only; Parquet has a writer of its own, unless other columns stand beside."""


def _is_table(output: str, *, has_kept: bool) -> bool:
    return has_kept or output == "-" or Path(output).suffix.lower() in _TABLES


def check_feature_output(output: str, *, has_kept: bool = False) -> None:
    """Raise FileError if features cannot be written there, before any work; nothing is created."""
    if _is_table(output, has_kept=has_kept):
        from kernelspec.tables.columnar import check_table_output

        check_table_output(output)
    else:  # sparse=False because it is not known yet
        create_features(output, names=["any"], dtype=np.float32, sparse=False)


def write_features(
    output: str,
    blocks: Iterable[tuple[Any, Any]],
    *,
    names: Sequence[str],
    dtype: np.dtype[Any],
    sparse: bool,
    has_kept: bool = False,
    suffix: str | None = None,
) -> int:
    """Write blocks of features, each with the Arrow table to put beside it or None; returns the number of rows.

    The format is that of the name of the file, on standard output ("-") that of the `suffix`, or else CSV. Raises
    FileError, DataError.
    """
    if _is_table(output, has_kept=has_kept):
        from kernelspec.tables.columnar import write_feature_table

        return write_feature_table(output, blocks, names=names, dtype=dtype, sparse=sparse, suffix=suffix)
    with create_features(output, names=names, dtype=dtype, sparse=sparse) as writer:
        for block, _ in blocks:
            writer.write(block)
    return writer.rows_written


def create_features(path: Path | str, *, names: Sequence[str], dtype: DTypeLike, sparse: bool) -> FeatureWriter:
    """A writer of feature blocks, for use in a `with` statement; the file appears, complete, at its end.

    `.npy`: one array. `.npz`: the arrays `features` and `names`, or with `sparse` a file for `scipy.sparse.load_npz`.
    `.parquet`: one column per name. Raises FileError: an unknown suffix, a format that cannot hold such features, or no
    such folder; ValueError: no names, or repeated ones.
    """
    path, kind = Path(path), np.dtype(dtype)
    suffix = path.suffix.lower()
    if suffix not in _WRITERS:
        ending = f"the suffix {path.suffix!r}" if path.suffix else "no suffix"
        raise FileError(f"{path}: has {ending}; features are written to {', '.join((*_WRITERS, *_TABLES))}")
    if not names or len(set(names)) < len(names):
        raise ValueError("feature columns need distinct names")
    if sparse and suffix != ".npz":
        raise FileError(f"{path}: a {suffix} file cannot hold sparse features; name a .npz file instead")
    if suffix == ".parquet" and kind.kind == "c":
        raise FileError(f"{path}: Parquet has no complex numbers; name a .npy or .npz file instead")
    if kind.kind not in "biufc":
        raise ValueError(f"features must be numbers, not {kind}")
    from kernelspec.tables.npz import SparseNpzWriter

    writer: type[FeatureWriter] = SparseNpzWriter if sparse else load_from(_WRITERS[suffix])
    return writer(path, names, kind)
