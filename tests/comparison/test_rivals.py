"""Which other library does the same work, and that it does."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.comparison.rivals import rival_of

X = np.random.default_rng(0).standard_normal((50, 3))


def rival(text: str, **options):
    spec = ks.parse(text)
    return rival_of(spec.kernel(spec.columns(3)), ks.compile(spec, 3, 512, **options), X)


@pytest.mark.parametrize(
    ("text", "gamma"), [("gaussian(scale=2)", 1 / 8), ("stretch(gaussian(), 2)[0:3]", 1 / 8), ("gaussian()", 1 / 2)]
)
def test_a_gaussian_has_scikit_learns(text: str, gamma: float) -> None:
    found = rival(text, method="paired")
    assert (found.name, found.rows, found.own) == ("scikit-learn's RBFSampler", 50, None)
    features = found.run()
    assert features.shape == (50, 512)
    exact = np.exp(-gamma * np.square(X[:, None] - X[None]).sum(axis=-1))
    # 1,275 pairs, each with a standard deviation of at most 1/sqrt(512): beyond 6 of these once in 400,000 runs
    assert np.abs(features @ features.T - exact).max() < 6 / np.sqrt(512)


def test_a_complex_column_counts_twice() -> None:
    assert rival("gaussian()", method="complex").run().shape == (50, 512)


def test_with_anchors_it_is_nystroem() -> None:
    found = rival("gaussian()", method="anchored", data=X)
    assert found.name == "scikit-learn's Nystroem"
    assert found.run().shape[0] == 50


@pytest.mark.slow
def test_min_max_has_datasketch() -> None:
    pytest.importorskip("datasketch")
    found = rival("minmax()")
    assert found.name == "datasketch's minhash_many, on 50 rows"
    assert len(found.run()) == 50
    assert found.own().shape == (50, 512)


@pytest.mark.parametrize("text", ["laplace()", "gaussian()[0, 1]", "2*gaussian()", "stretch(gaussian(), [1, 2, 3])"])
def test_others_have_none(text: str) -> None:
    assert rival(text, method="paired") is None
