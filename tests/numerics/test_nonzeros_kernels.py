"""The compiled loops over entries."""

import numpy as np
import pytest

from kernelspec.numerics.key_kernels import entries_of_csr, entries_of_dense


@pytest.mark.long
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dense_and_sparse_entries_are_those_of_numpy(dtype):
    rng = np.random.default_rng(1)
    x = (rng.standard_normal((7, 11)) * (rng.random((7, 11)) < 0.4)).astype(dtype)
    rows, columns = np.nonzero(x)
    values = x[rows, columns]
    pointers = np.concatenate([[0], np.cumsum((x != 0).sum(axis=1))])
    for found in (entries_of_dense(x), entries_of_csr(pointers, columns, values)):
        assert found[0].tolist() == pointers.tolist()
        assert found[1].tolist() == (2 * columns + (values < 0)).tolist()
        assert found[2].tolist() == np.abs(values).astype(float).tolist()


def test_nothing_at_all():
    pointers, coordinates, weights = entries_of_dense(np.zeros((3, 4)))
    assert (pointers.tolist(), len(coordinates), len(weights)) == ([0, 0, 0, 0], 0, 0)
