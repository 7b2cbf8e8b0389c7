"""GSTools' models: the kernels are those it states."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.exchange.library_samplers import GSTOOLS as SAMPLERS


def test_kernels_are_those_of_the_models() -> None:
    gstools = pytest.importorskip("gstools")
    rows = np.random.default_rng(0).gamma(2, size=(5, 4))
    r = np.sqrt(np.square(rows[:, None] - rows).sum(axis=-1))
    models = {
        "RandMeth(Gaussian)": gstools.Gaussian(dim=4, len_scale=1),
        "RandMeth(Exponential)": gstools.Exponential(dim=4, len_scale=1),
        "RandMeth(Matern, ν = 3/2)": gstools.Matern(dim=4, nu=1.5, len_scale=1),
    }
    for name, model in models.items():
        np.testing.assert_allclose(SAMPLERS[name].kernel(rows, rows), model.correlation(r), rtol=1e-10)
