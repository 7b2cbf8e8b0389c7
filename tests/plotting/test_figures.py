"""Figures in one style, and their files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import matplotlib.image
import pytest
from matplotlib.colors import to_rgb

import kernelspec as ks
from kernelspec.errors import FileError, MissingPackageError
from kernelspec.plotting import plot_kernels
from kernelspec.plotting.figures import FORMATS, distinct_colours, dress, figure_format, new_figure, save_figure

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
    with pytest.raises(FileError, match=rf"has {said}; figures are written to \.png, \.svg, \.pdf"):
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


def test_axes_are_labelled() -> None:
    figure = new_figure(1, ["k"], ["black"])
    (axes,) = figure.axes
    dress(axes, "a title", "across", "up")
    assert (axes.get_title(loc="left"), axes.get_xlabel(), axes.get_ylabel()) == ("a title", "across", "up")
    assert not axes.spines["top"].get_visible()


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
