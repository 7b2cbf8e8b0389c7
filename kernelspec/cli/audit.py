"""`kernelspec audit`: what other libraries' samplers estimate."""

from __future__ import annotations

import click

from kernelspec.cli.json_output import json_option, print_json

__all__ = ["audit"]


@click.command(short_help="Samplers of scikit-learn against the kernels they claim.")
@click.option("--maps", default=400, type=click.IntRange(min=30), help="Independent maps of each sampler.")
@click.option("--seed", default=0, type=click.IntRange(min=0), help="Seed of the first map.")
@json_option
def audit(maps: int, seed: int, as_json: bool) -> None:
    """Measure the bias of scikit-learn's samplers, with an interval, and their variance against what is predicted.

    Twelve rows of four columns, all pairs; sizes are shares of √(k(x,x) k(y,y)). The pair shown is the one where a bias
    is most certain; the intervals hold for all pairs together, with probability 0.9999 for each sampler.

    \b
    Example:
      kernelspec audit --maps 1000
    """
    from dataclasses import asdict

    from kernelspec.comparison.samplers import audit as measure_all

    found = measure_all(maps, seed)
    if as_json:
        print_json([asdict(each) | {"is_biased": each.is_biased} for each in found])
    else:
        for each in found:
            click.echo(str(each))
