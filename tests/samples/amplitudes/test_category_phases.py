"""Random phases of categories as factors of amplitudes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kstest

import kernelspec as ks
from kernelspec.kernels.leaves.comparisons import Match
from kernelspec.laws.keys import CategoryPhasesLaw
from kernelspec.maps.saved.map_file import load_map
from kernelspec.random.streams import Stream
from kernelspec.samples.amplitudes import CategoryPhases
from kernelspec.samples.keys import ChosenKey
from kernelspec.tables.rows import Rows

X = np.array([[0, 1], [0, 1], [1, 1], [2, 0]], dtype=float)


def phases(n: int, positions: tuple[int, ...] = (0, 1)) -> CategoryPhases:
    (batch,) = CategoryPhasesLaw(Match(dim=len(positions))).draw(Stream(5), n, positions)
    (factor,) = batch.amplitudes
    assert isinstance(factor, CategoryPhases)
    return factor


def test_phases_are_uniform_and_those_of_other_categories_independent() -> None:
    z = phases(20_000).values(Rows(X), "left")
    np.testing.assert_allclose(np.abs(z), 1, rtol=1e-12)
    np.testing.assert_array_equal(z[0], z[1])
    for turned in (z[0], z[2], z[3], z[0] * z[2].conj(), z[2] * z[3], z[0] * z[2] * z[3] ** 2):
        assert kstest(np.angle(turned) / (2 * np.pi) % 1, "uniform").pvalue > 1e-7


def test_sides_agree() -> None:
    factor = phases(10)
    np.testing.assert_array_equal(factor.values(Rows(X), "left"), factor.values(Rows(X), "right"))


def test_taken_and_joined() -> None:
    whole = CategoryPhases(Stream(1).words("category", (6,)), ChosenKey(np.array([0, 1, 1, 0, 0, 1])))
    values = whole.values(Rows(X), "left")
    index = np.array([4, 0, 2])
    np.testing.assert_array_equal(whole.take(index).values(Rows(X), "left"), values[:, index])
    joined = whole.take(np.arange(2)).join([whole.take(np.arange(2, 6))])
    np.testing.assert_array_equal(joined.values(Rows(X), "left"), values)
    assert joined.structure == whole.structure
    assert whole.columns == (0, 1)


@pytest.mark.parametrize("text", ["match()", "full(relu, input=image(1, 2, 1, base=match()))"])
def test_saved_and_loaded(text: str, tmp_path: Path) -> None:
    fmap = ks.compile(text, dim=2, n_features=64, method="category_phases")
    fmap.save(tmp_path / "map.npz")
    np.testing.assert_array_equal(load_map(tmp_path / "map.npz").transform(X), fmap.transform(X))
