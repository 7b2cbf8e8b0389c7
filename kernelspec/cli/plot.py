"""`kernelspec plot`: kernels and their spectral densities as a figure."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kernelspec.cli.spec_input import MISSING_SPEC, Choices, every_choice, given_choices, is_sweep, read_spec

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from kernelspec.spec import Spec

__all__ = ["plot"]

_FEATURES = 20_000
"""Features drawn for the co-occurrence of pixels."""

_TITLE_WIDTH = 44

_Range = tuple[float, float]
_Pixel = tuple[int, int]


def _range(ctx: click.Context, parameter: click.Parameter, text: str | None) -> _Range | None:
    if text is None:
        return None
    try:
        low, high = map(float, text.split(":"))
    except ValueError:
        low = high = math.nan
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise click.UsageError(f"{parameter.opts[0]} takes two numbers A:B with A < B, as in 0:10, not '{text}'", ctx)
    return low, high


def _pixel(ctx: click.Context, parameter: click.Parameter, text: str | None) -> _Pixel | None:
    if text is None:
        return None
    try:
        row, column = map(int, text.split(","))
    except ValueError:
        raise click.UsageError(
            f"{parameter.opts[0]} takes a row and a column R,C from 0, as in 3,5, not '{text}'", ctx
        ) from None
    return row, column


@click.command(short_help="Kernels and their spectral densities as a figure.")
@click.argument("files", nargs=-1, metavar="[SPEC ...]")
@click.option("-e", "--expression", "expressions", multiple=True, metavar="TEXT", help="A spec itself; repeatable.")
@click.option("-o", "--output", required=True, metavar="OUT", help="The figure: .png, .svg or .pdf.")
@click.option("--label", "labels", multiple=True, metavar="TEXT", help="Name of a kernel, in order; one for each.")
@click.option("--lags", metavar="A:B", callback=_range, help="Range of lags.  [default: as the kernels need]")
@click.option("--frequencies", metavar="A:B", callback=_range, help="Range of frequencies.  [default: likewise]")
@click.option("--cooccurrence", is_flag=True, help="For skeletons: which pixels occur together in a feature.")
@click.option("--pixel", metavar="R,C", callback=_pixel, help="The pixel the others occur with.  [default: centre]")
@click.option(
    "--n-features-drawn", type=click.IntRange(min=1), metavar="N", help="Features to count in.  [default: 20000]"
)
@click.option(
    "-p",
    "choices",
    multiple=True,
    metavar="NAME=VALUE[,VALUE...]",
    callback=given_choices,
    help="Value of a parameter, or several, each drawn; repeatable.",
)
def plot(
    files: tuple[str, ...],
    expressions: tuple[str, ...],
    output: str,
    labels: tuple[str, ...],
    lags: _Range | None,
    frequencies: _Range | None,
    cooccurrence: bool,
    pixel: _Pixel | None,
    n_features_drawn: int | None,
    choices: Choices,
) -> None:
    """Draw k(t) on one column against the lag t, and the spectral density against the frequency, of several kernels.

    SPEC is a file, or - for standard input. Files come first, then every -e, in order. A kernel of several columns is
    shown along the first, with all others at lag 0; atoms of its spectral measure are stems. A kernel that is no
    function of the lag, such as match(), is refused.

    With several values for a parameter, every value is a curve of its own. With --cooccurrence every kernel is a
    skeleton over an image and has a panel: of the features that use one pixel, the share that uses each other pixel
    too. OUT appears when it is complete.

    \b
    Example:
      kernelspec plot -e "gaussian()" -e "matern(nu=3/2)" -o kernels.pdf
      kernelspec plot matern.kernel -p nu=0.5,1.5,2.5 -o smoothness.png
      kernelspec plot -e "full(relu, input=conv(relu, size=4, input=image(8, 8, 1)))" --cooccurrence -o pixels.png
    """
    from kernelspec.plotting import plot_kernels
    from kernelspec.plotting.figures import figure_format, require_matplotlib, save_figure
    from kernelspec.tables.atomic import check_target

    count = len(files) + len(expressions)
    if not count:
        raise click.UsageError(MISSING_SPEC)
    if labels and len(labels) != count:
        raise click.UsageError(f"--label is given {len(labels)} times for {count} kernels: give one for each, or none")
    if cooccurrence and (lags or frequencies):
        raise click.UsageError("--lags and --frequencies are ranges of curves: with --cooccurrence there are none")
    if not cooccurrence and (pixel or n_features_drawn):
        raise click.UsageError("--pixel and --n-features-drawn go with --cooccurrence")
    path = Path(output)
    require_matplotlib()
    figure_format(path)
    check_target(path)
    specs = [read_spec(file, None, {}) for file in files] + [read_spec(None, text, {}) for text in expressions]
    names = [*(None if file == "-" else Path(file).stem for file in files), *(None for _ in expressions)]
    if len(specs) == 1 and is_sweep(choices):
        names = [""]  # what the values are says it all
    drawn, shown = every_choice(specs, labels or names, choices)
    if cooccurrence:
        figure = _pixels(drawn, shown, pixel, n_features_drawn)
    else:
        figure = plot_kernels(drawn, shown, lags=lags, frequencies=frequencies)
    save_figure(figure, path)


def _pixels(specs: list[Spec], labels: list[str], pixel: _Pixel | None, n_features: int | None) -> Figure:
    """A panel for every skeleton. Raises SpecError for another kernel, PlanError for a pixel that is not there."""
    from textwrap import fill

    from kernelspec.plotting.cooccurrence import cooccurrence, plot_cooccurrence

    chosen = None if pixel is None else [pixel]
    found = [each for spec in specs for each in cooccurrence(spec, chosen, n_features or _FEATURES)]
    return plot_cooccurrence(found, [fill(label, _TITLE_WIDTH) for label in labels])
