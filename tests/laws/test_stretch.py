"""Stretched samples: the frequencies of the base, mapped."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.distributions.discrete import Discrete
from kernelspec.distributions.scaled import Scaled
from kernelspec.laws.stretch import StretchSampler
from kernelspec.random.streams import Stream
from kernelspec.samples.keys.binning import BinningSampler
from kernelspec.tables.rows import Rows

MATRICES: list[tuple[Any, int]] = [
    (0.5, 3),
    ((1.0, 2.0, 0.25), 3),
    (((1.0, 0.0, 2.0), (0.0, -1.0, 1.0)), 2),
    (((1.0, 2.0, 3.0),), 1),
]


@pytest.mark.parametrize(("matrix", "height"), MATRICES)
@pytest.mark.parametrize("text", ["gaussian() - 0.5 * laplace()", "(gaussian()[0] + cauchy()) * cosine(1)"])
def test_a_sample_of_the_base_at_the_mapped_rows(text: str, matrix: Any, height: int) -> None:
    spec = ks.parse(text)
    base = spec.kernel(spec.columns(height)).sampler(tuple(range(height)))
    x = np.random.default_rng(0).standard_normal(5)  # a table of five columns; the kernel sits on 4, 0, 2
    a = np.asarray(matrix)
    mapped = a @ x[[4, 0, 2]] if a.ndim == 2 else a * x[[4, 0, 2]]
    stretched = StretchSampler(base, matrix, (4, 0, 2)).draw(Stream(3), 50)
    for got, expected in zip(stretched, base.draw(Stream(3), 50), strict=True):
        assert got.phasors is not None
        assert expected.phasors is not None
        assert got.phasors.columns == (4, 0, 2)
        phases = expected.phasors.frequencies @ mapped[list(expected.phasors.columns)]
        assert np.allclose(got.phasors.frequencies @ x[[4, 0, 2]], phases, rtol=1e-12, atol=1e-12)
        assert np.array_equal(got.sign, expected.sign)
        assert np.array_equal(got.weight, expected.weight)


@pytest.mark.parametrize(("matrix", "height"), MATRICES)
def test_keys_are_those_of_the_mapped_rows(matrix: Any, height: int) -> None:
    base = BinningSampler(Scaled(base=Discrete(values=(1, 2), weights=(1, 1)), factor=2), tuple(range(height)))
    (got,), (expected,) = StretchSampler(base, matrix, (4, 0, 2)).draw(Stream(3), 50), base.draw(Stream(3), 50)
    x = np.random.default_rng(0).standard_normal((20, 5))
    a = np.asarray(matrix)
    mapped = x[:, [4, 0, 2]] @ a.T if a.ndim == 2 else x[:, [4, 0, 2]] * a
    found = got.keys[0].keys(Rows(x), "left")
    assert np.array_equal(found, expected.keys[0].keys(Rows(np.ascontiguousarray(mapped)), "left"))
    assert got.keys[0].columns == (4, 0, 2)
    assert got.phasors is None


def test_what_it_is() -> None:
    spec = ks.parse("gaussian() - 0.5 * laplace()")
    sampler = StretchSampler(spec.kernel(spec.columns(2)).sampler((0, 1)), 2.0, (0, 1))
    assert sampler.has_phasor
    assert not sampler.has_key
    assert sampler.lines()[0] == "linear image of"
