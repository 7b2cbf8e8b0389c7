"""Tests of `laws/columns_and_lags.py`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.distributions.discrete import Discrete
from kernelspec.distributions.distribution import Scaled
from kernelspec.errors import PlanError
from kernelspec.kernels.leaves.coordinatewise import Laplace
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.nodes.columns_and_lags import Stretch
from kernelspec.laws.columns_and_lags import StretchLaw, replaced, stretched
from kernelspec.laws.fourier import FourierLaw
from kernelspec.laws.keys import BinningLaw, GcwsLaw
from kernelspec.laws.law import Law
from kernelspec.random.streams import Stream
from kernelspec.tables.rows import Rows
from tests.laws.texts import law


def test_bits_of_tilted_keys_are_refused_while_planning() -> None:
    with pytest.raises(PlanError, match="keys='bits' needs samples that are keys only"):
        ks.compile("tilt(laplace(), by=0.2)", dim=2, method="binning", keys="bits", bits=3)


def shortened(found: Law) -> Law | None:
    return replace(found, zero_bit=True) if isinstance(found, GcwsLaw) else None


def below(found: Law) -> list[Law]:
    return [found, *(inner for child in found.children() for inner in below(child))]


@pytest.mark.parametrize(
    "text",
    [
        "minmax()",
        "minmax()[0, 1] * gaussian()",
        "(minmax() - 0.5*match()) ** 2",
        "stretch(minmax() * tilt(shift(laplace(), 0.5), 0.1), 2)",
        "dual(exp(c=1), minmax())",
        "full(relu, input=image(1, 2, 1, base=minmax()))[0, 1]",
    ],
)
def test_every_one_that_is_met_is_replaced(text: str) -> None:
    whole = law(text, 3)
    short = replaced(whole, shortened)
    met = [found for found in below(short) if isinstance(found, GcwsLaw)]
    assert len(met) == len([found for found in below(whole) if isinstance(found, GcwsLaw)]) > 0
    assert all(found.zero_bit for found in met)
    assert [type(found) for found in below(short)] == [type(found) for found in below(whole)]


MATRICES: list[tuple[Any, int]] = [
    (0.5, 3),
    ((1.0, 2.0, 0.25), 3),
    (((1.0, 0.0, 2.0), (0.0, -1.0, 1.0)), 2),
    (((1.0, 2.0, 3.0),), 1),
]


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
    assert got.keys[0].columns == (0, 2, 4)
    assert got.phasors is None


def test_frequencies_of_one_kernel_have_the_measure_pushed_forward() -> None:
    found = stretched(FourierLaw(Gaussian(dim=2)), 2.0, 2, 2)
    assert isinstance(found, FourierLaw)
    assert found.kernel == Stretch(base=Gaussian(dim=2), matrix=2.0, dim=2)
    assert isinstance(stretched(law("minmax()", 2), 2.0, 2, 2), StretchLaw)
