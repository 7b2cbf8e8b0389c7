"""Tests of the pictures that specs, facts, maps and models draw: what they show, and on which background."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb
from matplotlib.dates import num2date
from matplotlib.figure import Figure
from scipy import stats

import kernelspec as ks
from kernelspec.errors import DataError, PlanError
from kernelspec.plotting.figures import distinct_colours, new_figure, svg_of

ROWS = np.random.default_rng(0).standard_normal((60, 2))


def lines(figure: Figure) -> list[tuple[np.ndarray, np.ndarray]]:
    """The points of every line with points."""
    found = [
        (np.asarray(line.get_xdata(), float), np.asarray(line.get_ydata(), float)) for line in figure.axes[0].lines
    ]
    return [line for line in found if len(line[0])]


def test_one_panel_or_both() -> None:
    spec = ks.parse("laplace()")
    assert [axes.get_title(loc="left") for axes in spec.plot().axes] == [
        "Kernel by lag",
        "Spectral density by frequency",
    ]
    ((lags, values),) = lines(spec.plot("kernel"))
    np.testing.assert_allclose(values, np.exp(-lags), rtol=1e-12)
    ((omega, density),) = lines(ks.analyze(spec, 1).plot("density", frequencies=(0, 3)))
    np.testing.assert_allclose(density, stats.cauchy.pdf(omega), rtol=1e-9)
    with pytest.raises(ValueError, match="what must be 'kernel', 'density' or 'samples'"):
        spec.plot("else")  # type: ignore[arg-type]


@pytest.mark.long
def test_samples_have_the_covariance_of_the_kernel() -> None:
    """Nine z-scores: above 5 with a chance of 6e-7 each."""
    n = 400
    paths = np.array([y for _, y in lines(ks.parse("matern(nu=1/2)").plot("samples", lags=(0, 4), n_samples=n))])
    assert paths.shape == (n, 401)
    for lag in (0, 5, 20, 50, 100, 150, 200, 300, 400):
        k = np.exp(-lag / 100)
        found = (paths[:, 0] * paths[:, lag]).mean()
        assert abs(found - k) < 5 * np.sqrt((1 + k**2) / n)


def test_samples_of_kernels_that_are_not_stationary() -> None:
    figure, again = (ks.parse("linear()[x]*match()[c]").plot("samples", lags=(1, 2)) for _ in range(2))
    for (x, values), (_, others) in zip(lines(figure), lines(again), strict=True):
        np.testing.assert_allclose(values, values[0] * x, atol=1e-6)
        np.testing.assert_array_equal(values, others)
    with pytest.raises(PlanError, match="not positive definite, so no Gaussian process"):
        ks.parse("gaussian() - laplace()").plot("samples")


def test_samples_are_drawn_where_the_kernel_is_defined() -> None:
    x, values = lines(ks.parse("brownian(until=2)").plot("samples"))[0]
    assert (x[0], x[-1], values[0]) == (0, 2, 0)
    for text in ("brownian(until=2)", "sphere()", "dual(relu, sphere())", "binary()", "rbf_cosine(gamma=1)"):
        with pytest.raises(DataError, match="not defined along one column from 0 to 3: row "):
            ks.parse(text).plot("samples", lags=(0, 3))


def test_features_are_the_frequencies() -> None:
    """One Kolmogorov–Smirnov test: a false alarm with a chance of 1e-6."""
    fmap = ks.compile("gaussian(scale=2)[a, b]", n_features=512, draws="independent")
    (scatter,) = fmap.plot(what="features").axes[0].collections
    shown: Any = scatter.get_offsets()
    assert shown.shape == (256, 2)
    assert stats.kstest(2 * np.ravel(shown), "norm").pvalue > 1e-6
    assert fmap.plot(what="features").axes[0].get_xlabel() == "frequency of a"
    shared = ks.compile("gaussian(scale=2)[a]*match()[b]", n_features=512)
    assert "256 frequencies" in shared.plot(what="features").axes[0].get_title(loc="left")


def test_bins_give_the_kernel() -> None:
    """Independent samples: 7 z-scores above 5 with a chance of 6e-7 each."""
    fmap = ks.compile("laplace()", dim=1, n_features=1024, method="binning")
    ((places, share),) = lines(fmap.plot(ROWS[:, :1], "bins"))
    middle = places[len(places) // 2]
    for at in np.linspace(20, len(places) - 21, 7).astype(int):
        k = np.exp(-abs(places[at] - middle))
        assert abs(share[at] - k) < 5 * np.sqrt(k * (1 - k) / 1024) + 1e-12
    assert places[0] == ROWS[:, 0].min()


@pytest.mark.slow
@pytest.mark.parametrize("method", ["paired", "landmarks"])
def test_the_error_is_that_of_the_map(method: Any) -> None:
    spec = ks.parse("gaussian()")
    fmap = ks.compile(spec, data=ROWS, n_features=64, method=method)
    (columns, predicted), *measured = lines(fmap.plot(ROWS, "error"))
    assert columns[-1] == fmap.n_columns
    assert predicted[-1] == pytest.approx(fmap.predicted_error(ROWS))
    exact = spec.gram(ROWS)
    own = np.linalg.norm(fmap.approximate(ROWS) - exact) / np.linalg.norm(exact)
    assert measured[-1][1][0] == pytest.approx(own, rel=1e-6)
    assert {len(y) for _, y in measured} == {6}


def test_landmarks_are_rows() -> None:
    fmap = ks.compile("gaussian()", data=ROWS, n_features=32, method="landmarks")
    (x, y), (at_x, at_y) = lines(fmap.plot(ROWS, "landmarks"))
    assert {*zip(at_x, at_y, strict=True)} <= {*zip(x, y, strict=True)}
    assert len(x) == len(ROWS)


def test_all_pictures_of_a_map_and_refusals() -> None:
    paired = ks.compile("gaussian()", dim=2, n_features=32)
    assert len(paired.plot().axes) == 1
    assert len(paired.plot(ROWS).axes) == 2
    for what, message in (("landmarks", "no landmarks"), ("bins", "no bins"), ("error", "need rows"), ("x", "one of")):
        with pytest.raises(PlanError, match=message):
            paired.plot(what=what)  # type: ignore[arg-type]
    with pytest.raises(PlanError, match="no frequencies of numeric columns"):
        ks.compile("match()[c]", n_features=4).plot(what="features")
    with pytest.raises(DataError, match="3 features"):
        paired.plot(np.zeros((2, 3)))


@pytest.mark.slow
def test_a_prediction_with_its_band() -> None:
    y = np.sin(2 * ROWS[:, 0]) + 0.1 * ROWS[:, 1]
    model = ks.KernelRegressor("gaussian()").fit(ROWS, y)
    figure = model.plot(ROWS, y, coverage=0.9)
    (seen, observed), (x, mean) = lines(figure)
    np.testing.assert_array_equal((seen, observed), (ROWS[:, 0], y))
    typical = np.column_stack([x, np.full(len(x), np.median(ROWS[:, 1]))])
    np.testing.assert_allclose(mean, model.predict(typical), atol=1e-9)
    low, high = model.predict_interval(typical, 0.9)
    band = np.asarray(figure.axes[0].collections[0].get_paths()[0].vertices)
    assert band[:, 1].min() == pytest.approx(low.min())
    assert band[:, 1].max() == pytest.approx(high.max())
    (_, mean) = lines(model.plot(column=1))[-1]
    assert len(mean) == len(x)
    with pytest.raises(PlanError, match="column 'z' is not one of the kernel's columns of numbers, column 0, column 1"):
        model.plot(column="z")
    on_features = ks.KernelRegressor("gaussian()", solver="features", n_features=32).fit(ROWS, y)
    with pytest.raises(PlanError, match="keeps no training rows"):
        on_features.plot()
    assert len(lines(on_features.plot(ROWS))) == 1


@pytest.mark.parametrize("solver", ["exact", "state-space"])
def test_without_a_table_the_training_rows_give_the_range(solver: Any) -> None:
    time = np.random.default_rng(1).uniform(3, 7, 20)[:, None]
    model = ks.KernelRegressor("matern(nu=3/2)", solver=solver).fit(time, np.sin(time[:, 0]))
    ((x, mean),) = lines(model.plot())
    assert (x[0], x[-1]) == (time.min(), time.max())
    np.testing.assert_allclose(mean, model.predict(x[:, None]))
    with pytest.raises(PlanError, match=r"pass both, plot\(X, y\)"):  # the rows kept are in another order
        model.plot(y=np.sin(time[:, 0]))
    with pytest.raises(DataError, match="X has 20 rows and y has 5"):
        model.plot(time, np.zeros(5))


def test_a_column_of_dates_has_an_axis_of_dates() -> None:
    hours = np.arange("2024-02-28T12", "2024-03-01T12", dtype="M8[h]")
    table, y = pd.DataFrame({"when": hours, "x": ROWS[:48, 0]}), np.sin(np.arange(48) / 9)
    model = ks.KernelRegressor("gaussian(scale=0.3)[days(when), x]").fit(table, y)
    axes = model.plot(table, y).axes[0]
    assert axes.lines[0].get_xdata().astype("M8[h]").tolist() == hours.tolist()
    assert tuple(num2date(axes.get_xlim(), UTC)) == (
        datetime(2024, 2, 28, 12, tzinfo=UTC),
        datetime(2024, 3, 1, 11, tzinfo=UTC),
    )
    assert axes.lines[1].get_xdata().dtype.kind == "M"
    assert model.plot(table, column="x").axes[0].lines[0].get_xdata().dtype.kind == "f"
    classes = ks.KernelClassifier("gaussian(scale=0.3)[when]", n_features=16).fit(table, y > 0)
    assert classes.plot(table).axes[0].lines[0].get_xdata().dtype.kind == "M"
    late = table.assign(when=hours.astype("M8[s]") + np.timedelta64(3_000_000, "D"))  # beyond the year 9999
    assert model.plot(late).axes[0].lines[0].get_xdata().dtype.kind == "f"


@pytest.mark.slow
def test_probabilities_of_classes() -> None:
    model = ks.KernelClassifier("gaussian()", n_features=32).fit(ROWS, np.where(ROWS[:, 0] > 0, "up", "down"))
    figure = model.plot(ROWS)
    (x, down), (_, up) = lines(figure)
    np.testing.assert_allclose(down + up, 1)
    typical = np.column_stack([x, np.full(len(x), np.median(ROWS[:, 1]))])
    np.testing.assert_allclose(up, model.predict_proba(typical)[:, 1])
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["down", "up"]


def contrast(one: Any, other: Any) -> float:
    """The contrast ratio of two colors [WCAG 2.2]."""
    sizes = []
    for colour in (one, other):
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
        sizes.append(float(np.dot(linear, (0.2126, 0.7152, 0.0722))))
    return (max(sizes) + 0.05) / (min(sizes) + 0.05)


@pytest.mark.parametrize("dark", [False, True])
def test_colours_stand_out_on_their_background(dark: bool) -> None:
    figure = ks.parse("gaussian()").plot("kernel", dark=dark)
    axes, paper = figure.axes[0], figure.get_facecolor()
    assert contrast(axes.xaxis.label.get_color(), paper) > 7
    assert contrast(axes.lines[0].get_color(), paper) > 4.5
    assert min(contrast(colour, paper) for colour in distinct_colours(7, dark=dark)) > 2  # lines, not text
    assert min(contrast(colour, paper) for colour in distinct_colours(2, dark=dark)) > 3


def test_the_style_of_matplotlib_decides() -> None:
    with mpl.rc_context({"figure.facecolor": "black"}):
        assert sum(to_rgb(ks.parse("gaussian()").plot().get_facecolor())) < 0.4
        assert to_rgb(ks.parse("gaussian()").plot(dark=False).get_facecolor()) == (1, 1, 1)
    assert to_rgb(ks.parse("gaussian()").plot().get_facecolor()) == (1, 1, 1)


def test_notebooks_and_pages_show_them() -> None:
    figure: Any = new_figure(1, ["k"], ["#0072B2"])
    assert figure._repr_png_().startswith(b"\x89PNG")
    svg = svg_of(figure, 'a "kernel"')
    assert svg.startswith('<svg role="img" aria-label="a &quot;kernel&quot;"')
    assert "currentColor" in svg
    assert "#333333" not in svg
