"""The figure of kernels: both panels, colours, legend, refusals, and no settings touched."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import same_color
from scipy import stats

import kernelspec as ks
from kernelspec.errors import NotStationaryError, ParameterError
from kernelspec.plotting import plot_kernels
from kernelspec.plotting.figures import save_figure
from tests.plotting.reading_figures import curve, legend, plot

FORMULAS = {
    "gaussian()": (lambda t: np.exp(-(t**2) / 2), stats.norm.pdf),
    "laplace()": (lambda t: np.exp(-np.abs(t)), stats.cauchy.pdf),
    "sinc()": (lambda t: np.sinc(t / np.pi), lambda w: np.where(w <= 1, 0.5, 0)),
    "matern(nu=3/2)": (
        lambda t: (1 + np.sqrt(3) * t) * np.exp(-np.sqrt(3) * t),
        lambda w: np.sqrt(3) * stats.t.pdf(np.sqrt(3) * w / np.sqrt(3), 3) / np.sqrt(3),
    ),
}


def test_curves_are_the_formulas() -> None:
    figure = plot(*FORMULAS)
    left, right = figure.axes
    for label, (kernel, density) in FORMULAS.items():
        lags, values = curve(left, label)
        np.testing.assert_allclose(values, kernel(lags), atol=1e-12)
        frequencies, values = curve(right, label)
        np.testing.assert_allclose(values, density(frequencies), rtol=1e-9, atol=1e-12)
        assert lags[0] == frequencies[0] == 0
    assert legend(figure) == list(FORMULAS)


def test_a_kernel_has_one_colour_in_both_panels_and_in_the_legend() -> None:
    figure = plot("gaussian()", "cosine(by=3)")
    left, right = figure.axes
    for label, handle in zip(legend(figure), figure.legends[0].get_lines(), strict=True):
        colours = [line.get_color() for axes in (left, right) for line in axes.lines if line.get_label() == label]
        assert len(colours) == 2
        assert all(same_color(colour, handle.get_color()) for colour in colours)


def test_titles_and_axes_are_in_words() -> None:
    left, right = plot("gaussian()").axes
    assert (left.get_xlabel(), left.get_ylabel()) == ("lag t", "k(t)")
    assert (right.get_xlabel(), right.get_ylabel()) == ("frequency ω", "spectral density")
    assert left.get_title(loc="left")
    assert right.get_title(loc="left")


def test_several_columns_are_shown_along_the_first() -> None:
    figure = plot("gaussian(scale=2)[age]*laplace()[income]")
    left, right = figure.axes
    label = "gaussian(scale=2)[age]*laplace()[income]"
    lags, values = curve(left, label)
    np.testing.assert_allclose(values, np.exp(-(lags**2) / 8), rtol=1e-12)
    frequencies, values = curve(right, label)
    np.testing.assert_allclose(values, stats.norm.pdf(frequencies, scale=0.5), rtol=1e-10)
    assert legend(figure) == [f"{label} (along age)"]


def test_a_kernel_without_a_density_says_so_in_the_legend() -> None:
    figure = plot("stretch(laplace(), [[1, 2], [0, 1]])")
    left, right = figure.axes
    assert legend(figure) == ["stretch(laplace(), [[1, 2], [0, 1]]) (along column 0, spectral density not shown)"]
    assert len(left.lines) == 1
    assert len(right.lines) == 0


@pytest.mark.long
def test_scales() -> None:
    assert plot("gaussian()").axes[1].get_yscale() == "linear"
    assert plot("gaussian()", "laplace()").axes[1].get_yscale() == "log"  # a heavy tail
    assert plot("laplace()", "cosine(by=3)").axes[1].get_yscale() == "linear"  # atoms stand on zero
    assert plot("gaussian() - 0.9*laplace()").axes[1].get_yscale() == "linear"  # negative somewhere
    assert plot("sinc()*laplace()").axes[1].get_yscale() == "log"  # a numerical integral, and its error
    wide = plot("gaussian()", "gaussian(scale=1000)")
    assert [axes.get_xscale() for axes in wide.axes] == ["log", "log"]
    assert plot("gaussian()", "gaussian(scale=1000)", lags=(0, 5)).axes[0].get_xscale() == "linear"


@pytest.mark.long
@pytest.mark.parametrize("text", ["gaussian()", "0*gaussian()", "-gaussian()", "periodic(period=2, scale=0.05)"])
def test_every_figure_can_be_drawn(tmp_path: Path, text: str) -> None:
    save_figure(plot(text), tmp_path / "a.png")


def test_refusals() -> None:
    with pytest.raises(NotStationaryError, match=r"match\(\)\[city\] cannot be drawn: .*compares categories"):
        plot("gaussian()", "match()[city]")
    with pytest.raises(ParameterError, match="parameter 's' has no value"):
        plot("param s > 0\ngaussian(scale=s)")
    with pytest.raises(ValueError, match="at least one kernel"):
        plot()
    with pytest.raises(ValueError, match="there are 1 kernels, but 2 labels"):
        plot_kernels([ks.parse("gaussian()")], ["a", "b"])
    for bad in [(1.0, 1.0), (0.0, float("inf")), (2.0, 1.0)]:
        with pytest.raises(ValueError, match="lags must be a range from low to high"):
            plot("gaussian()", lags=bad)
        with pytest.raises(ValueError, match="frequencies must be a range from low to high"):
            plot("gaussian()", frequencies=bad)


@pytest.mark.long
def test_threads_draw_the_same_figures(tmp_path: Path) -> None:
    def draw(number: int) -> bytes:
        path = tmp_path / f"{number}.png"
        save_figure(plot("gaussian()"), path)
        return path.read_bytes()

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(draw, range(6)))) == 1


@pytest.mark.long
def test_no_pyplot_and_no_settings_are_touched() -> None:
    # looking up the back end would choose one, with pyplot's help
    script = """
import sys, matplotlib, kernelspec as ks
from kernelspec.plotting import plot_kernels
settings = lambda: {name: matplotlib.rcParams[name] for name in matplotlib.rcParams if name != "backend"}
before = settings()
plot_kernels([ks.parse("gaussian()")]).savefig("/dev/null", format="png")
print("matplotlib.pyplot" in sys.modules, before == settings())
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False True"
