"""`kernelspec audit`: what other libraries' samplers estimate."""

from __future__ import annotations

import click

from kernelspec.cli.json_output import json_option, print_json

__all__ = ["audit"]


@click.command(short_help="Samplers of other libraries against the kernels they claim.")
@click.option("--maps", default=400, type=click.IntRange(min=30), help="Independent maps of each sampler.")
@click.option("--seed", default=0, type=click.IntRange(min=0), help="Seed of the first map.")
@click.option(
    "--library", "only", metavar="NAME", multiple=True, help="These libraries only.  [default: all installed]"
)
@json_option
def audit(maps: int, seed: int, only: tuple[str, ...], as_json: bool) -> None:
    """Measure the bias of other libraries' samplers, with an interval, and their variance against what is predicted.

    Of scikit-learn, and of datasketch, GSTools, GPyTorch and BoTorch where they are installed. Twelve rows of four
    columns, all pairs; sizes are shares of √(k(x,x) k(y,y)). The pair shown is the one where a bias is most certain;
    the intervals hold for all pairs together, with probability 0.9999 for each sampler.

    \b
    Examples:
      kernelspec audit --maps 1000
      kernelspec audit --library GSTools
    """
    from dataclasses import asdict

    from kernelspec.comparison.catalogue import LIBRARIES, is_installed
    from kernelspec.comparison.catalogue import audit as measure

    names = {name.lower(): name for name in LIBRARIES}
    for name in only:
        if name.lower() not in names:
            raise click.UsageError(f"there are no samplers of '{name}': try one of {', '.join(LIBRARIES)}")
        if not is_installed(names[name.lower()]):
            raise click.UsageError(f"{names[name.lower()]} is not installed: pip install {name.lower()}")
    reports = []
    for library in [names[name.lower()] for name in only] or LIBRARIES:
        if not is_installed(library):
            click.echo(f"{library} is not installed, and was left out", err=True)
            continue
        for found in measure(library, maps, seed):
            if as_json:
                reports.append({"library": library} | asdict(found) | {"is_biased": found.is_biased})
            else:
                click.echo(f"{library}, {found}")
    if as_json:
        print_json(reports)
