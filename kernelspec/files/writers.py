"""The format of a feature file, told by its name."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.errors import FileError
from kernelspec.files.npz_sparse_writer import SparseNpzWriter
from kernelspec.loading import load_from

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import DTypeLike

    from kernelspec.files.feature_writer import FeatureWriter

__all__ = ["create_features"]

_WRITERS: Mapping[str, str] = MappingProxyType(
    {
        ".npy": "kernelspec.files.npy_writer:NpyWriter",
        ".npz": "kernelspec.files.npz_writer:NpzWriter",
        ".parquet": "kernelspec.files.parquet_writer:ParquetWriter",
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
    writer: type[FeatureWriter] = SparseNpzWriter if sparse else load_from(_WRITERS[suffix])
    return writer(path, names, _checked(kind), n_rows)


def _checked(dtype: np.dtype[Any]) -> np.dtype[Any]:
    if dtype.kind not in "biufc":
        raise ValueError(f"features are numbers, not {dtype}")
    return dtype
