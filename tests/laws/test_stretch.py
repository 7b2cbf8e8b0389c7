"""Stretched samples: the frequencies of the base, mapped."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kernelspec.distributions.discrete import Discrete
from kernelspec.distributions.distribution import Scaled
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.leaves.laplace import Laplace
from kernelspec.kernels.nodes.columns_and_lags import Stretch
from kernelspec.laws.columns_and_lags import StretchLaw, stretched
from kernelspec.laws.fourier import FourierLaw
from kernelspec.laws.keys import BinningLaw
from kernelspec.random.streams import Stream
from kernelspec.tables.rows import Rows
from tests.laws.texts import law

MATRICES: list[tuple[Any, int]] = [
    (0.5, 3),
    ((1.0, 2.0, 0.25), 3),
    (((1.0, 0.0, 2.0), (0.0, -1.0, 1.0)), 2),
    (((1.0, 2.0, 3.0),), 1),
]


@pytest.mark.parametrize(("matrix", "height"), MATRICES)
@pytest.mark.parametrize("text", ["gaussian() - 0.5 * laplace()", "(gaussian()[0] + cauchy()) * cosine(1)"])
def test_a_sample_of_the_base_at_the_mapped_rows(text: str, matrix: Any, height: int) -> None:
    base, own = law(text, height), tuple(range(height))
    x = np.random.default_rng(0).standard_normal(5)  # a table of five columns; the kernel sits on 4, 0, 2
    a = np.asarray(matrix)
    mapped = a @ x[[4, 0, 2]] if a.ndim == 2 else a * x[[4, 0, 2]]
    found = StretchLaw(base, matrix, height, 3).draw(Stream(3), 50, (4, 0, 2))
    for got, expected in zip(found, base.draw(Stream(3), 50, own), strict=True):
        assert got.phasors is not None
        assert expected.phasors is not None
        assert got.phasors.columns == (4, 0, 2)
        phases = expected.phasors.frequencies @ mapped[list(expected.phasors.columns)]
        assert np.allclose(got.phasors.frequencies @ x[[4, 0, 2]], phases, rtol=1e-12, atol=1e-12)
        assert np.array_equal(got.sign, expected.sign)
        assert np.array_equal(got.weight, expected.weight)


@pytest.mark.parametrize(("matrix", "height"), MATRICES)
def test_keys_are_those_of_the_mapped_rows(matrix: Any, height: int) -> None:
    base = BinningLaw(Laplace(dim=height), Scaled(base=Discrete(values=(1, 2), weights=(1, 1)), factor=2))
    (got,) = StretchLaw(base, matrix, height, 3).draw(Stream(3), 50, (4, 0, 2))
    (expected,) = base.draw(Stream(3), 50, tuple(range(height)))
    x = np.random.default_rng(0).standard_normal((20, 5))
    a = np.asarray(matrix)
    mapped = x[:, [4, 0, 2]] @ a.T if a.ndim == 2 else x[:, [4, 0, 2]] * a
    found = got.keys[0].keys(Rows(x), "left")
    assert np.array_equal(found, expected.keys[0].keys(Rows(np.ascontiguousarray(mapped)), "left"))
    assert got.keys[0].columns == (4, 0, 2)
    assert got.phasors is None


def test_what_it_is() -> None:
    own = StretchLaw(law("gaussian() - 0.5 * laplace()", 2), 2.0, 2, 2)
    assert own.has_phasor
    assert not own.has_key
    assert own.lines((0, 1))[0] == "linear image of"


def test_frequencies_of_one_kernel_have_the_measure_pushed_forward() -> None:
    found = stretched(FourierLaw(Gaussian(dim=2)), 2.0, 2, 2)
    assert isinstance(found, FourierLaw)
    assert found.kernel == Stretch(base=Gaussian(dim=2), matrix=2.0, dim=2)
    assert isinstance(stretched(law("minmax()", 2), 2.0, 2, 2), StretchLaw)
