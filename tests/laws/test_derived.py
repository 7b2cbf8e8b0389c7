"""Laws made from another one tell the planner what their base tells it."""

from __future__ import annotations

import pytest

import kernelspec as ks
from kernelspec.errors import PlanError
from kernelspec.kernels.leaves.comparisons import MinMax
from kernelspec.laws.columns_and_lags import Derived, SelectedLaw, StretchLaw
from kernelspec.laws.fourier import FourierLaw
from kernelspec.laws.joint import JointLaw
from kernelspec.laws.keys import BinningLaw, GcwsLaw
from kernelspec.laws.law import Law
from kernelspec.laws.polar import SinhRowsLaw
from kernelspec.laws.translation import TiltLaw, TranslationLaw
from tests.laws.texts import law

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
    with pytest.raises(PlanError, match="bits are columns for samples of keys alone"):
        ks.compile("tilt(laplace(), by=0.2)", dim=2, method="binning", keys="bits", bits=3)
