"""The panel of densities: atoms as stems, densities beside them, complex ones in two parts."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special, stats

from tests.plotting.reading_figures import curve, plot


def test_atoms_are_stems_as_high_as_their_mass() -> None:
    _, right = plot("periodic(period=2)").axes
    points, masses = curve(right, "periodic(period=2)")
    order = np.argsort(points)
    n = np.arange(len(points))
    np.testing.assert_allclose(points[order], np.pi * n, rtol=1e-12)
    np.testing.assert_allclose(masses[order], special.ive(n, 1), rtol=1e-10)
    (stems,) = right.collections
    ends = sorted((float(x), float(y)) for path in stems.get_paths() for x, y in path.vertices if y)
    np.testing.assert_allclose(ends, sorted(zip(points, masses, strict=True)))
    assert right.get_ylabel() == "mass of an atom"
    assert right.get_legend() is None


def test_density_and_atoms_side_by_side() -> None:
    text = "0.5*gaussian() + 0.5*cosine(by=3)"
    _, right = plot(text).axes
    density, atom = (line for line in right.lines if line.get_label() == text)
    frequencies = np.asarray(density.get_xdata())
    np.testing.assert_allclose(density.get_ydata(), 0.5 * stats.norm.pdf(frequencies), rtol=1e-12)
    assert (list(atom.get_xdata()), list(atom.get_ydata())) == ([3], [0.25])
    explained = right.get_legend()
    assert explained is not None
    assert [text.get_text() for text in explained.get_texts()] == ["mass of an atom"]
    assert right.get_ylabel() == "spectral density"


def test_complex_atoms_are_two_stems() -> None:
    # cos(3(t + 1)) = Re e^{3i} e^{3it}: the weight at 3 is e^{3i}/2
    figure = plot("shift(cosine(by=3), by=1)")
    (real,), (imaginary,) = (np.asarray(line.get_ydata()) for line in figure.axes[1].lines if line.get_marker() == "o")
    assert real + 1j * imaginary == pytest.approx(np.exp(3j) / 2, abs=1e-12)
    explained = figure.axes[1].get_legend()
    assert explained is not None
    assert [text.get_text() for text in explained.get_texts()] == ["real part", "imaginary part"]
