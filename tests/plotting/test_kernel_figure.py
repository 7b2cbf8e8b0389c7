"""Tests of `plotting/figures.py`."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import matplotlib.image
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import same_color, to_rgb
from matplotlib.figure import Figure
from scipy import special, stats

import kernelspec as ks
from kernelspec.analysis.pictures import Drawn, drawn_kernels, kernel_panel, label_of, plot_kernels, spectrum_panel
from kernelspec.analysis.profile import Profile
from kernelspec.errors import FileError, MissingPackageError, NotStationaryError, ParameterError
from kernelspec.plotting.figures import FORMATS, distinct_colours, figure_format, new_figure, save_figure

__all__ = ["curve", "legend", "plot"]


def plot(*texts: str, **ranges: tuple[float, float]) -> Figure:
    """The figure of kernels."""
    return plot_kernels([ks.parse(text) for text in texts], **cast(Any, ranges))


def curve(axes: Axes, label: str) -> tuple[np.ndarray, np.ndarray]:
    """The points of a line."""
    (line,) = (line for line in axes.lines if line.get_label() == label)
    return np.asarray(line.get_xdata()), np.asarray(line.get_ydata())


def legend(figure: Figure) -> list[str]:
    """The texts below the panels."""
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_ranges_given() -> None:
    left, right = plot("laplace()", lags=(-2, 3), frequencies=(1, 4)).axes
    assert left.get_xlim() == (-2, 3)
    assert right.get_xlim() == (1, 4)
    lags, values = curve(left, "laplace()")
    assert lags[0] == -2
    assert lags[-1] == 3
    assert 0 in lags  # the cusp
    np.testing.assert_allclose(values, np.exp(-np.abs(lags)), rtol=1e-12)


def test_ranges_of_the_slowest_and_the_widest() -> None:
    left, right = plot("gaussian()", "gaussian(scale=5)").axes
    assert np.exp(-(left.get_xlim()[1] ** 2) / 50) <= 0.02
    assert stats.norm.cdf(right.get_xlim()[1]) > 0.995


def test_labels() -> None:
    specs = [ks.parse("param s = 2\ngaussian(scale=s)", {"s": 0.5}), ks.parse("laplace()")]
    assert label_of(specs[0]) == "gaussian(scale=s), s = 0.5"
    assert [each.label for each in drawn_kernels(specs)] == ["gaussian(scale=s), s = 0.5", "laplace()"]
    assert legend(plot_kernels(specs, ["narrow", "a\nheavy  tail"])) == ["narrow", "a heavy tail"]
    (long,) = legend(plot_kernels(specs[1:], ["x" * 500]))
    assert long.startswith("xxx")
    assert len(long) < 100


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
    assert not left.spines["top"].get_visible()


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


@pytest.mark.parametrize(
    ("text", "lags"),
    [
        ("gaussian(scale=2)[x]*match()[c]", lambda t: np.exp(-(t**2) / 8)),
        ("match()[c, d]*laplace()[x] + 0.5*match()[d]", lambda t: np.exp(-t) + 0.5),
        ("let same = match()[c]\nsame*gaussian()[x]", lambda t: np.exp(-(t**2) / 2)),
        ("mean(match()[c], gaussian()[x])**2", lambda t: (0.5 + 0.5 * np.exp(-(t**2) / 2)) ** 2),
    ],
)
def test_what_compares_categories_is_shown_between_equal_ones(text: str, lags: Any) -> None:
    (drawn,) = drawn_kernels([ks.parse(text)])
    t = np.linspace(0, 5, 23)
    np.testing.assert_allclose(drawn.profile.kernel(t), lags(t), atol=1e-9)
    assert drawn.label.endswith(", equal categories")


def test_refusals() -> None:
    with pytest.raises(NotStationaryError, match=r"match\(\)\[city\] cannot be drawn: .*compares categories"):
        plot("gaussian()", "match()[city]")
    with pytest.raises(ParameterError, match="parameter 's' has no value"):
        plot("param s > 0\ngaussian(scale=s)")
    with pytest.raises(ValueError, match="at least one kernel"):
        plot()
    with pytest.raises(ValueError, match="expected 1 labels, one per kernel, not 2"):
        plot_kernels([ks.parse("gaussian()")], ["a", "b"])
    for bad in [(1.0, 1.0), (0.0, float("inf")), (2.0, 1.0)]:
        with pytest.raises(ValueError, match="lags must be a finite range"):
            plot("gaussian()", lags=bad)
        with pytest.raises(ValueError, match="frequencies must be a finite range"):
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
from kernelspec.analysis.pictures import plot_kernels
settings = lambda: {name: matplotlib.rcParams[name] for name in matplotlib.rcParams if name != "backend"}
before = settings()
plot_kernels([ks.parse("gaussian()")]).savefig("/dev/null", format="png")
print("matplotlib.pyplot" in sys.modules, before == settings())
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False True"


def test_a_kernel_that_is_not_symmetric() -> None:
    # exp(−(t − 1)²/2) has the density φ(ω) e^{−iω}
    gaussian = ks.parse("gaussian()")
    facts = SimpleNamespace(
        columns=gaussian.columns(1),
        mapped=gaussian.columns(1),
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


SIGNATURES = {"png": b"\x89PNG\r\n\x1a\n", "svg": b"<?xml", "pdf": b"%PDF-"}


@pytest.mark.long
@pytest.mark.parametrize("kind", FORMATS)
def test_files_begin_as_their_format_does(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"a.{kind.upper()}"
    save_figure(new_figure(2, ["k"], ["black"]), path)
    assert path.read_bytes().startswith(SIGNATURES[kind])
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


@pytest.mark.long
def test_a_png_has_the_size_of_the_figure_and_the_same_bytes_again(tmp_path: Path) -> None:
    for name in ("a.png", "b.png"):
        figure = new_figure(3, ["k"], ["black"])
        save_figure(figure, tmp_path / name)
    height, width, _ = matplotlib.image.imread(tmp_path / "a.png").shape
    inches = figure.get_size_inches()
    assert (width, height) == (round(inches[0] * 200), round(inches[1] * 200))
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


@pytest.mark.parametrize(("name", "said"), [("a.jpg", "the suffix '.jpg'"), ("a", "no suffix"), ("png", "no suffix")])
def test_other_formats_are_refused(tmp_path: Path, name: str, said: str) -> None:
    with pytest.raises(FileError, match=rf"has {said}; use \.png, \.svg, \.pdf"):
        figure_format(tmp_path / name)
    with pytest.raises(FileError):
        save_figure(new_figure(1, ["k"], ["black"]), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_figure_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.png"
    path.write_text("old")
    figure = new_figure(1, ["k"], ["black"])

    def fail(file: Path, **_: object) -> None:
        file.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(figure, "savefig", fail)
    with pytest.raises(FileError, match=r"a\.png: cannot be written: No space left on device"):
        save_figure(figure, path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_every_kernel_is_in_the_legend_word_for_word(tmp_path: Path) -> None:
    labels = ["_a", "price in $ and $x_1$", "b"]
    figure = new_figure(1, labels, ["black", "red", "blue"])
    shown = figure.legends[0].get_texts()
    assert [text.get_text().strip() for text in shown] == labels
    assert not any(text.get_parse_math() for text in shown)
    save_figure(figure, tmp_path / "a.png")


def test_a_long_legend_makes_the_figure_higher_and_not_wider() -> None:
    short, long = (new_figure(2, ["x" * size] * 6, ["black"] * 6).get_size_inches() for size in (5, 60))
    assert short[0] == long[0]
    assert short[1] < long[1]


@pytest.mark.parametrize("count", [1, 7, 8, 20])
def test_colours_are_distinct_and_dark_enough_for_white_paper(count: int) -> None:
    colours = [to_rgb(colour) for colour in distinct_colours(count)]
    assert len(set(colours)) == count
    assert all(0.299 * r + 0.587 * g + 0.114 * b < 0.8 for r, g, b in colours)


@pytest.mark.parametrize("draw", [lambda: new_figure(1, ["k"], ["black"]), lambda: plot_kernels([ks.parse("sinc()")])])
def test_without_matplotlib_nothing_is_drawn(monkeypatch: pytest.MonkeyPatch, draw: Callable[[], object]) -> None:
    monkeypatch.setattr("kernelspec.loading.find_spec", lambda name: None)
    with pytest.raises(MissingPackageError, match=r"^figures need .* matplotlib.*pip install 'kernelspec\[plot\]'$"):
        draw()
