"""What all encodings share: one matrix, whatever the blocks and the threads."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.maps.columns.hashed import Bits, Buckets, Encoding, SparseTable
from kernelspec.maps.columns.learned import learn_columns
from kernelspec.maps.keyed import KeyedFeatures
from kernelspec.numerics import threads
from kernelspec.numerics.phasor import Form
from kernelspec.samples.keys import BinningKey
from kernelspec.samples.samples import Phasors
from kernelspec.tables.rows import Rows

GENERATOR = np.random.default_rng(0)
ROWS = Rows(GENERATOR.standard_normal((700, 3)).astype(np.float32))
N = 20


def part_of(*, smooth: bool) -> KeyedFeatures:
    generator = np.random.default_rng(1)
    key = BinningKey(0.5 + generator.random((N, 2)), generator.random((N, 2)), (0, 2))
    phasors = Phasors.symmetric((1,), generator.standard_normal((N, 1))) if smooth else None
    sign = np.where(generator.random(N) < 0.5, -1.0, 1.0)
    identity = generator.integers(0, 2**64, N, dtype=np.uint64)
    return KeyedFeatures((key,), phasors, generator.random(N), sign, generator.random(N), identity)


def encodings(part: KeyedFeatures) -> list[Encoding]:
    exact = learn_columns(part, [ROWS.take(slice(0, 300))])
    return [Buckets(8), exact] if part.phasors is not None else [Buckets(8), Bits(3), exact]


def matrix(encoding: Encoding, part: KeyedFeatures, rows: Rows, form: Form) -> np.ndarray:
    """Behind one entry and three columns of something else."""
    kind = np.dtype(np.complex64 if form == "complex" else np.float32)
    columns = 3 + encoding.n_columns(part, form)
    table = SparseTable.empty(len(rows), 1 + encoding.entries(part, form), columns, kind)
    table.data[:, 0], table.indices[:, 0] = 9, 1
    missing = encoding.write(part, rows, "left", form, table, 1, 3)
    assert missing == (table.indices < 0).sum()
    finished = table.finished(missing)
    finished.check_format(full_check=True)
    for row in np.split(finished.indices, finished.indptr[1:-1]):
        assert (np.diff(row) > 0).all()
    return finished.toarray()


@pytest.mark.slow
@pytest.mark.parametrize("form", ["paired", "phase", "complex"])
@pytest.mark.parametrize("smooth", [False, True])
def test_same_bits_for_any_blocks_and_threads(smooth: bool, form: Form, monkeypatch: pytest.MonkeyPatch) -> None:
    part = part_of(smooth=smooth)
    for encoding in encodings(part):
        whole = matrix(encoding, part, ROWS, form)
        assert whole.shape == (700, 3 + encoding.n_columns(part, form))
        assert (whole[:, :3] == [0, 9, 0]).all()
        for processors, height in ((1, 300), (3, 16), (8, 1)):
            with monkeypatch.context() as patch:
                patch.setattr(threads, "processors", lambda count=processors: count)
                patch.setattr(KeyedFeatures, "rows_per_block", lambda self, rows=height: rows)
                assert np.array_equal(matrix(encoding, part, ROWS, form), whole)
        pieces = [matrix(encoding, part, ROWS.take(slice(i, i + 123)), form) for i in range(0, 700, 123)]
        assert np.array_equal(np.concatenate(pieces), whole)


@pytest.mark.parametrize("form", ["paired", "phase", "complex"])
@pytest.mark.parametrize("smooth", [False, True])
def test_names_and_signs_are_those_of_the_columns(smooth: bool, form: Form) -> None:
    part = part_of(smooth=smooth)
    for encoding in encodings(part):
        names, signs = encoding.names(part, form), encoding.signs(part, form)
        assert len(set(names)) == len(names) == len(signs) == encoding.n_columns(part, form)
        own = [int(name.split("_")[0].lstrip("cosinkey")) for name in names if name != "chance"]
        assert np.array_equal(signs[: len(own)], part.sign[own])
        with_sample = (matrix(encoding, part, ROWS, form)[:, 3:] != 0).any(axis=0)
        assert with_sample[: len(own)].mean() > 0.9


@pytest.mark.parametrize("form", ["paired", "phase", "complex"])
def test_learnt_columns_have_the_estimate_as_inner_products(form: Form) -> None:
    for smooth in (False, True):
        part, rows = part_of(smooth=smooth), ROWS.take(slice(0, 300))
        exact = learn_columns(part, [rows])
        z = matrix(exact, part, rows, form)[:, 3:]
        products = ((z * exact.signs(part, form)) @ z.conj().T).real
        assert np.abs(products - part.inner_products(rows, rows, form)).max() <= 2e-5
