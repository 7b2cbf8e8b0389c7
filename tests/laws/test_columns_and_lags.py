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
from kernelspec.kernels.leaves.of_rows import MinMax
from kernelspec.kernels.nodes.columns_and_lags import Select, Stretch
from kernelspec.laws.columns_and_lags import Derived, SelectedLaw, StretchLaw, replaced, stretched
from kernelspec.laws.fourier import FourierLaw
from kernelspec.laws.joint import JointLaw
from kernelspec.laws.keys import BinningLaw, GcwsLaw
from kernelspec.laws.law import Law
from kernelspec.laws.sums_and_products import OneLaw
from kernelspec.laws.translation import SinhRowsLaw, TiltLaw, TranslationLaw
from kernelspec.random.streams import Stream
from kernelspec.tables.rows import Rows
from tests.laws.texts import kernel_of, law

BY = (0.5, 1.0)
FREQUENCIES = law("gaussian()", 2)
BINS = law("laplace()", 2, "binning")
GCWS = GcwsLaw(MinMax(dim=2))


def derived(base: Law) -> list[Derived]:
    return [
        StretchLaw(base, 2.0, 2, 2),
        TranslationLaw(base, BY),
        SelectedLaw(base, (1, 0), 2),
        TiltLaw(base, BY),
        SinhRowsLaw(base, BY),
        JointLaw(base, "orthogonal"),
    ]


@pytest.mark.parametrize("base", [FREQUENCIES, BINS, GCWS], ids=["frequencies", "bins", "gcws"])
def test_what_the_base_says(base: Law) -> None:
    for found in derived(base):
        assert (found.has_phasor, found.has_key) == (base.has_phasor, base.has_key)
        assert found.work(64, 10.0) == base.work(64, 10.0)
        grown = isinstance(found, TiltLaw | SinhRowsLaw)
        assert found.has_amplitude == (grown or base.has_amplitude)
        assert found.n_terms == base.n_terms * (3 if isinstance(found, SinhRowsLaw) else 1)
        assert found.magnitude() == base.magnitude()
        assert found.cuts == base.cuts == ()
        assert list(found.children()) == [base]


def test_cuts_are_those_of_the_base() -> None:
    base = law("dual(step, gaussian(), max_degree=5)", 2)
    assert len(base.cuts) == 1
    assert all(found.cuts == base.cuts for found in derived(base))


def test_the_bases_differ() -> None:
    assert isinstance(FREQUENCIES, FourierLaw)
    assert isinstance(BINS, BinningLaw)
    assert GCWS.work(64, 10.0) > 0


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


def test_from_the_top_down() -> None:
    """What is replaced is not looked into."""
    whole = law("minmax() * linear()", 3)
    assert replaced(whole, lambda _: OneLaw()) == OneLaw()


def test_columns_are_chosen_of_those_given() -> None:
    own = law("gaussian()[3, 1]", 4)
    assert isinstance(own, SelectedLaw)
    assert own.chosen((5, 6, 7, 8)) == (8, 6)
    (batch,) = own.draw(Stream(1), 5, (5, 6, 7, 8))
    (plain,) = own.base.draw(Stream(1), 5, (8, 6))
    assert batch.phasors is not None
    assert plain.phasors is not None
    assert batch.phasors.columns == (6, 8)
    assert np.array_equal(batch.phasors.frequencies, plain.phasors.frequencies)
    products = own.draw_products(Stream(1), np.array([9]), (5, 6, 7, 8))
    assert products is not None
    assert products.phasors is not None
    assert products.phasors.columns == (6, 8)


def test_frequencies_of_a_selection_are_those_of_a_kernel() -> None:
    kernel = law("gaussian()[3, 1]", 4).fourier_kernel()
    assert isinstance(kernel, Select)
    assert kernel == kernel_of("gaussian()[3, 1]", 4)
    assert law("match()[1]", 2).fourier_kernel() is None
    assert isinstance(law("gaussian()[0] * laplace()[1]", 2), FourierLaw)


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
    assert got.keys[0].columns == (0, 2, 4)
    assert got.phasors is None


def test_frequencies_of_one_kernel_have_the_measure_pushed_forward() -> None:
    found = stretched(FourierLaw(Gaussian(dim=2)), 2.0, 2, 2)
    assert isinstance(found, FourierLaw)
    assert found.kernel == Stretch(base=Gaussian(dim=2), matrix=2.0, dim=2)
    assert isinstance(stretched(law("minmax()", 2), 2.0, 2, 2), StretchLaw)
