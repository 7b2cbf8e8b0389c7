"""Draw the pictures of the documents: python docs/pictures.py [readme] [tutorials] [thumbnails]

README and the home page show `overview.png`, or `overview_narrow.png` on a narrow screen. A tutorial draws its own
pictures: its blocks run here, and what they save goes to `docs/figures`. Every entry of the gallery has a thumbnail of
its spec.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pyarrow.csv

import kernelspec as ks

mpl.use("Agg")
from matplotlib.axes import Axes
from matplotlib.figure import Figure

DOCS = Path(__file__).resolve().parent
FIGURES = DOCS / "figures"
INK, BLUE, ORANGE, GREY = "#1f2933", "#0b6e99", "#d1590a", "#8a94a0"


WIDE, NARROW = "overview.png", "overview_narrow.png"


def overview() -> None:
    """A spec, its spectral density, and the error of its features: predicted, and of maps that were drawn.

    Panels are side by side, or below each other for a screen of 360 pixels.
    """
    text = "0.7*gaussian(scale=2) + 0.3*laplace(scale=3)"
    facts = ks.analyze(text, dim=1)
    rows = np.random.default_rng(0).standard_normal((300, 3))
    exact = ks.parse(text).gram(rows)
    sizes = 2 ** np.arange(5, 11)
    errors: dict[str, tuple[list[float], list[list[float]]]] = {}
    for label, options in (
        ("independent samples", {"draws": "independent", "landmarks": "never"}),
        ("the chosen plan", {}),
    ):
        predicted, drawn = [], []
        for size in sizes:
            maps = [ks.compile(text, data=rows, n_features=int(size), seed=seed, **options) for seed in range(6)]
            predicted.append(maps[0].predicted_error(rows))
            drawn.append([np.linalg.norm(one.approximate(rows) - exact) / np.linalg.norm(exact) for one in maps])
        errors[label] = predicted, drawn

    for name, shape, mosaic, heights, font in (
        (WIDE, (8.4, 3.9), "tt;de", [1, 5], 11),
        (NARROW, (5, 7.4), "t;d;e", [1, 3, 4], 13),
    ):
        figure = Figure(figsize=shape, layout="constrained")
        panels = figure.subplot_mosaic(mosaic, height_ratios=heights)
        draw_head(panels["t"], text if name == WIDE else text.replace(" + ", "\n+ "), facts, font)
        draw_density(panels["d"], facts)
        draw_errors(panels["e"], sizes, errors, font)
        for axes in figure.axes:
            axes.tick_params(labelsize=font - 1)
            axes.xaxis.label.set(fontsize=font)
        save(figure, name, font)


def draw_head(axes: Axes, text: str, facts: ks.Facts, font: int) -> None:
    """The spec and its verdict."""
    axes.axis("off")
    axes.text(0.5, 0.45, text, ha="center", va="center", family="monospace", fontsize=font + 4, color=INK)
    verdict = f"positive definite: {facts.verdict.positive_definite}"
    axes.text(0.5, -0.2, verdict, ha="center", va="center", color=BLUE, fontsize=font)


def draw_density(axes: Axes, facts: ks.Facts) -> None:
    omega = np.linspace(-3, 3, 601)
    values = facts.spectral_density_at(omega[:, None])
    axes.fill_between(omega, values, color=BLUE, alpha=0.15, linewidth=0)
    axes.plot(omega, values, color=BLUE)
    axes.set(title="its spectral density, in closed form", xlabel="frequency ω", ylim=(0, None))


def draw_errors(axes: Axes, sizes: Any, errors: dict[str, tuple[list[float], list[list[float]]]], font: int) -> None:
    """Predicted error as lines, that of maps as points."""
    for colour, (label, (predicted, drawn)) in zip((GREY, ORANGE), errors.items(), strict=True):
        for size, found in zip(sizes, drawn, strict=True):
            axes.plot([size] * len(found), found, ".", color=colour, markersize=5, alpha=0.7)
        axes.plot(sizes, predicted, color=colour, label=f"{label}, predicted")
    axes.plot([], [], ".", color=INK, label="measured, six maps each")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_ylim(top=1 if font < 12 else 2.5)  # room for the legend
    axes.set_xticks(sizes, [str(size) for size in sizes])
    axes.set(title="relative error of its features on three columns", xlabel="features")
    axes.legend(frameon=False, fontsize=font - 2, labelcolor=INK)


def tutorials() -> None:
    """Run the blocks of every tutorial; they save their pictures."""
    home = Path.cwd()
    for page in sorted((DOCS / "tutorials").glob("*.md")):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(DOCS.parent / "examples", Path(folder) / "examples")
            os.chdir(folder)
            names: dict[str, Any] = {"__name__": "document"}
            for body in re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S):
                with contextlib.redirect_stdout(io.StringIO()):
                    exec(compile(body, page.name, "exec"), names)
            os.chdir(home)
            for picture in Path(folder).glob("*.png"):
                shutil.copy(picture, FIGURES / picture.name)
                print(picture.name)


def thumbnails() -> None:
    """Every entry of the gallery in small: its kernel against the lag, or its matrix on some rows."""
    specs = {path.stem: ks.load(path) for path in (DOCS.parent / "examples").rglob("*.kernel")}
    line = np.linspace(-4, 4, 161)[:, None]
    years = np.linspace(-6, 6, 361)[:, None]
    for name, lags in dict.fromkeys(("curve", "own", "foreign", "none", "lead", "weights"), line).items():
        thumbnail(name, lags, specs[name].gram(np.zeros((1, 1)), lags)[0])
    thumbnail("lifetimes", line / 3, specs["lifetimes"].gram(np.zeros((1, 1)), line / 3)[0])
    thumbnail("seasons", years, specs["seasons"].gram(np.zeros((1, 1)), years)[0])
    angles = np.linspace(-np.pi, np.pi, 121)
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    thumbnail("wide_network", angles, specs["wide_network"].gram([[1.0, 0.0]], circle)[0])
    for name, table in tables().items():
        spec = specs["documents" if name == "neighbours" else name]
        thumbnail(name, None, spec.gram(table))


def tables() -> dict[str, Any]:
    """Sixty rows for every spec of several columns, in an order that shows what the kernel finds alike."""
    from sklearn.datasets import load_digits

    rng = np.random.default_rng(0)
    order = np.repeat(np.arange(4), 15)
    normal = rng.standard_normal((60, 8)) / 2 + order[:, None] / 2
    penguins = pyarrow.csv.read_csv(DOCS.parent / "examples" / "penguins.csv").to_pandas()
    digits = load_digits()
    chosen = np.concatenate([np.flatnonzero(digits.target == digit)[:15] for digit in range(4)])
    words = rng.poisson(0.1 + 2.0 * (np.arange(40)[None] // 10 == order[:, None]), (60, 40)).astype(float)
    time = np.sort(rng.uniform(2003, 2013, 60))
    shops = {"shop": order.astype(str), "plan": rng.choice(["a", "b"], 60), "stock": rng.uniform(0, 9, 60)}
    places = {"lat": 10.0 + 15 * order, "lon": 20.0 * order, "hour": 6.0 * (order % 2), "income": 1000.0 + 100 * order}
    weather = {name: rng.standard_normal(60) for name in ("wind", "heat", "rain")}
    stations = {"east": 40.0 * order, "north": 20.0 * order, "day": np.sort(rng.uniform(0, 30, 60))}
    return {
        "penguins": penguins.sort_values(["species", "sex"])[::6],
        "averages": normal,
        "digits": digits.data[chosen] / 16 * np.pi,
        "documents": words,
        "neighbours": np.repeat(words[::2], 2, axis=0) + rng.poisson(0.1, (60, 40)),
        "ore": {"east": np.tile(np.arange(8.0), 8) / 4, "north": np.repeat(np.arange(8.0), 8) / 4},
        "places": places,
        "change": {"time": time, **shops},
        "stations": {"traffic": np.array(["low", "mid", "high", "low"])[order], **stations, **weather},
        "partitions": np.column_stack([normal[:, :2], order % 2]),
    }


def thumbnail(name: str, lags: Any, values: Any) -> None:
    figure = Figure(figsize=(1.6, 1.1), layout="constrained")
    axes = figure.subplots()
    if lags is None:
        axes.imshow(values, cmap="cividis", aspect="auto", interpolation="nearest")
    else:
        axes.plot(np.ravel(lags), values, color=BLUE, linewidth=1.5)
        axes.axhline(0, color=GREY, linewidth=0.5)
    axes.set_axis_off()
    figure.savefig(FIGURES / f"thumb_{name}.png", dpi=100)
    print(f"thumb_{name}.png")


def save(figure: Figure, name: str, font: int) -> None:
    """In the colours of the site, without borders."""
    for axes in figure.axes:
        axes.spines[["top", "right"]].set_visible(False)
        axes.title.set(fontsize=font, color=INK)
    figure.savefig(FIGURES / name, dpi=130)
    print(name)


if __name__ == "__main__":
    asked = sys.argv[1:] or ["readme", "tutorials", "thumbnails"]
    for name, draw in (("readme", overview), ("tutorials", tutorials), ("thumbnails", thumbnails)):
        if name in asked:
            draw()
