"""What is multiplied and written alone."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

import kernelspec as ks
from kernelspec.comparison.limits import product_alone, writing_alone

X = np.random.default_rng(0).standard_normal((20, 3))


def shapes(fmap, monkeypatch) -> list[tuple[tuple[int, ...], ...]]:
    found = []
    multiply = product_alone(fmap, X)
    monkeypatch.setattr(np, "matmul", lambda left, right, out: found.append((left.shape, right.shape, out.shape)))
    multiply()
    return found


def test_rows_times_frequencies(monkeypatch) -> None:
    assert shapes(ks.compile("gaussian()", 3, 16, method="paired"), monkeypatch) == [((20, 3), (3, 8), (20, 8))]
    assert shapes(ks.compile("gaussian()", 3, 16, method="phase"), monkeypatch) == [((20, 3), (3, 16), (20, 16))]
    assert shapes(ks.compile("gaussian()[1]", 3, 16, method="phase"), monkeypatch) == [((20, 1), (1, 16), (20, 16))]


def test_anchors_are_multiplied_too(monkeypatch) -> None:
    fmap = ks.compile("gaussian()", data=np.vstack([X, X + 1]), n_features=8, method="nystrom")
    m, r = fmap.plan.anchors.left_root.shape
    assert shapes(fmap, monkeypatch) == [((20, 3), (3, m), (20, m)), ((20, m), (m, r), (20, r))]


def test_keys_have_no_product() -> None:
    assert product_alone(ks.compile("minmax()", 3, 8), X) is None


def test_what_is_written() -> None:
    dense, sparse = np.zeros((3, 2)), csr_array(np.eye(3))
    writing_alone(dense)()
    assert (dense == 0.5).all()
    writing_alone(sparse)()
    assert (sparse.toarray() == np.eye(3)).all(), "features stay as they are"
