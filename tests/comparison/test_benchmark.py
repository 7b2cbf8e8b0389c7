"""What is compared with what, from times that are given."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.comparison import benchmark as module
from kernelspec.comparison.benchmark import benchmark

X = np.random.default_rng(0).standard_normal((100, 3))

GIVEN = {
    "features": [1.0, 2.0, 4.0],
    "features in new memory": [2.0, 4.0, 8.0],
    "scikit-learn's RBFSampler": [3.0, 6.0, 16.0],
    "the matrix product": [0.25, 0.5, 1.0],
    "writing the features": [0.5, 1.0, 1.0],
}


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> None:
    """Times of three rounds, instead of real ones; everything is run once."""

    def seconds(work, rounds):
        assert rounds == 3
        for run in work.values():
            run()
        return {name: np.array(GIVEN.get(name, [0.001] * 3)) for name in work}

    monkeypatch.setattr(module, "interleaved_seconds", seconds)


def test_shares_are_medians_within_a_round(given: None) -> None:
    spec = ks.parse("gaussian()")
    found = benchmark(ks.compile(spec, 3, 16, method="paired"), spec.kernel(spec.columns(3)), X, 3)
    shares = {each.work: each.share and each.share.median for each in found.compared}
    assert shares == {
        "features": None,
        "features in new memory": 2.0,
        "scikit-learn's RBFSampler": 3.0,
        "the matrix product alone": 0.25,
        "writing the features alone": 0.5,
        "the two together": 0.75,
    }
    lines = str(found).splitlines()
    assert lines[0].startswith("paired: 100 rows × 3 float64 columns to 16 columns, ")
    assert lines[1] == "  features: 2 s [1.5, 3]"
    assert lines[3] == "  scikit-learn's RBFSampler: 6 s [4.5, 11], 3 times ours [3, 3.5]"
    assert lines[4] == "  the matrix product alone: 500 ms [375, 750], 25 % of our time [25, 25]"
    report = found.to_dict()
    assert report["shape"] == (100, 3)
    assert report["versions"]["numpy"] == np.__version__


def test_a_rival_on_some_rows_counts_for_all_of_them(given: None, monkeypatch: pytest.MonkeyPatch) -> None:
    from kernelspec.comparison.rivals import Rival

    monkeypatch.setattr(module, "rival_of", lambda *_: Rival("slow", 10, lambda: None, lambda: None))
    spec = ks.parse("minmax()")
    found = benchmark(ks.compile(spec, 3, 8), spec.kernel(spec.columns(3)), X, 3)
    works = {each.work: each for each in found.compared}
    assert list(works) == ["features", "keys alone", "slow", "writing the features alone"]
    assert works["slow"].seconds.median == pytest.approx(0.01)
    assert works["slow"].share.median == pytest.approx(10), "against the keys, which are the same work"
    assert found.sparse
