"""Any finite or infinite number, any shape, any block size: what goes in comes out."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray
from scipy import sparse

from kernelspec.tables.formats import create_features, open_table
from tests.thoroughness import examples, sweep

tables = arrays(np.float64, array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=12), elements=st.floats())
blocks = st.integers(1, 14)


def read(path: Path, rows: int, columns: int | None = None) -> NDArray[np.float64]:
    with open_table(path, rows_per_block=rows, columns=columns) as table:
        parts = list(table.blocks())
    if isinstance(parts[0], pa.Table):
        return np.column_stack(pa.concat_tables(parts).columns)
    # Not toarray(): it adds entries up, and 0 + -0.0 is 0.0.
    return np.concatenate([_filled(part) if sparse.issparse(part) else part for part in parts])


def _filled(part: sparse.csr_array) -> NDArray[np.float64]:
    full = np.zeros(part.shape)
    full[np.repeat(np.arange(part.shape[0]), np.diff(part.indptr)), part.indices] = part.data
    return full


def same_bits(a: NDArray[np.float64], b: NDArray[np.float64]) -> bool:
    """NaN equals NaN here, and -0.0 is not 0.0."""
    return a.shape == b.shape and bool(np.all((a == b) & (np.signbit(a) == np.signbit(b)) | np.isnan(a) & np.isnan(b)))


formats = [(".npy", False), (".npz", False), (".npz", True), (".parquet", False)]


@pytest.mark.slow
@pytest.mark.parametrize(("suffix", "is_sparse"), sweep(formats, every=2))
@given(table=tables, written=blocks, wanted=blocks)
@settings(max_examples=examples(60))
def test_our_own_files(suffix: str, is_sparse: bool, table: NDArray[np.float64], written: int, wanted: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"a{suffix}"
        names = [f"c{j}" for j in range(table.shape[1])]
        with create_features(path, names=names, dtype="f8", sparse=is_sparse) as out:
            for start in range(0, len(table), written):
                block = table[start : start + written]
                out.write(sparse.csr_array(block) if is_sparse else block)
        # A sparse matrix does not store zeros, so not their signs either.
        expected = np.where(table == 0, 0.0, table) if is_sparse else table
        assert same_bits(read(path, wanted), expected)


@pytest.mark.slow
@given(table=tables, wanted=blocks)
@settings(max_examples=examples(60))
def test_libsvm(table: NDArray[np.float64], wanted: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.svm"
        lines = (" ".join(["0", *(f"{j}:{v!r}" for j, v in enumerate(row, 1))]) for row in table.tolist())
        path.write_text("\n".join(lines))
        for columns in (None, table.shape[1]):
            assert same_bits(read(path, wanted, columns), table)


@pytest.mark.slow
@given(
    table=arrays(np.float64, st.tuples(st.integers(1, 9), st.integers(2, 5)), elements=st.floats(allow_nan=False)),
    wanted=blocks,
)
@settings(max_examples=examples(60))
def test_csv(table: NDArray[np.float64], wanted: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.csv"
        header = ",".join(f"c{j}" for j in range(table.shape[1]))
        path.write_text("\n".join([header, *(",".join(map(repr, row)) for row in table.tolist())]) + "\n")
        assert same_bits(read(path, wanted), table)


@pytest.mark.slow
@given(
    values=st.lists(st.text(st.characters(exclude_characters="\0\r", codec="utf-8"), min_size=1), min_size=1),
    wanted=blocks,
)
@settings(max_examples=examples(100))
def test_any_text_in_csv(values: list[str], wanted: int) -> None:
    """Quoted text comes back as it was; the first value keeps the column from looking like anything else."""
    texts = ["text", *values, "end"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.csv"
        quoted = ('"' + text.replace('"', '""') + '"' for text in texts)
        path.write_text("a,b\n" + "".join(f"{q},1\n" for q in quoted), encoding="utf-8", newline="")
        with open_table(path, rows_per_block=wanted) as table:
            found = [value for block in table.blocks(["a"]) for value in block["a"].to_pylist()]
    assert found == texts
