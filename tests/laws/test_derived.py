"""Samplers made from another one tell the planner what their base tells it."""

from __future__ import annotations

import pytest
from kernelspec.laws.sampler import Sampler

import kernelspec as ks
from kernelspec.errors import PlanError
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.leaves.laplace import Laplace
from kernelspec.laws.derived import Derived
from kernelspec.laws.fourier import FourierSampler
from kernelspec.laws.stretch import StretchSampler
from kernelspec.laws.tilt import SinhSampler, TiltSampler
from kernelspec.laws.translation import TranslationSampler
from kernelspec.laws.unit_rows import UnitRowsSampler
from kernelspec.samples.keys.binning import BinningSampler
from kernelspec.samples.keys.gcws import GcwsSampler

COLUMNS, BY = (0, 1), (0.5, 1.0)
FREQUENCIES = Gaussian(dim=2).sampler(COLUMNS)
BINS = Laplace(dim=2).alternatives()["binning"].sampler(COLUMNS)


def derived(base: Sampler) -> list[Derived]:
    return [
        StretchSampler(base, 2.0, COLUMNS),
        TranslationSampler(base, BY, COLUMNS),
        UnitRowsSampler(base, COLUMNS),
        TiltSampler(base, BY, COLUMNS),
        SinhSampler(base, BY, COLUMNS),
    ]


@pytest.mark.parametrize("base", [FREQUENCIES, BINS, GcwsSampler(COLUMNS)], ids=["frequencies", "bins", "gcws"])
def test_what_the_base_says(base: Sampler) -> None:
    for sampler in derived(base):
        assert (sampler.has_phasor, sampler.has_key) == (base.has_phasor, base.has_key)
        assert sampler.work(64, 10.0) == base.work(64, 10.0)
        grown = isinstance(sampler, TiltSampler | SinhSampler)
        assert sampler.has_amplitude == (grown or base.has_amplitude)
        assert sampler.n_terms == base.n_terms * (3 if isinstance(sampler, SinhSampler) else 1)


def test_the_bases_differ() -> None:
    assert isinstance(FREQUENCIES, FourierSampler)
    assert isinstance(BINS, BinningSampler)
    assert GcwsSampler(COLUMNS).work(64, 10.0) > 0


def test_bits_of_tilted_keys_are_refused_while_planning() -> None:
    with pytest.raises(PlanError, match="bits are columns for samples of keys alone"):
        ks.compile("tilt(laplace(), by=0.2)", dim=2, method="binning", bits=3)
