"""The panel of k(t): lags on both sides of zero, and of a kernel that is not symmetric."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
from scipy import stats

import kernelspec as ks
from kernelspec.analysis.profile import Profile
from kernelspec.plotting import Drawn, kernel_panel, spectrum_panel
from kernelspec.plotting.figures import new_figure
from tests.plotting.reading_figures import curve


def test_a_kernel_that_is_not_symmetric() -> None:
    # exp(−(t − 1)²/2) has the density φ(ω) e^{−iω}
    gaussian = ks.parse("gaussian()")
    facts = SimpleNamespace(
        columns=gaussian.columns(1),
        verdict=SimpleNamespace(symmetric=False),
        spec=gaussian,
        characteristic_function=lambda lags: np.exp(-((lags[:, 0] - 1) ** 2) / 2),
        spectral_density_at=lambda w: stats.norm.pdf(np.asarray(w)[:, 0]) * np.exp(-1j * np.asarray(w)[:, 0]),
    )
    drawn = [Drawn(Profile(cast(Any, facts)), "shifted", "black")]
    figure = new_figure(2, ["shifted"], ["black"])
    left, right = figure.axes
    kernel_panel(left, drawn)
    spectrum_panel(right, drawn)
    lags, values = curve(left, "shifted")
    assert lags[0] == -lags[-1]
    np.testing.assert_allclose(values, np.exp(-((lags - 1) ** 2) / 2), rtol=1e-12)
    real, imaginary = (line for line in right.lines if len(np.asarray(line.get_xdata())) > 2)
    frequencies = np.asarray(real.get_xdata())
    np.testing.assert_allclose(real.get_ydata(), stats.norm.pdf(frequencies) * np.cos(frequencies), atol=1e-15)
    np.testing.assert_allclose(imaginary.get_ydata(), -stats.norm.pdf(frequencies) * np.sin(frequencies), atol=1e-15)
    assert (real.get_linestyle(), imaginary.get_linestyle()) == ("-", "--")
    explained = right.get_legend()
    assert explained is not None
    assert [text.get_text() for text in explained.get_texts()] == ["real part", "imaginary part"]
