"""The format of a data file, told by its name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kernelspec.errors import FileError
from kernelspec.files.delimited import DelimitedReader
from kernelspec.files.libsvm import LibsvmReader
from kernelspec.files.npy import NpyReader
from kernelspec.files.npz import NpzReader, array_headers
from kernelspec.files.npz_sparse import SPARSE_MEMBERS, SparseNpzReader
from kernelspec.files.parquet import ParquetReader

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernelspec.files.table_reader import TableReader

__all__ = ["open_table"]

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
        return DelimitedReader(
            path, rows_per_block, delimiter=delimiter, compressed=compressed, header=header, names=names
        )
    if suffix in (".libsvm", ".svm", ".svmlight"):
        return LibsvmReader(path, rows_per_block, compressed=compressed, columns=columns)
    if not compressed:
        if suffix == ".parquet":
            return ParquetReader(path, rows_per_block)
        if suffix == ".npy":
            return NpyReader(path, rows_per_block)
        if suffix == ".npz":
            headers = array_headers(path)
            reader = SparseNpzReader if headers.keys() >= SPARSE_MEMBERS else NpzReader
            return reader(path, headers, rows_per_block)
    ending = f"the suffix {path.suffix!r}" if path.suffix else "no suffix"
    raise FileError(f"{path}: has {ending}, by which its format is told; accepted are {_ACCEPTED}")
