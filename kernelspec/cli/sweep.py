"""Several values for a parameter: every combination of them is a spec of its own."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kernelspec.cli.spec_input import Values, parameter_values

if TYPE_CHECKING:
    import click

    from kernelspec.spec import Spec

__all__ = ["Choices", "every_choice", "given_choices", "is_sweep"]

Choices = dict[str, list[Values]]
"""The values given to every parameter, each as a value for `Spec.with_params`."""


def given_choices(ctx: click.Context, parameter: click.Parameter, given: Sequence[str]) -> Choices:
    """What -p gives: one value or several with commas between them. Raises UsageError as for all other commands."""
    split = [(name, text.split(",")) for name, _, text in (item.partition("=") for item in given)]
    # all first values together, so that a parameter given twice is found
    parameter_values(ctx, parameter, [item.split(",")[0] for item in given])
    return {name.strip(): [parameter_values(ctx, parameter, [f"{name}={one}"]) for one in text] for name, text in split}


def is_sweep(choices: Choices) -> bool:
    """Whether a parameter has several values."""
    return any(len(values) > 1 for values in choices.values())


def every_choice(specs: list[Spec], names: Sequence[str | None], choices: Choices) -> tuple[list[Spec], list[str]]:
    """Every spec with every combination of the values of its parameters, and what the curves are called.

    A name is followed by the values that differ; a spec without name is called by its text, which has them all.
    Raises ParameterError for a parameter that no spec has, or a value it does not accept.
    """
    from kernelspec.plotting import label_of

    for parameter, given in choices.items():
        if not any(parameter in spec.params for spec in specs):
            specs[0].with_params(given[0])  # says that there is none of that name
    found: list[Spec] = []
    labels: list[str] = []
    for spec, name in zip(specs, names, strict=True):
        own = [choices[parameter] for parameter in spec.params if parameter in choices]
        for combination in itertools.product(*own):
            values = {parameter: value for part in combination for parameter, value in part.items()}
            found.append(spec.with_params(values) if values else spec)
            differ = [
                f"{parameter} = {float(values[parameter]):g}" for parameter in values if len(choices[parameter]) > 1
            ]
            labels.append(label_of(found[-1]) if name is None else ", ".join([name] * bool(name) + differ))
    return found, labels
